// The panel of the review: progress, accuracy, the number of moves of each class, the moments that decided the game.

import { h, show } from "../../lib/dom.js";
import { capital, percent, phrase, t } from "../../lib/i18n.js";
import { cssOf } from "./graph.js";
import { className } from "./moves.js";

export class ReviewPanel {
  // onMove(index) is called when somebody clicks on the moment of a move.
  constructor({ onStart, onStop, onMove }) {
    Object.assign(this, { onStart, onStop, onMove });
    this.element = h("div", {});
  }

  open(study) {
    this.study = study;
    show(this.element, h("h2", {}, t("analyse.review")), h("p", { class: "soft" }, t("analyse.review_what")), this.#button(t("analyse.review_start")));
  }

  #button(text) { return h("button", { type: "button", class: "primary", on: { click: this.onStart } }, text); }

  // The sentence of a moment; a click goes to its move.
  #moment(sentence, review) {
    const ply = Number(sentence.match(/^Ply (\d+):/)?.[1]);
    const index = review.moves.findIndex((move) => move.ply === ply);
    return index < 0 ? phrase(sentence) : h("button", { type: "button", class: "moment", on: { click: () => this.onMove(index) } }, phrase(sentence));
  }

  begin() {
    this.bar = h("progress", { max: 1, value: 0, "aria-label": t("analyse.review_progress") });
    this.told = h("div", {});
    show(this.element, h("h2", {}, t("analyse.review")),
      h("div", { class: "progress" }, this.bar, h("button", { type: "button", on: { click: () => { this.onStop(); this.open(this.study); } } }, t("analyse.stop"))),
      this.told);
  }

  show(answer) {
    if (answer.kind === "error") {
      this.open(this.study);
      this.element.append(h("p", { class: "error-text", role: "alert" }, capital(phrase(answer.error))));
      return;
    }
    if (answer.kind === "partial") {
      this.bar.value = answer.done / answer.total;
      return;
    }
    const { review } = answer;
    if (!review) {
      this.open(this.study);
      return;
    }
    const names = review.players.map((name) => phrase(name));
    const rows = [["game", t("analyse.accuracy")], ["opening", t("analyse.opening")], ["middle", t("analyse.middle")], ["end", t("analyse.end")]];
    const share = (value) => (value === null ? "–" : percent(value / 100, Math.round(value * 10) % 10 ? 1 : 0));
    show(this.element, h("h2", {}, t("analyse.review")),
      !review.complete && h("p", { class: "soft" }, t("analyse.review_part", { n: review.moves.length })),
      review.moments.length > 0 && h("ul", { class: "moments" }, review.moments.map((each) => h("li", {}, this.#moment(each, review)))),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("analyse.accuracy") }, h("table", { class: "accuracy" },
        h("thead", {}, h("tr", {}, h("td"), names.map((name) => h("th", { scope: "col", class: "number" }, name)))),
        h("tbody", {},
          rows.map(([key, label]) => h("tr", {}, h("th", { scope: "row" }, label), [0, 1].map((side) => h("td", { class: "number" }, share(review.accuracy[side][key]))))),
          Object.keys(review.counts[0]).map((kind) => h("tr", {}, h("th", { scope: "row", class: cssOf(kind) }, className(kind)), [0, 1].map((side) => h("td", { class: "number" }, review.counts[side][kind]))))))),
      h("p", { class: "soft small" }, t("analyse.judged_by", { agent: review.agent })),
      h("div", { class: "actions start" }, h("button", { type: "button", on: { click: this.onStart } }, t("analyse.review_again"))));
  }
}
