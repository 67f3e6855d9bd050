// A search that runs on the server while somebody looks: it stops when the tab is hidden or closed, or a new one begins,
// and begins again when the tab or the connection is back.

let numbers = 0;

export class Stream {
  #name = "";
  #wish = null;
  #ends = [];

  // `type` is that of the messages: analyse or review. onAnswer gets {kind: "partial" | "final" | "error", …}.
  constructor(socket, type, onAnswer) {
    Object.assign(this, { socket, type, onAnswer });
    const onVisible = () => (document.hidden ? this.#pause() : this.#again());
    document.addEventListener("visibilitychange", onVisible);
    this.#ends = [
      socket.on(type, (message) => this.#take(message)),
      socket.observe((state) => {
        if (state === "lost") this.#name = ""; // the search ended with the connection
        else if (state === "open") this.#again();
      }),
      () => document.removeEventListener("visibilitychange", onVisible),
    ];
  }

  get isRunning() { return Boolean(this.#name); }

  start(wish) {
    this.#pause();
    this.#wish = wish;
    this.#again();
  }

  stop() {
    this.#pause();
    this.#wish = null;
  }

  dispose() {
    this.stop();
    for (const end of this.#ends) end();
  }

  #again() {
    if (!this.#wish || this.#name || document.hidden || this.socket.state !== "open") return;
    const name = `${this.type}-${++numbers}`;
    this.#name = name;
    this.socket.send(this.type, { stream: name, ...this.#wish }).catch((error) => {
      if (this.#name !== name) return;
      this.#name = "";
      if (error.code !== "offline") this.onAnswer({ kind: "error", error: error.message, code: error.code });
    });
  }

  #pause() {
    if (!this.#name) return;
    const stream = this.#name;
    this.#name = "";
    if (this.socket.state === "open") this.socket.send("stop", { stream }).catch(() => {});
  }

  #take(message) {
    if (message.stream !== this.#name) return;
    if (message.kind !== "partial") {
      this.#name = "";
      if (message.is_cut) setTimeout(() => this.#again(), 500); // somebody's move was more urgent
      else this.#wish = null;
    }
    this.onAnswer(message);
  }
}
