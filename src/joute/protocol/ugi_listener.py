"""Input and output of a UGI engine: thread-safe output of lines, and the thread that reads commands during a search."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NoReturn

from joute._core import one_line

#: The time for a search to stop before the process ends without its answer.
GRACE_S = 1.0
# The pause between repeated calls of the agent's `stop`: the first call may come before `choose` has begun.
_STOP_AGAIN_S = 0.01


class Output:
    """Sends lines to the other side, each group of lines as one unit, from any thread. A gone reader is no error."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()
        self.is_closed = False

    def write(self, *lines: str) -> None:
        """Send lines."""
        data = "".join(line.replace("\n", " ") + "\n" for line in lines).encode(errors="backslashreplace")
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._fd, data) :]
            except OSError:
                self.is_closed = True

    def tell(self, *sentences: str) -> None:
        """Send sentences for people, as ``info string``."""
        self.write(*(f"info string {one_line(sentence)}" for sentence in sentences))


class Listener(threading.Thread):
    """Reads commands, answers urgent ones at once, and queues the rest for the main thread.

    Commands take effect in order, with two exceptions during a search: `stop` takes effect at once, and so does
    `isready` if no other command is queued before it.
    """

    def __init__(
        self, fd: int, output: Output, stop_agent: Callable[[], None], abandon: Callable[[], NoReturn]
    ) -> None:
        super().__init__(name="ugi-listener", daemon=True)
        self.main_has_ended = threading.Event()
        self._fd = fd
        self._output = output
        self._stop_agent = stop_agent
        self._abandon = abandon
        self._changed = threading.Condition()  # guards the fields below
        self._waiting: deque[list[str]] = deque()
        self._is_thinking = False
        self._awaits_stop = False  # the last `go` was infinite
        self._must_stop = False  # the current search, or the next one, must stop
        self._is_over = False  # no more commands will come

    def next_command(self) -> list[str] | None:
        """Wait for the next command and return its words; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            return self._waiting.popleft() if self._waiting else None

    def begin_thinking(self) -> None:
        """The main thread begins a `go`: handle urgent commands that are already queued before the next `go`."""
        with self._changed:
            self._is_thinking = True
            queue, self._waiting = self._waiting, deque()
            while queue and queue[0][0] != "go":
                words = queue.popleft()
                if not self._overtakes(words):
                    self._waiting.append(words)
            self._waiting += queue

    def end_thinking(self) -> None:
        """The main thread has answered a `go`."""
        with self._changed:
            self._is_thinking = False
            self._must_stop = False

    def wait_for_stop(self) -> None:
        """Wait until the current search must stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._must_stop)

    def run(self) -> None:
        """Read commands until `quit` or the end of the input."""
        rest = b""
        while True:
            # While a stop is pending, wait for input only briefly and repeat the stop.
            while self._is_stopping() and not select.select([self._fd], [], [], _STOP_AGAIN_S)[0]:
                self._stop_thinking()
            data = os.read(self._fd, 1 << 16)
            *lines, rest = (rest + data).split(b"\n") if data else (rest, b"")
            if not self._take(lines):
                return self._end(0.0)
            if not data:
                return self._end(GRACE_S)

    def _take(self, lines: list[bytes]) -> bool:
        """Process lines. False at `quit`."""
        with self._changed:
            for line in lines:
                words = line.decode(errors="backslashreplace").split()
                if words == ["quit"]:
                    return False
                if words:
                    self._sort_in(words)
            self._changed.notify_all()
        self._stop_thinking()
        return True

    def _sort_in(self, words: list[str]) -> None:
        if words[0] in ("go", "stop"):
            if words[0] == "go" and self._awaits_stop:
                self._sort_in(["stop"])  # or the infinite search would never end
            self._awaits_stop = words[0] == "go" and "infinite" in words
        if not (self._is_thinking and not self._has_go() and self._overtakes(words)):
            self._waiting.append(words)

    def _overtakes(self, words: list[str]) -> bool:
        """Handle an urgent command during a search. False if the command is not urgent."""
        if words == ["isready"] and not self._waiting:
            self._output.write("readyok")
        elif words == ["stop"]:
            self._must_stop = True
        else:
            return False
        return True

    def _has_go(self) -> bool:
        return any(words[0] == "go" for words in self._waiting)

    def _is_stopping(self) -> bool:
        with self._changed:
            return self._must_stop or ["stop"] in self._waiting

    def _stop_thinking(self) -> None:
        """Ask the agent to stop, if a stop is pending and a search is running."""
        if self._must_stop and self._is_thinking:
            self._stop_agent()

    def _end(self, patience_s: float) -> None:
        """Let the main thread finish its commands for `patience_s`, then stop the search.

        If the main thread has not ended `GRACE_S` later, end the process.
        """
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        patience = time.monotonic() + patience_s
        while not self.main_has_ended.wait(_STOP_AGAIN_S):
            if time.monotonic() > patience + GRACE_S:
                self._abandon()
            if time.monotonic() >= patience:
                with self._changed:
                    self._must_stop = True
                    self._changed.notify_all()
            self._stop_thinking()
