/* global JouteScene, JouteChart */
// A finished game: its board, its moves, and the values that the agents reported.

import { h, icon, iconButton, s, show } from "../../lib/dom.js";
import { labelled, phrase, t } from "../../lib/i18n.js";
import { duration, reasonText, RESULTS } from "./parts.js";

const STEP_MS = 700;

// chart.js is a plain script that reports contain as well.
const chart = () => (chart.loaded ??= new Promise((resolve, reject) => {
  const script = h("script", { src: "/shared/chart.js" });
  script.onload = resolve;
  script.onerror = reject;
  document.head.append(script);
}));

export async function showReplay(root, { id, number, query }, app) {
  const address = `#/arena/${id}`;
  const [game] = await Promise.all([app.api.get(`tournaments/${id}/games/${Number(number) || 0}`), chart()]);
  const positions = JouteScene.decode(game.boards, game.positions);
  const last = positions.length - 1;
  const plies = game.moves.length;
  let ply = 0;
  let timer = 0;
  app.title(t("arena.game", { number: game.number }));

  const drawing = s("svg", { class: "scene" });
  const board = h("div", { class: "board" }, h("div", { class: "board-inner" }, drawing));
  const slider = h("input", { type: "range", min: 0, max: Math.max(0, last), step: 1, value: 0, "aria-label": t("arena.position") });
  const place = h("output", {});
  const told = h("p", { class: "soft", role: "status" });
  const play = iconButton("play", t("arena.play"), () => (timer ? pause() : start()), { "aria-pressed": "false" });
  const [first, back, on, end] = [
    iconButton("first", t("arena.to_start"), () => step(0)), iconButton("back", t("arena.step_back"), () => step(ply - 1)),
    iconButton("forward", t("arena.step_on"), () => step(ply + 1)), iconButton("last", t("arena.to_end"), () => step(last)),
  ];
  const values = s("svg", { class: "values", role: "img", "aria-label": t("arena.values") });
  const withValue = JouteChart.draw(values, game, game.shares);
  values.addEventListener("click", (event) => step(JouteChart.plyAt(values, event.clientX, plies)));
  const moves = moveTable();
  const link = (other, picture, text) => (other
    ? h("a", { class: "button icon-only", href: `${address}/${other}`, "aria-label": text, title: text }, icon(picture))
    : iconButton(picture, text, null, { disabled: true }));

  show(root,
    h("a", { class: "back", href: address }, icon("back"), t("arena.to_tournament")),
    h("div", { class: "arena-head" },
      h("div", { class: "grow" },
        h("h1", {}, t("arena.game", { number: game.number })),
        h("p", { class: "versus" }, seat(0), h("b", {}, RESULTS[game.outcome]), seat(1)),
        h("p", { class: "soft" }, ending())),
      h("div", { class: "actions" }, link(game.before, "back", t("arena.game_before")), link(game.after, "forward", t("arena.game_after")))),
    ...(game.crash || []).map((text, side) => (text ? h("details", { class: "card wrote", open: true }, h("summary", {}, t("arena.output_of", { name: game.names[side] })), h("pre", { tabindex: 0 }, text)) : null)).filter(Boolean),
    h("div", { class: "replay" },
      h("div", { class: "stage" }, last < 0 ? null : board, last < plies ? h("p", { class: "notice" }, t("arena.not_drawn")) : null,
        slider, h("div", { class: "actions start steps" }, first, back, play, on, end, place), told,
        withValue.length ? h("figure", {}, h("figcaption", {}, t("arena.values"), " ", h("small", {}, t("arena.values_text"))), values,
          h("ul", { class: "legend" }, withValue.map((side) => h("li", { class: `key-line s${side}` }, game.names[side])))) : null,
        h("p", { class: "soft" }, t("arena.keys"), " ", labelled(t("arena.began_from"), ""), h("code", {}, game.opening || "–"))),
      moves.box),
    ...(game.output || []).map((text, side) => (text ? h("details", { class: "card wrote" }, h("summary", {}, t("arena.output_of", { name: game.names[side] })), h("pre", { tabindex: 0 }, text)) : null)).filter(Boolean));

  function seat(side) {
    return h("span", { class: "seat" }, game.colours[side] ? JouteScene.disc(game.colours[side]) : null, h("strong", {}, game.names[side]), " ", h("small", {}, phrase(game.sides[side])));
  }

  function ending() {
    const why = game.reason === "normal" ? phrase(game.decided_by) : `${reasonText(game.reason)}${game.detail ? ` (${game.detail})` : ""}`;
    return [t(`arena.result_${game.outcome}`), why].filter(Boolean).reduce(labelled);
  }

  function moveTable() {
    const number = (value) => (typeof value === "number" ? value.toLocaleString(document.documentElement.lang) : (value ?? ""));
    const columns = [
      ["move", (at) => h("button", { type: "button", class: game.moves[at].length > 16 ? "quiet long" : "quiet", on: { click: () => step(at + 1) } }, game.moves[at]), ""],
      ["time", (at) => duration(game.time_ms[at]), "number"],
      ["value", game.value && ((at) => number(game.value[at])), "number"],
      ["depth", game.depth && ((at) => number(game.depth[at])), "number"],
      ["nodes", game.nodes && ((at) => number(game.nodes[at])), "number"],
      ["line", game.pv && ((at) => h("span", { title: game.pv[at] }, game.pv[at])), "pv"],
    ].filter(([, cell]) => cell);
    const rows = game.moves.map((_, at) => h("tr", { class: `side${game.players[at]}` },
      h("th", { scope: "row", class: "number" }, game.ply + at + 1, game.colours[game.players[at]] ? JouteScene.disc(game.colours[game.players[at]]) : null),
      columns.map(([, cell, kind]) => h("td", { class: kind }, cell(at)))));
    const box = h("div", { class: "card move-list scroll", tabindex: 0, role: "region", "aria-label": t("arena.moves") },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen" }, t("arena.col_plies"))), columns.map(([name, , kind]) => h("th", { scope: "col", class: kind }, t(`arena.col_${name}`))))), h("tbody", {}, rows)));
    return { box, rows };
  }

  function showPly(wanted) {
    ply = Math.max(0, Math.min(Math.max(0, last), wanted));
    if (last >= 0) {
      const title = JouteScene.draw(drawing, game.boards, positions[ply]);
      const [width, height] = game.boards.frames[positions[ply].frame];
      board.style.setProperty("--ratio", width / height);
      drawing.setAttribute("aria-label", phrase(title));
      slider.setAttribute("aria-valuetext", t("arena.position_text", { ply, plies, title: phrase(title) }));
      told.textContent = phrase(title);
    }
    slider.value = ply;
    place.textContent = `${ply} / ${plies}`;
    JouteChart.mark(values, ply, plies);
    first.disabled = back.disabled = ply <= 0;
    on.disabled = end.disabled = ply >= last;
    moves.rows.forEach((row, at) => {
      if (at !== ply - 1) return row.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      const head = 34; // the height of the sticky header
      if (row.offsetTop - head < moves.box.scrollTop) moves.box.scrollTop = row.offsetTop - head;
      const below = row.offsetTop + row.offsetHeight - moves.box.clientHeight;
      if (below > moves.box.scrollTop) moves.box.scrollTop = below;
    });
    if (ply === 0) moves.box.scrollTop = 0;
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    show(play, icon("play"));
    play.setAttribute("aria-pressed", "false");
  }

  function start() {
    if (ply >= last) showPly(0);
    show(play, icon("pause"));
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      showPly(ply + 1);
      if (ply >= last) pause();
    }, STEP_MS);
  }

  function step(wanted) {
    pause();
    showPly(wanted);
  }

  // Arrow keys step through the game, unless the focused element uses them.
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("select, textarea, input, dialog, .scroll, pre")) return;
    const wanted = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    step(wanted);
  }

  slider.addEventListener("input", () => step(Number(slider.value)));
  document.addEventListener("keydown", onKey);
  showPly(Number(query.ply) || 0);
  return () => {
    pause();
    document.removeEventListener("keydown", onKey);
  };
}
