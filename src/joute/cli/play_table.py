"""A game of ``joute play``: what the player types, the opponent's answers, hints, and the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from joute.cli.common import command_line, echo
from joute.cli.play_frame import Side, View, fitting
from joute.cli.terminal import Look
from joute.errors import JouteError

if TYPE_CHECKING:
    from joute.cli.play_files import SavedGame
    from joute.cli.play_screen import Screen
    from joute.games import State
    from joute.games.board import TextBoard
    from joute.match.game import GameInProgress
    from joute.match.player import Answer, Player

_HELP = """\
Type a move, or one of:
  moves    list {listed}; moves TEXT lists those that contain TEXT, such as a cell
  hint     a good move, how likely it wins, and why
  undo     take back your last move
  resign   give up
  quit     leave; the position to continue from is shown
  help     this list"""
_SHORT_HELP = """\
Type a move, or: moves (moves TEXT: those that contain TEXT, such as a cell), hint, undo, resign, quit, help."""
_LISTED, _LISTED_OF_MORE = "the legal moves", "some legal moves, though any may be typed"
_COMMANDS = ("moves", "hint", "undo", "resign", "quit", "help")
_YOU = "you"


@dataclass
class Table:
    """The game and who plays it. `adviser` is the player that gives hints, or None if `joute.hint` does."""

    game: GameInProgress[State]
    human: int
    opponent: Player
    hints: str
    adviser: Player | None
    screen: Screen
    look: Callable[[], Look]
    saved: SavedGame | None
    #: The least seconds from the player's move to the opponent's answer.
    pause_s: float = 0.0
    seconds: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    #: The time of the player in this turn. It is charged with the move, so that a hint does not add an increment.
    _spent_s: float = field(default=0.0, init=False)

    @property
    def state(self) -> State:
        """The position."""
        return self.game.state

    def run(self) -> bool:
        """Play until the game is over or the player leaves it; returns whether it is over."""
        from joute.match.player import MisconductError

        try:
            self._play_on()
        except MisconductError as misconduct:
            self.screen.close()
            echo(f"joute: {misconduct.reason.value} at ply {self.state.ply} by {misconduct}", err=True)
            self._leave()
            raise typer.Exit(1) from misconduct
        except KeyboardInterrupt:
            echo()
            self._leave()
            raise
        return self.game.is_over

    def _play_on(self) -> None:
        if self.screen.is_live:
            self.screen.say(f"Type a move, such as {next(iter(self.state.legal_moves), 'a cell')}, or help.")
        else:
            echo(f"{self.state.title}: you are {self.state.players[self.human]}; type help for the commands.\n")
        self._show("")
        while not self.game.is_over:
            if self.state.is_chance:
                self._chance_falls()
            elif self.game.to_move != self.human:
                self._opponent_moves()
            elif not self._human_acts():
                return
        self._announce()

    # --- What happens ---

    def _chance_falls(self) -> None:
        event = self.state
        outcome = self.game.resolve()
        self._keep()
        text = event.outcome_text(outcome)
        if self.screen.is_live and text:
            self.screen.say(f"chance: {text}")
        self._show(f"chance:{f' {text}' if text else ''}\n")

    def _ask(self, player: Player) -> Answer:
        """The answer of the opponent or the adviser; only the opponent has a clock."""
        from joute.agents import Clock

        if player is not self.opponent:
            return player.ask(self.state, self.game.line, Clock(), math.inf)
        clock, side = self.game.clock, self.game.to_move
        return player.ask(self.state, self.game.line, clock.told(side), clock.limit_s(side))

    def _opponent_moves(self) -> None:
        from joute.errors import IllegalMoveError
        from joute.match.player import MisconductError, illegal_move
        from joute.match.record import Reason

        self.screen.think(self.view(f"{self.opponent.name} is thinking …"))
        began = self.seconds()
        try:
            answer = self._ask(self.opponent)
        except MisconductError as misconduct:
            if misconduct.reason is not Reason.TIME:
                raise
            self._too_late(self.seconds() - began)
            return
        if (left := self.pause_s - answer.time_s) > 0:
            self.sleep(left)
        if not self.game.charge(answer.time_s):
            self._too_late(None)
            return
        try:
            played = self.game.play(answer.move, info=answer.info)
        except IllegalMoveError as error:
            raise illegal_move(self.opponent.name, error) from error
        self._keep()
        self._show(f"\n{self.opponent.name} plays {played.move}\n")

    def _too_late(self, time_s: float | None) -> None:
        """End the turn or the game of a player whose clock ran out; `time_s` is what is still to be charged."""
        from joute.match.record import Reason

        self._spent_s = 0.0
        if time_s is not None:
            self.game.charge(time_s)
        late = _YOU if self.game.to_move == self.human else self.opponent.name
        self.game.overstep(Reason.TIME, f"{late} ran out of time")
        self._keep()
        verb = "are" if late == _YOU else "is"
        lost = "game" if self.game.is_over else "turn"
        self.screen.say(f"{late.capitalize() if late == _YOU else late} {verb} out of time and lost the {lost}.")
        if not self.game.is_over:
            self._show("")

    def _human_acts(self) -> bool:
        """Execute one command of the player; False if the player quits or resigns."""
        self.screen.offer([*_COMMANDS, *map(str, self.state.legal_moves)] if self.screen.is_live else [])
        began = self.seconds()
        try:
            words = self.screen.ask(self.view()).strip()
        except EOFError:
            if self.screen.is_live:
                echo()
            words = "quit"
        self._spent_s += self.seconds() - began
        if self._spent_s > self.game.clock.limit_s(self.human) and words not in ("quit", "resign"):
            self._too_late(self._spent_s)
            return True
        match words:
            case "":
                pass
            case "help" | "?":
                self._help()
            case _ if words.split()[0] == "moves":
                self._list_moves(words.removeprefix("moves").strip())
            case "hint":
                self._hint()
            case "undo":
                self._undo()
            case "resign":
                self.game.resign(self.human)
                self._keep()
                if self.screen.is_live:
                    self.screen.show(self.view("you resigned"), "", self.state)
                self.screen.say(f"You resign; {self.opponent.name} wins.")
                self._end()
                return False
            case "quit":
                self._leave()
                return False
            case _:
                self._play(words)
        return True

    def _play(self, words: str) -> None:
        """Play the player's move; one sentence if it is illegal."""
        try:
            move = self.state.legal_move(words)
        except JouteError as error:
            self.screen.say(str(error), "error")
            return
        self.game.charge(self._spent_s)
        self._spent_s = 0.0
        self.game.play(move)
        self._keep()
        self._show("\n")

    def _help(self) -> None:
        if self.screen.is_live:  # the board stays in view
            self.screen.say(_SHORT_HELP)
        else:
            self.screen.say(_HELP.format(listed=_LISTED if self.state.complete else _LISTED_OF_MORE))

    def _list_moves(self, part: str) -> None:
        """List the moves that contain `part`; moves that begin with it come first."""
        moves = [text for text in map(str, self.state.legal_moves) if part in text]
        moves.sort(key=lambda text: not text.startswith(part))
        if self.state.complete:
            self.screen.say(" ".join(moves) or f"No legal move contains {part}.")
            return
        self.screen.say(" ".join(moves) or f"No listed move contains {part}.")
        self.screen.say("There are more legal moves; any of them may be typed.")

    def _hint(self) -> None:
        """Tell a hint. If the adviser fails, the game continues without one."""
        from joute.match.player import MisconductError, read_move
        from joute.reviews.hint import hint, plain_reasons

        if self.adviser is None:
            try:
                given = hint(self.state, self.hints)
            except JouteError as error:
                self.screen.say(f"no hint: {error}", "error")
                return
            self.screen.say(f"hint: {given}", "hint")
            return
        try:
            move = read_move(self._ask(self.adviser).move, self.adviser.name, self.state)
        except MisconductError as misconduct:
            self.screen.say(f"no hint: {misconduct.reason.value} by {misconduct}", "error")
        else:
            reasons = "; ".join(plain_reasons(self.state, move))
            self.screen.say(f"hint: {move}" + (f": {reasons}" if reasons else ""), "hint")

    def _undo(self) -> None:
        """Take back the player's last move and everything after it."""
        players = [played.player for played in self.game.moves]
        if self.human not in players:
            self.screen.say("You have no move to take back.", "error")
            return
        self.game.undo(1 + players[::-1].index(self.human))
        self._spent_s = 0.0
        self._show("")

    # --- The end ---

    def _announce(self) -> None:
        result = self.game.result
        assert result is not None
        if result.winner is None:
            self.screen.say("A draw.")
        else:
            self.screen.say("You win!" if result.winner == self.human else f"{self.opponent.name} wins.")
        self._end()

    def _end(self) -> None:
        self._keep()
        self.screen.close()
        self._tell_file()

    def _leave(self) -> None:
        """Keep the game and say how it goes on."""
        self._keep()
        self.screen.close()
        self._tell_file()
        echo(self.how_to_go_on())

    def _keep(self) -> None:
        if self.saved is not None:
            self.saved.write(self.game)

    def _tell_file(self) -> None:
        if self.saved is None:
            return
        if self.saved.problem:
            echo(f"joute: {self.saved.problem}", err=True)
        elif self.saved.path is not None:
            echo(f"saved: {self.saved.path}")
            if self.game.is_over:
                echo(f"review: {command_line('review', self.saved.path)}")

    def how_to_go_on(self) -> str:
        """The command that continues the game: from its file, or from the position if it is not saved."""
        if self.saved is not None and self.saved.path is not None and not self.saved.problem:
            return f"To go on: {command_line('play', self.saved.path, '--resume')}"
        words = ["play", self.state.spec, "--against", self.opponent.name, "--hints", self.hints]
        side = ["--second"] if self.human else []
        command = command_line(*words, *side, "--seed", self.game.seed, "--position", self.state.position)
        forgets = " (earlier positions will not count as repetitions)" if self.state.past else ""
        return f"To go on{forgets}: {command}"

    # --- The picture ---

    def _show(self, told: str) -> None:
        self.screen.show(self.view(), told, self.state)

    def view(self, status: str = "") -> View:
        """Everything that the picture shows; without a status, it says whose move it is or how the game ended."""
        state, look = self.state, self.look()
        last = self.game.moves[-1].move if self.game.moves else None
        board = fitting(_board(state, last, look), state.diagram(), look)
        sides = (self._side(0, board.notes[0]), self._side(1, board.notes[1]))
        first = state.ply - len(self.game.moves)
        moves = [
            (first + index, state.players[played.player], played.move) for index, played in enumerate(self.game.moves)
        ]
        return View(state.title, board, sides, moves, status or self._status())

    def _status(self) -> str:
        if self.game.is_over or self.state.is_chance:
            return self.state.status
        return "your move" if self.game.to_move == self.human else ""

    def _side(self, player: int, note: str) -> Side:
        name = _YOU if player == self.human else self.opponent.name
        is_to_move = not self.game.is_over and player == self.game.to_move
        state = self.state
        return Side(state.players[player], name, state.colours[player], note, self._clock(player), is_to_move)

    def _clock(self, player: int) -> str:
        """The time that a player has left, or has used if there is no limit."""
        left = self.game.clock.reading[player]
        used = sum(played.time_s for played in self.game.moves if played.player == player)
        seconds = int(used if math.isinf(left) else max(0.0, left))
        return f"{seconds // 60}:{seconds % 60:02}"


def _board(state: State, last: str | None, look: Look) -> TextBoard:
    """The drawing of a position; without a mark if the last move is a turn lost on time, which is no move."""
    from joute.match.record import LOST_TURN

    return state.text_board(None if last == LOST_TURN else last, colour=look.colours is not None)
