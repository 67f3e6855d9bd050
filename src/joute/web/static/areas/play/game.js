// A game: the board, the players with their clocks, the moves, and what can be done. The server has the truth; every
// message brings the whole game.

import { Board } from "../../lib/board.js";
import { dialog, h, icon, iconButton, s, show } from "../../lib/dom.js";
import { capital, has, phrase, t } from "../../lib/i18n.js";
import { Builder } from "./builder.js";
import { Clocks } from "./clocks.js";
import { exportMenu } from "./exports.js";
import { MoveList } from "./moves.js";
import { playerName, seatName } from "./names.js";
import { clockText } from "./setup.js";

const LINE = 8; // moves of a hint's line; an exact one may go on to the end of the game

export async function showGame(root, { id }, app) {
  const view = new GameView(root, id, app);
  try {
    await view.begin();
  } catch (error) {
    view.dispose();
    throw error;
  }
  return () => view.dispose();
}

class GameView {
  constructor(root, id, app) {
    Object.assign(this, { root, id, app });
    this.game = null; // the last that the server told
    this.mine = []; // the sides of this visitor
    this.owns = false;
    this.shown = null; // the number of moves of an earlier position that is shown, or null for the present one
    this.sent = false; // whether a move is on its way
    this.wantsFlip = null;
    this.controller = new AbortController();
    this.board = new Board({
      onMove: (move) => this.play(move),
      preview: (move) => app.api.socket.send("preview", { game: id, move }).then((reply) => reply.scene),
    });
    this.clocks = new Clocks();
    this.moves = new MoveList((number) => this.look(number));
    this.builder = new Builder(app, id, this.board, (move) => this.play(move));
    this.strips = [0, 1].map(() => h("div", { class: "strip" }));
    this.status = h("p", { class: "status", "aria-live": "polite" });
    this.controls = h("div", { class: "controls", role: "toolbar", "aria-label": t("play.controls") });
    this.above = h("div", { class: "notice" });
    this.hints = h("div", { class: "hint", "aria-live": "polite" });
    this.typed = h("div", { class: "typed" });
    this.text = h("pre", { tabindex: 0 });
  }

  async begin() {
    const { app } = this;
    show(this.root, h("p", { class: "soft" }, t("play.loading")));
    await new Promise((resolve, reject) => {
      this.stop = app.api.socket.watch(this.id, (message) => {
        if (message.error) {
          reject(message.error);
          return;
        }
        this.take(message);
        resolve();
      });
    });
    addEventListener("keydown", (event) => this.key(event), { signal: this.controller.signal });
  }

  dispose() {
    this.stop?.();
    this.controller.abort();
    this.clocks.dispose();
    this.board.dispose();
  }

  // --- What the server tells ---

  take({ you, owns, clock, game }) {
    const before = this.game;
    this.sent = false;
    Object.assign(this, { game, mine: you, owns, clock });
    if (!before) this.layOut();
    const isNewPosition = !before || before.moves.length !== game.moves.length || before.position !== game.position;
    const moved = before && game.moves.length === before.moves.length + 1 ? game.moves.at(-1) : null;
    if (isNewPosition) {
      this.shown = null;
      this.mark = null;
      show(this.hints);
    }
    if (this.shown === null) this.drawBoard(moved?.move);
    if (moved && !this.mine.includes(moved.player)) this.app.announce(t("play.played", { player: playerName(game, moved.player), move: moved.move }));
    if (game.is_over && before && !before.is_over) this.app.announce(this.outcome());
    this.drawAll();
  }

