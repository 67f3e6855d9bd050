"""200 games of Vampires vs Werewolves at a time on one server, against scripted bots in another process.

A turn's latency is what a player may feel of the server: from the opponent's MOV to the own UPD, as the bots see it,
with both ways through the system's sockets and the bots' own event loop in it.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from joute.arena.store.hosted import HostedGames
from joute.games import State, new
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.server import Hosting, Server, Table
from joute.games.vampires.tcp.wire import FROM_SERVER, Bye, Hme, Map, Mov, Nme, Parser, Upd
from joute.match import GameRecord
from joute.match.record import LOST_TURN

GAMES = 200
# Groups that walk to and fro never meet on it.
GAME = "vampires:map=plains,plies={plies}"
SETTINGS = HostSettings(time_s=2.0, game_s=0, welcome_s=0.5, farewell_s=0)


class _Watch:
    def __init__(self) -> None:
        self.first_s = self.last_s = 0.0
        self.lost = self.turns = 0
        self.reasons: set[str] = set()

    def began(self, table: Table) -> None:
        self.first_s = self.first_s or time.perf_counter()

    def ended(self, table: Table, record: GameRecord, number: int) -> None:
        self.last_s = time.perf_counter()
        self.turns += len(record.moves)
        self.lost += sum(move.move == LOST_TURN for move in record.moves)
        self.reasons.add(record.reason.value)

    def told(self, sentence: str) -> None:
        print(f"  {sentence}")


def run(repeats: int) -> None:
    """One run of each kind: tens of thousands of turns are repeats enough."""
    print(f"\n{GAMES} games at a time on one server process, {SETTINGS.time_s:g} s a turn, bots in another process")
    for label, plies, think_s in (("bots that answer at once", 200, 0.0), ("bots that think 0 to 200 ms", 100, 0.2)):
        _measure(label, plies, think_s)


def _measure(label: str, plies: int, think_s: float) -> None:
    start = new(GAME.format(plies=plies))
    watch = _Watch()
    bots: list[subprocess.Popen[str]] = []

    def ready(port: int) -> None:
        command = [sys.executable, "-m", "benchmarks.vampires_server", str(port), str(think_s)]
        bots.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))

    with tempfile.TemporaryDirectory() as folder, _kept(Path(folder), start) as kept:
        server = Server(Hosting(start, GAMES, settings=SETTINGS), store=kept.add, watcher=watch)  # type: ignore[arg-type]
        used_s = time.process_time()
        asyncio.run(server.run("127.0.0.1", 0, ready))
        used_s = time.process_time() - used_s
    told, _ = bots[0].communicate()
    latencies_ms = sorted(json.loads(told))
    p99 = latencies_ms[int(0.99 * len(latencies_ms))]
    took_s = watch.last_s - watch.first_s
    verdict = "reached" if not watch.lost and watch.reasons == {"normal"} else "MISSED"
    print(
        f"  {label}: {watch.turns / took_s:.0f} turns/s, {1e6 * used_s / watch.turns:.0f} µs of processor time a turn"
    )
    median = statistics.median(latencies_ms)
    print(f"    latency {median:.2f} ms (median), {p99:.2f} ms (99%), {latencies_ms[-1]:.1f} ms (most)")
    print(f"    {watch.lost} of {watch.turns} turns lost (goal none: {verdict})")


def _kept(folder: Path, start: State) -> HostedGames:
    return HostedGames(folder / "games.db", start, clock="2/move", seed=0)


class _Bot(asyncio.Protocol):
    """Walks to and fro. Two bots share `sent_at`: when the other one has moved."""

    def __init__(self, sent_at: list[float], think_s: float, latencies_ms: list[float]) -> None:
        self._sent_at = sent_at
        self._think_s = think_s
        self._latencies_ms = latencies_ms
        self._parser = Parser(FROM_SERVER)
        self.has_map = asyncio.get_running_loop().create_future()
        self.is_over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        transport.write(Nme.called("bot").encode())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self._parser.feed(data)
        while frame := self._parser.next_frame():
            if isinstance(frame, Hme):
                there = frame.x + 1, frame.y
                self._moves = [(frame.x, frame.y, 10, *there), (*there, 10, frame.x, frame.y)]
            elif isinstance(frame, Map):
                self.has_map.set_result(None)
            elif isinstance(frame, Upd):
                if frame.cells:
                    self._latencies_ms.append(1000 * (now - self._sent_at[0]))
                if self._think_s:
                    asyncio.get_running_loop().call_later(random.uniform(0, self._think_s), self._move)
                else:
                    self._move()
            elif isinstance(frame, Bye):
                self.is_over.set_result(None)

    def _move(self) -> None:
        self._moves.reverse()
        self._sent_at[0] = time.perf_counter()
        self._transport.write(Mov.giving([self._moves[1]]).encode())  # type: ignore[attr-defined]


async def _play(port: int, think_s: float) -> list[float]:
    loop = asyncio.get_running_loop()
    latencies_ms: list[float] = []
    bots = []
    for _ in range(GAMES):
        sent_at = [0.0]
        for _ in range(2):  # one after the other, so that these two meet
            _, bot = await loop.create_connection(lambda s=sent_at: _Bot(s, think_s, latencies_ms), "127.0.0.1", port)  # type: ignore[misc]
            await bot.has_map
            bots.append(bot)
    await asyncio.gather(*(bot.is_over for bot in bots))
    return latencies_ms


if __name__ == "__main__":
    json.dump(asyncio.run(_play(int(sys.argv[1]), float(sys.argv[2]))), sys.stdout)
