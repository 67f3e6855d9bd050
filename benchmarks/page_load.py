"""The page under load: many games at once, many idle connections, the first paint and the weight of the page.

    python -m benchmarks.page_load

starts ``joute serve`` in a process of its own and plays with it as browsers do, one visitor a game. It reports the time
from a command to its reply, apart from thinking time: a move is answered when it is played and saved, and an agent's
answer comes later. Every move is then compared with the games that the server kept. With Chromium, it measures the
first paint and the bytes before images. Times belong to the machine at hand and to whatever else runs on it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

_MOVES = 10
_IDLE_A_VISITOR = 25
# Clients share the event loop that takes the times, and each would load certificates for 30 ms, which nobody uses here.
_CLIENT: dict[str, Any] = {"timeout": 60, "verify": False}


@dataclass
class Figures:
    """The measurements of the visitors."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lost: int = 0

    def add(self, kind: str, seconds: float) -> None:
        self.seconds.setdefault(kind, []).append(seconds)


class Visitor:
    """A person who plays one game of two on one screen, or against an agent."""

    def __init__(self, address: str, figures: Figures, number: int) -> None:
        self._address, self._figures, self._number = address, figures, number
        self._rng = random.Random(number)
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._game: dict[str, Any] = {}
        self._changed = asyncio.Event()

    async def play(self, pace_s: float) -> None:
        """Play a game and compare it with the one that the server kept."""
        await asyncio.sleep(pace_s * self._rng.random())
        async with httpx.AsyncClient(base_url=self._address, **_CLIENT) as client:
            await session(client)
            other = {"kind": "agent", "agent": "greedy"} if self._number % 2 else {"kind": "me"}
            made = await client.post("/api/games", json={"game": "connect4", "seats": [{"kind": "me"}, other]})
            game = made.json()["id"]
            async with opened(self._address, client) as socket:
                reading = asyncio.create_task(self._read(socket))
                await self._ask(socket, 1, "watch", game=game)
                mine = await self._moves(socket, game, pace_s)
                reading.cancel()
            kept = (await client.get(f"/api/games/{game}")).json()["game"]["moves"]
            for index, move in mine:
                if index >= len(kept) or kept[index]["move"] != move:
                    self._figures.lost += 1

    async def _moves(self, socket: ClientConnection, game: str, pace_s: float) -> list[tuple[int, str]]:
        played: list[tuple[int, str]] = []
        for number in range(_MOVES):
            await asyncio.sleep(pace_s * self._rng.uniform(0.5, 1.5))
            while not self._is_mine():
                self._changed.clear()
                await asyncio.wait_for(self._changed.wait(), 120)
            if self._game["is_over"]:
                break
            index, move = len(self._game["moves"]), self._rng.choice(self._game["legal"])
            await self._ask(socket, 10 + 3 * number, "preview", game=game, move=move)
            await self._ask(socket, 11 + 3 * number, "play", game=game, move=move, index=index)
            played.append((index, move))
        return played

    def _is_mine(self) -> bool:
        return bool(self._game) and (
            self._game["is_over"] or self._game["seats"][self._game["to_move"]]["kind"] == "person"
        )

    async def _ask(self, socket: ClientConnection, number: int, kind: str, **content: Any) -> None:
        self._replies[number] = asyncio.get_running_loop().create_future()
        begun = time.perf_counter()
        await socket.send(json.dumps({"v": 1, "id": number, "type": kind, **content}))
        reply = await asyncio.wait_for(self._replies[number], 60)
        self._figures.add(kind, time.perf_counter() - begun)
        if reply["type"] == "error":
            self._figures.errors.append(f"{kind}: {reply['error']['message']}")

    async def _read(self, socket: ClientConnection) -> None:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "game":
                self._game = message["game"]
                self._changed.set()
            elif message.get("id") in self._replies and message["type"] in ("reply", "error"):
                self._replies[message["id"]].set_result(message)


