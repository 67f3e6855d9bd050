// The list of tournaments.

import { h, icon, s, show } from "../../lib/dom.js";
import { date, phrase, t } from "../../lib/i18n.js";
import { badge, boardImage, gamesText, isMoving, progress, repeat } from "./parts.js";

const [SOON_MS, LATER_MS] = [1500, 10000];

export async function showList(root, _params, app) {
  app.title(t("arena.title"));
  const head = h("div", { class: "arena-head" });
  const body = h("div", {});
  show(root, head, body);
  let known = "";
  let listed = await app.api.get("tournaments");
  draw();

  function draw() {
    const text = JSON.stringify(listed);
    if (text === known) return;
    known = text;
    const isEmpty = !listed.tournaments.length;
    show(head,
      h("div", {}, h("h1", {}, t("arena.title")), h("p", { class: "soft" }, t("arena.about"))),
      listed.may_begin && !isEmpty ? h("a", { class: "button primary", href: "#/arena/new" }, icon("plus"), t("arena.new")) : null);
    const focused = body.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    show(body,
      listed.is_ours ? null : h("p", { class: "notice" }, t("arena.other_server")),
      isEmpty ? empty() : h("ul", { class: "tournaments", "aria-label": t("arena.list") }, listed.tournaments.map(card)),
      listed.folder ? h("p", { class: "soft folder" }, t("arena.folder", { folder: "" }), h("code", {}, listed.folder)) : null);
    if (focused) body.querySelector(`a[href="${focused}"]`)?.focus();
  }

  function empty() {
    return h("div", { class: "card empty" }, bracket(),
      h("h2", {}, t("arena.none_title")),
      h("p", {}, t(listed.may_begin ? "arena.none_text" : "arena.none_text_guest")),
      listed.may_begin ? h("a", { class: "button primary big", href: "#/arena/new" }, icon("plus"), t("arena.first")) : null);
  }

  function card(each) {
    const name = each.game ? each.game.split(":")[0] : "";
    const more = (each.agent_count || 0) - (each.agents || []).length;
    return h("li", {}, h("a", { class: "card tournament-card", href: `#/arena/${each.id}` },
      name ? boardImage(name, 72) : h("span", { class: "board-image" }),
      h("span", { class: "about" },
        h("span", { class: "line" }, h("strong", {}, each.name || phrase(each.title || "") || "–"), badge(each.state)),
        h("span", { class: "names" }, [...(each.agents || []), ...(more > 0 ? [t("arena.agents_more", { n: more })] : [])].join(" · ")),
        each.error ? h("span", { class: "error-text" }, each.error) : progress(each),
        h("small", {}, [each.error ? "" : gamesText(each), phrase(each.schedule || ""), date(each.changed)].filter(Boolean).join(" · ")))));
  }

  const watching = repeat(async () => {
    try {
      listed = await app.api.get("tournaments");
      draw();
    } catch {
      // The frame says that the connection is lost; the list is asked for again.
    }
  }, () => (listed.tournaments.some((each) => isMoving(each.state)) ? SOON_MS : LATER_MS));
  return watching.end;
}

// A small drawing of a knockout tree.
function bracket() {
  const lines = "M6 12h34v24h-34M40 24h28v40h-28M6 52h34v24h-34M68 44h26";
  return s("svg", { class: "bracket", viewBox: "0 0 120 88", "aria-hidden": "true" },
    s("path", { d: lines }), s("circle", { cx: 102, cy: 44, r: 9 }),
    [12, 36, 52, 76].map((cy, at) => s("circle", { class: at % 2 ? "other" : "one", cx: 6, cy, r: 5 })));
}
