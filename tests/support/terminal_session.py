"""``joute`` in a terminal of 80 by 24 characters: a pseudo-terminal of the system, to which a test types."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

#: How a picture begins: at the top left corner of an empty screen.
CLEAR = "\x1b[H\x1b[J"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# A test that waits longer has failed.
_PATIENCE_S = 200.0
# The most time to wait for readline.
_READER_S = 20.0


class TerminalSession:
    """A running command."""

    def __init__(self, words: tuple[str, ...], environment: dict[str, str]) -> None:
        self.text = ""
        self._seen = 0
        self._terminal, other_side = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        # Not pty.fork(): it would run Python in a copy of this process, which lacks its threads. The first terminal
        # that a session opens becomes its own, so the shell opens it and then becomes the command.
        shell = ["/bin/sh", "-c", 'exec "$@" <>"$0"', os.ttyname(other_side)]
        command = [*shell, sys.executable, "-m", "joute", *words]
        self._process = subprocess.Popen(
            command, stdin=other_side, stdout=other_side, stderr=other_side, env=environment, start_new_session=True
        )
        os.close(other_side)

    def read_until(self, part: str) -> str:
        """Everything since the last call, up to a text that the command must print; colours are left out."""
        deadline = time.monotonic() + _PATIENCE_S
        while (found := (plain := _COLOURS.sub("", self.text)).find(part, self._seen)) < 0:
            if time.monotonic() > deadline or not self._read(1.0):
                raise AssertionError(f"{part!r} was not printed: {plain[self._seen :]!r}")
        begin, self._seen = self._seen, found + len(part)
        return plain[begin : self._seen]

    def type(self, text: str, *, is_edited: bool = True) -> None:
        """Press keys; ``\\x03`` is Ctrl-C, and ``\\x04`` the end of the input.

        `is_edited` says whether readline reads the line; without it the system keeps keys that are pressed early.
        """
        if is_edited:
            self._wait_for_reader()
        os.write(self._terminal, text.encode())

    def _wait_for_reader(self) -> None:
        """Wait until readline waits for keys: one that is pressed before may be lost, and so may Ctrl-C."""
        deadline = time.monotonic() + _READER_S
        while time.monotonic() < deadline:
            is_reading = not termios.tcgetattr(self._terminal)[3] & termios.ICANON
            if is_reading and self._is_asleep():
                return
            time.sleep(0.02)

    def _is_asleep(self) -> bool:
        """Whether the command's main thread waits, by the state that Linux shows after its name in brackets."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "S"

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the command."""
        self._process.send_signal(number)

    def picture(self) -> list[str]:
        """The lines of the last picture, without colours."""
        return _COLOURS.sub("", self.text.rpartition(CLEAR)[2]).replace("\r", "").split("\n")

    def end(self) -> int:
        """Wait for the command's end and return its exit status."""
        deadline = time.monotonic() + _PATIENCE_S
        while self._read(1.0):
            if time.monotonic() > deadline:
                raise AssertionError(f"the command has not ended: {self.text[-500:]!r}")
        return self._process.wait()

    def _read(self, patience_s: float) -> bool:
        """Read what there is; False if the command has ended. Nothing within the patience is no end."""
        if not select.select([self._terminal], [], [], patience_s)[0]:
            return True
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.text += data.decode(errors="replace")
        return bool(data)


@contextlib.contextmanager
def terminal(*words: str, **variables: str) -> Iterator[TerminalSession]:
    """A command in a terminal with 256 colours, and with these variables besides."""
    inherited = {name: value for name, value in os.environ.items() if name not in _TOLD}
    session = TerminalSession(words, inherited | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | variables)
    try:
        yield session
    finally:
        session._process.kill()
        session._process.wait()
        os.close(session._terminal)


# Variables that tell about the terminal of the person who runs the tests.
_TOLD = {"NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLORFGBG", "COLUMNS", "LINES", "TERM", "LC_ALL", "PYTHONIOENCODING"}
