"""An agent in a process of its own: lines to it and from it, never waiting longer than asked; its end.

A supervisor (supervise.py) stands between. It holds the agent to its limits and kills it with all its
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

import joute.arena.players.supervise as supervise
from joute.arena.players.isolation import Isolation
from joute.arena.players.sandbox import sandbox_command, sandbox_environment
from joute.errors import JouteError
from joute.system import isolation_problem, usable_cores

#: A longer line is no UGI; it is dropped.
MAX_LINE_BYTES = 1 << 20

#: What a process may say for one move before it is taken for one that only makes noise.
MAX_OUTPUT_BYTES = 16 << 20

#: What is kept of standard error: its beginning, which tells what failed first, and its end.
KEPT_HEAD_BYTES, KEPT_TAIL_BYTES = 8 << 10, 24 << 10

# bubblewrap itself: one process outside the jail, one inside.
_JAIL_PROCESSES = 2

# How long a process that closed its output may take to end, and a supervisor to kill what there is.
_CLOSING_S, _KILLING_S = 1.0, 10.0

# How often the rest of a stream is read: a pipe holds one piece, or sixteen if it was made large.
_LAST_PIECES = 16

# In the environment of every agent and, unless it is removed, of whatever an agent starts.
_MARK = "JOUTE_AGENT"


class NoiseError(Exception):
    """A process that says more than anybody needs to hear."""


@dataclass(frozen=True)
class Exit:
    """How an agent's process ended, as its supervisor tells; `reason` as there, or ``lost`` with the supervisor."""

    reason: str
    status: int = 0
    signal: int = 0
    errno: int = 0


