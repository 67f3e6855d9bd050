// The list of lessons: the rules and the puzzles of each game, and the searches.

import { h, show } from "../../lib/dom.js";
import { capital, labelled, phrase, t } from "../../lib/i18n.js";
import { solvedOf } from "./progress.js";

export async function index(root, _params, app) {
  const games = await app.api.get("learn");
  app.title(t("learn.title"));
  show(root,
    h("h1", {}, t("learn.title")),
    h("p", { class: "lead" }, t("learn.lead")),
    h("ul", { class: "learn-games" }, games.map(card)),
    h("a", { class: "card search-card", href: "#/searches" },
      h("strong", {}, t("learn.searches")), h("span", { class: "soft" }, t("learn.searches_lead"))));
}

function card({ game, title, puzzles }) {
  const solved = solvedOf(puzzles);
  const name = capital(phrase(title));
  return h("li", { class: "card learn-game" },
    h("img", { src: `/api/boards/${encodeURIComponent(game)}.svg`, alt: "", width: 160, height: 160, loading: "lazy" }),
    h("div", { class: "learn-words" },
      h("h2", {}, name),
      h("div", { class: "actions start" },
        h("a", { class: "button", href: `#/rules/${encodeURIComponent(game)}`, "aria-label": labelled(t("learn.rules"), name) }, t("learn.rules")),
        puzzles.length ? h("a", { class: "button", href: `#/puzzles/${encodeURIComponent(game)}`, "aria-label": labelled(t("learn.puzzles"), name) }, t("learn.puzzles")) : null),
      puzzles.length ? meter(solved, puzzles.length) : null));
}

export function meter(solved, all) {
  const label = t("learn.solved_of", { solved, all });
  return h("div", { class: "meter" },
    h("progress", { value: solved, max: all, "aria-label": label }),
    h("span", { class: "soft" }, label));
}
