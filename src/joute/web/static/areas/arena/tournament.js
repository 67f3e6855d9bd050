// A tournament: its state, its running games on boards, its table and plots, and its games.

import { Board } from "../../lib/board.js";
import { h, icon, show } from "../../lib/dom.js";
import { language, phrase, t } from "../../lib/i18n.js";
import { gamesList } from "./games.js";
import { badge, fragment, gamesText, isMoving, progress, reasonText, repeat } from "./parts.js";

const [LIVE_MS, QUIET_MS] = [700, 5000];

export async function showTournament(root, { id }, app) {
  const path = `tournaments/${id}`;
  let data = await app.api.get(`${path}?language=${language()}`);
  let reported = data.report ? data.report.games : -1;
  let wasState = data.state;
  let drawn = "";

  const head = h("div", { class: "arena-head" });
  const status = h("div", { class: "status" });
  const live = liveBoards(app);
  const result = h("section", { class: "result", "aria-labelledby": "arena-result", hidden: true });
  const sections = new Map();
  const tables = h("div", { class: "tables" });
  const list = gamesList(app, id);
  const facts = h("section", { class: "facts-part" });
  show(root, h("a", { class: "back", href: "#/arena" }, icon("back"), t("arena.back")), head, status, live.element, result, tables, list.element, facts);
  draw();
  drawReport();
  await list.refresh(data.report ? data.report.games : 0);

  // --- The head and the state ---

  function title() {
    return data.name || phrase(data.report?.title || "") || t("arena.title");
  }

  function draw() {
    app.title(title());
    const text = JSON.stringify([data.state, data.error, data.name, data.games, data.length, data.may_control, data.restarts, Boolean(data.report), data.report?.title]);
    if (text === drawn) return;
    drawn = text;
    const count = { games: data.games ?? data.report?.games ?? 0, length: data.length ?? data.report?.length ?? null, state: data.state };
    const schedule = data.report?.facts.find(([, , key]) => key === "schedule");
    const focused = head.contains(document.activeElement) ? document.activeElement.dataset.command : null;
    show(head,
      h("div", { class: "grow" },
        h("h1", {}, title(), " ", badge(data.state)),
        h("p", { class: "soft" }, [data.name ? phrase(data.report?.title || "") : "", schedule ? phrase(schedule[1]) : ""].filter(Boolean).join(" · ")),
        progress(count),
        h("p", { class: "soft counted" }, gamesText(count))),
      h("div", { class: "actions" }, buttons()));
    if (focused) (head.querySelector(`[data-command="${focused}"]`) || head.querySelector("button"))?.focus();
    drawStatus();
  }

  function buttons() {
    const button = (command, picture, kind = "") => h("button", {
      type: "button", class: `with-icon ${kind}`, data: { command }, title: command === "continue" ? null : t(`arena.${command}_help`),
      on: { click: () => ask(command) },
    }, icon(picture), t(command === "continue" ? "arena.go_on" : `arena.${command}`));
    const made = [];
    if (data.may_control && ["running", "starting"].includes(data.state)) made.push(button("pause", "pause"), button("stop", "close", "danger"));
    if (data.may_control && data.state === "ending") made.push(button("stop", "close", "danger"));
    if (data.may_control && ["paused", "stopped", "failed"].includes(data.state)) made.push(button("continue", "play", "primary"));
    if (data.report?.games && data.may_download) made.push(h("a", { class: "button with-icon", href: `/api/${path}/report`, download: "" }, icon("download"), t("arena.report")));
    return made;
  }

  function drawStatus() {
    const said = {
      starting: "arena.said_starting", ending: "arena.said_ending_pause", paused: "arena.said_paused", stopped: "arena.said_stopped",
      elsewhere: "arena.said_elsewhere", unfinished: "arena.said_unfinished", damaged: "arena.said_damaged",
      failed: data.report ? "arena.said_failed" : "arena.said_failed_begin",
    }[data.state];
    const resumed = data.state === "running" && data.restarts > 0 ? h("p", { class: "notice good" }, t("arena.said_resumed")) : null;
    const isBad = ["failed", "damaged"].includes(data.state);
    show(status, resumed, said ? h("div", { class: `notice ${isBad ? "bad" : ""}`, role: isBad ? "alert" : "status" },
      h("p", {}, t(said)), data.error ? h("p", {}, h("strong", {}, phrase(data.error))) : null) : null);
  }

  async function ask(command) {
    if (command === "stop" && data.state === "running" && !(await app.confirm(t("arena.stop_ask"), t("arena.stop")))) return;
    for (const each of head.querySelectorAll("button")) each.disabled = true;
    try {
      take(await app.api.post(`${path}/commands`, { type: command }));
    } catch (error) {
      app.fail(error);
    }
    drawn = "";
    draw();
    await watching.now();
  }

  // --- The table and the plots ---

  function section(key, heading, ...content) {
    const text = JSON.stringify(content.map((each) => (typeof each === "string" ? each : "")));
    const isEmpty = !content.some(Boolean);
    let part = sections.get(key);
    if (!part) {
      part = { element: h("section", { class: `part ${key}` }), text: "" };
      sections.set(key, part);
      tables.append(part.element);
    }
    part.element.hidden = isEmpty;
    if (isEmpty || (part.text === text && typeof content[0] === "string")) return;
    part.text = text;
    const scrolled = part.element.querySelector(".scroll")?.scrollLeft || 0;
    show(part.element, h("h2", {}, heading), content.map((each) => (typeof each === "string" ? fragment(each) : each)));
    const box = part.element.querySelector(".scroll");
    if (box) box.scrollLeft = scrolled;
  }

  function drawReport() {
    const report = data.report;
    result.hidden = !report || !report.games;
    if (!report) return;
    const { key, values } = report.verdict;
    show(result, h("h2", { id: "arena-result" }, t("arena.result")),
      report.leaders.length ? h("ol", { class: "leaders" }, report.leaders.map((each, at) => h("li", { class: "card" },
        h("b", { class: "place" }, at + 1), h("span", { class: "who" }, each.name),
        h("span", { class: "points" }, each.points, h("small", {}, `/${each.games}`)),
        each.elo ? h("small", { class: "elo" }, `${each.elo} Elo · ${each.interval}`) : null))) : null,
      h("p", { class: "verdict" }, t(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, name === "line" ? phrase(value) : value])))),
      report.lines.length > 1 || (report.lines.length && key !== "arena.verdict.sequential")
        ? h("pre", { class: "schedule-lines", tabindex: 0, "aria-label": t("arena.schedule_lines"), role: "region" }, report.lines.map((line) => phrase(line)).join("\n")) : null);
    section("ratings", t("arena.ratings"), report.ratings, report.ratings && `<p class="soft note">${t("arena.ratings_text")}</p>`);
    section("standings", t("arena.standings"), report.standings);
    section("cross", t("arena.cross"), report.cross);
    section("course", t("arena.course"), report.course);
    section("problems", t("arena.problems"), report.problems.length ? problems(report.problems) : "");
    show(facts, h("details", { class: "card", open: facts.querySelector("details")?.open }, h("summary", {}, t("arena.facts")),
      h("dl", {}, report.facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, phrase(text)))))));
  }

  function problems(rows) {
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("arena.problems_text") },
      h("p", { class: "soft" }, t("arena.problems_text")),
      h("table", {}, h("thead", {}, h("tr", {}, [t("arena.filter_agent"), t("arena.col_reason"), t("arena.games"), t("arena.example"), t("arena.what_happened")].map((each) => h("th", { scope: "col" }, each)))),
        h("tbody", {}, rows.map((each) => h("tr", {}, h("td", {}, each.agent || h("i", {}, t("arena.nobody"))), h("td", {}, reasonText(each.reason)), h("td", { class: "number" }, each.count),
          h("td", {}, h("a", { href: `#/arena/${id}/${each.game}` }, t("arena.live_game", { number: each.game }))), h("td", { class: "detail" }, phrase(each.detail)))))));
  }

  // --- Following it ---

  function take(told) {
    if (told.state === "unknown") delete told.state;
    if (told.games === null) delete told.games;
    Object.assign(data, told);
    live.draw(data);
    if (data.state !== wasState) {
      app.announce(t(`arena.state_${data.state}`));
      wasState = data.state;
      reported = -1;
    }
  }

  async function follow() {
    try {
      if (data.state !== "elsewhere") take(await app.api.get(`${path}/live`));
      const isBehind = (data.games ?? reported) !== reported || data.state === "elsewhere" || reported < 0;
      if (isBehind) {
        const { report, ...rest } = await app.api.get(`${path}?language=${language()}`);
        take(rest);
        if (report) {
          const isNew = !data.report || report.games !== data.report.games;
          data.report = report;
          reported = report.games;
          if (!isMoving(data.state)) Object.assign(data, { games: report.games, length: report.length });
          drawReport();
          if (isNew) await list.refresh(report.games);
        } else if (!isMoving(data.state)) reported = data.games ?? 0;
      }
      draw();
    } catch (error) {
      if (error.code === "not_found") app.fail(error);
      // Otherwise the frame says that the connection is lost; the tournament is asked for again.
    }
  }

  const watching = repeat(follow, () => (isMoving(data.state) ? LIVE_MS : QUIET_MS));
  return () => {
    watching.end();
    live.dispose();
  };
}

