// A puzzle: the visitor finds moves on the board; a wrong one is refuted, a right one goes on.

import { Builder } from "../play/builder.js";
import { Board } from "../../lib/board.js";
import { h, icon, iconButton, show } from "../../lib/dom.js";
import { capital, labelled, language, percent, phrase, t } from "../../lib/i18n.js";
import { meter } from "./index.js";
import { note, solvedOf, stateOf } from "./progress.js";

const PAUSE_MS = 500;
const said = (texts) => texts[language()] || texts.en || "";
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export async function puzzle(root, { game, number }, app) {
  const listed = (await app.api.get("learn")).find((each) => each.game === game);
  if (!number) {
    const first = listed?.puzzles.find((each) => !stateOf(each)) || listed?.puzzles[0];
    if (first) {
      location.replace(`#/puzzles/${encodeURIComponent(game)}/${first.number}`);
      return null;
    }
  }
  const found = await app.api.get(`puzzles/${encodeURIComponent(game)}/${encodeURIComponent(number)}`);
  const view = new PuzzleView(app, listed, found);
  show(root, view.element);
  return () => view.dispose();
}

class PuzzleView {
  constructor(app, listed, found) {
    Object.assign(this, { app, listed, found });
    this.address = `puzzles/${encodeURIComponent(found.game)}/${found.number}`;
    this.answers = [];
    this.frames = [found]; // the positions that were shown, to step through
    this.at = 0;
    this.isOpen = true;
    this.isBusy = false;
    this.isGone = false;
    this.attempt = 0; // grows with each new start, which ends what an earlier attempt still shows
    this.board = new Board({ onMove: (move) => this.answer(move) });
    this.board.title = labelled(capital(phrase(listed.title)), said(found.title));
    this.builder = found.draft ? new Builder(this.#builderApp(), found.game, this.board, (move) => this.answer(move)) : null;
    this.told = h("div", { class: "verdict", role: "status" });
    this.tools = h("div", { class: "actions start" });
    this.stepper = h("div", { class: "stepper" });
    this.numbers = h("ol", { class: "numbers" });
    this.score = h("div", {});
    this.text = h("details", { class: "more board-text" });
    const title = capital(phrase(listed.title));
    app.title(`${said(found.title)} · ${title}`);
    this.element = h("div", { class: "puzzle" },
      h("div", { class: "puzzle-board" }, this.board.element),
      h("div", { class: "puzzle-side" },
        h("p", { class: "crumbs" }, h("a", { href: "#/learn" }, t("learn.title")), " › ", h("a", { href: `#/rules/${encodeURIComponent(found.game)}` }, title)),
        h("h1", {}, said(found.title)),
        h("p", { class: "turn" }, disc(found.colour), t("learn.to_move", { player: capital(phrase(found.player)) })),
        h("p", {}, said(found.task)),
        this.builder?.element, this.told, this.stepper, this.tools, this.text,
        h("h2", {}, t("learn.puzzles")), this.numbers, this.score));
    this.start();
  }

  // Moves of parts are composed by the routes of puzzles instead of those of games.
  #builderApp() {
    const send = (_type, { parts }) => this.app.api.post(`${this.address}/build`, { parts });
    return { ...this.app, api: { ...this.app.api, socket: { send } } };
  }

  dispose() {
    this.isGone = true;
    this.builder?.end();
    this.board.dispose();
  }

  start() {
    this.attempt += 1;
    this.isBusy = false;
    this.answers = [];
    this.frames = [this.found];
    this.at = 0;
    this.isOpen = true;
    this.tell("", "");
    this.draw();
  }

  draw(move = null) {
    const frame = this.frames[this.at];
    const isPlayable = this.isOpen && !this.isBusy && this.at === this.frames.length - 1;
    if (this.builder && isPlayable) this.builder.begin({ position: `${this.answers.length}`, draft: frame.draft }, move);
    else {
      this.builder?.end();
      this.board.show(frame.scene, { isPlayable, move });
    }
    show(this.text, h("summary", {}, t("learn.as_text")), h("pre", { tabindex: 0 }, frame.diagram));
    this.drawTools();
    this.drawNumbers();
  }

  drawTools() {
    const last = this.listed.puzzles.length;
    const next = this.listed.puzzles.find((each) => each.number > this.found.number && stateOf(each) !== "solved") || this.listed.puzzles.find((each) => stateOf(each) !== "solved" && each.number !== this.found.number);
    const step = (name, label, at) => iconButton(name, label, () => this.step(at), { disabled: at < 0 || at >= this.frames.length });
    show(this.stepper, this.isOpen || this.frames.length < 2 ? null : [
      step("back", t("learn.back"), this.at - 1),
      h("span", { class: "soft" }, this.at ? t("learn.after_move", { move: this.frames[this.at].move }) : t("learn.the_puzzle")),
      step("forward", t("learn.forward"), this.at + 1)]);
    show(this.tools,
      this.isOpen
        ? h("button", { type: "button", disabled: this.isBusy, on: { click: () => this.showAnswer() } }, t("learn.show_answer"))
        : h("button", { type: "button", class: "with-icon", on: { click: () => this.start() } }, icon("undo"), t("learn.try_again")),
      !this.isOpen && this.verdict !== "wrong" && next && last > 1
        ? h("a", { class: "button primary", href: `#/puzzles/${encodeURIComponent(this.found.game)}/${next.number}` }, t("learn.next_puzzle")) : null);
  }

