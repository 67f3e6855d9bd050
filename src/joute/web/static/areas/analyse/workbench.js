// The page of analysis: board, evaluation, lines, moves, graph, review.

import { h, iconButton, select, show } from "../../lib/dom.js";
import { capital, labelled, percent, phrase, t } from "../../lib/i18n.js";
import { Board } from "../../lib/board.js";
import { Evaluation, Lines, Scores, knowsValues } from "./evaluation.js";
import { exportDialog, loadDialog } from "./dialogs.js";
import { Graph, isBad } from "./graph.js";
import { Moves, className } from "./moves.js";
import { ReviewPanel } from "./review.js";
import { Stream } from "./stream.js";
import { Study } from "./study.js";

const WAIT_MS = 150; // before a search begins: who steps through a game starts none

export class Workbench {
  #timer = 0;
  #turn = null; // ends the requests of a position that is no longer shown

  constructor(root, app) {
    Object.assign(this, { app, isOn: true, lines: 3, isFlipped: false, isDisposed: false });
    this.board = new Board({ onMove: (move) => this.play(move) });
    this.scores = new Scores(this.board);
    this.evaluation = new Evaluation();
    this.moves = new Moves((node) => this.go(node));
    this.graph = new Graph((node) => this.go(node));
    this.review = new ReviewPanel({ onStart: () => this.startReview(), onStop: () => this.reviewing.stop(), onMove: (index) => this.go(this.#reviewedMoves()[index]) });
    this.list = new Lines((tokens) => this.playLine(tokens));
    this.engine = new Stream(app.api.socket, "analyse", (answer) => this.#evaluate(answer));
    this.reviewing = new Stream(app.api.socket, "review", (answer) => this.#judge(answer));
    this.status = h("p", { class: "status", role: "status" });
    this.told = h("div", { class: "judgement" });
    this.chance = h("div", { class: "outcomes", hidden: true });
    this.title = h("h1", {});
    this.text = h("pre", {});
    const step = (name, label, how) => iconButton(name, t(label), how);
    this.steps = {
      first: step("first", "analyse.first", () => this.go(this.study.root)),
      back: step("back", "analyse.back", () => this.back()),
      forward: step("forward", "analyse.forward", () => this.forward()),
      last: step("last", "analyse.last", () => this.go(this.study.path(this.study.current).at(-1))),
      mistake: h("button", { type: "button", on: { click: () => this.nextMistake() } }, t("analyse.next_mistake")),
    };
    this.fork = {
      promote: h("button", { type: "button", class: "quiet", on: { click: () => this.promote() } }, t("analyse.promote")),
      remove: h("button", { type: "button", class: "quiet danger", on: { click: () => this.remove() } }, t("analyse.remove")),
    };
    this.toggle = h("button", { type: "button", class: "toggle", "aria-pressed": "true", on: { click: () => this.switch(!this.isOn) } }, h("i", { class: "lamp", "aria-hidden": "true" }), t("analyse.engine"));
    this.count = select([1, 2, 3, 4, 5].map((each) => [each, t("analyse.count", { n: each })]), {
      value: this.lines, "aria-label": t("analyse.lines"), class: "count",
      onChange: (value) => { this.lines = Number(value); this.search(0); },
    });
    this.flip = iconButton("flip", t("analyse.flip"), () => this.setFlipped(!this.isFlipped));
    this.element = this.#layout();
    show(root, this.element);
    this.onKey = (event) => this.#key(event);
    document.addEventListener("keydown", this.onKey);
  }

  #layout() {
    const tool = (name, label, how) => iconButton(name, t(label), how, { text: true });
    return h("div", { class: "workbench" },
      h("header", { class: "head" }, this.title,
        h("div", { class: "actions start" },
          tool("plus", "analyse.load", () => this.load()),
          tool("download", "analyse.export", () => exportDialog(this.app, this.study)),
          tool("edit", "analyse.edit", () => this.leave("edit")),
          tool("play", "analyse.play_here", () => this.leave("play")))),
      h("section", { class: "stage", "aria-label": t("analyse.board") },
        h("div", { class: "arena" }, this.evaluation.element, this.board.element),
        h("div", { class: "steps", role: "group", "aria-label": t("analyse.replay") },
          this.steps.first, this.steps.back, this.steps.forward, this.steps.last, this.flip, this.steps.mistake),
        this.status, this.told, this.chance,
        h("details", { class: "board-text" }, h("summary", {}, t("analyse.as_text")), this.text)),
      h("section", { class: "card engine", "aria-label": t("analyse.engine") },
        h("div", { class: "engine-head" }, this.toggle, this.count), this.list.element),
      h("section", { class: "card record", "aria-label": t("analyse.moves") },
        this.moves.element,
        h("div", { class: "actions start fork" }, this.fork.promote, this.fork.remove),
        this.graph.element),
      h("section", { class: "card review", "aria-label": t("analyse.review") }, this.review.element));
  }

  async open(study, { isReview = false } = {}) {
    this.engine.stop();
    this.reviewing.stop();
    this.study = study;
    const { title, names, headline } = study.data;
    this.app.title(labelled(t("analyse.nav"), phrase(title)));
    this.evaluation.open(study.data);
    this.list.open(study.data);
    this.review.open(study);
    this.flip.hidden = !this.app.game(study.data.name)?.flips;
    show(this.title, names ? names.map((name) => phrase(name)).join(" – ") : phrase(title), names && h("small", { class: "soft" }, headline ? phrase(title) : `${phrase(title)} · ${t("analyse.running")}`));
    await this.go(study.current, { isLoud: false });
    await this.#drawMain();
    if (isReview && study === this.study && !this.isDisposed) this.startReview();
  }

  // Fetches what is known of the main line, for the columns of the list and quick steps.
  async #drawMain() {
    const study = this.study;
    try {
      await study.draw(study.path());
      if (study === this.study) this.#drawMoves();
    } catch (error) {
      this.app.fail(error);
    }
  }

  dispose() {
    this.isDisposed = true;
    clearTimeout(this.#timer);
    this.#turn?.abort();
    this.engine.dispose();
    this.reviewing.dispose();
    this.board.dispose();
    document.removeEventListener("keydown", this.onKey);
  }

  // --- Going through the game ---

  async go(node, { isLoud = true } = {}) {
    const study = this.study;
    study.current = node;
    study.save();
    this.#turn?.abort();
    this.#turn = new AbortController();
    clearTimeout(this.#timer);
    this.engine.stop();
    this.list.clear(this.isOn);
    this.scores.clear();
    if (!node.view && node.drawing) this.board.show(node.drawing);
    this.#drawMoves();
    try {
      await study.view(node, this.#turn.signal);
    } catch (error) {
      if (error.name !== "AbortError") this.app.fail(error);
      return;
    }
    if (study !== this.study || node !== study.current) return;
    this.#drawPosition(node);
    if (isLoud) this.app.announce([node.token, phrase(node.view.chance), capital(phrase(node.view.status)), this.told.textContent].filter(Boolean).join(". "));
    this.search();
  }

  #drawPosition(node) {
    const { view } = node;
    this.element.dataset.line = this.study.line(node).join(" ");
    this.board.show(view.scene, { isPlayable: !view.is_over && !view.is_chance, move: node.isOutcome ? null : node.token });
    this.status.textContent = capital(phrase(view.status));
    this.text.textContent = view.text;
    const outcomes = view.outcomes || [];
    this.chance.hidden = !outcomes.length;
    show(this.chance,
      outcomes.length > 0 && h("h2", {}, capital(phrase(view.event)), ": ", t("analyse.choose_outcome")),
      h("ul", {}, outcomes.map((each) => h("li", {}, h("button", { type: "button", on: { click: () => this.play(each.token) } },
        h("b", {}, percent(each.probability, 1)), " ", capital(phrase(each.text)) || t("analyse.outcome", { n: each.token.slice(1) }))))));
    this.#drawMoves();
    this.#mark([]);
  }

  #drawMoves() {
    const { study } = this;
    const { current } = study;
    this.moves.draw(study);
    const path = study.path(current);
    this.graph.draw(path.filter((node) => !node.children.length || !node.children[0].isOutcome), current);
    this.steps.first.disabled = this.steps.back.disabled = !current.parent;
    this.steps.forward.disabled = this.steps.last.disabled = !current.children.length;
    this.steps.mistake.hidden = !path.some((node) => isBad(node.judged));
    const isFork = !study.isMain(current);
    this.fork.promote.hidden = !isFork;
    this.fork.remove.hidden = !current.parent;
    this.#tell();
  }

  // The review's judgement of the move that led here.
  #tell() {
    const { judged } = this.study.current;
    show(this.told);
    if (!judged) return;
    const name = phrase((this.study.data.names || this.study.data.players)[judged.player]);
    const kind = judged.forced ? t("analyse.only_move") : className(judged.class);
    const loss = judged.loss >= 0.0005 ? t("analyse.loses", { share: percent(judged.loss, 1) }) : "";
    const best = judged.class === "best" ? "" : t("analyse.best_was", { line: judged.line.slice(0, 8).join(" ") });
    show(this.told, h("p", { class: `k-${judged.class.replaceAll(" ", "-")}` }, h("b", {}, capital(labelled(`${name}, ${judged.move}`, kind))), loss && ` ${loss}`, best && ` ${best}`));
  }

  back() { if (this.study.current.parent) return this.go(this.study.current.parent); }

  forward() { if (this.study.current.children.length) return this.go(this.study.current.children[0]); }

  // To the next or previous variation beside this move.
  aside(step) {
    const { parent } = this.study.current;
    if (!parent || parent.children.length < 2) return;
    const at = parent.children.indexOf(this.study.current);
    return this.go(parent.children[(at + step + parent.children.length) % parent.children.length]);
  }

  nextMistake() {
    const path = this.study.path(this.study.current);
    const bad = path.filter((node) => isBad(node.judged));
    const at = path.indexOf(this.study.current);
    return this.go(bad.find((node) => path.indexOf(node) > at) || bad[0]);
  }

  async play(token) {
    // After a click, the arrow keys step through the game; who plays with the keyboard stays on the board.
    const focused = document.activeElement;
    if (this.board.pads.contains(focused) && !focused.matches(":focus-visible")) focused.blur();
    const isShown = this.#place();
    try {
      const node = await this.study.play(token);
      if (isShown()) await this.go(node);
    } catch (error) {
      this.app.fail(error);
      if (isShown()) this.board.show(this.board.scene, { isPlayable: true });
    }
  }

  async playLine(tokens) {
    const isShown = this.#place();
    try {
      let node = this.study.current;
      for (const token of tokens) if (isShown()) node = await this.study.play(token, node);
      if (isShown()) await this.go(node);
    } catch (error) {
      this.app.fail(error);
    }
  }

  // Returns a function that tells whether this position is still shown: a reply may come after its visitor moved on.
  #place() {
    const { study } = this;
    const { current } = study;
    return () => !this.isDisposed && study === this.study && current === study.current;
  }

  promote() {
    this.study.promote(this.study.current);
    this.study.save();
    this.#drawMoves();
  }

  remove() {
    const node = this.study.current;
    this.study.remove(node);
    return this.go(node.parent);
  }

  setFlipped(isFlipped) {
    this.isFlipped = isFlipped;
    this.board.flip(isFlipped);
    this.evaluation.flip(isFlipped);
    this.scores.clear();
    this.search(0);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, dialog, .choice, header.top")) return;
    const how = {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      ArrowUp: () => this.aside(-1),
      ArrowDown: () => this.aside(1),
      Home: () => this.go(this.study.root),
      End: () => this.go(this.study.path(this.study.current).at(-1)),
    }[event.key];
    if (!how) return;
    event.preventDefault();
    how();
  }

  // --- The engine ---

  switch(isOn) {
    this.isOn = isOn;
    this.toggle.setAttribute("aria-pressed", String(isOn));
    this.list.clear(isOn);
    this.scores.clear();
    if (isOn) this.search(0);
    else {
      this.engine.stop();
      this.#mark([]);
    }
  }

  search(wait = WAIT_MS) {
    clearTimeout(this.#timer);
    const { view } = this.study.current;
    if (!this.isOn || !view) return;
    if (view.is_over || view.is_chance) {
      this.list.idle(view);
      this.evaluation.show(view.is_over ? (view.winner === null ? 0.5 : 1 - view.winner) : this.study.current.chance);
      return;
    }
    this.list.begin();
    this.#timer = setTimeout(() => this.engine.start({ study: this.study.request(), lines: this.lines }), wait);
  }

  #evaluate(answer) {
    const node = this.study.current;
    this.list.show(answer, { isRunning: answer.kind === "partial", onMore: () => this.search(0) });
    if (answer.kind === "error") return;
    if (answer.chance_for_first !== null) {
      this.evaluation.show(answer.chance_for_first, { isExact: answer.exact });
      if (!node.isReviewed) {
        node.chance = answer.chance_for_first;
        if (answer.kind === "final") this.#drawMoves();
      }
    }
    this.scores.show(answer);
    this.#mark(this.scores.isShown || !knowsValues(answer) ? [] : answer.moves.slice(0, this.lines));
  }

  // Marks the first moves of lines, the best on top.
  #mark(moves) {
    const marks = moves.map(({ move }, at) => ({ move, kind: `line-${at + 1}` })).reverse();
    this.board.mark(marks);
  }

  // --- The review ---

  startReview() {
    const { study } = this;
    this.reviewed = study.path();
    if (this.reviewed.length < 2) return;
    this.review.begin();
    const { data } = study;
    this.reviewing.start({ study: study.request(this.reviewed.at(-1)), names: data.names || data.players });
  }

  #reviewedMoves() { return this.reviewed.filter((node) => node.parent && !node.isOutcome); }

  #judge(answer) {
    this.review.show(answer);
    if (!answer.review) return;
    const { review } = answer;
    const moves = this.#reviewedMoves();
    review.moves.forEach((judged, at) => { moves[at].judged = judged; });
    review.chances.forEach((chance, at) => {
      // The position before move `at`, after all outcomes of chance.
      const node = at < moves.length ? moves[at].parent : this.reviewed.at(-1);
      Object.assign(node, { chance, isReviewed: true });
    });
    if (answer.kind === "final") this.study.annotated = answer.text;
    this.#drawMoves();
    if (answer.kind === "final") this.app.announce(t("analyse.review_done"));
  }

  // --- In and out ---

  async load() {
    const data = await loadDialog(this.app, this.study);
    if (!data) return;
    if (location.hash !== "#/analyse") history.replaceState(null, "", "#/analyse");
    const study = new Study(this.app.api, data);
    if (data.kind === "moves") study.current = study.path().at(-1);
    await this.open(study);
  }

  leave(area) {
    const { game, start } = this.study.data;
    const position = this.study.current.view?.position ?? start;
    this.app.go(`${area}?${new URLSearchParams({ game, position })}`);
  }
}
