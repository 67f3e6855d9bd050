"""Games on a Ray cluster of this machine, beside the worker processes of one machine; and how much one driver carries.

The driver is measured with hosts that sleep instead of playing: there is one machine, and many workers are wanted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import heapq
import itertools
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import show
from joute.arena.cluster.host import Host, Played
from joute.arena.cluster.ray_machines import connected
from joute.arena.cluster.shipment import Shipment
from joute.arena.cluster.venue import ClusterVenue
from joute.arena.plan import Plan, make_plan
from joute.arena.pool.venue import HERE, Venue
from joute.arena.tournament import Tournament
from joute.match.game import derive_seed
from joute.match.record import GameRecord
from joute.match.referee import play_game
from joute.system import usable_cores

# Games of milliseconds and of seconds, and how many are played.
_SHORT, _LONG = ("random", "greedy"), ("mcts:iterations=20000", "mcts:iterations=20000,c=1")
_SHORT_GAMES, _LONG_GAMES = 3000, 24
# The most that Ray may take of the rate of long and of short games.
_LONG_GOAL, _SHORT_GOAL = 0.90, 0.75
# Hosts that sleep: nodes, seconds of a game, workers, games of each worker, and the wanted share of the ideal rate.
_NODES, _SLEEP_S, _WORKERS, _ROUNDS, _EFFICIENCY = 4, 1.0, (2, 8, 32, 64), 15, 0.90
# Games that take no time at all, to find the rate of the driver.
_FLOOD = 5000


def run(repeats: int) -> None:
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}  # of a cluster that ends with this benchmark
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk, which /tmp may not be
        paths = (Path(folder) / f"{number}.db" for number in itertools.count())
        with connected("local") as machines:
            _compare(ClusterVenue(machines), paths, max(3, repeats // 2))
        with _nodes(_NODES, _WORKERS[-1] // _NODES) as address, connected(address, SleepingHost) as machines:
            _saturate(ClusterVenue(machines), paths)


def _compare(ray: Venue, paths: Iterator[Path], repeats: int) -> None:
    for title, agents, games, goal in (
        ("Games of about a second", _LONG, _LONG_GAMES, _LONG_GOAL),
        ("Games of milliseconds", _SHORT, _SHORT_GAMES, _SHORT_GOAL),
    ):
        measured: dict[str, list[float]] = {"on Ray": [], "in worker processes": []}
        for _ in range(repeats):
            for venue, rates in zip((ray, HERE), measured.values(), strict=True):
                rates.append(_rate(venue, agents, games, next(paths)))
        medians = {name: statistics.median(rates) for name, rates in measured.items()}
        show(f"{title}, {len(usable_cores())} workers, without the start", "games", medians, goal=goal)


def _saturate(ray: Venue, paths: Iterator[Path]) -> None:
    agents = ("random", "random")
    print(f"\n{_NODES} nodes whose hosts sleep for {_SLEEP_S:g} s instead of playing")
    for workers in _WORKERS:
        rate = _rate(ray, agents, workers * _ROUNDS, next(paths), workers, clock=f"{_SLEEP_S:g}/move")
        share = rate * _SLEEP_S / workers
        verdict = "reached" if share >= _EFFICIENCY else "MISSED"
        about = f"{share:.1%} of the ideal (goal {_EFFICIENCY:.0%}: {verdict})"
        print(f"  {workers:>3} workers {rate:>8.2f} games/s, {about}")
    rate = _rate(ray, agents, _FLOOD, next(paths))
    print(f"  games that take no time {rate:>8.0f} games/s: what one driver carries")


def _rate(
    venue: Venue, agents: tuple[str, str], games: int, path: Path, concurrency: int = 0, *, clock: str = "none"
) -> float:
    """Games per second, from the end of the first game on, when all workers have begun."""
    ends_s: list[float] = []
    plan = make_plan("connect4", agents, games=games, openings="start", concurrency=concurrency, clock=clock)
    with Tournament.create(plan, path) as tournament:
        tournament.use(venue)
        tournament.play(lambda _: ends_s.append(time.perf_counter()))
        return (games - tournament.workers) / (ends_s[-1] - ends_s[0])


class SleepingHost(Host):
    """Waits as long as the clock of a move says, instead of playing; without a clock not at all."""

    def speed(self, game: str, workers: int, seconds: float) -> float:
        """No speed: the same of all."""
        return 1.0

    def begin(self, shipment: Shipment, workers: int, clock_factor: float) -> None:
        """Get ready to send the same game again and again."""
        plan = Plan.from_data(shipment.plan)
        record = play_game("connect4", "random", "random", seed=1)
        threading.Thread(target=self._sleep, args=(plan, shipment.openings, record, workers), daemon=True).start()

    def _sleep(self, plan: Plan, openings: tuple[str, ...], record: GameRecord, workers: int) -> None:
        seconds = plan.control(0).move_s if plan.control(0).is_timed else 0.0
        running: list[tuple[float, int]] = []
        while True:
            with self._changed:
                while self._waiting and len(running) < workers:
                    heapq.heappush(running, (time.monotonic() + seconds, self._waiting.popleft().number))
                if not running or running[0][0] > time.monotonic():
                    self._changed.wait(max(0.0, running[0][0] - time.monotonic()) if running else None)
                    continue
                _, number = heapq.heappop(running)
                first, second = (plan.entrants[side].name for side in (number % 2, 1 - number % 2))
                played = dataclasses.replace(
                    record, start=openings[0], players=(first, second), seed=derive_seed(plan.seed, number)
                )
                self._played.append(Played(number, played, seconds))
                self._changed.notify_all()


@contextlib.contextmanager
def _nodes(count: int, cores: int) -> Iterator[str]:
    """The address of a cluster of nodes on this machine that pretend to have cores."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(count):
            cluster.add_node(num_cpus=cores)
        yield cluster.address
    finally:
        cluster.shutdown()