  layOut() {
    const { game, app } = this;
    const info = app.game(game.name);
    this.canFlip = Boolean(info?.flips);
    this.title = phrase(game.title);
    app.title(this.title);
    const facts = [game.spec.includes(":") ? game.spec : null, game.control !== "none" ? clockText(game.control) : null].filter(Boolean);
    show(this.root, h("div", { class: "table" },
      h("section", { class: "stage", "aria-label": t("play.board") },
        this.strips[1], this.board.element, this.strips[0]),
      h("section", { class: "panel card", "aria-label": t("play.panel") },
        h("div", { class: "panel-head" }, h("h1", {}, this.title), facts.length ? h("p", { class: "soft" }, facts.join(" · ")) : null),
        this.status, this.above, this.builder.element, this.moves.element, this.controls, this.hints, this.typed,
        h("details", { class: "board-text more" }, h("summary", {}, t("play.board_text")), this.text))));
    this.drawTyped();
  }

  get isMyTurn() {
    return !this.game.is_over && this.mine.includes(this.game.to_move);
  }

  // Whether nobody else plays; between two people there are no hints.
  get mayHint() {
    return this.mine.length > 0 && !this.game.seats.some((seat, side) => seat.kind === "person" && !this.mine.includes(side));
  }

  get isFlipped() {
    const wanted = this.wantsFlip ?? (this.mine.length === 1 && this.mine[0] === 1);
    return this.canFlip && wanted;
  }

  drawAll() {
    const { game } = this;
    this.drawStrips();
    this.drawStatus();
    this.drawNotice();
    this.moves.draw(game, this.shown ?? game.moves.length);
    this.drawControls();
    this.text.textContent = `${game.text}\n\n${game.position}`;
    this.drawLegal();
  }

  drawBoard(move = null) {
    const { game } = this;
    const isPlayable = this.isMyTurn && !this.sent && this.app.api.socket.state !== "closed";
    if (this.board.isFlipped !== this.isFlipped) this.board.flip(this.isFlipped);
    if (game.draft && isPlayable) {
      this.builder.begin(game, move);
      return;
    }
    this.builder.end();
    this.board.show(game.scene, { isPlayable, move });
    this.board.mark(this.mark ? [{ ...this.mark, kind: "hint" }] : []);
  }

  drawStrips() {
    const { game } = this;
    const below = this.isFlipped || (!this.canFlip && this.mine.length === 1 && this.mine[0] === 1) ? 1 : 0;
    this.strips.forEach((strip, place) => {
      const side = place === 0 ? below : 1 - below;
      const isTurn = !game.is_over && game.to_move === side;
      const won = game.result && game.result.winner === side;
      strip.classList.toggle("turn", isTurn);
      show(strip,
        game.colours[side] ? JouteScene.disc(game.colours[side]) : null,
        h("span", { class: "who" },
          h("strong", {}, seatName(this.app, game.seats[side], { isYou: this.mine.includes(side) })),
          h("small", {}, capital(playerName(game, side)))),
        won ? h("span", { class: "badge won" }, t("play.winner")) : null,
        isTurn && game.is_thinking && game.seats[side].kind === "agent" ? h("span", { class: "thinking", title: t("play.thinking") }, h("i"), h("i"), h("i"), h("span", { class: "unseen" }, t("play.thinking"))) : null,
        this.clocks.element(side));
    });
    this.clocks.show(this.clock);
  }

  drawStatus() {
    const { game } = this;
    const text = game.is_over
      ? this.outcome()
      : this.isMyTurn
        ? this.mine.length > 1 ? t("play.turn_of", { player: playerName(game, game.to_move) }) : t("play.your_turn")
        : game.is_paused ? t("play.paused")
        : t("play.turn_of", { player: playerName(game, game.to_move) });
    const last = game.moves.at(-1);
    const chance = last ? last.chance.map((each) => capital(phrase(each))).join(". ") : "";
    if (this.status.dataset.text === `${text}${chance}`) return;
    this.status.dataset.text = `${text}${chance}`;
    show(this.status, h("strong", {}, text), chance ? h("span", { class: "soft" }, `${chance}.`) : null);
  }