class AgentProcess:
    """A command that runs under supervision from now on, until it ends or is killed."""

    def __init__(
        self,
        command: Sequence[str],
        isolation: Isolation,
        *,
        folder: Path,
        readable_paths: Sequence[Path] = (),
        hidden_paths: Sequence[Path] = (),
        descriptors: Sequence[int] = (),
    ) -> None:
        """`descriptors` are those that the command inherits besides the standard ones."""
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
        self._poll = select.poll()
        if isolation.sandbox:
            command = sandbox_command(command, folder, readable_paths, hidden_paths)
        self._start(command, folder, descriptors)

    def _start(self, command: Sequence[str], folder: Path, descriptors: Sequence[int]) -> None:
        limits = self.isolation
        processes = limits.processes + (_JAIL_PROCESSES if limits.sandbox else 0)
        (theirs_in, self._in), (self._out, theirs_out), (self._error, theirs_error) = (os.pipe() for _ in range(3))
        (lifeline, self._lifeline), (self._status, status) = os.pipe(), os.pipe()
        self._turn = os.memfd_create("joute-turn")
        self._open = {self._in, self._out, self._error, self._status, self._lifeline, self._turn}
        limit_numbers = [limits.memory_mb, processes, limits.cpu_s, limits.file_mb, int(not limits.sandbox)]
        numbers = [lifeline, status, self._turn, *limit_numbers]
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", supervise.__file__, *map(str, numbers), *command],
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=theirs_error,
                pass_fds=(lifeline, status, self._turn, *descriptors),
                cwd=None if limits.sandbox else folder,
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
        """Send lines. What the process does not take at once goes out while it is listened to."""
        if self._in in self._open:
            self._unsent += text.encode()
            self._write()

    def rest(self) -> None:
        """Stop the process and all its descendants until `wake`: it is not its turn.

        Its group stops at once; the supervisor stops what it started in other groups, a moment later.
        """
        self._signal_turn(supervise.AT_REST, signal.SIGSTOP)

    def wake(self) -> None:
        """Let the process go on."""
        self._signal_turn(supervise.AT_MOVE, signal.SIGCONT)

    def _signal_turn(self, turn: bytes, number: signal.Signals) -> None:
        if self._turn not in self._open:
            return
        os.pwrite(self._turn, turn, 0)  # before the signal: the supervisor must not undo it
        group = self._told.partition(b"\n")[0]
        if self.exit is None and group.isdigit():
            with contextlib.suppress(OSError):
                os.killpg(int(group), number)

    def discard_lines(self) -> None:
        """Forget what the process has said so far."""
        self._pump(0.0)
        self._lines.clear()
        self._heard_bytes = 0

    def read_line(self, deadline: float) -> str | None:
        """The next line; None if none comes before the deadline, on the clock of time.perf_counter.

        EOFError if no line can come any more: the process has ended, or was killed as it closed its output.
        NoiseError if it has said too much since `discard_lines`.
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
        """Wait for something else than the process's output, such as a connection; False if it has not come in time.

        EOFError if the process has ended. What it writes to its output is nobody's and forgotten.
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
        """Wait for the process to end by itself; whether it did."""
        deadline = time.perf_counter() + seconds
        while self._open and self.exit is None and (left := deadline - time.perf_counter()) > 0:
            self._pump(left)
            self._lines.clear()
        return self.exit is not None

    def kill(self) -> None:
        """Kill the process and all its descendants, and wait until they are dead."""
        self._killed = True
        self._close(self._in)
        self._close(self._lifeline)
        if self.exit is None:
            self._supervisor.send_signal(signal.SIGCONT)  # an agent that is not jailed could have stopped it
        if not self.wait(_KILLING_S):
            self._supervisor.kill()
            self.wait(_KILLING_S)
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def error_text(self) -> str:
        """What the process wrote to standard error, with the middle cut out where it was long."""
        return self._kept.text()

    def end_in_words(self) -> str:
        """How the process ended: a part of a sentence about the agent."""
        end, limits = self.exit, self.isolation
        if end is None:
            return "is running"
        if end.reason == "memory":
            return f"used more than {limits.memory_mb} MB of memory"
        if end.reason == "processes":
            return f"had more than {limits.processes} processes and threads"
        if end.reason == "start":
            return f"could not be started: {os.strerror(end.errno)}"
        if end.reason == "lost":
            return "ended as a signal killed its supervisor"
        if self._killed and end.reason == "killed":
            return "closed its standard output" if self._closed_at is not None else "was killed"
        number = self.end_signal()
        if number == signal.SIGXCPU:
            return f"used more than {limits.cpu_s} s of CPU"
        if number == signal.SIGXFSZ:
            return f"wrote a file of more than {limits.file_mb} MB"
        if number == signal.SIGKILL:
            return "was killed by signal SIGKILL (as systems do that run out of memory)"
        return f"was killed by signal {_signal_name(number)}" if number else f"ended with exit status {end.status}"

    def end_signal(self) -> int:
        """The signal that ended the process; 0 if none did."""
        if self.exit is None or self.exit.reason != "exit":
            return 0
        if self.isolation.sandbox and 128 < self.exit.status <= 128 + signal.NSIG:  # as bubblewrap passes it on
            return self.exit.status - 128
        return self.exit.signal

    def _pump(self, seconds: float, *, watched: int | None = None) -> bool:
        """Wait for something to happen, and take in what has: one piece of each stream, so memory is bounded.

        Whether it happened to the descriptor that is watched, which is the caller's to read.
        """
        if not self._open:
            return False
        is_ready = False
        # Rounded up by poll: at the deadline, not a little before it, again and again.
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
        """The supervisor is gone: take in the last words and learn how it ended."""
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
        except OSError:  # nobody reads any more; the end of its output tells why
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
    """What the last line of a supervisor tells; it may have been killed before it could, or an agent may have lied."""
    try:
        return Exit(**json.loads(told.splitlines()[-1]))
    except (IndexError, TypeError, ValueError):
        return Exit("lost")


class _Kept:
    """The beginning and the end of a stream."""

    def __init__(self) -> None:
        self._head, self._tail, self._length = b"", b"", 0

    def add(self, piece: bytes) -> None:
        """One more piece of the stream."""
        self._length += len(piece)
        room = KEPT_HEAD_BYTES - len(self._head)
        self._head += piece[:room]
        self._tail = (self._tail + piece[room:])[-KEPT_TAIL_BYTES:]

    def text(self) -> str:
        """What is kept, and how much is not."""
        cut = self._length - len(self._head) - len(self._tail)
        gap = f"\n[{cut} bytes cut]\n" if cut else ""
        return self._head.decode(errors="replace") + gap + self._tail.decode(errors="replace")


def _fixed() -> Mapping[str, str]:
    """What is the same for all agents: repeatable hashes, output that comes at once, no more threads than CPUs.

    And no bytecode beside an agent's file, where others could read it.
    """
    threads = str(len(usable_cores()))
    pools = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "RAYON")
    python = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**python, **{f"{pool}_NUM_THREADS": threads for pool in pools}}


def _read(descriptor: int) -> bytes | None:
    """What can be read now; nothing at the end, None if it is not the end."""
    try:
        return os.read(descriptor, 65536)
    except BlockingIOError:
        return None


def _kill_marked(mark: str) -> None:
    """Kill what carries the mark of an agent: the last resort when its supervisor was killed."""
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
