"""Serve an agent over QTP: ``joute qtp --agent AGENT``. docs/qtp.md describes the protocol.

Commands are answered one after another, as QTP requires. Agents that are not built in run in their own processes, so
their output does not mix with the replies.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from joute.agents import Clock
from joute.errors import IllegalMoveError, JouteError, NotationError
from joute.games.quoridor.notation import Notation
from joute.games.quoridor.qtp.words import SIZE, WALLS, QtpError, time_control
from joute.games.quoridor.state import Quoridor
from joute.match.clock import TimeControl
from joute.match.game import GameInProgress, derive_seed
from joute.match.player import MisconductError, Player, illegal_move
from joute.match.referee import RESIGN
from joute.numbers import count_of

# Seconds beyond its time after which an agent in its own process is given up.
_HANG_UP_S = 1.0

_NUMBERED = re.compile(r"[0-9]+")


class QtpEngine:
    """Serves one agent, which may play either side or both."""

    def __init__(
        self,
        name: str,
        make: Callable[[], Player],
        notation: Notation,
        *,
        seed: int = 0,
        clock: TimeControl | None = None,
    ) -> None:
        """`make` creates a new player for each side of each game; `clock` is the default time control of a side."""
        self._name = name
        self._make = make
        self._notation = notation
        self._seed = seed
        self._begun = 0
        self._clock = clock or TimeControl()
        self._players: dict[int, Player] = {}
        self._clear([])
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "name": lambda _: self._name,
            "version": self._version,
            "protocol_version": lambda _: "1",
            "known_command": self._known_command,
            "list_commands": lambda _: "\n".join(self._commands),
            "boardsize": self._boardsize,
            "walls": self._walls,
            "clear_board": self._clear,
            "playmove": lambda words: self._play(words, "playmove"),
            "playwall": lambda words: self._play(words, "playwall"),
            "play": lambda words: self._play(words, "play"),
            "genmove": self._genmove,
            "undo": self._undo,
            "winner": self._winner,
            "legal_moves": self._legal_moves,
            "showboard": lambda _: f"\n{self._notation.draw(self._board)}",
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "quit": lambda _: "",
        }

    @property
    def _board(self) -> Quoridor:
        return self._game.state

    def serve(self, lines: Iterable[bytes], write: Callable[[str], None]) -> None:
        """Answer commands until `quit` or the end of the input."""
        try:
            for line in lines:
                words = _words(line)
                if not words:
                    continue
                number = words.pop(0) if _NUMBERED.fullmatch(words[0]) else ""
                write(self._reply(number, words))
                if words[:1] == ["quit"]:
                    break
        finally:
            self._end_players()

    def _reply(self, number: str, words: list[str]) -> str:
        """Return the complete reply to a command, with the command's GTP number if it has one."""
        try:
            if not words or words[0] not in self._commands:
                raise QtpError("unknown command")
            said = self._commands[words[0]](words[1:])
            return f"={number}{' ' if said and not said.startswith(chr(10)) else ''}{said}\n\n"
        except JouteError as error:
            return f"?{number} {' '.join(str(error).split())}\n\n"

    def _version(self, words: list[str]) -> str:
        from joute.version import __version__

        return f"Joute {__version__}, notation {self._notation.name}"

    def _known_command(self, words: list[str]) -> str:
        return "true" if words[:1] and words[0] in self._commands else "false"

    def _boardsize(self, words: list[str]) -> str:
        if _whole(words, "boardsize needs a number") != SIZE:
            raise QtpError(f"unacceptable size: boards have {SIZE} by {SIZE} cells here")
        return self._clear([])

    def _walls(self, words: list[str]) -> str:
        """Set the number of walls at the start; without a number, as in KataQuoridor, return the walls left."""
        if not words:
            both = enumerate(self._notation.colours)
            return " ".join(f"{colour[0].upper()}: {self._board.walls_left(player)}" for player, colour in both)
        if _whole(words, "walls needs a number") != WALLS:
            raise QtpError(f"unacceptable number of walls: players have {WALLS} each here")
        if self._game.moves:
            raise QtpError("walls can only be set before the first move: clear_board begins a new game")
        return ""

    def _clear(self, words: list[str]) -> str:
        self._end_players()
        self._game = GameInProgress(Quoridor.new())
        return self._set_clocks()

    def _play(self, words: list[str], command: str) -> str:
        player = self._player_of(words, f"{command} needs a colour and a move")
        self._check_turn(player)
        try:
            text = self._notation.read(" ".join(words[1:]))
        except NotationError as error:
            raise QtpError(f"syntax error: {error}") from error
        if command != "play" and (len(text) == 2) != (command == "playmove"):
            raise QtpError(f"syntax error: {command} is for {'cells' if command == 'playmove' else 'walls'}")
        try:
            self._game.play(text)
        except IllegalMoveError as error:
            raise QtpError(f"illegal move: {self._why_illegal(text)}") from error
        return ""

    def _why_illegal(self, text: str) -> str:
        player = self._board.to_move
        if len(text) == 2:
            return "the pawn cannot go there"
        if self._board.walls_left(player) == 0:
            return f"{self._notation.colours[player]} has no walls left"
        return "the wall crosses or overlaps another, or blocks a pawn's last path"

    def _genmove(self, words: list[str]) -> str:
        player = self._player_of(words, "genmove needs a colour")
        self._check_turn(player)
        try:
            if player not in self._players:
                self._players[player] = self._begin(player)
            answer = self._ask(player)
            if type(answer) is str and answer == RESIGN:
                return RESIGN
            try:
                played = self._game.play(answer)
            except IllegalMoveError as error:
                raise illegal_move(self._players[player].name, error) from error
        except MisconductError as misconduct:
            if seated := self._players.pop(player, None):
                seated.end()
            raise QtpError(f"{misconduct.reason.value}: {misconduct}") from misconduct
        return self._notation.write(played.move)

    def _begin(self, player: int) -> Player:
        seated = self._make()
        self._begun += 1
        try:
            seated.begin(self._game.start, player, derive_seed(self._seed, self._begun - 1))
        except MisconductError:
            seated.end()
            raise
        return seated

    def _ask(self, player: int) -> object:
        """Return the agent's answer, and charge its time."""
        control, left_s = self._controls[player], max(0.0, self._left_s[player])
        clock = Clock(
            remaining_s=left_s,
            increment_s=control.increment_s,
            move_limit_s=control.move_s,
            nominal_s=control.total_s,
            nodes=control.nodes,
            iterations=control.iterations,
            depth=control.depth,
        )
        began = time.perf_counter()
        seated = self._players[player]
        answer = seated.ask(self._board, tuple(self._game.line), clock, min(left_s, control.move_s) + _HANG_UP_S)
        self._left_s[player] += control.increment_s - (time.perf_counter() - began)
        return answer.move

    def _undo(self, words: list[str]) -> str:
        times = _whole(words, "undo needs no number, or one") if words else 1
        played = len(self._game.moves)
        if not 1 <= times <= played:
            verb = "was" if played == 1 else "were"
            raise QtpError(f"cannot undo: {count_of(played, 'move')} {verb} played")
        self._game.undo(times)
        return ""

    def _winner(self, words: list[str]) -> str:
        result = self._board.result
        if result is None:
            return "false"
        return f"true {'draw' if result.winner is None else self._notation.colours[result.winner]}"

    def _legal_moves(self, words: list[str]) -> str:
        moves = (self._notation.write(str(move)) for move in self._board.legal_moves)
        return (", " if self._notation.has_words else " ").join(moves)

    def _time_settings(self, words: list[str]) -> str:
        main_s, period_s, moves = _numbers(words, 3, "time_settings needs main time, period time and moves a period")
        self._clock = time_control(main_s, period_s, int(moves))
        return self._set_clocks()

    def _set_clocks(self) -> str:
        self._controls = [self._clock, self._clock]
        self._left_s = [self._clock.total_s] * 2
        return ""

    def _time_left(self, words: list[str]) -> str:
        player = self._player_of(words, "time_left needs a colour, seconds and moves")
        left_s, moves = _numbers(words[1:], 2, "time_left needs a colour, seconds and moves")
        control = self._controls[player]
        self._left_s[player] = math.inf if moves else left_s
        move_s = left_s / moves if moves else control.move_s
        nominal_s = max(control.total_s, left_s) if math.isfinite(control.total_s) else left_s
        self._controls[player] = replace(control, total_s=math.inf if moves else nominal_s, move_s=move_s)
        return ""

    def _player_of(self, words: list[str], need: str) -> int:
        player = self._notation.player(words[0]) if words else None
        if player is None:
            raise QtpError(f"syntax error: {need}, {' or '.join(self._notation.colours)}")
        return player

    def _check_turn(self, player: int) -> None:
        if (result := self._board.result) is not None:
            raise QtpError(f"illegal move: the game is over by {result.decided_by}")
        if player != (turn := self._board.to_move):
            raise QtpError(f"illegal move: it is {self._notation.colours[turn]}'s turn")

    def _end_players(self) -> None:
        for seated in self._players.values():
            seated.end()
        self._players = {}


def _words(line: bytes) -> list[str]:
    """Split a command into words; drop the comment after #, and control characters other than tabs."""
    text = line.decode(errors="replace").partition("#")[0].replace("\t", " ")
    return "".join(letter for letter in text if letter == " " or letter.isprintable()).split()


def _whole(words: Sequence[str], need: str) -> int:
    if len(words) != 1 or not (words[0].isascii() and words[0].isdecimal()) or len(words[0]) > 9:
        raise QtpError(f"syntax error: {need}")
    return int(words[0])


def _numbers(words: Sequence[str], count: int, need: str) -> list[float]:
    numbers = [float(word) for word in words if re.fullmatch(r"-?\d{1,9}(\.\d*)?", word, re.ASCII)]
    if len(words) != count or len(numbers) != count:
        raise QtpError(f"syntax error: {need}")
    return [max(0.0, number) for number in numbers]