  // The result in a sentence.
  outcome() {
    const { result } = this.game;
    const own = `play.why_${result.reason}`;
    const why = has(own) ? t(own) : capital(phrase(result.reason === "normal" ? result.decided_by : result.reason));
    if (result.winner === null) return t("play.draw_by", { reason: why });
    const winner = playerName(this.game, result.winner);
    if (this.mine.length === 1) return t(this.mine[0] === result.winner ? "play.you_won" : "play.you_lost", { reason: why });
    return t("play.won_by", { player: capital(winner), reason: why });
  }

  // --- Above the moves: the link, the open seat, proposals, the end ---

  drawNotice() {
    const { game, app } = this;
    const parts = [];
    if (game.seats.some((seat) => seat.is_open)) parts.push(this.mine.length ? this.linkPart() : this.joinPart());
    const other = game.undo_offer;
    if (other !== null) {
      const isMine = this.mine.includes(other);
      parts.push(h("div", { class: "offer" }, h("p", {}, t(isMine ? "play.undo_proposed" : "play.undo_asked")),
        this.mine.length ? h("div", { class: "actions start" },
          isMine ? null : h("button", { type: "button", class: "primary", on: { click: () => this.send("undo") } }, t("play.accept")),
          h("button", { type: "button", on: { click: () => this.send("decline") } }, t(isMine ? "play.withdraw" : "play.decline"))) : null));
    }
    if (game.is_over) {
      parts.push(h("div", { class: "actions start" },
        this.mine.length ? h("button", { type: "button", class: "primary", on: { click: () => this.again() } }, t("play.again")) : null,
        game.moves.length ? h("a", { class: "button", href: `#/review/${this.id}` }, icon("check"), t("play.review")) : null,
        h("a", { class: "button", href: `#/analyse/${this.id}` }, icon("search"), t("play.analyse"))));
      if (game.result.detail) parts.push(h("p", { class: "soft detail" }, phrase(game.result.detail)));
    }
    const key = JSON.stringify([game.seats, game.undo_offer, game.is_over, game.result, this.mine]);
    if (this.above.dataset.key === key) return; // a field that is being typed in stays
    this.above.dataset.key = key;
    show(this.above, parts);
  }

  linkPart() {
    const link = `${location.origin}/#/game/${this.id}`;
    const input = h("input", { readonly: true, value: link, "aria-label": t("play.link"), on: { focus: () => input.select() } });
    return h("div", { class: "offer" }, h("p", {}, t("play.send_link")),
      h("div", { class: "row" }, input, iconButton("copy", t("play.copy"), () => this.copy(link))),
      this.app.session.shared ? null : h("p", { class: "soft" }, t("play.link_is_local")));
  }

  joinPart() {
    const name = h("input", { maxlength: 40, placeholder: t("play.name_example"), "aria-label": t("play.your_name") });
    const join = async (event) => {
      event.preventDefault();
      try {
        await this.app.api.post(`games/${this.id}/join`, { name: name.value });
      } catch (error) {
        this.app.fail(error);
      }
    };
    return h("form", { class: "offer", on: { submit: join } }, h("p", {}, t("play.seat_is_open")),
      h("div", { class: "row" }, name, h("button", { class: "primary" }, t("play.take_seat"))));
  }

  // --- Controls ---

