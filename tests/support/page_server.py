"""A server of the page for tests: real sockets, one engine process, no pauses, and limits that tests do not meet."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from joute.web.serve import make_server, open_socket
from joute.web.settings import Limits, Settings

FREE = Limits(
    requests_a_second=1e6,
    requests_at_once=10**6,
    messages_a_second=1e6,
    messages_at_once=10**6,
    games_a_minute=10**6,
    joins_a_minute=10**6,
)


class PageServer:
    """A running server: its address, and clients for it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        listening = open_socket(settings)
        self.port: int = listening.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        started = threading.Event()
        self.server = make_server(settings, on_start=started.set)
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        assert started.wait(60), "the server did not start"

    def close(self) -> None:
        """Stop it."""
        self.server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive(), "the server did not stop"

    def client(self, *, begins: bool = True) -> httpx.Client:
        """A visitor of its own."""
        # Without `verify`, each would load certificates for 30 ms.
        client = httpx.Client(base_url=self.address, timeout=60, verify=False)
        if begins:
            assert client.post("/api/session").status_code == 200
        return client

    @contextlib.contextmanager
    def socket(self, client: httpx.Client, **headers: str) -> Iterator[Talk]:
        """A WebSocket of a visitor."""
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        sent = {"Cookie": cookies, "Origin": self.address} | headers
        with connect(f"ws://127.0.0.1:{self.port}/api/live", additional_headers=sent, proxy=None) as connection:
            yield Talk(connection)


class Talk:
    """A WebSocket with numbered messages."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.number = 0

    def send(self, kind: str, **content: Any) -> int:
        """Send a message; returns its number."""
        self.number += 1
        self.connection.send(json.dumps({"v": 1, "id": self.number, "type": kind, **content}))
        return self.number

    def ask(self, kind: str, **content: Any) -> dict[str, Any]:
        """Send a message and return its reply, an error included."""
        number = self.send(kind, **content)
        return self.until(lambda message: message.get("id") == number and message["type"] in ("reply", "error"))

    def until(self, test: Any) -> dict[str, Any]:
        """The next message that passes a test; those before it are dropped."""
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=60))
            if test(message):
                return message

    def game(self, test: Any = lambda game: True) -> dict[str, Any]:
        """The next state of a game that passes a test."""
        found = self.until(lambda message: message["type"] == "game" and test(message["game"]))
        game: dict[str, Any] = found["game"]
        return game


def serving(folder: Path, **changes: Any) -> PageServer:
    """Start a server that keeps its games in a folder."""
    settings = Settings(port=0, workers=1, database=folder / "page.db", pause_s=0.0, limits=FREE)
    return PageServer(dataclasses.replace(settings, **changes))


def begin(client: httpx.Client, game: str = "connect4", **wish: Any) -> str:
    """Begin a game, by default on one screen; returns its id."""
    seats = wish.pop("seats", [{"kind": "me"}, {"kind": "me"}])
    made = client.post("/api/games", json={"game": game, "seats": seats, **wish})
    assert made.status_code == 201, made.text
    number: str = made.json()["id"]
    return number
