// The engine's judgement: a bar of the win probability, its lines, and exact scores on the board.

import { h, s, show } from "../../lib/dom.js";
import { capital, number, percent, phrase, t } from "../../lib/i18n.js";

const LINE_MOVES = 12;

// The bar beside the board: the first player's share is at the bottom, in that player's colour.
export class Evaluation {
  constructor() {
    this.share = h("i", {});
    this.label = h("span", { "aria-hidden": "true" });
    this.element = h("div", { class: "evaluation", role: "img" }, this.share, this.label);
  }

  open({ players, colours }) {
    this.players = players;
    this.element.style.setProperty("--first", colours[0]);
    this.element.style.setProperty("--second", colours[1]);
    this.show(null);
  }

  flip(isFlipped) { this.element.classList.toggle("flipped", isFlipped); }

  show(chance, { isExact = false } = {}) {
    this.element.classList.toggle("unknown", chance === null);
    this.element.classList.toggle("exact", isExact);
    const share = chance ?? 0.5;
    this.element.style.setProperty("--share", `${100 * share}%`);
    this.label.textContent = chance === null ? "" : number(100 * share, 0);
    this.element.setAttribute("aria-label", chance === null
      ? t("analyse.bar_unknown")
      : t("analyse.bar", { player: phrase(this.players[0]), share: percent(share) }));
  }
}

// Whether an answer has the value of a move.
export const knowsValues = (answer) => answer.moves.some((move) => move.value_for_mover !== null || move.outcome_for_mover !== null);

// The lines of the engine.
export class Lines {
  // onPlay(tokens) is called when somebody clicks on a move of a line.
  constructor(onPlay) {
    this.onPlay = onPlay;
    this.told = h("p", { class: "told" });
    this.list = h("ol", { class: "lines" });
    this.work = h("p", { class: "work soft" });
    this.element = h("div", { class: "engine-body" }, this.told, this.list, this.work);
  }

  open({ players }) { this.players = players; }

  clear(isOn) {
    this.element.classList.remove("running");
    show(this.told, isOn ? "" : t("analyse.off"));
    show(this.list);
    show(this.work);
  }

  begin() {
    this.element.classList.add("running");
    show(this.told, t("analyse.thinking"));
  }

  idle(view) {
    show(this.told, capital(phrase(view.status)));
    show(this.list);
    show(this.work);
  }

  show(answer, { isRunning, onMore }) {
    this.element.classList.toggle("running", isRunning);
    if (answer.kind === "error") {
      show(this.told, capital(phrase(answer.error)));
      return;
    }
    const work = this.#work(answer);
    if (isRunning && !knowsValues(answer)) { // a solver begins with proofs, which have no value before they end
      show(this.told, t("analyse.thinking"));
      show(this.list);
      show(this.work, work);
      return;
    }
    const chance = answer.chance_for_first;
    const mover = phrase(this.players[answer.to_move]);
    const mine = chance === null ? null : answer.to_move === 0 ? chance : 1 - chance;
    show(this.told,
      h("b", { class: "share" }, mine === null ? answer.value : percent(mine, 1)),
      h("span", {}, mine === null ? phrase(answer.unit) : t("analyse.for", { player: mover })),
      answer.exact && h("span", { class: "badge exact" }, t("analyse.exact")),
      answer.verdict && h("span", { class: "soft" }, capital(phrase(answer.verdict))));
    show(this.list, answer.moves.map((move) => this.#line(move, answer)));
    const canGoOn = !isRunning && !answer.exact;
    show(this.work, work,
      canGoOn && h("button", { type: "button", class: "link", on: { click: onMore } }, t("analyse.more")));
  }

  #work(answer) {
    return h("span", {}, [
      answer.agent.split(":")[0],
      Boolean(answer.depth) && t("analyse.depth", { n: answer.depth }),
      answer.nodes !== null && t("analyse.nodes", { n: number(answer.nodes, 0) }),
      t("analyse.seconds", { n: number(answer.seconds, 1) }),
    ].filter(Boolean).join(" · "));
  }

  #line(move, answer) {
    const chance = move.chance_for_first;
    const mine = chance === null ? null : answer.to_move === 0 ? chance : 1 - chance;
    const isFirst = answer.pv[0] === move.move;
    const tokens = move.line.length ? move.line : isFirst ? answer.pv : [move.move];
    const isProven = move.outcome_for_mover !== null;
    return h("li", { class: tokens.length === 1 ? "short" : "" },
      h("span", { class: "share" }, mine === null ? move.value : percent(mine, isProven ? 0 : 1)),
      h("span", { class: "moves" },
        tokens.slice(0, LINE_MOVES).map((token, at) => h("button", {
          type: "button", class: "move",
          "aria-label": at ? null : t("analyse.line_from", { move: token, share: mine === null ? move.value : percent(mine, 1) }),
          on: { click: () => this.onPlay(tokens.slice(0, at + 1)) },
        }, token)),
        tokens.length > LINE_MOVES && "…"),
      h("span", { class: "value soft" }, isProven && answer.unit === "score" ? signed(move.value_for_mover) : "", move.verdict && h("em", {}, phrase(move.verdict))));
  }
}

const signed = (value) => (value > 0 ? `+${number(value)}` : number(value).replace("-", "−"));

// Exact scores on the places of the moves, in games where each move is one place and all are known.
export class Scores {
  constructor(board) {
    this.board = board;
    this.svg = s("svg", { class: "scores", "aria-hidden": "true" });
  }

  get isShown() { return this.svg.isConnected; }

  clear() { this.svg.remove(); }

  show(answer) {
    this.clear();
    const { targets } = this.board;
    const values = new Map((answer.moves || []).map((move) => [move.move, move.value_for_mover]));
    const places = new Set(targets.map((each) => each.at));
    const isOne = targets.every((each) => each.source === null && values.get(each.move) !== undefined && values.get(each.move) !== null);
    if (!answer.exact || !isOne || places.size !== targets.length || !targets.length) return;
    this.svg.setAttribute("viewBox", this.board.overlay.getAttribute("viewBox"));
    show(this.svg, targets.map((each) => {
      const value = values.get(each.move);
      const [x, y, width, height] = each.ends;
      const [cx, cy] = [x + width / 2, y + Math.min(height, width) / 2];
      const kind = value > 0 ? "win" : value < 0 ? "loss" : "draw";
      const turned = this.board.isFlipped ? { transform: `rotate(180 ${cx} ${cy})` } : {};
      return s("g", { class: kind, ...turned }, s("circle", { cx, cy, r: 0.3 * Math.min(1, width, height) + 0.02 }), s("text", { x: cx, y: cy, "font-size": 0.32 }, signed(value)));
    }));
    this.board.overlay.before(this.svg);
  }
}