  drawControls() {
    const { game } = this;
    const last = game.moves.length;
    const at = this.shown ?? last;
    const focused = this.controls.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const button = (name, picture, onClick, isEnabled, isPressed) =>
      iconButton(picture, t(`play.${name}`), onClick, { disabled: !isEnabled, data: { name }, ...(isPressed === undefined ? {} : { "aria-pressed": String(isPressed) }) });
    const onlyAgents = game.seats.every((seat) => seat.kind === "agent");
    show(this.controls,
      h("div", { class: "row steps" },
        button("first_move", "first", () => this.look(0), at > 0),
        button("back", "back", () => this.look(at - 1), at > 0),
        button("forward", "forward", () => this.look(at + 1), at < last),
        button("last_move", "last", () => this.look(last), at < last),
        this.canFlip ? button("flip", "flip", () => this.flip(), true) : null,
        iconButton("download", t("play.export"), () => exportMenu(this.app, this.id, game, this.shown), { data: { name: "export" } })),
      this.mine.length ? h("div", { class: "row acts" },
        iconButton("undo", t("play.undo"), () => this.send("undo"), { text: true, disabled: !game.moves.some((move) => this.mine.includes(move.player)), data: { name: "undo" } }),
        this.mayHint ? iconButton("hint", t("play.hint"), () => this.hint(), { text: true, disabled: !this.isMyTurn || this.shown !== null, data: { name: "hint" } }) : null,
        iconButton("flag", t("play.resign"), () => this.resign(), { text: true, disabled: game.is_over, data: { name: "resign" } })) : null,
      onlyAgents && this.owns && !game.is_over ? h("div", { class: "row acts" },
        iconButton(game.is_paused ? "play" : "pause", t(game.is_paused ? "play.continue" : "play.pause"), () => this.send("pause", { paused: !game.is_paused }), { text: true, data: { name: "pause" } }),
        iconButton("step", t("play.step"), () => this.send("step"), { text: true, data: { name: "step" } }),
        this.speed()) : null);
    if (focused) this.controls.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  // The slider of the speed of two agents: to the right is faster.
  speed() {
    const SECONDS = [10, 5, 3, 2, 1, 0.5, 0.2, 0];
    const nearest = SECONDS.reduce((best, each, at) => (Math.abs(each - this.game.speed_s) < Math.abs(SECONDS[best] - this.game.speed_s) ? at : best), 0);
    const told = (at) => t("play.speed_value", { seconds: SECONDS[at] });
    const slider = h("input", { type: "range", min: 0, max: SECONDS.length - 1, value: nearest, "aria-label": t("play.speed"), "aria-valuetext": told(nearest), title: t("play.speed"), data: { name: "speed" } });
    slider.addEventListener("change", () => this.send("speed", { seconds: SECONDS[slider.value] }));
    return h("label", { class: "speed" }, h("span", {}, t("play.speed")), slider);
  }

  async send(type, content = {}) {
    try {
      await this.app.api.socket.send(type, { game: this.id, ...content });
    } catch (error) {
      this.app.fail(error);
    }
  }

  async play(move) {
    const { game, app } = this;
    if (!this.isMyTurn || this.sent) return;
    if (this.shown !== null) await this.look(game.moves.length);
    this.sent = true;
    this.mark = null;
    try {
      await app.api.socket.send("play", { game: this.id, move, index: game.moves.length }, { again: true });
    } catch (error) {
      app.fail(error);
      if (error.code !== "stale") {
        this.sent = false;
        this.drawBoard();
      }
    } finally {
      this.sent = false;
    }
  }

  async hint() {
    show(this.hints, h("p", { class: "soft" }, t("play.hint_wait")));
    try {
      const given = await this.app.api.socket.send("hint", { game: this.id });
      if (given.index !== this.game.moves.length || this.shown !== null) return show(this.hints);
      const share = given.win_probability;
      show(this.hints,
        h("p", {}, h("strong", { class: "mono" }, given.move), " ",
          share === null ? null : this.promise(share, given.is_proven)),
        given.reasons.length ? h("ul", {}, given.reasons.map((each) => h("li", {}, capital(phrase(each))))) : null,
        given.line.length > 1 ? h("p", { class: "soft" }, t("play.hint_line", { line: given.line.slice(0, LINE).join(" ") + (given.line.length > LINE ? " …" : "") })) : null,
        h("button", { type: "button", on: { click: () => this.play(given.move) } }, t("play.play_it")));
      this.mark = { move: given.move };
      if (given.ends) this.mark = { from: given.begins, to: given.ends };
      this.board.mark([{ ...this.mark, kind: "hint" }]);
    } catch (error) {
      show(this.hints);
      this.app.fail(error);
    }
  }

  // The value of a hint: a chance to win, or the result if it is proven.
  promise(share, isProven) {
    if (!isProven) return t("play.hint_share", { share: this.app.i18n.percent(share, 1) });
    const result = { 1: "play.hint_wins", 0.5: "play.hint_draws", 0: "play.hint_loses" }[share];
    return result ? t(result) : t("play.hint_proven", { share: this.app.i18n.percent(share) });
  }

  async resign() {
    if (await this.app.confirm(t("play.resign_sure"), t("play.resign"))) this.send("resign");
  }

  // The same game once more, with the sides changed.
  async again() {
    const { game } = this;
    const seats = game.seats.map((seat, side) => {
      if (seat.kind === "agent") return { kind: "agent", agent: seat.agent };
      return { kind: this.mine.includes(side) ? "me" : "open" };
    });
    try {
      const made = await this.app.api.post("games", { game: game.spec, position: game.start, seats: [seats[1], seats[0]], clock: game.control });
      this.app.go(`game/${made.id}`);
    } catch (error) {
      this.app.fail(error);
    }
  }

  flip() {
    this.wantsFlip = !this.isFlipped;
    if (this.shown === null) this.drawBoard();
    else this.board.flip(this.isFlipped);
    this.drawStrips();
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.app.toast(t("play.copied"));
    } catch {
      await dialog(t("play.copy"), () => h("textarea", { readonly: true, rows: 4 }, text), { closeLabel: t("app.close") });
    }
  }