// The boards of the running games. A board keeps its place until its game ends.
function liveBoards(app) {
  const grid = h("div", { class: "live-boards" });
  const told = h("p", { class: "soft" });
  const element = h("section", { class: "live-part", "aria-labelledby": "arena-live", hidden: true },
    h("h2", { id: "arena-live" }, h("span", { class: "pulse", "aria-hidden": "true" }), t("arena.live")), told, grid);
  let places = []; // {number, board, parts}

  function place() {
    const board = new Board();
    const names = [0, 1].map(() => h("span", { class: "seat" }));
    const title = h("h3", {});
    const line = h("p", { class: "soft counted" });
    const box = h("article", { class: "card live-game" }, title, h("div", { class: "seats" }, names), board.element, line);
    return { number: 0, board, names, title, line, box, scene: "" };
  }

  function fill(at, game) {
    const each = places[at];
    each.number = game.number;
    each.title.textContent = t("arena.live_game", { number: game.number });
    const colours = app.game(game.name)?.colours || [];
    game.players.forEach((name, side) => {
      const isThinking = game.thinker === side;
      each.names[side].className = `seat ${isThinking ? "thinks" : ""}`;
      show(each.names[side], colours[side] ? JouteScene.disc(colours[side]) : null, h("span", { class: "who", title: name }, name),
        h("small", {}, isThinking && game.thinks_s >= 1 ? `${t("arena.live_thinks")} ${game.thinks_s.toFixed(0)} s` : `${game.used_s[side].toFixed(1)} s`));
    });
    const parts = [t("arena.live_moves", { n: game.moves }), game.last && game.last.length < 30 ? t("arena.live_last", { move: game.last }) : ""];
    each.line.textContent = parts.filter(Boolean).join(" · ");
    const scene = JSON.stringify(game.scene);
    if (game.scene.boards && scene !== each.scene) {
      each.scene = scene;
      each.board.show(game.scene);
    }
  }

  return {
    element,
    draw({ state, boards = [], running = 0, games, length }) {
      element.hidden = !["running", "ending"].includes(state);
      if (element.hidden) return;
      told.textContent = running ? t("arena.live_running", { n: running }) : t("arena.live_waiting");
      const numbers = new Set(boards.map((each) => each.number));
      while (places.length < boards.length) {
        places.push(place());
        grid.append(places.at(-1).box);
      }
      const waiting = boards.filter((game) => !places.some((each) => each.number === game.number));
      places.forEach((each, at) => {
        const game = numbers.has(each.number) ? boards.find((one) => one.number === each.number) : waiting.shift();
        if (game) fill(at, game);
      });
      // Boards without a game stay until the tournament needs fewer, so that the page does not jump.
      const left = length ? Math.max(1, length - (games || 0)) : places.length;
      while (places.length > Math.max(boards.length, Math.min(places.length, left))) places.pop().box.remove();
    },
    dispose() {
      for (const each of places) each.board.dispose();
      places = [];
    },
  };
}
