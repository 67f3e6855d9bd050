// Talks to the server: requests under /api, and one WebSocket that reconnects. docs/page.md describes both.

const VERSION = 1; // of the WebSocket's messages
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [250, 5000];
const [PING_MS, PONG_MS] = [15000, 8000];
const REPLY_MS = 30000;

// An error that the server told, or a lost connection (code "offline"). The page shows t(`error.${code}`).
export class ApiError extends Error {
  constructor(code, message, status = 0) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

async function request(method, path, body, { signal } = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      signal,
      credentials: "same-origin",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("offline", "the server cannot be reached");
  }
  const isJson = (response.headers.get("content-type") || "").includes("json");
  const content = isJson ? await response.json() : await response.text();
  if (response.ok) return content;
  const told = (isJson && content.error) || {};
  throw new ApiError(told.code || "refused", told.message || response.statusText, response.status);
}

// One connection for the whole page. States: "connecting", "open", "lost".
class Socket {
  #socket = null;
  #wait = FIRST_WAIT_MS;
  #timer = 0;
  #pinging = 0;
  #number = 0;
  #pending = new Map(); // by the id of the message: {text, resolve, reject, again}
  #handlers = new Map(); // by the type of the message
  #watched = new Map(); // by the id of the game: handlers
  #observers = new Set();
  #isWanted = false;
  state = "connecting";
  // Called when the server refuses the connection, which may mean that the session ended.
  onRefused = async () => {};

  // Connects, and again whenever the connection is lost.
  start() {
    if (this.#isWanted) return;
    this.#isWanted = true;
    addEventListener("online", () => this.#retry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#retry());
    this.#connect();
  }

  // Calls `handler(state)` at every change of the connection; returns a function that ends this.
  observe(handler) {
    this.#observers.add(handler);
    return () => this.#observers.delete(handler);
  }

  // Calls `handler(message)` for messages of a type that are no replies; returns a function that ends this.
  on(type, handler) {
    if (!this.#handlers.has(type)) this.#handlers.set(type, new Set());
    this.#handlers.get(type).add(handler);
    return () => this.#handlers.get(type).delete(handler);
  }

  // Follows a game: `handler(message)` gets it now, after every change and after every reconnection. Returns a function
  // that ends this.
  watch(game, handler) {
    if (!this.#watched.has(game)) {
      this.#watched.set(game, new Set());
      this.#follow(game);
    } else this.#ask("watch", { game }).catch(() => {}); // the server sends the game again
    this.#watched.get(game).add(handler);
    return () => {
      const handlers = this.#watched.get(game);
      handlers.delete(handler);
      if (handlers.size) return;
      this.#watched.delete(game);
      if (this.state === "open") this.#ask("leave", { game }).catch(() => {});
    };
  }

  // Gives up the connection and makes another.
  drop() {
    if (this.#socket) this.#giveUp();
  }

  // Sends a command and resolves with the data of its reply. With `again`, it waits for a connection and is sent again
  // if the connection is lost before the reply; the server must take it twice then.
  send(type, content = {}, { again = false } = {}) {
    return this.#ask(type, content, again);
  }

  #ask(type, content, again = false) {
    return new Promise((resolve, reject) => {
      const id = ++this.#number;
      const text = JSON.stringify({ v: VERSION, id, type, ...content });
      if (this.state !== "open" && !again) {
        // Followed games are asked for when the connection opens.
        if (type === "watch") resolve({});
        else reject(new ApiError("offline", "the connection is lost"));
        return;
      }
      const timer = again ? 0 : setTimeout(() => this.#settle(id, (each) => each.reject(new ApiError("slow", "no reply came"))), REPLY_MS);
      this.#pending.set(id, { text, resolve, reject, again, timer });
      if (this.state === "open") this.#socket.send(text);
    });
  }

  // Asks for a game. An error is told to who follows it, except a lost connection, after which the game is asked for again.
  #follow(game) {
    this.#ask("watch", { game }).catch((error) => {
      if (!["offline", "slow"].includes(error.code)) this.#tellWatchers(game, { error });
    });
  }

  #settle(id, how) {
    const waiting = this.#pending.get(id);
    if (!waiting) return;
    this.#pending.delete(id);
    clearTimeout(waiting.timer);
    how(waiting);
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#set(this.state === "lost" ? "lost" : "connecting");
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/live`);
    this.#socket = socket;
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.#wait = FIRST_WAIT_MS;
      this.#set("open");
      for (const game of this.#watched.keys()) this.#follow(game);
      for (const { text, again } of this.#pending.values()) if (again) socket.send(text);
      this.#pinging = setInterval(() => this.#ping(socket), PING_MS);
    };
    socket.onmessage = (event) => this.#take(JSON.parse(event.data));
    socket.onclose = async () => {
      if (this.#socket !== socket) return;
      clearInterval(this.#pinging);
      for (const [id, { again }] of [...this.#pending]) {
        if (!again) this.#settle(id, (each) => each.reject(new ApiError("offline", "the connection is lost")));
      }
      this.#set("lost");
      this.#socket = null;
      if (!wasOpen) await this.onRefused().catch(() => {});
      if (this.#socket) return; // another one was made meanwhile
      this.#timer = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
    };
  }

  // A connection through a sleeping laptop or a changed network may be dead without a word: ask, and give it up.
  #ping(socket) {
    const timer = setTimeout(() => socket === this.#socket && this.#giveUp(), PONG_MS);
    this.#ask("ping", {}).then(() => clearTimeout(timer), () => clearTimeout(timer));
  }

  #giveUp() {
    const socket = this.#socket;
    socket.close();
    socket.onclose();
  }

  #retry() {
    if (this.state === "lost" && !this.#socket) this.#connect();
  }

  #set(state) {
    if (state === this.state) return;
    this.state = state;
    for (const observer of this.#observers) observer(state);
  }

  #take(message) {
    if (message.type === "reply") this.#settle(message.id, (each) => each.resolve(message.data));
    else if (message.type === "error" && message.id !== null) {
      const { code, message: sentence } = message.error;
      this.#settle(message.id, (each) => each.reject(new ApiError(code, sentence)));
    } else {
      if (message.type === "game") this.#tellWatchers(message.id, message);
      for (const handler of this.#handlers.get(message.type) || []) handler(message);
    }
  }

  #tellWatchers(game, message) {
    for (const handler of [...(this.#watched.get(game) || [])]) handler(message);
  }
}

export const api = {
  get: (path, options) => request("GET", path, undefined, options),
  post: (path, body = {}, options) => request("POST", path, body, options),
  put: (path, body = {}, options) => request("PUT", path, body, options),
  delete: (path, options) => request("DELETE", path, undefined, options),
  socket: new Socket(),
};
