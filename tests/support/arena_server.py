"""A server of the page with a workspace of its own, for tests of the arena."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from page_server import serving

#: How long a test waits for what takes a second on an idle machine.
PATIENCE_S = 120.0


class Arena:
    """A server with a workspace, and a visitor with a session."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.server = serving(folder, workspace=self.workspace)
        self.address = self.server.address
        self.visitor = visitor(self.address)

    def close(self) -> None:
        """Stop the server."""
        self.visitor.close()
        self.server.close()


def visitor(address: str) -> httpx.Client:
    """A client of a server that is starting, with a session."""
    client = httpx.Client(base_url=address, timeout=PATIENCE_S, trust_env=False)

    def begin() -> bool:
        try:
            return client.post("/api/session").status_code == 200
        except httpx.TransportError:
            return False

    until(begin)
    return client


def until(holds: Callable[[], Any]) -> Any:
    """Wait until a condition holds, and return what it returned."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return found


def wish(*agents: str, **changes: Any) -> dict[str, Any]:
    """The form of a small tournament."""
    entrants = [{"agent": agent} for agent in agents or ("greedy", "random")]
    return {"game": "connect4", "agents": entrants, "games": 4, "seed": 1, "concurrency": 1, **changes}


def begun(client: httpx.Client, **form: Any) -> str:
    """Begin a tournament; returns its address."""
    answer = client.post("/api/tournaments", json=form)
    assert answer.status_code == 201, answer.text
    return f"/api/tournaments/{answer.json()['id']}"


def state_of(client: httpx.Client, tournament: str) -> str:
    """The state of a tournament in a word."""
    return str(client.get(tournament).json()["state"])