async def session(client: httpx.AsyncClient) -> None:
    """Begin a session; the server lets one address begin a few in a second."""
    while (await client.post("/api/session")).status_code == 429:
        await asyncio.sleep(0.5)


def opened(address: str, client: httpx.AsyncClient) -> Any:
    """A WebSocket of a visitor."""
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items()), "Origin": address}
    return connect(f"{address.replace('http', 'ws')}/api/live", additional_headers=headers, open_timeout=60, proxy=None)


async def idle(address: str, count: int) -> tuple[list[Any], list[httpx.AsyncClient]]:
    """Open connections that do nothing."""
    sockets, clients = [], []
    for number in range(count):
        if number % _IDLE_A_VISITOR == 0:
            clients.append(httpx.AsyncClient(base_url=address, **_CLIENT))
            await session(clients[-1])
        sockets.append(await opened(address, clients[-1]))
    return sockets, clients


def memory_mb(process: int) -> float:
    """The resident memory of a process (Linux)."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def cpu_s(process: int) -> float:
    """The processor time that a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(address: str, process: int, games: int, connections: int, pace_s: float) -> None:
    """Load the server and print what it took."""
    before = memory_mb(process)
    sockets, clients = await idle(address, connections)
    print(f"{len(sockets)} idle connections: {memory_mb(process) - before:.0f} MB more, all open")
    figures = Figures()
    begun, used = time.perf_counter(), cpu_s(process)
    visitors = [Visitor(address, figures, number).play(pace_s) for number in range(games)]
    for outcome in await asyncio.gather(*visitors, return_exceptions=True):
        if outcome is not None:
            figures.errors.append(repr(outcome))
    print(f"{games} games at once in {time.perf_counter() - begun:.0f} s: "
          f"{len(figures.errors)} errors, {figures.lost} lost moves")  # fmt: skip
    for error in sorted(set(figures.errors))[:5]:
        print(f"  {error}")
    for kind, seconds in figures.seconds.items():
        ms = sorted(1000 * each for each in seconds)
        print(f"  {kind:8} {len(ms):5} times, median {statistics.median(ms):6.1f} ms, "
              f"p95 {ms[int(0.95 * (len(ms) - 1))]:6.1f} ms, longest {ms[-1]:6.1f} ms")  # fmt: skip
    count = sum(map(len, figures.seconds.values()))
    print(f"  {1000 * (cpu_s(process) - used) / count:.1f} ms of the server's processor an interaction")
    alive = sum(socket.state.name == "OPEN" for socket in sockets)
    print(f"{alive} of {len(sockets)} idle connections are still open")
    for socket in sockets:
        await socket.close()
    for client in clients:
        await client.aclose()


def paint(address: str) -> None:
    """The first paint and the weight of the page, in Chromium."""
    import shutil

    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        paints = []
        for _ in range(5):
            page = browser.new_context().new_page()
            page.goto(address)
            page.wait_for_selector(".wishes button.primary")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            sizes = page.evaluate(
                "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                ".filter((each) => each.initiatorType !== 'img')"
                ".map((each) => [each.transferSize, each.decodedBodySize])"
            )
        print(f"first paint: median {statistics.median(paints):.0f} ms of {len(paints)} cold visits")
        print(f"page before images: {sum(size for size, _ in sizes) / 1000:.0f} kB sent, "
              f"{sum(size for _, size in sizes) / 1000:.0f} kB unpacked, {len(sizes)} requests")  # fmt: skip
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between a visitor's moves")
    parser.add_argument("--no-browser", action="store_true")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "joute", "serve", "--port", "0", "--database", f"{folder}/page.db"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", server.stdout.readline())
            assert found is not None, "joute serve did not start"
            try:
                if not settings.no_browser:
                    paint(found[0])
                asyncio.run(measure(found[0], server.pid, settings.games, settings.connections, settings.pace))
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
