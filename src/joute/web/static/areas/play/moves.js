// The list of moves beside the board: a click shows the position after the move.

import { h, show } from "../../lib/dom.js";
import { phrase, t } from "../../lib/i18n.js";

const LONGEST_SHORT = 9; // longer moves get a line each

export class MoveList {
  constructor(onLook) {
    this.onLook = onLook;
    this.list = h("ol", { class: "moves", "aria-label": t("play.move_list") });
    this.element = this.list;
    this.drawn = "";
  }

  // Shows the moves of a game; `at` is the number of moves of the shown position.
  draw(game, at) {
    const key = game.moves.map((move) => move.move).join(" ");
    if (key !== this.drawn || !this.list.childElementCount) {
      this.drawn = key;
      this.#fill(game);
    }
    for (const button of this.list.querySelectorAll("button")) {
      const isShown = Number(button.dataset.number) === at;
      if (isShown) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (isShown) this.#reveal(button);
    }
  }

  #fill(game) {
    if (!game.moves.length) {
      show(this.list, h("li", { class: "soft none" }, t("play.no_moves")));
      return;
    }
    const isLong = game.moves.some((move) => move.move.length > LONGEST_SHORT);
    this.list.classList.toggle("long", isLong);
    const rows = [];
    for (const [index, move] of game.moves.entries()) {
      const row = rows.at(-1);
      if (!isLong && row && row.length === 1 && move.player === 1 && row[0][1].player === 0) row.push([index, move]);
      else rows.push([[index, move]]);
    }
    show(this.list, rows.map((row, at) => h("li", {},
      h("span", { class: "soft count", "aria-hidden": "true" }, `${at + 1}.`),
      !isLong && row[0][1].player === 1 ? h("span", { class: "gap", "aria-hidden": "true" }, "…") : null,
      row.map(([index, move]) => this.#button(game, index, move)))));
  }

  #button(game, index, { move, player, chance }) {
    const colour = game.colours[player];
    const told = chance.map((each) => phrase(each)).join("; ");
    const isLost = move === "--";
    return h("button", { type: "button", data: { number: index + 1 }, title: told || null, on: { click: () => this.onLook(index + 1) } },
      colour ? JouteScene.disc(colour) : null,
      h("span", { class: "unseen" }, `${phrase(game.players[player])} `),
      h("span", { class: "move" }, isLost ? t("play.lost_turn") : move),
      told ? h("span", { class: "unseen" }, ` (${told})`) : null);
  }

  #reveal(button) {
    const [list, row] = [this.list, button.parentElement];
    if (row.offsetTop < list.scrollTop) list.scrollTop = row.offsetTop;
    else if (row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop + row.offsetHeight - list.clientHeight;
  }
}
