// The area "edit": a position editor. Brushes, places and fields come from the server; no code here knows a game.

import { field, h, icon, iconButton, select, show } from "../lib/dom.js";
import { Board } from "../lib/board.js";
import { capital, phrase, t } from "../lib/i18n.js";

export const routes = { edit: open };

async function open(root, { query }, app) {
  const editor = new PositionEditor(root, app);
  const game = query.game || app.games[0].name;
  await editor.begin(game, query.position ? { position: query.position } : {});
  return () => editor.dispose();
}

class PositionEditor {
  #history = [];
  #turn = Promise.resolve();

  constructor(root, app) {
    this.app = app;
    this.brush = null;
    this.board = new Board({ onMove: (spot) => this.paint(spot) });
    this.told = h("p", { class: "verdict", role: "status" });
    this.palette = h("div", { class: "palette", role: "radiogroup", "aria-label": t("edit.brushes") });
    this.palette.addEventListener("keydown", (event) => this.#paletteKey(event));
    this.amount = h("input", { type: "number", min: 1, max: 255, value: 4 });
    this.amountField = field(t("edit.amount"), this.amount, { inline: true });
    this.fields = h("div", { class: "fields" });
    this.text = h("textarea", { rows: 3, spellcheck: "false", autocapitalize: "none" });
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.takeText();
    });
    this.game = select(app.games.map((each) => [each.name, phrase(each.title)]), { onChange: (name) => this.begin(name).catch(app.fail) });
    this.undo = iconButton("undo", t("edit.undo"), () => this.back(), { text: true });
    this.play = h("button", { type: "button", class: "primary with-icon", on: { click: () => this.leave("play") } }, icon("play"), t("edit.play"));
    this.analyse = h("button", { type: "button", class: "with-icon", on: { click: () => this.leave("analyse") } }, icon("search"), t("edit.analyse"));
    this.paintCard = h("section", { class: "card paint", "aria-label": t("edit.brushes") }, h("h2", {}, t("edit.brushes")), this.palette, this.amountField);
    this.fieldsCard = h("section", { class: "card", "aria-label": t("edit.fields") }, h("h2", {}, t("edit.fields")), this.fields);
    show(root, h("div", { class: "editor" },
      h("header", { class: "head" }, h("h1", {}, t("edit.nav")), field(t("edit.game"), this.game, { inline: true })),
      h("section", { class: "stage", "aria-label": t("analyse.board") }, this.board.element, this.told),
      h("div", { class: "side" },
        this.paintCard,
        this.fieldsCard,
        h("section", { class: "card" },
          field(t("edit.text"), this.text, { help: t("edit.text_help") }),
          h("div", { class: "actions start" },
            h("button", { type: "button", on: { click: () => this.takeText() } }, t("edit.take")),
            h("button", { type: "button", on: { click: () => this.change({ position: "" }) } }, t("edit.start")),
            this.empty = h("button", { type: "button", on: { click: () => this.change({ empty: true }) } }, t("edit.empty")),
            this.undo)),
        h("div", { class: "actions start leave" }, this.play, this.analyse))));
  }

  dispose() { this.board.dispose(); }

  async begin(spec, wish = {}) {
    this.spec = spec;
    this.draft = null;
    this.brush = null;
    this.#history = [];
    this.game.value = spec.split(":")[0];
    this.pictures = {};
    this.app.title(t("edit.nav"));
    const [, pictures] = await Promise.all([this.change(wish, { isFirst: true }), this.app.api.post("edit/palette", { game: spec })]);
    this.pictures = pictures;
    this.#drawPalette();
  }

  // Asks the server for the draft after a change. Changes are made one after another.
  change(wish, { isFirst = false } = {}) {
    this.#turn = this.#turn.then(() => this.#change(wish, isFirst)).catch((error) => {
      if (isFirst) throw error;
      this.app.fail(error);
    });
    return this.#turn;
  }

  async #change(wish, isFirst) {
    const before = this.draft;
    const told = await this.app.api.post("edit", { game: this.spec, draft: this.draft, ...wish });
    if (!isFirst && told.draft !== before) this.#history.push(before);
    this.#show(told);
  }

  back() {
    if (!this.#history.length) return;
    this.draft = this.#history.pop();
    this.change({});
  }

  takeText() { this.change({ position: this.text.value.trim() }); }

  paint(spot) {
    const { amounts } = this.brush;
    const amount = amounts ? Math.max(amounts[0], Math.min(amounts[1], Number(this.amount.value) || 1)) : 1;
    this.change({ paint: { brush: this.brush.name, spot, amount } });
  }

  leave(area) { this.app.go(`${area}?${new URLSearchParams({ game: this.spec, position: this.told.position })}`); }

  #show(told) {
    this.told.position = told.position;
    this.draft = told.draft;
    this.known = told;
    const chosen = this.brush && this.brush.name;
    this.brush = told.brushes.find((each) => each.name === chosen) || told.brushes[0] || null;
    this.paintCard.hidden = this.empty.hidden = !told.has_board;
    this.fieldsCard.hidden = !told.fields.length;
    this.undo.disabled = !this.#history.length;
    const isKept = told.refused && document.activeElement === this.text; // who types may correct the text
    if (!isKept) this.text.value = told.text;
    const problem = told.refused ? t("edit.refused", { why: phrase(told.refused) }) : told.problem ? t("edit.not_legal", { why: phrase(told.problem) }) : "";
    this.text.setAttribute("aria-invalid", String(Boolean(problem)));
    show(this.told, problem ? [icon("close"), problem] : [icon("check"), `${t("edit.legal")} · ${capital(phrase(told.status))}${told.is_over ? `. ${t("edit.over")}` : ""}`]);
    this.told.className = `verdict ${problem ? "bad" : "good"}`;
    this.analyse.disabled = told.position === null;
    this.play.disabled = told.position === null || told.is_over;
    this.#drawBoard();
    this.#drawFields();
    this.#drawPalette();
  }

  // The board with the places of the brush as targets.
  #drawBoard() {
    const { scene } = this.known;
    this.board.element.hidden = !scene;
    if (!scene) return;
    const places = this.brush ? this.brush.spots : [];
    const name = this.brush ? capital(phrase(this.brush.label)) : "";
    this.board.show({ ...scene, areas: places.map(([, ...area]) => area), targets: places.map(([spot], at) => [at, spot, null, t("edit.paint", { place: spot, brush: name })]) }, { isPlayable: places.length > 0 });
    this.board.pads.setAttribute("aria-label", t("edit.board"));
  }

  #drawPalette() {
    const { brushes } = this.known;
    const hadFocus = this.palette.contains(document.activeElement);
    show(this.palette, brushes.map((brush) => {
      const isChosen = brush === this.brush;
      const picture = this.pictures[brush.name];
      const label = capital(phrase(brush.label));
      return h("button", {
        type: "button", class: "brush", role: "radio", "aria-checked": String(isChosen), tabindex: isChosen ? 0 : -1,
        "aria-label": label, title: label, data: { brush: brush.name },
        on: { click: () => this.choose(brush.name) },
      }, picture ? drawn(picture) : icon("close"));
    }));
    this.amountField.hidden = !this.brush || !this.brush.amounts;
    if (hadFocus) this.palette.querySelector('[aria-checked="true"]')?.focus();
  }

  choose(name) {
    this.brush = this.known.brushes.find((each) => each.name === name);
    this.#drawPalette();
    this.#drawBoard();
  }

  #paletteKey(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { brushes } = this.known;
    const at = brushes.indexOf(this.brush);
    this.choose(brushes[(at + step + brushes.length) % brushes.length].name);
  }

  #drawFields() {
    const focused = this.fields.contains(document.activeElement) ? document.activeElement.dataset.field : null;
    show(this.fields, this.known.fields.map((each) => {
      const set = (value) => this.change({ change: { field: each.name, value: Number(value) } });
      const label = capital(phrase(each.label));
      const control = each.choices.length
        ? select(each.choices.map((name, at) => [each.low + at, phrase(name)]), { value: each.value, onChange: set, "data-field": each.name })
        : h("input", { type: "number", min: each.low, max: each.high, value: each.value, "data-field": each.name, disabled: each.low === each.high, on: { change: (event) => set(event.target.value) } });
      return field(label, control);
    }));
    if (focused) this.fields.querySelector(`[data-field="${focused}"]`)?.focus();
  }
}

// The part of a drawing that shows a brush, in a square.
function drawn({ scene, area: [x, y, width, height] }) {
  const board = new Board();
  board.show(scene);
  const svg = board.drawing;
  const side = Math.max(width, height, 1) * 1.04;
  svg.setAttribute("viewBox", `${x + width / 2 - side / 2} ${y + height / 2 - side / 2} ${side} ${side}`);
  svg.removeAttribute("role");
  svg.removeAttribute("aria-label");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
