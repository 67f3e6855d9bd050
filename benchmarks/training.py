"""Self-play of actors on a Ray cluster of this machine, beside that of one process on the same cores.

On a busy machine, threads that wait for each other lose more than actors, which do not; so moves for each second of
processor time are compared too, with a process of one thread.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import statistics
import time
from pathlib import Path

import torch

from benchmarks.measure import show
from joute.arena.cluster.ray_machines import connected
from joute.games import State, new
from joute.games.connect4.state import Connect4
from joute.train.cluster.actor import GuardedActor
from joute.train.cluster.driver import Actors
from joute.train.network import Network, design_of
from joute.train.parameters import TrainParameters
from joute.train.self_play import Pools, Searches, SelfPlay

_CORES = 2
# A network and a number of games that fit a processor.
_SETTINGS = {"channels": "16", "blocks": "2", "games": "128", "pools": "2", "actor_games": "128", "device": "cpu"}
_SIMULATIONS = (32, 8)
# The least share of the rate of one process that actors must reach.
_GOAL = 0.85
# Seconds of a measurement, and before it.
_SECONDS, _WARM_UP_S = 8.0, 3.0


def run(repeats: int) -> None:
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}  # of a cluster that ends with this benchmark
    parameters = TrainParameters.read(_SETTINGS, Connect4)
    parameters = dataclasses.replace(parameters, threads=_CORES, actors=_CORES)
    start = new("connect4")
    actors, threads, one = f"{_CORES} actors on Ray", f"one process, {_CORES} threads", "one process, 1 thread"
    measured: dict[str, list[tuple[float, float]]] = {actors: [], threads: [], one: []}
    with connected("local", GuardedActor) as machines:
        for part in range(max(3, repeats // 2)):
            on_ray = Actors(machines, start, parameters, searches=_searches, part=part)
            measured[actors].append(_rates(on_ray, start, parameters))
            for name, count in ((threads, _CORES), (one, 1)):
                torch.set_num_threads(count)
                own = dataclasses.replace(parameters, threads=count)
                here = Pools(start, own, searches=_searches, device=torch.device("cpu"), first=16 * part)
                measured[name].append(_rates(here, start, own))
    by_clock = {name: statistics.median(rate for rate, _ in measured[name]) for name in (actors, threads)}
    show("Self-play in Connect Four, a network of 2 blocks of 16 channels", "moves", by_clock, goal=_GOAL)
    by_processor = {name: statistics.median(rate for _, rate in measured[name]) for name in (actors, one)}
    show("The same, by processor time of all processes", "moves", by_processor, goal=_GOAL)


def _searches() -> Searches:
    return Searches(_SIMULATIONS, 0.0)


def _rates(self_play: SelfPlay, start: State, parameters: TrainParameters) -> tuple[float, float]:
    """Moves a second, and moves a second of processor time. Games a second are these, divided by the games' length."""
    torch.manual_seed(0)
    network = Network(design_of(self_play.shape, parameters, start)).eval()
    self_play.begin(network, 0)
    while not self_play.counters.plies:
        self_play.turn(0)
    _go_on(self_play, _WARM_UP_S)
    before, used_s, began_s = self_play.counters.plies, _processor_s(), time.perf_counter()
    _go_on(self_play, _SECONDS)
    moves = self_play.counters.plies - before
    rates = moves / (time.perf_counter() - began_s), moves / (_processor_s() - used_s)
    self_play.close()
    return rates


def _processor_s() -> float:
    """The processor time of this process and of those below it, Ray's among them."""
    times, parents = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            times[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            parents[int(folder.name)] = int(fields[1])

    def is_below(process: int) -> bool:
        return process == os.getpid() or (process in parents and is_below(parents[process]))

    return sum(time_s for process, time_s in times.items() if is_below(process))


def _go_on(self_play: SelfPlay, seconds: float) -> None:
    until_s = time.perf_counter() + seconds
    while time.perf_counter() < until_s:
        self_play.turn(0)
