// Parts that the views of the arena share.

import { h } from "../../lib/dom.js";
import { has, t } from "../../lib/i18n.js";

export const RESULTS = { 1: "1–0", 0: "½–½", "-1": "0–1" };

// States in which something may change without the visitor.
export const isMoving = (state) => ["starting", "running", "ending", "elsewhere"].includes(state);

export const badge = (state) => h("span", { class: `badge state ${state}` }, t(`arena.state_${state}`));

// The number of games in words.
export function gamesText({ games, length }) {
  if (length) return t("arena.games_of", { games, length });
  return games ? t("arena.games_so_far", { games }) : t("arena.no_games");
}

// A bar of the games played; indeterminate while their number is unknown.
export function progress({ games, length, state }) {
  const label = gamesText({ games, length });
  if (!length) return h("progress", { "aria-label": label, max: 1, value: state === "finished" ? 1 : isMoving(state) ? null : 0 });
  return h("progress", { "aria-label": label, max: length, value: Math.min(games, length) });
}

// How a game ended, in a word.
export function reasonText(reason) {
  const key = `arena.reason_${reason.replaceAll(" ", "_")}`;
  return has(key) ? t(key) : reason;
}

// HTML that the server made and escaped (web/arena/fragments.py), as nodes.
export const fragment = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];

// Calls `task` now and again after `wait()` milliseconds, while the page is visible; returns a function that ends this.
// After a failure it waits longer; `task` deals with its own errors.
export function repeat(task, wait) {
  let timer = 0;
  let isOver = false;
  let isBusy = false;
  const run = async () => {
    if (isOver || isBusy) return;
    clearTimeout(timer);
    isBusy = true;
    const began = performance.now();
    await task();
    isBusy = false;
    // A slow server is not asked more than a third of the time.
    if (!isOver && !document.hidden) timer = setTimeout(run, Math.max(wait(), 2 * (performance.now() - began)));
  };
  const onVisible = () => document.hidden || run();
  document.addEventListener("visibilitychange", onVisible);
  return {
    first: run(),
    now: run,
    end: () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    },
  };
}

// A time of a move, in milliseconds.
export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 1 ? `${ms.toFixed(1)} ms` : `${Math.round(ms * 1000)} µs`;
}

// The picture of a game's board.
export const boardImage = (game, size) =>
  h("img", { class: "board-image", src: `/api/boards/${encodeURIComponent(game)}.svg`, alt: "", width: size, height: size, loading: "lazy" });
