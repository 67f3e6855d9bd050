"""An agent in its own process: sends and reads lines with deadlines, and finds out how the process ended.

This process starts a supervisor (supervise.py), which starts the agent, enforces its limits and kills it with all its
descendants, also when this process is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import joute.arena.players.launch as launch
import joute.arena.players.supervise as supervise
from joute.arena.players.isolation import Isolation
from joute.arena.players.sandbox import View, sandbox_environment, sandboxed
from joute.arena.players.shield import is_shielded
from joute.errors import JouteError
from joute.system import isolation_problem, memory_kills, usable_cores

#: Longer lines are dropped: no UGI line is that long.
MAX_LINE_BYTES = 1 << 20

#: The most output for one move; beyond it, `NoiseError`.
MAX_OUTPUT_BYTES = 16 << 20

#: The bytes of standard error that are kept: the beginning, which shows the first failure, and the end.
KEPT_HEAD_BYTES, KEPT_TAIL_BYTES = 8 << 10, 24 << 10

# The processes of bubblewrap itself: one outside the sandbox, one inside.
_JAIL_PROCESSES = 2

# The longest time for a process to end after it closed its output, and for a supervisor to kill the agent.
_CLOSING_S, _KILLING_S = 1.0, 10.0

# The number of reads that empty a pipe: one for its default size, sixteen for the largest size.
_LAST_PIECES = 16

# An environment variable of every agent. The agent's descendants inherit it unless they remove it.
_MARK = "JOUTE_AGENT"


class NoiseError(Exception):
    """The process wrote more than `MAX_OUTPUT_BYTES`."""


@dataclass(frozen=True)
class Exit:
    """How an agent's process ended.

    `reason` is from the supervisor's last status line (supervise.py), or ``lost`` if that line is missing or invalid,
    e.g. because the supervisor was killed.
    """

    reason: str
    status: int = 0
    signal: int = 0
    errno: int = 0


class AgentProcess:
    """A command that runs under a supervisor from construction until it ends or is killed."""

    def __init__(
        self,
        command: Sequence[str],
        isolation: Isolation,
        *,
        view: View,
        port: tuple[int, str] | None = None,
    ) -> None:
        """The command runs in the folder of `view`. `port` is for the sandbox only: see `sandboxed`."""
        if problem := isolation_problem():
            raise JouteError(problem)
        self.isolation = isolation
        #: How the process ended; None while it runs.
        self.exit: Exit | None = None
        self._heard_bytes = 0
        self._kept = _Kept()
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._skipping = False
        self._unsent = b""
        self._told = b""
        self._mark = os.urandom(16).hex()
        self._closed_at: float | None = None
        self._killed = False
        self._memory_kills = memory_kills()
        self._poll = select.poll()
        if not isolation.sandbox:
            self._start(command, view.folder)
            return
        with sandboxed(command, view, memory_mb=isolation.memory_mb, port=port) as (jail, descriptors):
            channel = [port[0]] if port else []
            self._start(jail, None, files=descriptors, shown=view.tops(command[0]), channel=channel)

    def _start(
        self,
        command: Sequence[str],
        folder: Path | None,
        *,
        files: Sequence[int] = (),
        shown: Sequence[Path] = (),
        channel: Sequence[int] = (),
    ) -> None:
        """Start the supervisor (supervise.py) with the command, which inherits `files` and `channel`."""
        limits = self.isolation
        processes = limits.processes + (_JAIL_PROCESSES if limits.sandbox else 0)
        (theirs_in, self._in), (self._out, theirs_out), (self._error, theirs_error) = (os.pipe() for _ in range(3))
        (lifeline, self._lifeline), (self._status, status) = os.pipe(), os.pipe()
        self._turn = os.memfd_create("joute-turn")
        self._open = {self._in, self._out, self._error, self._status, self._lifeline, self._turn}
        limit_numbers = [limits.memory_mb, processes, limits.cpu_s, limits.file_mb]
        numbers = [lifeline, status, self._turn, *limit_numbers, int(limits.sandbox), len(files), len(shown)]
        words = [*numbers, *files, *shown, *command]
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", launch.__file__, "supervise", *map(str, words)],
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=theirs_error,
                pass_fds=(lifeline, status, self._turn, *files, *channel),
                cwd=folder,
                env={**(sandbox_environment() if limits.sandbox else os.environ), **_fixed(), _MARK: self._mark},
                start_new_session=True,
            )
        finally:
            for descriptor in (theirs_in, theirs_out, theirs_error, lifeline, status):
                os.close(descriptor)
        for ours in (self._in, self._out, self._error, self._status):
            os.set_blocking(ours, False)
        for ours in (self._out, self._error, self._status):
            self._poll.register(ours, select.POLLIN)

    def send(self, text: str) -> None:
        """Send lines without blocking. Unsent bytes are sent by later calls that read or wait."""
        if self._in in self._open:
            self._unsent += text.encode()
            self._write()

    def rest(self) -> None:
        """Stop the process and all its descendants until `wake`, because it is the opponent's turn.

        The agent's process group stops at once; the supervisor stops descendants in other groups a moment later.
        """
        self._signal_turn(supervise.AT_REST, signal.SIGSTOP)

    def wake(self) -> None:
        """Continue the process and its descendants."""
        self._signal_turn(supervise.AT_MOVE, signal.SIGCONT)

    def _signal_turn(self, turn: bytes, number: signal.Signals) -> None:
        if self._turn not in self._open:
            return
        os.pwrite(self._turn, turn, 0)  # before the signal, so that the supervisor does not undo it
        group = self._told.partition(b"\n")[0]
        if self.exit is None and group.isdigit():
            with contextlib.suppress(OSError):
                os.killpg(int(group), number)

    def discard_lines(self) -> None:
        """Discard the output so far and reset its byte count."""
        self._pump(0.0)
        self._lines.clear()
        self._heard_bytes = 0

    def read_line(self, deadline: float) -> str | None:
        """The next line; None if none arrives before the deadline, by the clock of time.perf_counter.

        EOFError if no further line can arrive: the process has ended, or was killed because it closed its output.
        NoiseError if it has written more than `MAX_OUTPUT_BYTES` since `discard_lines`.
        """
        while not self._lines:
            if self._heard_bytes > MAX_OUTPUT_BYTES:
                raise NoiseError
            if self.exit is not None:
                raise EOFError
            now = time.perf_counter()
            if self._closed_at is not None and now > self._closed_at + _CLOSING_S:
                self.kill()
                raise EOFError
            until = deadline if self._closed_at is None else min(deadline, self._closed_at + _CLOSING_S)
            self._pump(max(0.0, until - now))
            if not self._lines and time.perf_counter() >= deadline:
                return None
        return self._lines.popleft().decode(errors="replace").strip()

    def wait_readable(self, descriptor: int, deadline: float) -> bool:
        """Wait until another descriptor is readable, e.g. a listening socket; False if the deadline passes first.

        EOFError if the process has ended. The process's standard output is discarded meanwhile.
        """
        self._poll.register(descriptor, select.POLLIN)
        try:
            while not self._pump(max(0.0, deadline - time.perf_counter()), watched=descriptor):
                self._lines.clear()
                if self.exit is not None:
                    raise EOFError
                if time.perf_counter() >= deadline:
                    return False
            return True
        finally:
            self._poll.unregister(descriptor)

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the process to end by itself; returns whether it did."""
        deadline = time.perf_counter() + seconds
        while self._open and self.exit is None and (left := deadline - time.perf_counter()) > 0:
            self._pump(left)
            self._lines.clear()
        return self.exit is not None

    def hang_up(self) -> None:
        """End the input of the process."""
        self._close(self._in)

    def kill(self) -> None:
        """Kill the process and all its descendants, and wait until they are dead."""
        self._killed = True
        self._close(self._in)
        self._close(self._lifeline)
        if self.exit is None:
            self._supervisor.send_signal(signal.SIGCONT)  # an agent outside the sandbox may have stopped it
        if not self.wait(_KILLING_S):
            self._supervisor.kill()
            self.wait(_KILLING_S)
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def error_text(self) -> str:
        """The standard error of the process, without its middle part if it is long."""
        return self._kept.text()

    def forget_errors(self) -> None:
        """Begin a new `error_text`, because a new game begins."""
        self._kept = _Kept()

    def end_in_words(self) -> str:
        """How the process ended, as the predicate of a sentence about the agent."""
        end, limits = self.exit, self.isolation
        if end is None:
            return "is running"
        if end.reason == "memory":
            return f"used more than {limits.memory_mb} MB of memory"
        if end.reason == "processes":
            what = "process or thread" if limits.processes == 1 else "processes and threads"
            return f"had more than {limits.processes} {what}"
        if end.reason == "start":
            return f"could not be started: {os.strerror(end.errno)}"
        if end.reason == "lost":
            return "ended because a signal killed its supervisor"
        if self._killed and end.reason == "killed":
            return "closed its standard output" if self._closed_at is not None else "was killed"
        number = self.end_signal()
        if number == signal.SIGXCPU and limits.cpu_s:
            return f"used more than {limits.cpu_s} s of CPU"
        if number == signal.SIGXFSZ:
            return f"wrote a file of more than {limits.file_mb} MB"
        if number == signal.SIGKILL:
            return "was killed by signal SIGKILL (perhaps because the system ran out of memory)"
        return f"was killed by signal {_signal_name(number)}" if number else f"ended with exit status {end.status}"

    @property
    def limit(self) -> str:
        """The setting of `Isolation` whose limit ended the process; empty if none did."""
        by_reason = {"memory": "memory_mb", "processes": "processes"}
        by_signal: dict[int, str] = {signal.SIGXFSZ: "file_mb"}
        if self.isolation.cpu_s:
            by_signal[signal.SIGXCPU] = "cpu_s"
        return by_reason.get(self.exit.reason if self.exit else "") or by_signal.get(self.end_signal(), "")

    @property
    def was_interrupted(self) -> bool:
        """Whether the process ended by a signal that it cannot have sent itself.

        That is so if its supervisor was killed, which it cannot reach (shield.py), or if the kernel has killed it for
        lack of memory although it was within its limit.
        """
        if self.exit is not None and self.exit.reason == "lost":
            return is_shielded(self.isolation)
        return self.end_signal() == signal.SIGKILL and memory_kills() > self._memory_kills

    def end_signal(self) -> int:
        """The signal that ended the process; 0 if it ended otherwise."""
        if self.exit is None or self.exit.reason != "exit":
            return 0
        if self.isolation.sandbox and 128 < self.exit.status <= 128 + signal.NSIG:  # bubblewrap's encoding of a signal
            return self.exit.status - 128
        return self.exit.signal

    def _pump(self, seconds: float, *, watched: int | None = None) -> bool:
        """Wait at most `seconds` for events, then read one piece of each stream, so that memory is bounded.

        Returns whether the `watched` descriptor is readable; the caller reads it.
        """
        if not self._open:
            return False
        is_ready = False
        # poll rounds up to milliseconds, so it wakes at the deadline and not repeatedly just before it.
        for descriptor, _ in self._poll.poll(1000 * seconds):
            if descriptor == watched:
                is_ready = True
            elif descriptor == self._in:
                self._write()
            elif piece := _read(descriptor):
                self._take(descriptor, piece)
            elif piece is not None:
                self._at_end(descriptor)
        return is_ready

    def _take(self, descriptor: int, piece: bytes) -> None:
        if descriptor == self._out:
            self._heard_bytes += len(piece)
            self._split(piece)
        elif descriptor == self._error:
            self._kept.add(piece)
        else:
            self._told += piece

    def _split(self, piece: bytes) -> None:
        *complete, rest = piece.split(b"\n")
        for part in complete:
            if not self._skipping:
                self._lines.append(bytes(self._partial) + part)
            self._partial.clear()
            self._skipping = False
        self._partial += rest
        if len(self._partial) > MAX_LINE_BYTES:
            self._partial.clear()
            self._skipping = True

    def _at_end(self, descriptor: int) -> None:
        self._close(descriptor)
        if descriptor == self._out:
            self._closed_at = time.perf_counter()
        elif descriptor == self._status:
            self._bury()

    def _bury(self) -> None:
        """The supervisor has ended: read the rest of the streams and how the agent ended."""
        self._supervisor.wait()
        end = _end_told(self._told)
        if end.reason == "lost":
            _kill_marked(self._mark)
        for descriptor in (self._out, self._error):
            for _ in range(_LAST_PIECES):
                if descriptor in self._open and (piece := _read(descriptor)):
                    self._take(descriptor, piece)
        self.exit = end

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the process no longer reads; its end is handled with its output
            self._close(self._in)
            return
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)
        else:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._in)

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            with contextlib.suppress(KeyError):
                self._poll.unregister(descriptor)
            os.close(descriptor)

    def __del__(self) -> None:
        for descriptor in tuple(getattr(self, "_open", ())):
            self._close(descriptor)


