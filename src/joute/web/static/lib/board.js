/* global JouteScene */
// A board: draws a scene of any game, and lets people play on it by mouse, touch and keyboard. A move takes one click
// (a target), or two (a source, then a target), or a drag from the source to the target (src/joute/games/scene.py).
//
// Scenes come from the server (web/views.py): {boards, position, areas, targets, title}. An area is [x, y, width, height].
// A target is [area, move, source, label, source label, origin, place]; all but the move are numbers of areas or texts,
// null for none, and the last fields may be missing.

import { h, s, show } from "./dom.js";
import { capital, phrase, t } from "./i18n.js";

const SLIDE_MS = 220;
const DRAG_PX = 5;
const PREVIEW_MS = 60;

const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
const isIn = ([px, py], [x, y, width, height], margin = 0) =>
  px >= x - margin && px <= x + width + margin && py >= y - margin && py <= y + height + margin;

// The targets of a scene as objects with areas instead of numbers.
function targetsOf(scene) {
  const area = (number) => (number === null || number === undefined ? null : scene.areas[number]);
  return (scene.targets || []).map(([at, move, source, label, sourceLabel, origin, place]) => ({
    move,
    at,
    source: source ?? null,
    label: label || "",
    sourceLabel: sourceLabel || "",
    begins: area(source) || area(origin),
    ends: area(place) || area(at),
    hasPiece: origin !== null && origin !== undefined,
  }));
}

export class Board {
  // onMove(move) is called when somebody chooses a move. preview(move) resolves to the scene after a move, for hovering.
  // onSelect(source) is called when a source is selected, with its area, or null. onPick(targets) chooses among several
  // moves that a click could mean and resolves to one of them or null.
  constructor({ onMove = () => {}, preview = null, onSelect = () => {}, onPick = null } = {}) {
    Object.assign(this, { onMove, preview, onSelect, onPick });
    this.drawing = s("svg", { class: "scene" });
    this.ghosts = s("svg", { class: "preview", "aria-hidden": "true" });
    this.overlay = s("svg", { class: "marks", "aria-hidden": "true" });
    this.pads = s("svg", { class: "targets", role: "group" });
    this.element = h("div", { class: "board" }, h("div", { class: "board-inner" }, this.drawing, this.ghosts, this.overlay, this.pads));
    this.scene = null;
    this.targets = [];
    this.isPlayable = false;
    this.isFlipped = false;
    this.selected = null; // the number of an area
    this.given = []; // the marks that the page asked for
    this.hovered = null;
    this.#listen();
  }

  #previews = new Map();
  #hoverTimer = 0;
  #press = null;
  #awaited = null; // the place that a player by keyboard left when the board could no longer be played on

  // Shows a scene. `move` is the move that led to it: it is animated, if the scene before it had a target of it.
  // `isContinued` says that somebody may be in the middle of a move, which then goes on in the new scene.
  show(scene, { isPlayable = false, move = null, isContinued = false } = {}) {
    const played = move && this.targets.find((each) => each.move === move);
    const hadFocus = this.pads.contains(document.activeElement) ? document.activeElement.dataset.area : null;
    const before = this.scene;
    this.scene = scene;
    this.targets = targetsOf(scene);
    this.isPlayable = isPlayable;
    if (scene !== before) {
      this.#previews.clear();
      this.given = [];
      this.#keepMove(isContinued ? before : null);
    }
    this.#draw();
    if (played) this.#animate(played);
    this.#drawPads(hadFocus);
    this.#drawMarks();
  }

