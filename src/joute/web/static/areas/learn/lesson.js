// The rules of a game on one screen: short sections, each with a board and moves to play through.

import { Board } from "../../lib/board.js";
import { h, iconButton, show } from "../../lib/dom.js";
import { capital, language, phrase, t, wholePhrase } from "../../lib/i18n.js";

// Longer moves are not written on the button.
const LONG_MOVE = 10;
const said = (texts) => texts[language()] || texts.en || "";

export async function lesson(root, { game }, app) {
  const found = await app.api.get(`learn/${encodeURIComponent(game)}`);
  const title = capital(phrase(found.title));
  app.title(t("learn.rules_of", { game: title }));
  const examples = found.sections.map((section, at) => new Example(app, section, at));
  const hasPuzzles = (await app.api.get("learn")).some((each) => each.game === game && each.puzzles.length);
  show(root,
    h("div", { class: "learn-head" },
      h("div", {}, h("p", { class: "crumbs" }, h("a", { href: "#/learn" }, t("learn.title"))), h("h1", {}, t("learn.rules_of", { game: title }))),
      h("div", { class: "actions" },
        hasPuzzles ? h("a", { class: "button", href: `#/puzzles/${encodeURIComponent(game)}` }, t("learn.puzzles")) : null,
        h("a", { class: "button primary", href: `#/play?game=${encodeURIComponent(game)}` }, t("learn.play_it")))),
    found.sections.length ? h("div", { class: "sections" }, examples.map((each) => each.element)) : guide(found),
    found.sections.length ? notation(found) : null);
  return () => examples.forEach((each) => each.board.dispose());
}

// The guide of a game without a lesson.
function guide(found) {
  const board = new Board();
  board.show(found.scene);
  return h("div", { class: "guide card" }, h("div", { class: "guide-board" }, board.element),
    h("div", {}, guideText(found.guide.rules), h("h2", {}, t("learn.notation")), guideText(found.guide.notation)));
}

// The notation is in the words of authors of agents, and so in English.
const notation = (found) =>
  h("details", { class: "card notation" }, h("summary", {}, t("learn.notation")), guideText(found.guide.notation));

function guideText(text) {
  const told = wholePhrase(text);
  return h("p", { lang: told === text ? "en" : language() }, ticked(told.replaceAll("``", "`")));
}

// A text with `code` in backticks.
function ticked(text) {
  return text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

// A section with its example. The reader plays the next move on the board, or lets it be played.
class Example {
  constructor(app, section, number) {
    this.app = app;
    this.frames = section.frames;
    this.title = said(section.title);
    this.at = 0;
    this.board = new Board({ onMove: (move) => this.try(move) });
    this.caption = h("p", { class: "caption" });
    this.back = iconButton("back", t("learn.back"), () => this.go(this.at - 1));
    this.next = h("button", { type: "button", class: "primary next", on: { click: () => this.go(this.at === this.frames.length - 1 ? 0 : this.at + 1) } });
    this.dots = h("span", { class: "dots", "aria-hidden": "true" });
    const heading = h("h2", { id: `section-${number}` }, said(section.title));
    this.element = h("section", { class: "card section", "aria-labelledby": heading.id },
      h("div", { class: "section-body" },
        heading, h("p", { class: "rule" }, said(section.text)), h("div", { class: "example" }, this.board.element),
        h("div", { class: "told", "aria-live": "polite" }, this.caption),
        h("div", { class: "stepper" }, this.back, this.dots, this.next)));
    this.draw();
  }

  try(move) {
    const following = this.frames[this.at + 1];
    if (following && move === following.move) this.go(this.at + 1);
    else this.caption.textContent = t("learn.other_move", { move, wanted: following.move });
  }

  go(at) {
    const isForward = at === this.at + 1;
    this.at = Math.max(0, Math.min(this.frames.length - 1, at));
    this.draw(isForward ? this.frames[this.at].move : null);
  }

  draw(move = null) {
    const frame = this.frames[this.at];
    const following = this.frames[this.at + 1];
    this.board.show(frame.scene, { isPlayable: Boolean(following), move });
    this.board.mark(following ? [{ move: following.move, kind: "hint" }] : []);
    this.caption.textContent = this.at ? said(frame.text) : t("learn.begin");
    this.back.disabled = this.at === 0;
    const played = following && t("learn.next_move", { move: following.move });
    this.next.textContent = following ? (following.move.length > LONG_MOVE ? t("learn.next") : played) : t("learn.again");
    this.next.setAttribute("aria-label", `${played || t("learn.again")}, ${this.title}`);
    show(this.dots, this.frames.map((_, at) => h("i", { class: at === this.at ? "on" : "" })));
  }
}
