// The start page: choose a game, an opponent, a side, a clock and a position; and the visitor's latest games.

import { choice, field, freshId, h, icon, select, show } from "../../lib/dom.js";
import { capital, date, phrase, t } from "../../lib/i18n.js";
import { thumbnail } from "../../lib/board.js";
import { agentForm, levelForm } from "./opponent.js";
import { seatName } from "./names.js";

const KEY = "joute-setup";
const CLOCKS = ["none", "60+1", "180+2", "300+3", "600+5", "900+10", "1800+20"];
const KINDS = ["agent", "friend", "same", "agents"];

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {}; // storage may be forbidden, or hold something else
  }
}

function store(wish) {
  try {
    localStorage.setItem(KEY, JSON.stringify(wish));
  } catch {
    // then the next visit begins with the usual choices
  }
}

export async function showSetup(root, { query }, app) {
  app.title(t("play.nav"));
  const wish = { game: app.games[0].name, kind: "agent", side: "0", clock: "none", name: "", agents: {}, ...stored() };
  // An address may name a game (by its spec), a position and an agent: #/play?game=…&position=…
  if (query.game) Object.assign(wish, { game: query.game.split(":")[0], rules: query.game.split(":").slice(1).join(":"), position: query.position || "" });
  else Object.assign(wish, { rules: "", position: "" });
  if (!app.game(wish.game)) wish.game = app.games[0].name;
  if (!KINDS.includes(wish.kind)) wish.kind = "agent";

  const form = h("form", { class: "card wishes", on: { submit: (event) => { event.preventDefault(); begin(); } } });
  const cards = new Map();
  const gallery = h("div", { class: "gallery", role: "radiogroup", "aria-label": t("play.choose_game") });
  for (const game of app.games) {
    const card = h("button", { type: "button", class: "game-card", role: "radio", data: { game: game.name }, on: { click: () => chooseGame(game.name) } },
      h("img", { src: `/api/boards/${encodeURIComponent(game.name)}.svg`, alt: "", loading: "lazy", width: 160, height: 160 }),
      h("span", {}, phrase(game.title)));
    cards.set(game.name, card);
    gallery.append(card);
  }
  gallery.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const names = [...cards.keys()];
    chooseGame(names[(names.indexOf(wish.game) + step + names.length) % names.length]);
    cards.get(wish.game).focus();
  });
  const latest = h("section", { class: "latest", hidden: true });
  show(root,
    h("h1", { class: "unseen" }, t("play.title")),
    h("div", { class: "setup" }, h("section", { class: "choose" }, h("h2", {}, t("play.choose_game")), gallery), form),
    latest);

  let opponents = []; // forms of the agents, each with `spec()`
  let rules = () => wish.rules || "";
  const told = h("p", { class: "error-text", role: "alert" });

  function chooseGame(name) {
    if (name !== wish.game) Object.assign(wish, { game: name, rules: "", position: "" });
    draw().catch(app.fail);
  }

  async function draw({ focus = "" } = {}) {
    for (const [name, card] of cards) {
      card.setAttribute("aria-checked", String(name === wish.game));
      card.tabIndex = name === wish.game ? 0 : -1;
    }
    const game = await app.details(wish.game);
    if (game.name !== wish.game) return; // another one was chosen meanwhile
    show(form,
      h("h2", {}, phrase(game.title)),
      h("div", { class: "field" },
        choice(t("play.opponent"), KINDS.map((kind) => [kind, t(`play.kind_${kind}`)]), {
          value: wish.kind,
          onChange: (kind) => { wish.kind = kind; draw({ focus: '.choice [aria-checked="true"]' }); },
        })),
      opponentParts(game),
      wish.kind === "agents" ? null : sidePart(game),
      clockPart(),
      positionPart(game),
      told,
      h("button", { class: "primary big" }, t(wish.kind === "friend" ? "play.make_link" : "play.start")));
    if (focus) form.querySelector(focus)?.focus();
  }

  function opponentParts(game) {
    opponents = [];
    if (wish.kind === "agent") {
      const chosen = levelForm(game, kept(game)[0], app.session.shared) || agentForm(game, kept(game)[0]);
      opponents = [chosen];
      return chosen.element;
    }
    if (wish.kind === "agents") {
      opponents = [0, 1].map((side) => agentForm(game, kept(game)[1 + side], { hasLevels: true }));
      return opponents.map((each, side) => h("fieldset", {}, h("legend", {}, colourDisc(game, side), capital(phrase(game.players[side]))), each.element));
    }
    return [
      h("p", { class: "soft" }, t(`play.about_${wish.kind}`)),
      wish.kind === "friend" ? field(t("play.your_name"), h("input", {
        value: wish.name, maxlength: 40, autocomplete: "nickname", placeholder: t("play.name_example"),
        on: { input: (event) => { wish.name = event.target.value; } },
      })) : null,
    ];
  }

  // The agents that were chosen last in a game: the opponent, and the two of a game of agents.
  const kept = (game) => wish.agents[game.name] || [];

  const colourDisc = (game, side) => (game.colours[side] ? JouteScene.disc(game.colours[side]) : null);

  function sidePart(game) {
    if (wish.kind === "same") return null;
    const name = (side) => h("span", { class: "side" }, colourDisc(game, side), capital(phrase(game.players[side])), h("small", {}, t(side ? "play.second" : "play.first")));
    return h("div", { class: "field" }, h("span", { class: "label" }, t("play.side")),
      choice(t("play.side"), [["0", name(0)], ["random", h("span", { class: "side" }, icon("flip"), t("play.random_side"))], ["1", name(1)]], {
        value: wish.side, onChange: (side) => { wish.side = side; },
      }));
  }

  function clockPart() {
    const isOwn = !CLOCKS.includes(wish.clock);
    const own = h("input", { value: isOwn ? wish.clock : "300+3", maxlength: 60, "aria-label": t("play.clock_own"), hidden: !isOwn, spellcheck: "false", on: { input: () => { wish.clock = own.value.trim(); } } });
    const list = select([...CLOCKS.map((clock) => [clock, clockText(clock)]), ["own", t("play.clock_own")]], {
      value: isOwn ? "own" : wish.clock,
      onChange: (value) => {
        own.hidden = value !== "own";
        wish.clock = value === "own" ? own.value : value;
        if (value === "own") own.focus();
      },
    });
    return [field(t("play.clock"), list), h("div", { class: "field", hidden: false }, own)];
  }

  function positionPart(game) {
    const text = h("textarea", { rows: 2, maxlength: 10000, spellcheck: "false", placeholder: t("play.position_usual") });
    text.value = wish.position;
    const preview = h("div", { class: "preview-box" });
    const options = h("div", {});
    let timer = 0;
    const ruleInputs = game.rules.map((rule) => ruleInput(rule));
    rules = () => wish.rules || ruleInputs.map((each) => each.text()).filter(Boolean).join(",");
    const check = () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        if (!wish.position && !rules()) return show(preview);
        try {
          const found = await app.api.post("positions", { game: spec(), position: wish.position });
          show(preview, thumbnail(found.scene));
          text.removeAttribute("aria-invalid");
        } catch (error) {
          text.setAttribute("aria-invalid", "true");
          show(preview, h("p", { class: "error-text" }, app.errorText(error)));
        }
      }, 300);
    };
    text.addEventListener("input", () => { wish.position = text.value.trim(); check(); });
    for (const each of ruleInputs) {
      options.append(each.element);
      each.element.addEventListener("change", () => { wish.rules = ""; check(); });
    }
    if (wish.position || wish.rules) check();
    return h("details", { class: "more", open: Boolean(wish.position || wish.rules) }, h("summary", {}, t(game.rules.length ? "play.position_rules" : "play.position")),
      options, field(t("play.position"), text, { help: t("play.position_help") }), preview);
  }

  function ruleInput(rule) {
    const options = rule.kind === "bool" ? ["no", "yes"] : rule.choices;
    const control = options.length
      ? select(options.map((each) => [each, each === rule.default ? t("play.default_value", { value: each }) : each]), { value: rule.default })
      : h("input", { value: rule.default, inputmode: "numeric" });
    return {
      element: field(capital(rule.name.replaceAll("_", " ")), control, { help: phrase(rule.help) }),
      text: () => (control.value === rule.default || !control.value ? "" : `${rule.name}=${control.value}`),
    };
  }

  const spec = () => [wish.game, rules()].filter(Boolean).join(":");

  function seats() {
    if (wish.kind === "agents") return opponents.map((each) => ({ kind: "agent", agent: each.spec() }));
    const other = { agent: () => ({ kind: "agent", agent: opponents[0].spec() }), friend: () => ({ kind: "open" }), same: () => ({ kind: "me" }) }[wish.kind]();
    return wish.side === "1" ? [other, { kind: "me" }] : [{ kind: "me" }, other];
  }

  async function begin() {
    const button = form.querySelector("button.primary");
    button.disabled = true;
    told.textContent = "";
    opponents.forEach((each, at) => { (wish.agents[wish.game] ??= [])[wish.kind === "agent" ? 0 : 1 + at] = each.spec(); });
    store({ ...wish, rules: "", position: "" });
    try {
      const made = await app.api.post("games", {
        game: spec(), position: wish.position, seats: seats(), clock: wish.clock || "none", name: wish.name,
        shuffle: wish.side === "random" && ["agent", "friend"].includes(wish.kind),
      });
      app.go(`game/${made.id}`);
    } catch (error) {
      told.textContent = app.errorText(error);
      button.disabled = false;
    }
  }

  async function drawLatest() {
    const games = await app.api.get("games").catch(() => []);
    latest.hidden = !games.length;
    const heading = h("h2", { id: freshId("latest") }, t("play.latest"));
    show(latest, heading, h("ul", { class: "game-list", "aria-labelledby": heading.id }, games.slice(0, 12).map((each) => {
      const game = app.game(each.spec.split(":")[0]);
      const names = each.seats.map((seat, side) => seatName(app, seat, { isYou: each.you.includes(side) }));
      return h("li", {}, h("a", { href: `#/game/${each.id}` },
        h("img", { src: `/api/boards/${encodeURIComponent(each.spec.split(":")[0])}.svg`, alt: "", width: 44, height: 44, loading: "lazy" }),
        h("span", {}, h("strong", {}, phrase(game ? game.title : each.spec)), h("span", {}, names.join(" – ")),
          h("small", {}, `${t(each.is_over ? "play.over_moves" : "play.moves", { n: each.moves })} · ${date(each.changed)}`))));
    })));
  }

  drawLatest();
  await draw();
}

export function clockText(clock) {
  if (clock === "none" || !clock) return t("play.clock_none");
  const found = clock.match(/^(\d+)(?:\+(\d+(?:\.\d+)?))?$/);
  if (!found) return clock;
  const minutes = Number(found[1]) / 60;
  return t(found[2] ? "play.clock_text" : "play.clock_plain", { minutes, seconds: Number(found[2] || 0) });
}