  // Keeps the selected source and the pressed area if the scene before had them too: their numbers may differ.
  #keepMove(before) {
    const now = (area) => {
      if (!before || area === null) return null;
      const found = this.scene.areas.findIndex((each) => String(each) === String(before.areas[area]));
      return found < 0 ? null : found;
    };
    const source = now(this.selected);
    this.selected = this.targets.some((each) => each.source === source) ? source : null;
    if (!this.#press) return;
    const pressed = now(this.#press.area);
    if (pressed === null) this.#drop();
    else this.#press.area = pressed;
  }

  // Marks moves or areas: a list of {move} or {from, to} or {area}, each with a `kind`, which is a class of base.css.
  mark(marks) {
    this.given = marks;
    this.#drawMarks();
  }

  flip(isFlipped) {
    this.isFlipped = isFlipped;
    if (this.scene) this.show(this.scene, { isPlayable: this.isPlayable });
  }

  // The places where a move begins (or null) and ends, or null if no target plays it.
  places(move) {
    const found = this.targets.find((each) => each.move === move);
    return found ? [found.begins, found.ends] : null;
  }

  dispose() {
    clearTimeout(this.#hoverTimer);
    this.element.remove();
  }

  // --- Drawing ---

  #draw() {
    const [position] = JouteScene.decode(this.scene.boards, [structuredClone(this.scene.position)]);
    const title = JouteScene.draw(this.drawing, this.scene.boards, position);
    for (const label of this.drawing.querySelectorAll("text")) {
      if (/\p{L}{3}/u.test(label.textContent)) label.textContent = phrase(label.textContent);
    }
    this.drawing.setAttribute("aria-label", this.title || phrase(title));
    const [width, height] = this.scene.boards.frames[position.frame];
    for (const each of [this.ghosts, this.overlay, this.pads]) each.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.ghosts.replaceChildren();
    for (const each of [this.element, this.element.parentElement]) each?.style.setProperty("--ratio", width / height);
    this.element.style.setProperty("--cells", width);
    this.element.classList.toggle("flipped", this.isFlipped);
    if (this.isFlipped) this.#upright(this.drawing);
  }

  // Turns texts and pieces of a flipped board upright again. Neighbouring shapes with the same key are one piece.
  #upright(svg) {
    let piece = null;
    const wrappers = [];
    for (const each of [...svg.children]) {
      const key = each.dataset.key || "";
      if (each.tagName !== "text" && !key) {
        piece = null;
        continue;
      }
      if (!piece || !key || piece.key !== key) {
        piece = { key, wrapper: s("g") };
        wrappers.push(piece.wrapper);
        each.replaceWith(piece.wrapper);
      }
      piece.wrapper.append(each);
    }
    for (const wrapper of wrappers) {
      const box = wrapper.getBBox();
      wrapper.setAttribute("transform", `rotate(180 ${box.x + box.width / 2} ${box.y + box.height / 2})`);
    }
  }

