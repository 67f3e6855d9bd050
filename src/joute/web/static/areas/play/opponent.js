// Forms to choose an opponent: a level by a slider, or any agent with its parameters.

import { field, h, select, show } from "../../lib/dom.js";
import { capital, phrase, t } from "../../lib/i18n.js";

const WORDS = 6; // texts play.level_word_0 … 6, from a first game to full strength

// How strong a level is, in words.
export function levelWords(number, count) {
  const share = count > 1 ? (number - 1) / (count - 1) : 1;
  return t(`play.level_word_${number === count ? WORDS : Math.min(WORDS - 1, Math.floor(share * WORDS))}`);
}

// A level with its number and words.
const levelTitle = (number, count) => t("play.level_title", { number, words: levelWords(number, count) });

// The slider of levels, with the other agents below it; null if the game has no levels. `spec()` is the choice.
export function levelForm(game, spec, isShared) {
  if (!game.levels) return null;
  const found = /^level:(\d+)$/.exec(spec || "");
  const isOther = Boolean(spec) && !spec.startsWith("level:") && isAgent(game, spec);
  const count = game.levels;
  const number = found ? Math.min(count, Number(found[1])) : Math.max(1, Math.round(count / 3));
  const slider = h("input", { type: "range", min: 1, max: count, step: 1, value: number });
  const words = h("output", { class: "level-words" });
  const auto = isShared ? null : h("input", { type: "checkbox", checked: spec === "level:auto" });
  const agents = agentForm(game, isOther ? spec : "");
  const more = h("details", { class: "more", open: isOther }, h("summary", {}, t("play.other_agents")), agents.element);
  const draw = () => {
    const isAuto = auto?.checked;
    slider.disabled = more.open || isAuto;
    if (auto) auto.disabled = more.open;
    const told = isAuto ? t("play.level_auto_words") : levelTitle(Number(slider.value), count);
    words.textContent = more.open ? t("play.agent_chosen") : told;
    slider.setAttribute("aria-valuetext", told);
  };
  slider.addEventListener("input", draw);
  auto?.addEventListener("change", draw);
  more.addEventListener("toggle", draw);
  draw();
  return {
    element: h("div", { class: "levels" },
      field(t("play.level"), slider), words,
      auto ? field(t("play.level_follow"), auto, { inline: true }) : null,
      more),
    spec: () => (more.open ? agents.spec() : auto?.checked ? "level:auto" : `level:${slider.value}`),
  };
}

const isAgent = (game, spec) => game.listed.includes(spec) || game.agents.some((each) => each.name === spec.split(":")[0]);

// A list of agents, and the parameters of the chosen one. `hasLevels` puts the levels first.
export function agentForm(game, spec, { hasLevels = false } = {}) {
  const strongest = game.agents.find((each) => each.is_strongest) || game.agents[0];
  const levels = hasLevels ? Array.from({ length: game.levels }, (_, at) => [`level:${at + 1}`, levelTitle(at + 1, game.levels)]) : [];
  const options = [
    ...levels,
    ...game.agents.map((each) => [each.name, each.name]),
    ...game.listed.map((each) => [each, each]),
  ];
  const known = options.map(([value]) => value);
  let chosen = known.includes(spec) ? spec : (spec || "").split(":")[0];
  if (!known.includes(chosen)) chosen = levels.length ? levels[Math.floor(levels.length / 2)][0] : strongest.name;
  const given = parameters(spec || "");
  const about = h("p", { class: "help" });
  const form = h("div", { class: "parameters" });
  let inputs = [];
  const draw = (values = {}) => {
    const agent = game.agents.find((each) => each.name === chosen);
    about.textContent = agent ? capital(phrase(agent.summary)) : "";
    inputs = agent ? agent.parameters.map((each) => input(each, values[each.name])) : [];
    show(form, inputs.length ? h("details", { open: Object.keys(values).length > 0 }, h("summary", {}, t("play.parameters")), h("div", { class: "grid" }, inputs.map((each) => each.element))) : null);
  };
  const list = select(options, { value: chosen, onChange: (value) => { chosen = value; draw(); } });
  draw(chosen === (spec || "").split(":")[0] ? given : {});
  return {
    element: h("div", { class: "agent" }, field(t("play.agent"), list), about, form),
    spec: () => {
      const set = inputs.map((each) => each.text()).filter(Boolean).join(",");
      return set ? `${chosen}:${set}` : chosen;
    },
  };
}

// The values in a spec: {name: value}.
function parameters(spec) {
  const text = spec.includes(":") ? spec.slice(spec.indexOf(":") + 1) : "";
  return Object.fromEntries(text.split(",").filter((each) => each.includes("=")).map((each) => each.split("=")));
}

function input(parameter, value) {
  const start = value ?? parameter.default;
  let control;
  if (parameter.kind === "bool") {
    control = h("input", { type: "checkbox", checked: start === "yes" });
  } else if (parameter.choices.length) {
    control = select(parameter.choices.map((each) => [each, each]), { value: start });
  } else {
    control = h("input", { type: "text", value: start, inputmode: "decimal", autocomplete: "off" });
  }
  const current = () => (parameter.kind === "bool" ? (control.checked ? "yes" : "no") : control.value.trim());
  const help = [phrase(parameter.help), parameter.range].filter(Boolean).join(" · ");
  return {
    element: field(parameter.name, control, { help, inline: parameter.kind === "bool" }),
    text: () => (current() === parameter.default || current() === "" ? "" : `${parameter.name}=${current()}`),
  };
}
