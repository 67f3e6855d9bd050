"""Servers of Vampires vs Werewolves that follow a script, for tests of clients."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from joute import new
from joute.games.vampires.state import Vampires
from joute.games.vampires.tcp.frames import greeting
from joute.games.vampires.tcp.wire import FROM_CLIENT, Frame, Nme, Parser, Upd

#: Nothing here takes so long unless it hangs.
TIMEOUT_S = 60.0

#: The map of the official transcript: four vampires at (4, 3), four werewolves at (4, 1).
TRAP = "5x10/4v4.3+4w4.1+2h9.0+4h2.2+1h9.2+2h9.4"

F = TypeVar("F", bound=Frame)


def trap(rules: str = "official") -> Vampires:
    """The start of the official transcript."""
    state = new(f"vampires:rules={rules}", TRAP)
    assert isinstance(state, Vampires)
    return state


class Visit:
    """A connection of a client, as a script sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._parser = Parser(FROM_CLIENT)

    def say(self, *frames: Frame, piece: int = 1 << 16) -> None:
        """Send frames, glued together and then cut into pieces."""
        self.send(b"".join(frame.encode() for frame in frames), piece=piece)

    def send(self, data: bytes, *, piece: int = 1 << 16) -> None:
        """Send bytes, so many at once."""
        for at in range(0, len(data), piece):
            self._connection.sendall(data[at : at + piece])

    def hear(self, kind: type[F]) -> F:
        """The next frame of the client, which is of this kind."""
        while (frame := self._parser.next_frame()) is None:
            data = self._connection.recv(1 << 16)
            assert data, "the client has closed the connection"
            self._parser.feed(data)
        assert isinstance(frame, kind)
        return frame

    def rest(self) -> bytes:
        """All that the client says until it closes the connection."""
        data = b""
        while piece := self._connection.recv(1 << 16):
            data += piece
        return data

    def greet(self, state: Vampires, player: int, *, piece: int = 1 << 16) -> str:
        """Hear the client's name and tell it the map."""
        name = self.hear(Nme).text
        self.say(*greeting(state, player), piece=piece)
        return name


class ScriptedServer:
    """Runs a script for the first client that comes, in a thread; what the script asserts is asserted at the end."""

    def __init__(self, script: Callable[[Visit], None]) -> None:
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(TIMEOUT_S)
        self.port: int = self._listener.getsockname()[1]
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            connection, _ = self._listener.accept()
            with connection:
                connection.settimeout(TIMEOUT_S)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._script(Visit(connection))
        except BaseException as error:
            self._failure = error

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.join(TIMEOUT_S)
        self._listener.close()
        if self._failure is not None:
            raise self._failure
        assert not self._thread.is_alive()


def free_port() -> int:
    """A port at which nobody listens."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def changes(before: Vampires, after: Vampires) -> Upd:
    """What is different after a turn."""
    from joute.games.vampires.tcp.frames import update

    return update(after, sorted((x, y) for x, y, _, _ in set(before.cells) ^ set(after.cells)))