  #animate({ begins, ends }) {
    if (begins) {
      JouteScene.slide(this.drawing, begins, ends, SLIDE_MS);
      return;
    }
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const piece of this.drawing.querySelectorAll("[data-key]")) {
      const box = piece.getBBox();
      if (!isIn([box.x + box.width / 2, box.y + box.height / 2], ends)) continue;
      piece.animate([{ opacity: 0 }, { opacity: 1 }], { duration: SLIDE_MS, easing: "ease-out" });
    }
  }

  #drawMarks() {
    const marks = [];
    if (this.selected !== null) marks.push(JouteScene.highlight(this.scene.areas[this.selected], "selected"));
    for (const each of this.isPlayable ? this.targets : []) {
      const isShown = this.selected === null ? each.source === null && each.hasPiece : each.source === this.selected;
      if (isShown) marks.push(this.#dot(each.ends));
    }
    for (const { move, from, to, area, kind = "" } of this.given) {
      const [begins, ends] = move ? this.places(move) || [null, null] : [from, to || area];
      if (ends) marks.push(JouteScene.mark(ends, begins, kind));
    }
    this.overlay.replaceChildren(...marks);
  }

  #dot(area) {
    const [cx, cy] = middle(area);
    return s("circle", { class: "mark dot", cx, cy, r: Math.min(0.13, 0.3 * Math.min(area[2], area[3])) });
  }

  // --- What can be clicked ---

  // The areas that can be clicked now, each with its label: sources and targets without a source, or the targets of the
  // selected source besides.
  #actions() {
    const found = new Map();
    if (!this.isPlayable) return found;
    const add = (area, label, kind) => found.has(area) || found.set(area, { label, kind });
    if (this.selected !== null) {
      for (const each of this.targets) {
        if (each.source === this.selected) add(each.at, each.label || t("board.play", { move: each.move }), "target");
      }
    }
    const moves = new Map();
    for (const each of this.targets) {
      if (each.source !== null) moves.set(each.source, [...(moves.get(each.source) || []), each.move]);
    }
    for (const each of this.targets) {
      if (each.source === null) add(each.at, each.label || t("board.play", { move: each.move }), "target");
      else add(each.source, each.sourceLabel || t("board.moves", { moves: moves.get(each.source).slice(0, 4).join(", ") }), "source");
    }
    return found;
  }

  #drawPads(focused = null) {
    const actions = this.#actions();
    this.pads.setAttribute("aria-label", t(this.isPlayable ? "board.your_turn" : "board.not_your_turn"));
    const order = [...actions.keys()].sort((one, other) => {
      const [[x, y], [otherX, otherY]] = [one, other].map((area) => middle(this.scene.areas[area]));
      return y - otherY || x - otherX;
    });
    if (focused === null && order.length) {
      if (document.activeElement === document.body) focused = this.#awaited;
      this.#awaited = null;
    } else if (focused !== null && !order.length && this.pads.querySelector(":focus-visible")) {
      this.#awaited = focused;
    }
    const kept = order.map(String).includes(focused) ? Number(focused) : this.selected;
    const first = actions.has(kept) ? kept : order[0];
    this.pads.replaceChildren(
      ...order.map((area) => {
        const [x, y, width, height] = this.scene.areas[area];
        const { label, kind } = actions.get(area);
        return s("rect", {
          x, y, width, height, rx: Math.min(0.12, width / 3, height / 3),
          class: `pad ${kind}${this.selected !== null && kind === "target" ? " chosen" : ""}`,
          role: "button",
          tabindex: area === first ? 0 : -1,
          "aria-label": capital(phrase(label)),
          "aria-pressed": kind === "source" ? String(area === this.selected) : null,
          data: { area },
        });
      }),
    );
    if (focused !== null) this.pads.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  #select(area, { focus = false } = {}) {
    if (area === this.selected) return;
    this.selected = area;
    this.#clearPreview();
    this.#drawPads(focus && area !== null ? String(area) : this.pads.contains(document.activeElement) ? document.activeElement.dataset.area : null);
    this.#drawMarks();
    this.onSelect(area === null ? null : this.scene.areas[area]);
  }

  // The moves that a click on an area plays now.
  #movesAt(area) {
    const withSource = this.targets.filter((each) => each.source !== null && each.source === this.selected && each.at === area);
    return withSource.length ? withSource : this.targets.filter((each) => each.source === null && each.at === area);
  }

  async #act(area, how) {
    const moves = this.#movesAt(area);
    if (!moves.length) {
      if (this.targets.some((each) => each.source === area)) this.#select(area === this.selected ? null : area, how);
      else this.#select(null);
      return;
    }
    const chosen = moves.length > 1 && this.onPick ? await this.onPick(moves) : moves[0];
    if (chosen) this.#play(chosen);
  }

  #play(target) {
    this.#clearPreview();
    this.selected = null;
    this.#drawMarks();
    this.onMove(target.move);
  }

  // --- Mouse, touch, keyboard ---

  #listen() {
    const area = (event) => {
      const pad = event.target.closest?.(".pad");
      return pad ? Number(pad.dataset.area) : null;
    };
    this.pads.addEventListener("pointerdown", (event) => event.button === 0 && event.isPrimary && this.#down(event, area(event)));
    this.pads.addEventListener("pointermove", (event) => this.#move(event));
    this.pads.addEventListener("pointerup", (event) => this.#up(event));
    this.pads.addEventListener("pointercancel", () => this.#drop());
    this.pads.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.#hover(area(event)));
    this.pads.addEventListener("pointerleave", () => this.#hover(null));
    this.pads.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.#hover(area(event)));
    this.pads.addEventListener("focusout", () => this.#hover(null));
    this.pads.addEventListener("keydown", (event) => this.#key(event, area(event)));
    // Screen readers click without a pointer.
    this.pads.addEventListener("click", (event) => event.detail === 0 && area(event) !== null && this.#act(area(event), { focus: true }));
  }

  #point(event) {
    const matrix = this.pads.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [x, y];
  }

  #down(event, area) {
    if (!this.isPlayable) return;
    if (area === null) {
      this.#select(null);
      return;
    }
    const wasSelected = area === this.selected;
    const isSource = !this.#movesAt(area).length;
    this.#press = { area, isSource, wasSelected, x: event.clientX, y: event.clientY, from: this.#point(event), ghost: null };
    if (isSource) this.#select(area);
    this.pads.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const press = this.#press;
    if (!press || !press.isSource) return;
    if (!press.ghost && Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG_PX) press.ghost = this.#lift(press.area);
    if (!press.ghost) return;
    const [x, y] = this.#point(event);
    press.ghost.setAttribute("transform", `translate(${x - press.from[0]} ${y - press.from[1]})`);
  }

  #up(event) {
    const press = this.#press;
    if (!press) return;
    this.#drop();
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".pad");
    const area = under && this.pads.contains(under) ? Number(under.dataset.area) : null;
    if (press.isSource && press.ghost) {
      if (area !== null && area !== press.area && this.#movesAt(area).length) this.#act(area);
    } else if (press.isSource) {
      if (press.wasSelected) this.#select(null);
    } else if (area === press.area) this.#act(area);
  }

  #drop() {
    const press = this.#press;
    this.#press = null;
    if (press?.ghost) {
      press.ghost.remove();
      for (const each of this.drawing.querySelectorAll(".lifted")) each.classList.remove("lifted");
    }
  }

  // The pieces of an area, to follow the pointer.
  #lift(area) {
    const ghost = s("g", { class: "ghost" });
    for (const piece of this.drawing.querySelectorAll("[data-key]")) {
      const box = piece.getBBox();
      const moved = piece.transform.baseVal.consolidate();
      const { a = 1, e = 0, f = 0 } = moved ? moved.matrix : {};
      const at = [a * (box.x + box.width / 2) + e, a * (box.y + box.height / 2) + f];
      if (!isIn(at, this.scene.areas[area])) continue;
      ghost.append(piece.cloneNode(true));
      piece.classList.add("lifted");
    }
    this.overlay.append(ghost);
    return ghost;
  }

  #key(event, area) {
    if (event.key === "Escape" && this.selected !== null) {
      event.preventDefault();
      this.#select(null);
      return;
    }
    if (area === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#act(area, { focus: true });
      return;
    }
    const side = this.isFlipped ? -1 : 1;
    const direction = { ArrowLeft: [-side, 0], ArrowRight: [side, 0], ArrowUp: [0, -side], ArrowDown: [0, side] }[event.key];
    if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#step(event.target, direction);
  }

  // Moves the focus to the nearest area in a direction; what lies aside counts as farther.
  #step(pad, [dx, dy]) {
    const place = (each) => middle(this.scene.areas[Number(each.dataset.area)]);
    const [x, y] = place(pad);
    let [best, least] = [null, Infinity];
    for (const each of this.pads.children) {
      const [otherX, otherY] = place(each);
      const along = (otherX - x) * dx + (otherY - y) * dy;
      if (along < 0.05) continue;
      const aside = Math.abs((otherX - x) * dy) + Math.abs((otherY - y) * dx);
      const distance = along + 3 * aside;
      if (distance < least) [best, least] = [each, distance];
    }
    if (!best) return;
    pad.setAttribute("tabindex", -1);
    best.setAttribute("tabindex", 0);
    best.focus();
  }

  // --- Previews ---

  #hover(area) {
    clearTimeout(this.#hoverTimer);
    if (area === null || !this.isPlayable || !this.preview) {
      this.#clearPreview();
      return;
    }
    const moves = this.#movesAt(area);
    if (moves.length !== 1) {
      this.#clearPreview();
      return;
    }
    const [target] = moves;
    this.hovered = target.move;
    if (this.#previews.has(target.move)) this.#drawPreview(target, this.#previews.get(target.move));
    else this.#hoverTimer = setTimeout(() => this.#ask(target), PREVIEW_MS);
  }

  async #ask(target) {
    const scene = this.scene;
    try {
      const after = await this.preview(target.move);
      if (scene !== this.scene) return;
      this.#previews.set(target.move, after);
      if (this.hovered === target.move) this.#drawPreview(target, after);
    } catch {
      // A preview is a help: without one, the move can be played all the same.
    }
  }

  // Draws what a move adds at the place that it changes.
  #drawPreview(target, after) {
    const [now] = JouteScene.decode(this.scene.boards, [structuredClone(this.scene.position)]);
    const known = new Set(now.shapes.map((number) => JSON.stringify(this.scene.boards.shapes[number])));
    const [then] = JouteScene.decode(after.boards, [structuredClone(after.position)]);
    then.shapes = then.shapes.filter((number) => !known.has(JSON.stringify(after.boards.shapes[number])));
    JouteScene.draw(this.ghosts, after.boards, then);
    this.ghosts.removeAttribute("role");
    this.ghosts.removeAttribute("aria-label");
    for (const each of [...this.ghosts.children]) {
      const box = each.getBBox();
      const moved = each.transform?.baseVal.consolidate();
      const { a = 1, e = 0, f = 0 } = moved ? moved.matrix : {};
      const at = [a * (box.x + box.width / 2) + e, a * (box.y + box.height / 2) + f];
      if (!isIn(at, target.ends, 0.3)) each.remove();
    }
    if (this.isFlipped) this.#upright(this.ghosts);
  }

  #clearPreview() {
    clearTimeout(this.#hoverTimer);
    this.hovered = null;
    this.ghosts.replaceChildren();
  }
}

// A small drawing of a position that nobody plays on.
export function thumbnail(scene, title = "") {
  const board = new Board();
  board.title = title;
  board.show(scene);
  show(board.pads);
  board.pads.remove();
  return board.element;
}
