// The searches: each in three sentences beside its parameters.

import { h, show } from "../../lib/dom.js";
import { capital, has, language, phrase, t } from "../../lib/i18n.js";

export async function searches(root, _params, app) {
  const found = await app.api.get("searches");
  app.title(t("learn.searches"));
  const filter = h("nav", { class: "search-names", "aria-label": t("learn.searches") },
    found.map(({ name }) => h("button", { type: "button", class: "quiet", on: { click: () => document.getElementById(`search-${name}`).scrollIntoView({ block: "start" }) } }, h("code", {}, name))));
  show(root,
    h("p", { class: "crumbs" }, h("a", { href: "#/learn" }, t("learn.title"))),
    h("h1", {}, t("learn.searches")), h("p", { class: "lead" }, t("learn.searches_lead")), filter,
    found.map(search));
}

function search({ name, summary, parameters }) {
  const key = `learn.search_${name.replaceAll("-", "_")}`;
  return h("section", { class: "card search", id: `search-${name}`, "aria-labelledby": `name-${name}` },
    h("div", { class: "search-words" }, h("h2", { id: `name-${name}` }, h("code", {}, name)), h("p", {}, has(key) ? t(key) : capital(phrase(summary)))),
    !parameters.length ? h("p", { class: "soft" }, t("learn.no_parameters")) : h("details", { class: "parameters", open: parameters.length < 8 },
      h("summary", {}, t("learn.parameters", { n: parameters.length })),
      h("div", { class: "table", tabindex: 0, role: "region", "aria-label": t("learn.parameters_of", { name }) },
        h("table", {},
          h("thead", {}, h("tr", {}, ["parameter", "default", "range", "meaning"].map((each) => h("th", { scope: "col" }, t(`learn.${each}`))))),
          h("tbody", {}, parameters.map(row))))));
}

function row(each) {
  const help = phrase(each.help);
  return h("tr", {}, h("th", { scope: "row" }, h("code", {}, each.name)), h("td", {}, h("code", {}, each.default || "–")),
    h("td", {}, each.choices.length ? each.choices.join(", ") : rangeOf(each)),
    h("td", { lang: help === each.help && language() !== "en" ? "en" : null }, help));
}

// Bounds beyond 53 bits are none to a reader.
const rangeOf = ({ range, low, high }) => (high === null && low !== null ? `≥ ${low}` : range);
