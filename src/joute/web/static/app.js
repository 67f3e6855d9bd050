// The frame of the page: addresses, navigation, language, theme, the state of the connection. Areas are modules of
// their own in areas/, loaded when they are first shown; docs/page.md tells how to add one.

import { api, ApiError } from "./lib/api.js";
import { dialog, h, icon, select, show } from "./lib/dom.js";
import * as i18n from "./lib/i18n.js";

const { t } = i18n;

// The areas in the order of the navigation, each with the first parts of its addresses.
const AREAS = {
  play: ["", "play", "game"],
  analyse: ["analyse", "review"],
  learn: ["learn", "rules", "searches", "puzzles"],
  edit: ["edit"],
  arena: ["arena"],
};

const THEMES = { system: "system", light: "sun", dark: "moon" };

const app = {
  api,
  t,
  phrase: i18n.phrase,
  i18n,
  // The games that can be played, as GET /api/catalogue lists them.
  games: [],
  game: (name) => app.games.find((each) => each.name === name),
  // The same game with its rules and agents (GET /api/catalogue/NAME), asked for once.
  details: (name) => (details[name] ??= api.get(`catalogue/${encodeURIComponent(name)}`).catch((error) => {
    delete details[name];
    throw error;
  })),
  // The server's description of this session: {version, shared, joined}.
  session: {},
  // Goes to an address of the page: app.go("game/abc").
  go: (address) => { location.hash = `#/${address}`; },
  // Tells people with a screen reader what changed.
  announce(text) {
    announcer.textContent = "";
    requestAnimationFrame(() => { announcer.textContent = text; });
  },
  // Shows a short message for a moment.
  toast(text, kind = "") {
    const made = h("div", { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" }, text);
    toasts.append(made);
    setTimeout(() => made.remove(), 5000);
  },
  // Shows what went wrong.
  fail(error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ApiError)) console.error(error);
    app.toast(app.errorText(error), "error");
  },
  // An error in the visitor's language.
  errorText(error) {
    const key = `error.${error.code}`;
    const detail = i18n.phrase(error.message || String(error));
    return i18n.has(key) ? t(key, { detail }) : i18n.capital(detail);
  },
  // Asks yes or no.
  async confirm(title, yes) {
    const answer = await dialog(title, (close) => [
      h("div", { class: "actions" },
        h("button", { type: "button", on: { click: () => close(false) } }, t("app.cancel")),
        h("button", { type: "button", class: "primary", on: { click: () => close(true) } }, yes)),
    ], { closeLabel: t("app.close") });
    return Boolean(answer);
  },
  // The heading of the window.
  title: (text) => { document.title = text ? `${text} · Joute` : "Joute"; },
  isDark: () => getComputedStyle(document.documentElement).colorScheme === "dark",
};

const details = {};
const main = document.getElementById("main");
const header = document.querySelector("header.top");
const announcer = h("div", { class: "unseen", "aria-live": "polite", role: "status" });
const toasts = h("div", { class: "toasts" });
const connection = h("div", { class: "connection", role: "status", hidden: true });

// --- Addresses ---

let shown = { dispose: null, number: 0 };
const modules = {};
const styles = {};
let isFirst = true;

// A part of an address as text; as it stands if it is not encoded properly.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function addressParts() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return [path.split("/").filter(Boolean).map(decoded), Object.fromEntries(new URLSearchParams(query))];
}

// Matches {"game/:id": show} against the parts of an address: [show, {id: …}].
function matched(routes, parts) {
  for (const [pattern, view] of Object.entries(routes)) {
    const wanted = pattern.split("/").filter(Boolean);
    if (wanted.length !== parts.length) continue;
    if (wanted.every((each, at) => each.startsWith(":") || each === parts[at])) {
      return [view, Object.fromEntries(wanted.map((each, at) => [each, parts[at]]).filter(([each]) => each[0] === ":").map(([each, part]) => [each.slice(1), part]))];
    }
  }
  return [null, {}];
}

// Loads the style sheet of an area. Only the shown area's is in force, so that areas may use the same names of classes.
function loadStyle(area) {
  if (styles[area]) return null;
  return new Promise((resolve) => {
    const link = h("link", { rel: "stylesheet", href: `/static/style/${area}.css` });
    link.onload = link.onerror = resolve;
    styles[area] = link;
    document.head.append(link);
  });
}

function useStyle(area) {
  for (const [name, link] of Object.entries(styles)) link.disabled = name !== area;
}

