"""How deep the Divercité paper's versions look, ply by ply: on our core, and V3 as the paper's kind of Python.

All think about the same positions, those of games that V3 plays from two random plies on; each has a clock of its
own, spends it by its own plan, and is paid for what it takes. Depths are completed ones: the paper's figure shows the
depth that was begun, one more. Written as a table and, if wanted, as a picture:

    python -m benchmarks.divercite_depth --share 60 --games 3 --svg depth.svg
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import joute
from benchmarks.python_divercite import PLIES, Move, State, deepen
from benchmarks.searching import SearchingAgent, searcher
from joute.agents.time_plans import PLANS
from joute.games.divercite.state import Divercite

CLOCK_S = 900
OPENING_PLIES = 2
# The plies at which the paper's V3 spends most of its time, and the lead in depth that ours must have there.
MIDDLE = range(12, 25)
GOAL = 3
PYTHON = "V3 in Python"
VERSIONS = ("V0", "V1", "V2", "V3")

#: By contender and ply, the depths that were completed.
Depths = dict[str, dict[int, list[int]]]


@dataclass
class Contender:
    """Somebody who looks at a position under a clock, and says how deep."""

    look: Callable[[joute.State, State, joute.Clock], int]
    clock_s: float
    left_s: dict[int, float] = field(default_factory=dict)

    def depth(self, state: joute.State, copy: State) -> int:
        left_s = self.left_s.setdefault(state.to_move, self.clock_s)
        began = time.perf_counter()
        depth = self.look(state, copy, joute.Clock(remaining_s=left_s, nominal_s=self.clock_s))
        # A plan shares out what is left: nobody is ever without.
        self.left_s[state.to_move] = max(left_s - (time.perf_counter() - began), 0.001)
        return depth


def on_core(agent: SearchingAgent) -> Callable[[joute.State, State, joute.Clock], int]:
    def look(state: joute.State, copy: State, clock: joute.Clock) -> int:
        agent.choose(state, clock)
        assert agent.info is not None
        assert agent.info.depth is not None
        return agent.info.depth

    return look


def in_python(state: joute.State, copy: State, clock: joute.Clock) -> int:
    return deepen(copy, PLANS["divercite-v3"][0].budget(clock, state.ply).seconds)[1]


def move_of(move: object) -> Move:
    """A move as the Python program has it."""
    colour, column, row = list(str(move))
    return colour.upper() + ("C" if colour.isupper() else "R"), (int(row) - 1, "abcdefghi".index(column))


def play(clock_s: float, seed: int, depths: Depths) -> None:
    """One game, and how deep everybody looks on the way."""
    rng = random.Random(seed)
    agents = {version: searcher(f"divercite-{version.lower()}", game="divercite") for version in VERSIONS}
    contenders = {version: Contender(on_core(agent), clock_s) for version, agent in agents.items()}
    contenders[PYTHON] = Contender(in_python, clock_s)
    state, copy = Divercite.new(), State.new()
    while not state.is_terminal:
        if state.ply < OPENING_PLIES:
            move = rng.choice(state.legal_moves)
        else:
            for name, contender in contenders.items():
                depths[name][state.ply].append(contender.depth(state, copy))
            told = agents["V3"].info
            assert told is not None
            move = state.legal_move(told.pv[0])
        state, copy = state.play(move), copy.play(move_of(move))
    assert state.scores == tuple(copy.scores.values()) or state.scores[0] == state.scores[1]


def measured(clock_s: float, games: int) -> dict[str, dict[int, float]]:
    """Medians over the games, by contender and ply."""
    depths: Depths = defaultdict(lambda: defaultdict(list))
    for seed in range(1, games + 1):
        play(clock_s, seed, depths)
    return {name: {ply: statistics.median(of) for ply, of in by_ply.items()} for name, by_ply in depths.items()}


def show(medians: Mapping[str, Mapping[int, float]]) -> None:
    """The table, and whether the goal is met."""
    print(f"  {'ply':>3} " + " ".join(f"{name:>12}" for name in medians))
    for ply in next(iter(medians.values())):
        print(f"  {ply:>3} " + " ".join(f"{by_ply[ply]:>12g}" for by_ply in medians.values()))
    ahead = [medians["V3"][ply] - medians[PYTHON][ply] for ply in MIDDLE]
    verdict = "reached" if min(ahead) >= GOAL else "MISSED"
    print(
        f"  plies {MIDDLE[0]} to {MIDDLE[-1]}: V3 on our core is deeper by {min(ahead):g} to {max(ahead):g} plies, "
        f"{statistics.mean(ahead):.1f} on average (goal at least {GOAL}: {verdict})"
    )


def run(repeats: int, share: int = 180, games: int = 3, svg: Path | None = None) -> None:
    """`repeats` does not count here: a game has its own."""
    clock_s = CLOCK_S / share
    print(f"\nCompleted depth by ply, 1/{share} of the paper's clock ({clock_s:g} s a side), median of {games} games")
    medians = measured(clock_s, games)
    show(medians)
    if svg:
        svg.write_text(picture(medians, f"Completed depth by ply, {clock_s:g} s a side"), encoding="utf-8")
        print(f"  {svg}")


# --- The picture ---

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 40, 36, 110, 40
# Colours that also differ in grey and for the colour-blind (Okabe & Ito 2008).
INKS = ("#999999", "#e69f00", "#56b4e9", "#0072b2", "#d55e00")


def picture(medians: Mapping[str, Mapping[int, float]], title: str) -> str:
    """An SVG with a line for each contender."""
    top = max(max(by_ply.values()) for by_ply in medians.values())

    def place(ply: float, depth: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * ply / PLIES
        return x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * depth / top

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for depth in range(0, int(top) + 1, 2):
        y = place(0, depth)[1]
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{depth}</text>')
    for ply in range(0, PLIES + 1, 5):
        x = place(ply, 0)[0]
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{ply}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">ply</text>')
    for number, ((name, by_ply), ink) in enumerate(zip(medians.items(), INKS, strict=True)):
        points = " ".join("{:.1f},{:.1f}".format(*place(ply, depth)) for ply, depth in by_ply.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"/>')
        y = TOP + 12 + 20 * number
        parts.append(f'<line x1="{WIDTH - RIGHT + 8}" x2="{WIDTH - RIGHT + 24}" y1="{y}" y2="{y}" stroke="{ink}" ')
        parts.append(f'stroke-width="2"/><text x="{WIDTH - RIGHT + 30}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=int, default=180, help="the paper's 900 s divided by this")
    parser.add_argument("--games", type=int, default=3, help="games whose positions are looked at")
    parser.add_argument("--svg", type=Path, help="where to draw it")
    chosen = parser.parse_args(arguments)
    run(1, chosen.share, chosen.games, chosen.svg)


if __name__ == "__main__":
    main()
