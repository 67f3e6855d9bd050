// The form of a new tournament, made from the parameter classes of agents, schedules and openings.

import { field, h, icon, iconButton, select, show } from "../../lib/dom.js";
import { capital, has, phrase, t } from "../../lib/i18n.js";
import { agentForm } from "../play/opponent.js";
import { boardImage } from "./parts.js";

const KEY = "joute-tournament";
const CLOCKS = ["0.2/move", "1/move", "10+0.1", "60+0.5", "none", "nodes=10000", "iterations=1000"];

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {}; // storage may be forbidden, or hold something else
  }
}

function keep(wish) {
  try {
    localStorage.setItem(KEY, JSON.stringify(wish));
  } catch {
    // then the next visit begins with the usual choices
  }
}

export async function showForm(root, { query }, app) {
  app.title(t("arena.form_title"));
  const offered = await app.api.get("tournaments/form");
  const before = stored();
  const gameSpec = query.game || before.game || app.games[0].name;
  let gameName = gameSpec.split(":")[0];
  if (!app.game(gameName)) gameName = app.games[0].name;
  let game = await app.details(gameName);
  let rows = []; // of agents: {form, name, clock, element}
  let rules = () => "";
  let schedule = offered.schedules.find((each) => each.name === "round-robin") || offered.schedules[0];
  let scheduleInputs = [];
  let openingInputs = [];

  const gamePart = h("div", {});
  const agentList = h("ol", { class: "entrants" });
  const schedulePart = h("div", { class: "grid" });
  const openingsPart = h("div", {});
  const total = h("output", { class: "total" });
  const told = h("p", { class: "error-text", role: "alert" });
  const name = h("input", { maxlength: 80, autocomplete: "off", placeholder: phrase(game.title) });
  const games = h("input", { type: "number", min: 1, max: offered.limits.games, step: 1, inputmode: "numeric" });
  const clock = h("input", { value: "0.2/move", maxlength: 60, spellcheck: "false", list: "arena-clocks", autocomplete: "off" });
  const seed = h("input", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, value: Math.floor(Math.random() * 1e6) });
  const atOnce = h("input", { type: "number", min: 0, max: offered.cores, step: 1, value: 0 });
  const sandbox = h("input", { type: "checkbox", checked: !offered.sandbox_problem, disabled: Boolean(offered.sandbox_problem) });
  const begin = h("button", { class: "primary big" }, t("arena.form_begin"));
  let openings = null;

  // While a chosen game loads, the parts that depend on it are inert. Only the last choice counts.
  let choices = 0;
  const gameList = select(app.games.map((each) => [each.name, phrase(each.title)]), {
    value: gameName,
    onChange: async (chosen) => {
      const choice = ++choices;
      const parts = [gamePart, agentList, addButton, openingsPart, begin];
      for (const part of parts) part.inert = true;
      try {
        const found = await app.details(chosen);
        if (choice !== choices) return;
        game = found;
        gameName = chosen;
        drawGame();
        drawAgents([]);
        drawOpenings();
      } catch (error) {
        if (choice !== choices) return;
        gameList.value = gameName;
        app.fail(error);
      }
      for (const part of parts) part.inert = false;
    },
  });

  function drawGame() {
    const inputs = game.rules.map(parameterInput);
    rules = () => inputs.map((each) => each.text()).filter(Boolean).join(",");
    name.placeholder = phrase(game.title);
    show(gamePart, inputs.length ? h("details", { class: "more" }, h("summary", {}, t("arena.form_rules")), h("div", { class: "grid" }, inputs.map((each) => each.element))) : null);
    gameCard.querySelector(".board-image").replaceWith(boardImage(gameName, 88));
  }

  function drawAgents(given) {
    const names = game.agents.map((each) => each.name);
    const strongest = game.agents.find((each) => each.is_strongest);
    const usual = [strongest ? strongest.name : "", ...["mcts", "greedy", "random"].filter((each) => names.includes(each))].filter(Boolean);
    rows = [];
    for (const entrant of given.length >= 2 ? given : (usual.length >= 2 ? usual : [...usual, names[0], names[0]]).slice(0, 3).map((agent) => ({ agent }))) add(entrant);
  }

  function add({ agent = "", name: own = "", clock: ownClock = "" } = {}) {
    const form = agentForm(game, agent, { hasLevels: true });
    const ownName = h("input", { value: own, maxlength: 60, autocomplete: "off" });
    const clockInput = h("input", { value: ownClock, maxlength: 60, spellcheck: "false", list: "arena-clocks", autocomplete: "off" });
    const row = { form, name: ownName, clock: clockInput };
    row.number = h("span", { class: "number-of", "aria-hidden": "true" });
    row.remove = iconButton("close", "", () => {
      rows.splice(rows.indexOf(row), 1);
      listAgents();
      (rows[0]?.element.querySelector("select") || begin).focus();
    });
    const more = h("details", { class: "more", open: Boolean(own || ownClock) }, h("summary", {}, t("arena.form_agent_more")),
      h("div", { class: "grid" }, field(t("arena.form_agent_name"), ownName), field(t("arena.form_agent_clock"), clockInput)));
    row.element = h("li", { class: "entrant card" }, row.number, h("div", { class: "choices" }, form.element, more), row.remove);
    rows.push(row);
    listAgents();
    return row;
  }

  function listAgents() {
    rows.forEach((row, at) => {
      row.number.textContent = at + 1;
      row.remove.setAttribute("aria-label", t("arena.form_remove", { n: at + 1 }));
      row.remove.title = t("arena.form_remove", { n: at + 1 });
      row.remove.disabled = rows.length <= 2;
      row.element.setAttribute("aria-label", t("arena.form_agent", { n: at + 1 }));
    });
    show(agentList, rows.map((row) => row.element));
    addButton.disabled = rows.length >= offered.limits.agents;
    drawTotal();
  }

  const addButton = h("button", { type: "button", class: "with-icon", on: { click: () => add({ agent: game.agents[0].name }).element.querySelector("select").focus() } },
    icon("plus"), t("arena.form_add"));

  function drawSchedule({ isNew = true } = {}) {
    scheduleInputs = schedule.parameters.map(parameterInput);
    const help = `arena.schedule_${schedule.name}`;
    if (isNew) games.value = schedule.is_sequential ? schedule.games : 20;
    const list = select(offered.schedules.map((each) => [each.name, each.name]), {
      value: schedule.name,
      onChange: (chosen) => {
        schedule = offered.schedules.find((each) => each.name === chosen);
        drawSchedule();
        schedulePart.querySelector("select").focus();
      },
    });
    show(schedulePart,
      field(t("arena.form_schedule"), list, { help: has(help) ? t(help) : "" }),
      field(t(schedule.is_sequential ? "arena.form_games_sequential" : "arena.form_games"), games, { help: t("arena.form_games_help") }),
      scheduleInputs.map((each) => each.element));
    drawTotal();
  }

  function drawOpenings() {
    const usual = offered.default_openings[gameName] || "random";
    const kinds = usual === "balanced" ? ["balanced", "random", "start"] : ["random", "start"];
    openingInputs = [];
    const settings = h("div", { class: "grid" });
    const drawSettings = () => {
      openingInputs = openings.value === "random" ? offered.openings.map(parameterInput) : [];
      show(settings, openingInputs.map((each) => each.element));
    };
    openings = select(kinds.map((each) => [each, t(`arena.form_openings_${each}`)]), { value: usual, onChange: drawSettings });
    drawSettings();
    show(openingsPart, field(t("arena.form_openings"), openings), openingInputs.length || kinds.includes("random") ? settings : null);
  }

  // The number of games that the settings amount to.
  function drawTotal() {
    const each = Math.max(1, Math.floor(Number(games.value) || 1));
    const count = rows.length;
    const heroes = Math.max(1, Number(scheduleInputs.find((one) => one.name === "heroes")?.value()) || 1);
    const known = {
      "round-robin": (count * (count - 1)) / 2,
      "gauntlet": heroes * (count - heroes),
      "pairs": Math.floor(count / 2),
    }[schedule.name];
    if (schedule.is_sequential) total.textContent = t("arena.form_total_most", { games: each });
    else if (known === undefined) total.textContent = "";
    else total.textContent = t("arena.form_total", { games: Math.max(0, known) * each });
  }

  function parameterInput(parameter) {
    const options = parameter.kind === "bool" ? ["no", "yes"] : parameter.choices;
    const control = options.length
      ? select(options.map((each) => [each, each]), { value: parameter.default })
      : h("input", { value: parameter.default, inputmode: "decimal", autocomplete: "off" });
    control.addEventListener("input", () => drawTotal());
    const help = [phrase(parameter.help), options.length ? "" : parameter.range].filter(Boolean).join(" · ");
    return {
      name: parameter.name,
      element: field(capital(parameter.name.replaceAll("_", " ")), control, { help }),
      value: () => control.value,
      text: () => (control.value === parameter.default || !control.value ? "" : `${parameter.name}=${control.value.trim()}`),
    };
  }

  const spec = (first, inputs) => [first, inputs.map((each) => each.text()).filter(Boolean).join(",")].filter(Boolean).join(":");

  async function submit(event) {
    event.preventDefault();
    begin.disabled = true;
    told.textContent = "";
    const wish = {
      game: [gameName, rules()].filter(Boolean).join(":"),
      title: name.value,
      agents: rows.map((row) => ({ agent: row.form.spec(), name: row.name.value, clock: row.clock.value })),
      schedule: spec(schedule.name, scheduleInputs),
      games: Number(games.value) || null,
      clock: clock.value.trim() || "none",
      openings: spec(openings.value, openingInputs),
      seed: Math.floor(Number(seed.value)) || 0,
      concurrency: Math.floor(Number(atOnce.value)) || 0,
      sandbox: sandbox.checked && game.listed.length > 0,
    };
    keep({ game: gameName, agents: wish.agents, clock: wish.clock });
    try {
      const { id } = await app.api.post("tournaments", wish);
      app.go(`arena/${id}`);
    } catch (error) {
      told.textContent = app.errorText(error);
      begin.disabled = false;
    }
  }

  games.addEventListener("input", drawTotal);
  const gameCard = h("section", { class: "card game-choice" },
    h("span", { class: "board-image" }),
    h("div", {}, field(t("arena.form_game"), gameList), gamePart));
  const form = h("form", { class: "tournament-form", on: { submit } },
    h("a", { class: "back", href: "#/arena" }, icon("back"), t("arena.back")),
    h("h1", {}, t("arena.form_title")),
    h("div", { class: "columns-form" },
      h("div", { class: "left-form" },
        gameCard,
        h("section", { "aria-labelledby": "arena-agents" },
          h("h2", { id: "arena-agents" }, t("arena.form_agents")), agentList, addButton)),
      h("section", { class: "card conditions", "aria-labelledby": "arena-conditions" },
        h("h2", { id: "arena-conditions" }, t("arena.form_conditions")),
        field(t("arena.form_name"), name, { help: t("arena.form_name_help") }),
        schedulePart,
        field(t("arena.form_clock"), clock, { help: t("arena.form_clock_help") }),
        openingsPart,
        h("details", { class: "more" }, h("summary", {}, t("arena.form_more")),
          h("div", { class: "grid" },
            field(t("arena.form_seed"), seed, { help: t("arena.form_seed_help") }),
            field(t("arena.form_concurrency"), atOnce, { help: t("arena.form_concurrency_help", { cores: offered.cores }) })),
          game.listed.length ? field(t("arena.form_sandbox"), sandbox, { inline: true, help: phrase(offered.sandbox_problem) || t("arena.form_sandbox_help") }) : null),
        h("datalist", { id: "arena-clocks" }, CLOCKS.map((each) => h("option", { value: each }))),
        told,
        h("div", { class: "submit" }, begin, total))));
  show(root, form);
  drawGame();
  const given = before.agents && before.game === gameName ? before.agents : [];
  if (before.clock) clock.value = before.clock;
  drawSchedule();
  drawOpenings();
  drawAgents(Array.isArray(given) ? given : []);
}
