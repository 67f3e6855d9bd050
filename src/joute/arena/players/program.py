"""The base class of players that speak to an untrusted program in its own process."""

from __future__ import annotations

import math
import signal
from collections.abc import Sequence

from joute._core import one_line
from joute.arena.players.isolation import Isolation
from joute.arena.players.process import MAX_OUTPUT_BYTES, AgentProcess, NoiseError
from joute.arena.players.sandbox import View
from joute.games import State
from joute.match.crash import crash_place, place_note
from joute.match.player import InterruptionError, MisconductError, Player
from joute.match.record import Reason

#: The time for a process to end by itself after a game, before it is killed.
QUIT_S = 0.2

# The most lines of a program's standard output, beside its protocol, that are kept from its start.
_REMARKS = 20


class ProgramPlayer(Player):
    """A program that is started anew for every game. Subclasses implement the protocol."""

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        isolation: Isolation,
        *,
        view: View,
    ) -> None:
        self.name = name
        self.isolation = isolation.level
        self._command = command
        self._limits = isolation
        self._view = view
        self._process: AgentProcess | None = None
        self._error = ""  # the error that the program itself reported
        self._remarks: list[str] = []  # what it printed at its start that is not of the protocol

    def _started(self, command: Sequence[str] = (), *, port: tuple[int, str] | None = None) -> AgentProcess:
        """Start the program, by `command` if given, else by the player's command; `port` as in `AgentProcess`."""
        self._error, self._remarks = "", []
        folder = self._view.folder
        if not folder.is_dir():
            raise MisconductError(Reason.CRASH, f"{self.name} could not be started: its folder {folder} is gone")
        self._process = AgentProcess(command or self._command, self._limits, view=self._view, port=port)
        return self._process

    def end(self) -> str:
        """Send ``quit``, kill the program after `QUIT_S`, and return its output."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.discard_lines()
        process.wake()
        process.send("quit\n")
        process.wait(QUIT_S)
        process.kill()
        return self._output_of(process)

    def _output_of(self, process: AgentProcess) -> str:
        """The remarks at the start, and standard error."""
        return "".join(f"{line}\n" for line in self._remarks) + process.error_text()

    def _remark(self, line: str) -> None:
        """Keep a line of the start that is not of the protocol: it may say why the program fails later."""
        if line and len(self._remarks) < _REMARKS:
            self._remarks.append(one_line(line))

    def _next(self, deadline: float, awaited: str) -> str:
        """The next line during the start; MisconductError if none comes in time. `awaited` is named in errors."""
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
            detail = f"{self.name} did not send {awaited} within {self._limits.start_s:g} s{self._last_words()}"
            raise MisconductError(Reason.STALLED, detail)
        return line

    def _next_thought(self, deadline: float, state: State) -> str | None:
        """The next line while the program thinks; None after the deadline."""
        assert self._process is not None
        try:
            return self._process.read_line(deadline)
        except EOFError:
            raise self._ended(f" at ply {state.ply}") from None
        except NoiseError:
            raise self._noisy(Reason.CRASH, f"no move at ply {state.ply}") from None

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

    def _ended(self, when: str) -> MisconductError | InterruptionError:
        """The error for a process that has ended: the agent's fault, or an interruption from outside."""
        process = self._process
        assert process is not None
        assert process.exit is not None
        if process.was_interrupted:
            return InterruptionError(f"{self.name} {process.end_in_words()}{when}")
        words = self._error or self._last_line()
        if process.exit.reason == "memory" or (process.exit.reason == "exit" and words.startswith("MemoryError")):
            reason = Reason.MEMORY
        else:
            is_cpu_limit = process.end_signal() == signal.SIGXCPU and self._limits.cpu_s > 0
            reason = Reason.TIME if is_cpu_limit else Reason.CRASH
        place = place_note(words, crash_place(process.error_text()))
        if self._error and process.exit.reason == "exit":
            return MisconductError(reason, f"{self.name}: {self._error}{place}")
        # The last line of an agent that exceeded a limit is about something else.
        limit = process.limit
        why = f"; --{limit.replace('_', '-')} sets this limit" if limit else f"{self._last_words()}{place}"
        return MisconductError(reason, f"{self.name} {process.end_in_words()}{when}{why}")

    def _last_words(self) -> str:
        return f": {line}" if (line := self._last_line()) else ""

    def _last_line(self) -> str:
        """The last line of standard error, which usually names the error."""
        assert self._process is not None
        lines = self._process.error_text().strip().splitlines()
        return one_line(lines[-1].strip()) if lines else ""