  drawNumbers() {
    show(this.numbers, this.listed.puzzles.map((each) => {
      const state = stateOf(each);
      const label = [t("learn.puzzle_number", { number: each.number }), said(each.title), state ? t(`learn.${state}`) : ""].filter(Boolean).join(", ");
      return h("li", {}, h("a", {
        href: `#/puzzles/${encodeURIComponent(this.found.game)}/${each.number}`, class: state || null, title: label, "aria-label": label,
        "aria-current": each.number === this.found.number ? "page" : null,
      }, String(each.number), state ? icon(state === "solved" ? "check" : "close") : null));
    }));
    show(this.score, meter(solvedOf(this.listed.puzzles), this.listed.puzzles.length));
  }

  step(at) {
    const isForward = at === this.at + 1;
    this.at = at;
    this.draw(isForward ? this.frames[at].move : null);
  }

  tell(kind, ...lines) {
    this.verdict = kind;
    this.told.className = `verdict ${kind}`;
    this.told.hidden = !kind;
    show(this.told, lines.filter(Boolean).map((each, at) => h("p", at ? {} : { class: "first" }, each)));
  }

  async answer(move) {
    if (this.isBusy || !this.isOpen) return;
    this.isBusy = true;
    this.answers.push(move);
    try {
      const reply = await this.app.api.post(this.address, { moves: this.answers });
      if (!this.isGone) await this.take(reply);
    } catch (error) {
      this.answers.pop();
      this.isBusy = false;
      if (this.isGone) return;
      this.app.fail(error);
      this.draw();
    }
  }

  async take(reply) {
    const { attempt } = this;
    const given = reply.frames[0].move;
    if (reply.verdict === "wrong") {
      note(this.found, "missed");
      this.isOpen = false;
      this.tell("wrong", t("learn.wrong", { move: given }), this.refutation(reply), ...this.chances(reply.frames));
    } else if (reply.verdict === "solved") {
      note(this.found, "solved");
      this.isOpen = false;
    } else this.tell("right", t("learn.right", { move: given }));
    const shown = reply.verdict === "solved" ? reply.frames.slice(0, 1) : reply.frames;
    for (const frame of shown) {
      if (this.frames.length > 1 || frame !== shown[0]) await wait(frame === shown[0] ? 0 : PAUSE_MS);
      if (this.isGone || attempt !== this.attempt) return;
      this.frames.push(frame);
      this.at = this.frames.length - 1;
      if (frame === shown.at(-1)) this.isBusy = false;
      this.draw(frame.move);
    }
    if (reply.verdict === "solved") await this.solved(reply, given);
  }

  async solved(reply, given) {
    this.frames.push(...reply.frames.slice(1));
    const { attempt } = this;
    const { source } = await this.app.api.get(`${this.address}/answer`);
    if (this.isGone || attempt !== this.attempt) return;
    this.tell("right", t("learn.solved_by", { move: given }), reply.frames.length > 1 ? t("learn.see_line") : "",
      t("learn.missed_by", { share: percent(this.found.missed) }), t("learn.source", { source: phrase(source) }));
    this.drawTools();
  }

  async showAnswer() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const found = await this.app.api.get(`${this.address}/answer`);
      if (this.isGone) return;
      note(this.found, "missed");
      this.isOpen = this.isBusy = false;
      this.frames = [this.found, ...found.frames];
      this.at = 1;
      this.tell("shown", t("learn.answer_is", { move: found.line[0] }), found.line.length > 1 ? t("learn.see_line") : "", t("learn.source", { source: phrase(found.source) }));
      this.draw(found.line[0]);
    } catch (error) {
      this.isBusy = false;
      this.app.fail(error);
    }
  }

  // The opponent's reply to a wrong answer, and the visitor's prospects after it.
  refutation({ reply, outcome, chance, is_over: isOver, winner }) {
    if (isOver && !reply) return t(winner === this.found.to_move ? "learn.over_won" : winner === null ? "learn.over_draw" : "learn.over_lost");
    const words = outcome === null ? (chance === null ? "" : t("learn.chance_left", { chance: percent(chance) })) : t(`learn.outcome_${outcome < 0 ? "loss" : outcome > 0 ? "win" : "draw"}`);
    return `${t("learn.reply", { move: reply })} ${words}`;
  }

  chances(frames) {
    const texts = frames.flatMap((frame) => frame.chance || []);
    return texts.length ? [`${t("learn.likeliest")} ${texts.map((each) => capital(phrase(each))).join(". ")}.`] : [];
  }
}

function disc(colour) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", "disc");
  made.setAttribute("viewBox", "0 0 10 10");
  made.setAttribute("aria-hidden", "true");
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of Object.entries({ cx: 5, cy: 5, r: 4.4, fill: colour })) circle.setAttribute(name, value);
  made.append(circle);
  return made;
}
