"""Lines of the analysis service: read whatever their length, and written without waiting for their reader."""

from __future__ import annotations

import os
import threading
import time
from collections import deque

#: The longest line that is read, in bytes. Longer lines are skipped, and nothing of them is kept in memory.
LONGEST_LINE = 1 << 22

_CHUNK = 1 << 16
# The time for which answers are gathered before they are written.
_GATHER_S = 0.001


class LineReader:
    """Splits what arrives at a descriptor into numbered lines."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._parts: list[bytes] = []
        self._length = 0
        self._number = 0
        self.is_over = False

    def read(self) -> list[tuple[int, bytes | None]]:
        """Wait for input and return the lines that it completes; None stands for a line that is too long.

        A last line without an end counts as a line.
        """
        data = os.read(self._fd, _CHUNK)
        *ended, rest = data.split(b"\n")
        lines = [self._line(part) for part in ended]
        if data:
            self._keep(rest)
        else:
            self.is_over = True
            lines += [self._line(b"")] if self._length else []
        return lines

    def _line(self, part: bytes) -> tuple[int, bytes | None]:
        self._keep(part)
        line = b"".join(self._parts) if self._length <= LONGEST_LINE else None
        self._parts, self._length = [], 0
        self._number += 1
        return self._number, line

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= LONGEST_LINE:
            self._parts.append(part)
        else:
            self._parts = []


class LineWriter:
    """Writes lines in a thread, so that nobody waits for their reader. A gone reader is no error.

    The thread gathers lines for a moment before it writes them: to wake it takes as long as a small search.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.is_closed = False
        self._waiting: deque[str] = deque()
        self._has_work = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._write, name="analysis-writer", daemon=True)
        self._thread.start()

    def put(self, line: str) -> None:
        """Queue a line. Lines are written in the order of their calls."""
        self._waiting.append(line)
        if not self._has_work.is_set():
            self._has_work.set()

    @property
    def waiting(self) -> int:
        """The number of lines that are not yet written."""
        return len(self._waiting)

    def finish(self, patience_s: float | None = None) -> bool:
        """Write what is queued, for at most `patience_s`. Returns whether that is done, or the reader has gone."""
        self._is_over = True
        self._has_work.set()
        self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _write(self) -> None:
        while self._waiting or not self._is_over:
            self._has_work.wait()
            if not self._is_over:
                time.sleep(_GATHER_S)
            self._has_work.clear()
            lines = [self._waiting.popleft() for _ in range(len(self._waiting))]
            data = "".join(f"{line}\n" for line in lines).encode()
            try:
                while data:
                    data = data[os.write(self.fd, data) :]
            except OSError:
                self.is_closed = True
                self._waiting.clear()
                return
