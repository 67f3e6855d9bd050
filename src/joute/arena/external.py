"""The player that talks UGI to a process: a stranger's agent, which may do anything."""

from __future__ import annotations

import hashlib
import math
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from joute._core import one_line
from joute.agents import Clock, SearchInfo
from joute.arena.isolation import Isolation
from joute.arena.process import MAX_OUTPUT_BYTES, AgentProcess, NoiseError
from joute.games import State, new
from joute.match.player import Answer, MisconductError, Player, plain_info
from joute.match.record import Reason
from joute.protocol.ugi import NO_MOVE, go_command, parse_info, position_command

#: How long a process may take to end by itself after a game.
QUIT_S = 0.2

# How an engine of ours says what its agent raised.
_ERROR = "info string error "

# What is kept of a line about a search, with the move: a line of play may be as long as a process likes.
_INFO_CHARACTERS = 4096

_LARGEST_SEED = 2**31 - 1


class ExternalPlayer(Player):
    """A program that speaks UGI, started anew for every game."""

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        isolation: Isolation,
        *,
        folder: Path,
        readable_paths: Sequence[Path] = (),
        hidden_paths: Sequence[Path] = (),
    ) -> None:
        self.name = name
        self.isolation = isolation.level
        self._command = command
        self._limits = isolation
        self._folder = folder
        self._readable_paths = readable_paths
        self._hidden_paths = hidden_paths
        self._process: AgentProcess | None = None
        self._start: str | None = None
        self._player = 0
        self._error = ""
        self._info = ""

    def begin(self, start: State, player: int, seed: int) -> None:
        """Start the program and wait until it says that it is ready."""
        began = time.perf_counter()
        own_start = start.position == new(start.spec).position
        self._start, self._player, self._error = None if own_start else start.position, player, ""
        if not self._folder.is_dir():
            raise MisconductError(Reason.CRASH, f"{self.name} could not be started: its folder {self._folder} is gone")
        self._process = AgentProcess(
            self._command,
            self._limits,
            folder=self._folder,
            readable_paths=self._readable_paths,
            hidden_paths=self._hidden_paths,
        )
        deadline = began + self._limits.start_s
        seed_option = ""
        self._process.send("ugi\n")
        while (line := self._next(deadline, "ugiok")) != "ugiok":
            if line.lower().startswith("option name seed "):
                seed_option = f"setoption name Seed value {_fitting(_told_seed(seed), line.split())}\n"
        self._process.send(f"{seed_option}uginewgame\nisready\n")
        while self._next(deadline, "readyok") != "readyok":
            pass
        self._process.rest()

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Send the position and wait for a move; `stop` is sent when the clock has run down, before the margin."""
        process = self._process
        assert process is not None
        process.discard_lines()
        process.wake()
        self._info = ""
        # The clock runs before the program can see `go`: on a busy processor it may run before we do again.
        began = time.perf_counter()
        process.send(f"{position_command(self._start, line)}\n{go_command(clock, self._player)}\n")
        nominal_s = min(clock.remaining_s, clock.move_limit_s, limit_s)
        deadline = began + (limit_s if math.isfinite(limit_s) else self._limits.stall_s)
        stop_at = began + nominal_s
        while True:
            try:
                said = process.read_line(min(stop_at, deadline))
            except EOFError:
                raise self._ended(f" at ply {state.ply}") from None
            except NoiseError:
                raise self._noisy(Reason.CRASH, f"no move at ply {state.ply}") from None
            now = time.perf_counter()
            if said is None and now >= deadline:
                raise self._overrun(state, now - began, limit_s)
            if said is None or now >= stop_at:
                stop_at = math.inf
                process.send("stop\n")
            if said is not None and (move := self._heard(said)):
                process.rest()
                return Answer(move, now - began, self._search_info())

    def end(self) -> str:
        """Let the program quit, kill what is left of it, and return what it wrote to standard error."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.discard_lines()
        process.wake()
        process.send("quit\n")
        process.wait(QUIT_S)
        process.kill()
        return process.error_text()

    def _next(self, deadline: float, awaited: str) -> str:
        """The next line while the program gets ready."""
        process = self._process
        assert process is not None
        try:
            line = process.read_line(deadline)
        except EOFError:
            raise self._ended(" before it was ready") from None
        except NoiseError:
            raise self._noisy(Reason.STALLED, f"no {awaited}") from None
        if line is None:
            process.kill()
            detail = f"{self.name} did not say {awaited} within {self._limits.start_s:g} s{self._last_words()}"
            raise MisconductError(Reason.STALLED, detail)
        self._note_error(line)
        return line

    def _heard(self, line: str) -> str:
        """The move that a line gives, if it gives one; what else it tells is kept."""
        words = line.split(maxsplit=2)
        if words[:1] == ["bestmove"]:
            return words[1] if len(words) > 1 else NO_MOVE
        self._note_error(line)
        if words[:1] == ["info"] and words[1:2] != ["string"]:
            self._info = line[:_INFO_CHARACTERS]
        return ""

    def _note_error(self, line: str) -> None:
        if line.startswith(_ERROR):
            # A sentence of ours about the agent needs no name of an exception before it.
            self._error = one_line(line.removeprefix(_ERROR).removeprefix("SpecError: "))

    def _search_info(self) -> SearchInfo | None:
        info = parse_info(self._info.split()[1:]) if self._info else None
        return plain_info(info) if info else None

    def _overrun(self, state: State, time_s: float, limit_s: float) -> MisconductError:
        assert self._process is not None
        self._process.kill()
        if math.isfinite(limit_s):
            detail = f"{self.name} had no move after {time_s:.3f} s at ply {state.ply}"
            return MisconductError(Reason.TIME, f"{detail}, with {limit_s:.3f} s left, margin included")
        return MisconductError(Reason.STALLED, f"{self.name} had no move after {time_s:.1f} s at ply {state.ply}")

    def _noisy(self, reason: Reason, missing: str) -> MisconductError:
        assert self._process is not None
        self._process.kill()
        return MisconductError(reason, f"{self.name} wrote {MAX_OUTPUT_BYTES >> 20} MB and {missing}")

    def _ended(self, when: str) -> MisconductError:
        """The misconduct of a process that is no more."""
        process = self._process
        assert process is not None
        assert process.exit is not None
        words = self._error or self._last_line()
        if process.exit.reason == "memory" or (process.exit.reason == "exit" and words.startswith("MemoryError")):
            reason = Reason.MEMORY
        else:
            reason = Reason.TIME if process.end_signal() == signal.SIGXCPU else Reason.CRASH
        if self._error and process.exit.reason == "exit":
            return MisconductError(reason, f"{self.name}: {self._error}")
        return MisconductError(reason, f"{self.name} {process.end_in_words()}{when}{self._last_words()}")

    def _last_words(self) -> str:
        return f": {line}" if (line := self._last_line()) else ""

    def _last_line(self) -> str:
        """The last line of standard error, which is where programs say what went wrong."""
        assert self._process is not None
        lines = self._process.error_text().strip().splitlines()
        return one_line(lines[-1].strip()) if lines else ""


def _told_seed(seed: int) -> int:
    """The seed that a stranger is told: from it, nobody finds the dice of the game, or what the opponent draws."""
    return int.from_bytes(hashlib.blake2b(seed.to_bytes(8), digest_size=8).digest())


def _fitting(seed: int, option: list[str]) -> int:
    """The seed, made to fit the largest value of an option line."""
    largest = option[option.index("max") + 1 :][:1] if "max" in option else []
    is_number = bool(largest) and largest[0].isdecimal() and len(largest[0]) <= 20
    return seed % ((int(largest[0]) if is_number else _LARGEST_SEED) + 1)