  // --- Earlier positions ---

  async look(number) {
    const last = this.game.moves.length;
    const wanted = Math.max(0, Math.min(last, number));
    if (wanted === (this.shown ?? last)) return;
    this.shown = wanted === last ? null : wanted;
    if (this.shown === null) {
      this.drawBoard();
    } else {
      this.builder.end();
      try {
        const scene = await this.app.api.get(`games/${this.id}/scenes/${wanted}`);
        if (this.shown === wanted) this.board.show(scene);
      } catch (error) {
        this.app.fail(error);
      }
    }
    if (!this.controller.signal.aborted) this.drawAll(); // else the clocks would run on, unseen
  }

  // --- Typing ---

  drawTyped() {
    this.input = h("input", { id: "typed-move", autocomplete: "off", spellcheck: "false", autocapitalize: "none", maxlength: 4096 });
    this.told = h("p", { class: "error-text", role: "alert" });
    this.legal = h("div", { class: "legal" });
    const submit = async (event) => {
      event.preventDefault();
      const move = this.input.value.trim();
      if (!move) return;
      const said = await this.app.api.socket.send("describe", { game: this.id, move }).catch((error) => ({ problem: this.app.errorText(error) }));
      this.told.textContent = said.problem ? capital(phrase(said.problem)) : "";
      if (said.problem) return;
      this.input.value = "";
      this.play(said.move);
    };
    show(this.typed, h("form", { class: "row", on: { submit } },
      h("label", { class: "unseen", for: "typed-move" }, t("play.type_move")), this.input,
      h("button", {}, t("play.play_typed"))), this.told, this.legal);
    this.input.placeholder = t("play.type_move");
  }

  // The legal moves as buttons, where the drawing has nothing to click.
  drawLegal() {
    const { game } = this;
    this.typed.hidden = !this.isMyTurn;
    const needsButtons = this.isMyTurn && !game.scene.targets.length && !game.draft;
    show(this.legal, needsButtons ? game.legal.map((move) =>
      h("button", { type: "button", class: "mono", on: { click: () => this.play(move) } }, move)) : null);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, dialog, [role=radiogroup]")) return;
    const at = this.shown ?? this.game.moves.length;
    const step = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.game.moves.length }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.look(step);
    } else if (event.key === "f" && this.canFlip) this.flip();
    else if (event.key === "h" && this.mayHint && this.isMyTurn && this.shown === null) this.hint();
    else if (event.key === "u" && this.mine.length) this.send("undo");
    else if (event.key === "m" && this.isMyTurn) {
      event.preventDefault();
      this.input.focus();
    }
  }
}