def _end_told(told: bytes) -> Exit:
    """The `Exit` in the supervisor's last status line; ``lost`` if that is missing or invalid.

    The supervisor may have been killed before it wrote the line, or an agent may have written to the pipe.
    """
    try:
        return Exit(**json.loads(told.splitlines()[-1]))
    except (IndexError, TypeError, ValueError):
        return Exit("lost")


class _Kept:
    """The beginning and the end of a stream."""

    def __init__(self) -> None:
        self._head, self._tail, self._length = b"", b"", 0

    def add(self, piece: bytes) -> None:
        """Append a piece of the stream."""
        self._length += len(piece)
        room = KEPT_HEAD_BYTES - len(self._head)
        self._head += piece[:room]
        self._tail = (self._tail + piece[room:])[-KEPT_TAIL_BYTES:]

    def text(self) -> str:
        """The kept text, with a note about the number of bytes cut."""
        cut = self._length - len(self._head) - len(self._tail)
        gap = f"\n[{cut} bytes cut]\n" if cut else ""
        return self._head.decode(errors="replace") + gap + self._tail.decode(errors="replace")


def _fixed() -> Mapping[str, str]:
    """Environment variables set for all agents: fixed hash seed, unbuffered output, at most one thread per core.

    Python writes no bytecode beside an agent's file, where other agents could read it.
    """
    threads = str(len(usable_cores()))
    pools = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "RAYON")
    python = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**python, **{f"{pool}_NUM_THREADS": threads for pool in pools}}


def _read(descriptor: int) -> bytes | None:
    """The bytes that can be read now: empty at end of file, None if there are none yet."""
    try:
        return os.read(descriptor, 65536)
    except BlockingIOError:
        return None


def _kill_marked(mark: str) -> None:
    """Kill every process with the mark of this agent in its environment. Used only if the supervisor was killed."""
    wanted = f"{_MARK}={mark}".encode()
    for _ in range(100):
        found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and _has(path, wanted)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
        if not found:
            return


def _has(process: Path, wanted: bytes) -> bool:
    try:
        return wanted in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
