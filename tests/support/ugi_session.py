"""Talking UGI with an engine, in a process of its own or in a thread of this one."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

from joute.protocol.ugi_engine import Engine

TIMEOUT_S = 30.0  # against hanging; nothing takes as long


class Session:
    """What both kinds share: lines to the engine and lines from it."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self._to, self._from = input_fd, output_fd
        self._buffer = b""

    def send(self, *lines: str) -> None:
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._to, data) :]

    def line(self) -> str | None:
        """The next line of the engine's, None at the end of its output."""
        deadline = time.monotonic() + TIMEOUT_S
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"the engine says nothing; so far {self._buffer!r}"
            data = os.read(self._from, 1 << 16)
            if not data:
                assert not self._buffer, f"the engine ended within a line: {self._buffer!r}"
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def until(self, word: str) -> list[str]:
        """The lines up to the first that begins with a word, which is the last of them."""
        lines: list[str] = []
        while not lines or lines[-1].split()[:1] != [word]:
            line = self.line()
            assert line is not None, f"the engine ended without {word}: {lines}"
            lines.append(line)
        return lines

    def ask(self, *lines: str) -> str:
        """The move for `go`, sent last."""
        self.send(*lines)
        return self.until("bestmove")[-1].removeprefix("bestmove ")

    def rest(self) -> list[str]:
        return list(iter(self.line, None))

    def hang_up(self) -> None:
        os.close(self._to)


class ProcessSession(Session):
    def __init__(self, *command: str, cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(os.dup(self.process.stdin.fileno()), self.process.stdout.fileno())
        self.process.stdin.close()

    def __enter__(self) -> ProcessSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> tuple[int, str]:
        """Its exit status and what it wrote to standard error."""
        assert self.process.stderr is not None
        text = self.process.stderr.read().decode()
        return self.process.wait(TIMEOUT_S), text


class ThreadSession(Session):
    """An engine in this process, which knows the games that the tests register."""

    def __init__(self, game: str, agent: str, seed: int = 0) -> None:
        input_fd, to_engine = os.pipe()
        from_engine, output_fd = os.pipe()
        super().__init__(to_engine, from_engine)

        def abandon() -> NoReturn:
            raise AssertionError("the agent does not stop")

        self.engine = Engine(game, agent, seed=seed, input_fd=input_fd, output_fd=output_fd, abandon=abandon)
        self.status: int | None = None

        def serve() -> None:
            self.status = self.engine.run()
            os.close(output_fd)

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> ThreadSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        self._thread.join(TIMEOUT_S)
        os.close(self._from)


def engine(game: str, agent: str, cwd: Path | None = None) -> ProcessSession:
    return ProcessSession(sys.executable, "-m", "joute.protocol.ugi_engine", game, agent, cwd=cwd)
