"""The player that speaks QTP to a process: an untrusted program that plays Quoridor."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from joute._core import one_line
from joute.agents import Clock
from joute.arena.players.isolation import Isolation
from joute.arena.players.program import ProgramPlayer
from joute.arena.players.sandbox import View
from joute.errors import IllegalMoveError, NotationError
from joute.games import State
from joute.games.quoridor.line import line_to
from joute.games.quoridor.notation import NOTATIONS, Notation
from joute.games.quoridor.qtp.words import SIZE, WALLS, Reply, time_commands
from joute.games.quoridor.state import Quoridor
from joute.match.player import Answer, MisconductError, illegal_move
from joute.match.record import Reason
from joute.match.referee import RESIGN  # GTP has the same word

# Optional commands, queried at the start. The original protocol has all but the last two.
_ASKED = ("boardsize", "playwall", "play", "time_left")


class QtpPlayer(ProgramPlayer):
    """A program that speaks QTP, with moves in `notation`.

    The program gets no seed: the protocol has no command for it.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        isolation: Isolation,
        *,
        notation: Notation,
        view: View,
    ) -> None:
        super().__init__(command, name, isolation, view=view)
        self._notation = notation
        self._colour = ""
        self._known: set[str] = set()
        self._told: list[str] = []  # the moves sent to the program, since the start of the game
        self._is_time_set = False
        self._has_moved = False

    def begin(self, start: State, player: int, seed: int) -> None:
        """Start the program, set up the board, and send the moves that lead to the start position."""
        assert isinstance(start, Quoridor)
        opening = line_to(start)
        deadline = time.perf_counter() + self._limits.start_s
        self._started()
        self._colour = self._notation.colours[player]
        self._told, self._is_time_set, self._has_moved = [], False, False
        self._known = {word for word in _ASKED if self._answer(f"known_command {word}", deadline).text == "true"}
        commands = [f"boardsize {SIZE}"] if "boardsize" in self._known else []
        commands += ["clear_board"]
        # In other programs, such as KataQuoridor, `walls` is a query.
        commands += [f"walls {WALLS}"] if "playwall" in self._known else []
        commands += [self._play_command(move, ply % 2) for ply, move in enumerate(opening)]
        for command in commands:
            reply = self._answer(command, deadline)
            if not reply.is_success:
                about_dialects = self._about_dialects() if command.startswith("play") else ""
                detail = f"{self.name} refused '{command}': {one_line(reply.text)}{about_dialects}"
                raise MisconductError(Reason.CRASH, detail)
        assert self._process is not None
        self._process.rest()

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Send the moves since the last request, and request the next one."""
        process = self._process
        assert process is not None
        process.discard_lines()
        process.wake()
        first = (state.to_move + len(line)) % 2  # the player of the line's first move
        known = _common(self._told, line)  # moves may have been taken back
        moves = ["undo"] * (len(self._told) - known)
        moves += [self._play_command(line[at], (first + at) % 2) for at in range(known, len(line))]
        times = time_commands(clock, self._colour) if "time_left" in self._known else []
        if times and self._is_time_set:
            times = times[1:]
        self._is_time_set |= bool(times)
        began = time.perf_counter()
        deadline = began + (limit_s if math.isfinite(limit_s) else self._limits.stall_s)
        commands = [*moves, *times, f"genmove {self._colour}"]
        process.send("".join(f"{command}\n" for command in commands))
        for command in commands:
            reply = self._thought(state, began, deadline, limit_s)
            if not reply.is_success and command not in times:
                raise self._refusal(command, reply, state)
        time_s = time.perf_counter() - began
        process.rest()
        move = self._move(reply.text, state)
        self._told, self._has_moved = [*line, move], True
        return Answer(move, time_s)

    def _play_command(self, move: str, player: int) -> str:
        words = "play" if "play" in self._known else "playwall" if len(move) > 2 else "playmove"
        return f"{words} {self._notation.colours[player]} {self._notation.write(move)}"

    def _answer(self, command: str, deadline: float) -> Reply:
        """Send a command before the game and return its reply."""
        assert self._process is not None
        self._process.send(f"{command}\n")
        while (reply := Reply.parse(line := self._next(deadline, f"'=' to {command}"))) is None:
            self._remark(line)
        return reply

    def _thought(self, state: State, began: float, deadline: float, limit_s: float) -> Reply:
        """Return the next reply while the clock runs."""
        while True:
            said = self._next_thought(deadline, state)
            if said is None:
                raise self._overrun(state, time.perf_counter() - began, limit_s)
            if reply := Reply.parse(said):
                return reply

    def _refusal(self, command: str, reply: Reply, state: State) -> MisconductError:
        is_own = command.startswith("genmove") and reply.text.startswith("illegal move")
        detail = f"{self.name} answered '{command}' at ply {state.ply} with an error: {one_line(reply.text)}"
        detail += self._about_dialects()
        return MisconductError(Reason.ILLEGAL_MOVE if is_own else Reason.CRASH, detail)

    def _move(self, text: str, state: State) -> str:
        """Convert a move to Joute's notation: the referee would misread another one."""
        if text.lower() == RESIGN:
            return RESIGN
        try:
            move = self._notation.read(text)
            if not self._has_moved:  # later, the referee judges it
                state.legal_move(move)
        except NotationError as error:
            detail = f"{self.name}: illegal move at ply {state.ply}: {one_line(error)}{self._about_dialects()}"
            raise MisconductError(Reason.ILLEGAL_MOVE, detail) from error
        except IllegalMoveError as error:
            detail = f"{illegal_move(self.name, error)}{self._about_dialects()}"
            raise MisconductError(Reason.ILLEGAL_MOVE, detail) from error
        return move

    def _about_dialects(self) -> str:
        """The names of the other dialects, to follow an error before the program's first move; else empty."""
        if self._has_moved:
            return ""
        others = [
            f"{'qtp' if name == next(iter(NOTATIONS)) else f'qtp-{name}'}: if it writes it {notation.write('e2')}"
            for name, notation in NOTATIONS.items()
            if notation is not self._notation
        ]
        here = self._notation.write("e2")
        return f"; the first step ahead is {here} in this dialect; start the program as {', or '.join(others)}"


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix of two lines."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
