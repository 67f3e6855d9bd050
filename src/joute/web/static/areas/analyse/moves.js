// The moves of a study: the main line in two columns, variations below the move that they replace.

import { h, show } from "../../lib/dom.js";
import { percent, phrase, t } from "../../lib/i18n.js";
import { cssOf } from "./graph.js";

const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??", "missed win": "×" };

export const className = (kind) => t(`analyse.class_${kind.replaceAll(" ", "_")}`);

export class Moves {
  // onGo(node) is called when somebody clicks on a move.
  constructor(onGo) {
    this.onGo = onGo;
    this.element = h("div", { class: "study-moves", tabindex: 0, role: "group", "aria-label": t("analyse.moves") });
  }

  draw(study) {
    this.study = study;
    const rows = this.#line(study.root, "main");
    show(this.element, rows.length ? rows : h("p", { class: "soft empty" }, t("analyse.no_moves")));
    const now = this.element.querySelector('[aria-current="true"]');
    if (!now) {
      this.element.scrollTop = 0;
      return;
    }
    // Not scrollIntoView, which would scroll the page as well.
    const top = now.getBoundingClientRect().top - this.element.getBoundingClientRect().top + this.element.scrollTop;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    const below = top + now.offsetHeight - this.element.clientHeight;
    if (below > this.element.scrollTop) this.element.scrollTop = below;
  }

  // The rows of a line from a node on. Each row has a move of each player, if they alternate.
  #line(node, kind) {
    const rows = [];
    let row = null;
    const cell = (at, content, player) => {
      if (!row || row.cells[player] || (player === 0 && row.cells[1])) {
        row = { number: at, cells: [null, null] };
        rows.push(row);
      }
      row.cells[player] = content;
    };
    let isFirst = true;
    while (node.children.length) {
      const [next, ...others] = node.children;
      if (next.isOutcome && row && !isFirst) {
        const filled = row.cells[1] || row.cells[0];
        filled.append(this.#button(next));
      } else cell(this.#number(next), h("span", { class: "played" }, this.#button(next)), this.#player(next));
      isFirst = false;
      const variations = others.map((each) => h("div", { class: "variation" }, this.#variation(node, each)));
      if (variations.length) {
        rows.push({ variations });
        row = null;
      }
      node = next;
    }
    return rows.map((each) => each.variations || h("div", { class: `row ${kind}` }, h("span", { class: "at" }, each.number), each.cells[0] || h("span", { class: "gap" }, each.cells[1] ? "…" : ""), each.cells[1] || h("span")));
  }

  // A variation as running text, with its own variations in brackets.
  #variation(parent, first) {
    const words = [];
    let node = first;
    let isFirst = true;
    for (;;) {
      if (!node.isOutcome && (isFirst || this.#player(node) === 0)) words.push(h("span", { class: "at" }, `${this.#number(node)}.`));
      words.push(this.#button(node));
      if (!isFirst) {
        for (const other of node.parent.children.slice(1)) words.push(h("span", { class: "inner" }, "(", this.#variation(node.parent, other), ")"));
      }
      isFirst = false;
      if (!node.children.length) return words;
      node = node.children[0];
    }
  }

  // The number of a move in its line, from 1, without outcomes of chance.
  #number(node) {
    let number = 0;
    for (let each = node; each.parent; each = each.parent) if (!each.isOutcome) number++;
    return number;
  }

  #player(node) {
    if (node.info && node.info.player !== null) return node.info.player;
    return (this.#number(node) + 1) % 2;
  }

  #button(node) {
    const judged = node.judged;
    const kind = judged && judged.class;
    const glyph = kind && GLYPHS[kind];
    const isCurrent = node === this.study.current;
    const text = node.isOutcome ? phrase(node.info?.chance || "") || t("analyse.outcome", { n: node.token.slice(1) }) : node.token;
    const chance = judged && node.chance !== null ? percent(node.chance) : "";
    return h("button", {
      type: "button",
      class: `move ${node.isOutcome ? "outcome" : ""} ${glyph ? cssOf(kind) : ""}`,
      "aria-current": isCurrent ? "true" : null,
      "aria-label": glyph ? `${text}, ${className(kind)}` : null,
      title: kind ? className(kind) : null,
      on: { click: () => this.onGo(node) },
    }, text, glyph && h("b", { class: "glyph" }, glyph), chance && h("small", { class: "share" }, chance));
  }
}
