"""Vampires vs Werewolves: how fast and how deep the paper's player searches on our core, and what its table saves."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

import joute
from benchmarks.searching import nodes_of, searcher
from joute._core import SearchResult
from joute.agents.search import SearchAgent

# The paper's player as it was and mended, and beside it the game's engine.
AGENTS = ("langorou:version=faithful", "langorou:version=corrected", "vampires")
SECONDS = 1.6  # what the paper's player takes of a turn of 2 s

# Maps, small, usual, dense, large and two of tactics; and the depth to search with and without the table, which takes
# about a second without.
TABLE_DEPTHS = {"hamlet": 10, "default": 6, "crowd": 5, "plains": 7, "fork": 6, "bait": 7}

# Figures of the paper's own program (Go) in the same time at the start of other maps, on one core of another, busy
# machine: orientation, no rival.
ORIENTATION = {
    "a small map": "326 k, depth 6",
    "10×10 with 12 houses, as default": "87 k to 142 k, depth 5 to 8",
    "houses everywhere": "32 k, depth 4",
    "the slowest map": "31 k, depth 5",
}


class Look(NamedTuple):
    nodes_per_s: float
    depth: int
    core_share: float  # of the time, how much a core was ours


def run(repeats: int) -> None:
    speed_and_depth(repeats)
    table(repeats)


def speed_and_depth(repeats: int) -> None:
    print(f"\nThe start of each map, {SECONDS} s, an empty table each time: nodes/s by processor time, completed depth")
    width = max(map(len, AGENTS)) + 2
    print(f"  {'map':<9}" + "".join(f"{spec:>{width}}" for spec in AGENTS))
    shares: list[float] = []
    for map_name in TABLE_DEPTHS:
        start = joute.new(f"vampires:map={map_name}")
        looks: dict[str, list[Look]] = {spec: [] for spec in AGENTS}
        for _ in range(repeats):
            for spec in AGENTS:
                looks[spec].append(look(spec, start))
        shares += [look.core_share for of in looks.values() for look in of]
        cells = (_medians(of) for of in looks.values())
        print(f"  {map_name:<9}" + "".join(f"{cell:>{width}}" for cell in cells))
    share = statistics.median(shares)
    busy = " (the machine is busy: depths are too low)" * (share < 0.9)
    print(f"  medians; the searches had {share:.0%} of a core{busy}")
    print("  for orientation, the paper's program on other maps and another machine:")
    for kind, figures in ORIENTATION.items():
        print(f"    {kind:<34}{figures}")


def look(spec: str, start: joute.State) -> Look:
    agent = searcher(spec, game="vampires")
    began, began_busy = time.perf_counter(), time.process_time()
    found = agent.analyze(start, lines=1, seconds=SECONDS)
    busy_s = time.process_time() - began_busy
    assert found.depth is not None
    return Look(nodes_of(found) / busy_s, found.depth, busy_s / (time.perf_counter() - began))


def _medians(looks: Sequence[Look]) -> str:
    rate = statistics.median(look.nodes_per_s for look in looks)
    depth = statistics.median(look.depth for look in looks)
    return f"{rate / 1e6:.2f} M, depth {depth:g}"


def table(repeats: int) -> None:
    """The same depth with the table, which only orders turns, and without it."""
    for version in ("faithful", "corrected"):
        print(f"\nlangorou:version={version} to a fixed depth, with its table (best turns first) and without")
        print(f"  {'map':<9}{'depth':>5}{'nodes with':>13}{'without':>13}{'ratio':>8}{'time ratio':>12}{'hits':>8}")
        for map_name, depth in TABLE_DEPTHS.items():
            start = joute.new(f"vampires:map={map_name}")
            specs = [f"langorou:version={version},table={table}" for table in ("yes", "no")]
            timed = [[search(spec, start, depth) for spec in specs] for _ in range(repeats)]
            (kept, _), (plain, _) = timed[0]
            assert kept.depth == plain.depth, (map_name, kept.depth, plain.depth)
            # The order of turns may change what the faithful one makes of bounds.
            assert version == "faithful" or math.isclose(kept.value, plain.value), (map_name, kept.value, plain.value)
            seconds = statistics.median(without / with_table for (_, with_table), (_, without) in timed)
            print(
                f"  {map_name:<9}{kept.depth:>5}{kept.nodes:>13,}{plain.nodes:>13,}{plain.nodes / kept.nodes:>7.2f}×"
                f"{seconds:>11.2f}×{kept.table_hits / kept.table_looks:>8.1%}"
            )


def search(spec: str, start: joute.State, depth: int) -> tuple[SearchResult, float]:
    """The core's result, which has more than the agent's search info, and the processor time in seconds."""
    agent = joute.agent(spec, game="vampires")
    assert isinstance(agent, SearchAgent)
    began = time.process_time()
    result = agent._run(start, {"depth": depth}, 1)
    return result, time.process_time() - began
