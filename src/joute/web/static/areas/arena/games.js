// The list of the finished games of a tournament, with filters.

import { field, h, select, show } from "../../lib/dom.js";
import { t } from "../../lib/i18n.js";
import { reasonText, RESULTS } from "./parts.js";

const PAGE = 20;

export function gamesList(app, id) {
  const wanted = { first: 0, agent: "", opponent: "", result: "", reason: "" };
  const filters = h("div", { class: "filters", role: "group", "aria-label": t("arena.filters") });
  const body = h("tbody", {});
  const count = h("span", { role: "status" });
  const newer = h("button", { type: "button", on: { click: () => turn(-PAGE) } }, t("arena.later"));
  const older = h("button", { type: "button", on: { click: () => turn(PAGE) } }, t("arena.earlier"));
  const columns = ["game", "first", "second", "result", "reason", "plies", "opening"];
  const element = h("section", { class: "games-part", "aria-labelledby": "arena-games", hidden: true },
    h("h2", { id: "arena-games" }, t("arena.games")), filters,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("arena.games_list") },
      h("table", { class: "games" }, h("thead", {}, h("tr", {}, columns.map((each) => h("th", { scope: "col", class: each }, t(`arena.col_${each}`))))), body)),
    h("div", { class: "actions pages" }, newer, count, older));
  let listed = "";
  let number = 0;

  function turn(step) {
    wanted.first = Math.max(0, wanted.first + step);
    load();
  }

  function drawFilters(agents, reasons) {
    const text = JSON.stringify([agents, reasons]);
    if (text === listed) return;
    listed = text;
    const change = (name) => (value) => {
      wanted[name] = value;
      wanted.first = 0;
      if (name === "agent") drawResults();
      load();
    };
    const names = [["", t("arena.any")], ...agents.map(([index, name]) => [String(index), name])];
    const results = select([], { onChange: change("result") });
    const drawResults = () => {
      const texts = wanted.agent === "" ? ["first_wins", "drawn", "second_wins"] : ["won", "drawn", "lost"];
      show(results, h("option", { value: "" }, t("arena.any_result")), texts.map((each, at) => h("option", { value: 1 - at }, t(`arena.${each}`))));
      results.value = wanted.result;
    };
    drawResults();
    show(filters,
      field(t("arena.filter_agent"), select(names, { value: wanted.agent, onChange: change("agent") })),
      field(t("arena.filter_opponent"), select(names, { value: wanted.opponent, onChange: change("opponent") })),
      field(t("arena.filter_result"), results),
      field(t("arena.filter_reason"), select([["", t("arena.any")], ...reasons.map((each) => [each, reasonText(each)])], { value: wanted.reason, onChange: change("reason") })));
  }

  async function load() {
    const mine = ++number;
    const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
    try {
      const found = await app.api.get(`tournaments/${id}/games?${query}`);
      if (mine === number) draw(found);
    } catch (error) {
      if (mine === number && error.code !== "offline") app.fail(error);
    }
  }

  function draw(found) {
    drawFilters(found.agents, found.reasons);
    wanted.first = found.first;
    const focused = body.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    show(body, found.games.map((game) => {
      const address = `#/arena/${id}/${game.number}`;
      const name = (side) => h("td", { class: game.outcome === 1 - 2 * side ? "name won" : "name" }, game.players[side]);
      return h("tr", { on: { click: (event) => { if (event.target.tagName !== "A" && !getSelection().toString()) location.hash = address; } } },
        h("td", { class: "number" }, h("a", { href: address }, game.number)), name(0), name(1),
        h("td", { class: "result" }, RESULTS[game.outcome]), h("td", {}, reasonText(game.reason)), h("td", { class: "number" }, game.plies),
        h("td", { class: "opening" }, game.opening));
    }));
    if (focused) body.querySelector(`a[href="${focused}"]`)?.focus();
    const last = Math.min(found.first + PAGE, found.count);
    count.textContent = found.count ? t("arena.games_range", { first: found.first + 1, last, count: found.count }) : t("arena.games_none");
    newer.disabled = found.first === 0;
    older.disabled = last >= found.count;
    newer.hidden = older.hidden = found.count <= PAGE;
  }

  return {
    element,
    // Shows the list anew after games have ended; a page further back stays as it is.
    async refresh(games) {
      element.hidden = !games;
      if (games && (wanted.first === 0 || !body.rows.length)) await load();
    },
  };
}