async function route() {
  const number = ++shown.number;
  const [parts, query] = addressParts();
  const area = Object.keys(AREAS).find((each) => AREAS[each].includes(parts[0] || ""));
  for (const link of header.querySelectorAll("nav a")) {
    if (link.dataset.area === area) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  header.classList.remove("open");
  main.setAttribute("aria-busy", "true");
  try {
    if (area) [modules[area]] = await Promise.all([modules[area] || import(`./areas/${area}.js`), loadStyle(area)]);
    if (number !== shown.number) return;
    const [view, values] = area ? matched(modules[area].routes, parts) : [null, {}];
    if (shown.dispose) shown.dispose();
    shown.dispose = null;
    app.title("");
    useStyle(area);
    const root = h("div", { class: `view ${area || ""}` });
    show(main, root);
    if (!view) return notFound(root);
    const dispose = await view(root, { ...values, query }, app);
    if (number !== shown.number) dispose && dispose();
    else shown.dispose = dispose || null;
  } catch (error) {
    if (number !== shown.number) return;
    if (!(error instanceof ApiError)) console.error(error);
    problem(error);
  } finally {
    if (number === shown.number) {
      main.removeAttribute("aria-busy");
      if (!isFirst) main.focus({ preventScroll: true });
      if (!isFirst) scrollTo(0, 0);
      isFirst = false;
    }
  }
}

function notFound(root) {
  app.title(t("app.not_found"));
  show(root, h("div", { class: "narrow" }, h("h1", {}, t("app.not_found")), h("p", {}, h("a", { href: "#/" }, t("app.to_start")))));
}

function problem(error) {
  const title = error.code === "not_found" ? t("app.not_found") : t("app.problem");
  app.title(title);
  show(main, h("div", { class: "narrow" }, h("h1", {}, title), h("p", {}, app.errorText(error)),
    h("div", { class: "actions start" },
      h("button", { type: "button", on: { click: route } }, t("app.again")),
      h("a", { class: "button", href: "#/" }, t("app.to_start")))));
}

// --- The frame ---

function drawHeader() {
  const links = Object.keys(AREAS).map((area) =>
    h("li", {}, h("a", { href: `#/${AREAS[area].find(Boolean)}`, data: { area } }, t(`${area}.nav`))));
  const menu = h("button", {
    type: "button", class: "icon-only menu", "aria-label": t("app.menu"), "aria-expanded": "false",
    on: { click: () => menu.setAttribute("aria-expanded", String(header.classList.toggle("open"))) },
  }, icon("menu"));
  const tools = h("div", { class: "tools" }, themeButton(), languageChoice());
  for (const old of header.querySelectorAll("nav, .tools, .menu")) old.remove();
  header.append(menu, h("nav", { "aria-label": t("app.navigation") }, h("ul", {}, links)), tools);
}

function themeButton() {
  const current = () => document.documentElement.dataset.theme || "system";
  const button = h("button", { type: "button", class: "icon-only theme" });
  const draw = () => {
    const label = t(`app.theme_${current()}`);
    show(button, icon(THEMES[current()]));
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  button.addEventListener("click", () => {
    const names = Object.keys(THEMES);
    const next = names[(names.indexOf(current()) + 1) % names.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("joute-theme", next);
    } catch {
      // then the choice lasts until the page is closed
    }
    draw();
    app.announce(button.title);
  });
  draw();
  return button;
}

function languageChoice() {
  return select(Object.entries(i18n.LANGUAGES), {
    value: i18n.language(),
    "aria-label": t("app.language"),
    class: "language",
    onChange: async (wanted) => {
      i18n.choose(wanted);
      await loadTexts(wanted).catch(app.fail);
      drawFrame();
      route();
    },
  });
}

async function loadTexts(wanted) {
  i18n.use(wanted, await api.get(`texts/${wanted}`));
}

function drawFrame() {
  document.querySelector("a.skip")?.remove();
  document.body.prepend(h("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); main.focus(); } } }, t("app.skip")));
  drawHeader();
  drawConnection();
}

function drawConnection() {
  const isLost = api.socket.state === "lost";
  connection.hidden = !isLost;
  show(connection, isLost ? t("app.connection_lost") : null);
  document.documentElement.dataset.connection = api.socket.state;
}

// --- The beginning ---

async function askForCode() {
  for (;;) {
    await new Promise((resolve) => {
      const code = h("input", { id: "join-code", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true, maxlength: 40 });
      const told = h("p", { class: "error-text", role: "alert" });
      const submit = async (event) => {
        event.preventDefault();
        try {
          await api.post("join", { code: code.value });
          resolve();
        } catch (error) {
          told.textContent = app.errorText(error);
          code.select();
        }
      };
      app.title(t("app.join_title"));
      show(main, h("form", { class: "narrow card", on: { submit } }, h("h1", {}, t("app.join_title")), h("p", {}, t("app.join_text")),
        h("div", { class: "field" }, h("label", { for: "join-code" }, t("app.join_code")), code), told,
        h("button", { class: "primary" }, t("app.join"))));
      code.focus();
    });
    app.session = await api.post("session");
    if (app.session.joined) return;
  }
}

async function begin() {
  const [session] = await Promise.all([api.post("session"), loadTexts(i18n.preferred())]);
  app.session = session;
  drawFrame();
  document.body.append(announcer, toasts, connection);
  if (!session.joined) await askForCode();
  app.games = await api.get("catalogue");
  api.socket.onRefused = async () => {
    const again = await api.post("session");
    if (!again.joined) location.reload();
  };
  api.socket.observe((state) => {
    drawConnection();
    app.announce(state === "lost" ? t("app.connection_lost") : t("app.connection_back"));
  });
  api.socket.start();
  addEventListener("hashchange", route);
  await route();
}

begin().catch((error) => {
  console.error(error);
  show(main, h("div", { class: "narrow" }, h("p", { role: "alert" }, `${error.message || error}`)));
});
