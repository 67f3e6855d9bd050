"""The player that speaks UGI to an untrusted agent in its own process."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from joute._core import one_line
from joute.agents import Clock, SearchInfo
from joute.arena.players.process import AgentProcess
from joute.arena.players.program import ProgramPlayer
from joute.games import State, new
from joute.match.player import Answer, MisconductError, plain_info
from joute.match.record import Reason
from joute.protocol.ugi import NO_MOVE, go_command, option_name, parse_info, position_command

# The prefix with which Joute's UGI engine reports an exception of its agent.
_ERROR = "info string error "

# The most characters of an info line that are kept with the move; a principal variation may be arbitrarily long.
_INFO_CHARACTERS = 4096

_LARGEST_SEED = 2**31 - 1


class ExternalPlayer(ProgramPlayer):
    """A program that speaks UGI."""

    #: Whether the program keeps running between games.
    keeps_process = False

    #: Values of the program's options, by name.
    options: Mapping[str, str] = MappingProxyType({})
    #: The option lines that the program has sent.
    option_lines: tuple[str, ...] = ()

    _seed_line = ""
    _start: str | None = None
    _player = 0
    _info = ""

    def begin(self, start: State, player: int, seed: int) -> None:
        """Start the program, send its options and wait for ``readyok``."""
        began = time.perf_counter()
        own_start = start.position == new(start.spec).position
        self._start, self._player = None if own_start else start.position, player
        deadline = began + self._limits.start_s
        process = self._kept() or self._introduced(deadline)
        seed_option = ""
        if words := self._seed_line.split():
            seed_option = f"setoption name Seed value {_fitting(_told_seed(seed), words)}\n"
        # The position comes before isready, so that an agent can prepare the game from there.
        position = f"{position_command(self._start, ())}\n" if self._start else ""
        process.send(f"{seed_option}uginewgame\n{position}isready\n")
        while self._prepared(deadline, "readyok") != "readyok":
            pass
        process.rest()

    def _kept(self) -> AgentProcess | None:
        """The process of an earlier game, if it still runs."""
        process = self._process
        if process is None:
            return None
        process.discard_lines()
        if process.exit is not None:
            super().end()
            return None
        self._error, self._remarks = "", []
        process.forget_errors()
        process.wake()
        return process

    def _introduced(self, deadline: float) -> AgentProcess:
        """A new process that has listed its options."""
        process = self._started()
        self._seed_line = ""
        lines = []
        process.send("ugi\n")
        while (line := self._prepared(deadline, "ugiok")) != "ugiok":
            if line.lower().startswith("option name "):
                lines.append(line)
            if line.lower().startswith("option name seed "):
                self._seed_line = line
            if not line.lower().startswith(("id ", "option ", "info ")):
                self._remark(line)
        self.option_lines = tuple(lines)
        known = {option_name(line).lower() for line in lines}
        for name, value in self.options.items():
            if name.lower() not in known:
                process.kill()
                raise MisconductError(Reason.CRASH, f"{self.name} has no option '{one_line(name)}'")
            process.send(f"setoption name {name} value {value}\n")
        return process

    def end(self) -> str:
        """End the game, and the program unless it is kept; returns its output during the game."""
        if self.keeps_process and self._process is not None:
            self._process.discard_lines()
            if self._process.exit is None:
                return self._output_of(self._process)
        return super().end()

    def close(self) -> None:
        """End a program that was kept."""
        super().end()

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Send the position and wait for a move. ``stop`` is sent when the clock runs out, before the margin ends."""
        process = self._process
        assert process is not None
        process.discard_lines()
        process.wake()
        self._info = ""
        # Start the clock before sending `go`: on a busy machine the program may run before this process continues.
        began = time.perf_counter()
        process.send(f"{position_command(self._start, line)}\n{go_command(clock, self._player)}\n")
        nominal_s = min(clock.remaining_s, clock.move_limit_s, limit_s)
        deadline = began + (limit_s if math.isfinite(limit_s) else self._limits.stall_s)
        stop_at = began + nominal_s
        while True:
            said = self._next_thought(min(stop_at, deadline), state)
            now = time.perf_counter()
            if said is None and now >= deadline:
                raise self._overrun(state, now - began, limit_s)
            if said is None or now >= stop_at:
                stop_at = math.inf
                process.send("stop\n")
            if said is not None and (move := self._heard(said)):
                process.rest()
                return Answer(move, now - began, self._search_info())

    def _prepared(self, deadline: float, awaited: str) -> str:
        """The next line during the start; `awaited` is named in errors."""
        line = self._next(deadline, awaited)
        self._note_error(line)
        return line

    def _heard(self, line: str) -> str:
        """The move in a ``bestmove`` line, else an empty text; info lines and errors are kept."""
        words = line.split(maxsplit=2)
        if words[:1] == ["bestmove"]:
            return words[1] if len(words) > 1 else NO_MOVE
        self._note_error(line)
        if words[:1] == ["info"] and words[1:2] != ["string"]:
            self._info = line[:_INFO_CHARACTERS]
        return ""

    def _note_error(self, line: str) -> None:
        if line.startswith(_ERROR):
            # The message of a SpecError is a complete sentence without the exception's name.
            self._error = one_line(line.removeprefix(_ERROR).removeprefix("SpecError: "))

    def _search_info(self) -> SearchInfo | None:
        info = parse_info(self._info.split()[1:]) if self._info else None
        return plain_info(info) if info else None


def _told_seed(seed: int) -> int:
    """The seed sent to an external agent: a hash, from which it cannot derive the game's or the opponent's seed."""
    return int.from_bytes(hashlib.blake2b(seed.to_bytes(8), digest_size=8).digest())


def _fitting(seed: int, option: list[str]) -> int:
    """The seed modulo (max + 1); max is the number after ``max`` in the option line, or `_LARGEST_SEED` without one."""
    largest = option[option.index("max") + 1 :][:1] if "max" in option else []
    is_number = bool(largest) and largest[0].isdecimal() and len(largest[0]) <= 20
    return seed % ((int(largest[0]) if is_number else _LARGEST_SEED) + 1)
