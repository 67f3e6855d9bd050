// Composes a move of parts, such as orders to several groups, before it is sent. The game's room tells which parts can
// be added, what they do and whether the move is legal (games/builder.py); nothing here knows a game.

import { h, iconButton, show } from "../../lib/dom.js";
import { capital, labelled, phrase, t } from "../../lib/i18n.js";

export class Builder {
  constructor(app, game, board, onMove) {
    Object.assign(this, { app, game, board, onMove });
    this.element = h("div", { class: "builder card", hidden: true });
    this.parts = []; // [text, amount]
    this.draft = null;
    this.number = 0;
    this.isActive = false;
    this.usual = board.onMove;
  }

  // Begins a move in the position of a game.
  begin(game, move = null) {
    this.state = game;
    const isContinued = this.isActive && this.position === game.position;
    if (!isContinued) this.parts = [];
    this.position = game.position;
    this.isActive = true;
    this.board.onMove = (part) => this.add(part);
    this.board.preview = null;
    if (!this.parts.length) {
      this.draft = game.draft;
      this.draw({ move, isContinued });
    } else this.ask();
  }

  end() {
    if (!this.isActive) return;
    this.isActive = false;
    this.parts = [];
    this.element.hidden = true;
    this.board.onMove = this.usual;
  }

  add(text) {
    this.parts.push([text, null]);
    this.ask();
  }

  async ask() {
    const number = ++this.number;
    try {
      const draft = await this.app.api.socket.send("build", { game: this.game, parts: this.parts });
      if (number !== this.number || !this.isActive) return;
      this.draft = draft;
      this.parts = draft.parts.map((part) => [part.text, part.amount]);
      this.draw();
    } catch (error) {
      this.parts.pop();
      this.app.fail(error);
    }
  }

  draw({ move = null, isContinued = true } = {}) {
    const { draft } = this;
    this.board.show(draft.scene, { isPlayable: true, move, isContinued });
    this.board.mark(draft.parts.map((part) => ({ from: part.begins, to: part.ends, kind: "part" })));
    this.element.hidden = false;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    show(this.element,
      draft.parts.length ? h("ul", { class: "parts" }, draft.parts.map((part, at) => this.part(part, at))) : h("p", { class: "soft" }, capital(phrase(draft.prompt))),
      draft.lines.length ? h("ul", { class: "lines" }, draft.lines.map((each) => h("li", {}, capital(phrase(each))))) : null,
      draft.problem ? h("p", { class: "error-text" }, capital(phrase(draft.problem))) : null,
      draft.parts.length ? h("div", { class: "actions" },
        h("button", { type: "button", data: { name: "clear" }, on: { click: () => { this.parts = []; this.ask(); } } }, t("play.clear_parts")),
        h("button", { type: "button", class: "primary", disabled: !draft.move, data: { name: "send" }, on: { click: () => this.onMove(draft.move) } }, t("play.send_move"))) : null);
    if (focused) (this.element.querySelector(`[data-name="${focused}"]`) || this.element.querySelector("button"))?.focus();
  }

  part(part, at) {
    const label = capital(phrase(part.label));
    const change = (amount) => {
      this.parts[at][1] = amount;
      this.ask();
    };
    const slider = h("input", { type: "range", min: part.low, max: part.high, value: part.amount, "aria-label": labelled(label, t("play.amount")), data: { name: `amount-${at}` } });
    const box = h("input", { type: "number", min: part.low, max: part.high, value: part.amount, "aria-label": labelled(label, t("play.amount")), data: { name: `number-${at}` } });
    slider.addEventListener("input", () => { box.value = slider.value; });
    slider.addEventListener("change", () => change(Number(slider.value)));
    box.addEventListener("change", () => change(Math.max(part.low, Math.min(part.high, Math.round(Number(box.value)) || part.low))));
    return h("li", {}, h("span", { class: "part-label" }, label),
      part.high > part.low ? h("span", { class: "amount" }, slider, box, h("span", { class: "soft" }, `/ ${part.high}`)) : h("span", { class: "amount soft" }, `${part.amount}`),
      iconButton("close", t("play.remove_part", { part: label }), () => { this.parts.splice(at, 1); this.ask(); }, { data: { name: `remove-${at}` } }));
  }
}
