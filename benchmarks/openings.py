"""The balance of openings: values by the game's engine, and pairs of games between strong agents.

    python -m benchmarks.openings --out build/openings.jsonl             # measures, and prints the tables
    python -m benchmarks.openings --out build/openings.jsonl --seconds 0 # prints the tables of what is measured

Each game is measured from `random` openings and from a set of balanced ones. Three tables:

- values: the advantage of the first player over the openings, by the engine with at least twice the nodes of the set's
  judge, so that a set is not measured by the search that chose it;
- equal: pairs of games, colours swapped, between two versions of the engine that differ in a parameter without a
  measurable effect on strength; a pair splits if each agent wins one game, both as the first or both as the second
  player. For ±5: the games after which the 95% interval of the score is 5 points either way;
- odds: the same between the engine and the engine with half the nodes. To show: the games after which 95% of such
  matches' intervals leave out one half (power 80%), which is the price of a comparison.

A split pair tells nothing, yet it makes the interval of the score narrower: the score of agents that split every pair
is 50% with certainty, whatever their strength. So the last figure is the one to compare.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import math
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from joute.agents import agent
from joute.arena.opening_sets import advantage_for_first
from joute.arena.openings import make_openings
from joute.games import new
from joute.match.game import derive_seed
from joute.match.referee import play_game
from joute.match.statistics import wilson_interval
from joute.system import usable_cores

KINDS = ("random", "balanced")
_Z_95, _Z_POWER = 1.96, 0.84


@dataclass(frozen=True)
class Game:
    """How a game is measured: the judge of its values, and the agents of its pairs."""

    name: str
    judge: str
    equal: tuple[str, str]
    odds: tuple[str, str]
    pairs: int


GAMES = (
    Game(
        "connect4",
        "perfect",
        ("mcts:iterations=5000", "mcts:iterations=5000"),
        ("mcts:iterations=5000", "mcts:iterations=2500"),
        1000,
    ),
    Game(
        "avalam",
        "avalam:nodes=4000000",
        ("avalam:nodes=20000,reductions=0.9", "avalam:nodes=20000,reductions=1.1"),
        ("avalam:nodes=20000", "avalam:nodes=10000"),
        1000,
    ),
    Game(
        "divercite",
        "divercite:nodes=4000000",
        ("divercite:nodes=20000,reductions=0.9", "divercite:nodes=20000,reductions=1.1"),
        ("divercite:nodes=20000", "divercite:nodes=10000"),
        1000,
    ),
    Game(
        "quoridor",
        "quoridor:nodes=2000000",
        ("quoridor:nodes=10000,reductions=0.9", "quoridor:nodes=10000,reductions=1.1"),
        ("quoridor:nodes=10000", "quoridor:nodes=5000"),
        400,
    ),
    Game(
        "vampires",
        "vampires:nodes=2000000",
        ("vampires:nodes=5000", "vampires:nodes=5000,quiescence=3"),
        ("vampires:nodes=5000", "vampires:nodes=2500"),
        400,
    ),
)

_VALUES = 200
_SEED = 7

# Work is done in portions of this many, so that a measurement that stops early has all games and kinds.
_PORTION = 50

Task = tuple[str, str, str, int]  # game, kind, table, number


def measure(task: Task, folder: Path | None) -> Any:
    """Return the advantage of the first player, or the points of the first agent in a pair and its colour's results."""
    name, _, table, number = task
    game = next(game for game in GAMES if game.name == name)
    state = new(name, opening(task, folder))
    if table == "values":
        return advantage_for_first(state, game.judge)
    specs = game.equal if table == "equal" else game.odds
    outcomes = []
    for colour in (0, 1):
        seed = derive_seed(_SEED, 2 * number + colour)
        players = [agent(spec, game=name, seed=derive_seed(seed, side)) for side, spec in enumerate(specs)]
        record = play_game(state, players[colour], players[1 - colour], seed=seed)
        outcomes.append(record.result.outcome)
    return outcomes  # for the first player of the first game, in which A is first, and of the second, in which B is


def tasks(games: list[Game], share: float) -> Iterator[Task]:
    """All tasks, in portions that go round the games, kinds and tables."""
    most = max(game.pairs for game in games)
    for begin in range(0, most, _PORTION):
        for game in games:
            for kind in KINDS:
                for table in ("values", "equal", "odds"):
                    size = (_VALUES if table == "values" else game.pairs) * share
                    for number in range(begin, min(begin + _PORTION, math.ceil(size))):
                        yield game.name, kind, table, number


@functools.cache
def balanced(game: str, folder: Path | None) -> tuple[str, ...]:
    text = "balanced" if folder is None else str(folder / f"{game}.txt")
    return make_openings(game, text, sys.maxsize, seed=_SEED).positions


def opening(task: Task, folder: Path | None) -> str:
    """Return the opening of a task. Random ones have a seed each, so that the processes draw them in parallel."""
    name, kind, _, number = task
    if kind == "random":
        return make_openings(name, "random", 1, seed=derive_seed(_SEED, number)).positions[0]
    known = balanced(name, folder)
    return known[number % len(known)]


def run(out: Path, games: list[Game], folder: Path | None, share: float, seconds: float, jobs: int) -> None:
    """Do the tasks that are not done yet, until all are done or the time is up."""
    deadline = time.monotonic() + seconds
    done = {tuple(task) for task, _ in read(out)}
    todo = (task for task in tasks(games, share) if task not in done)
    with (
        out.open("a", encoding="utf-8") as file,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        running: dict[Future[Any], Task] = {}
        while time.monotonic() < deadline:
            for task in itertools.islice(todo, 2 * jobs - len(running)):
                running[pool.submit(measure, task, folder)] = task
            if not running:
                break
            finished, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for future in finished:
                file.write(json.dumps([running.pop(future), future.result()]) + "\n")
            file.flush()
        pool.shutdown(wait=True, cancel_futures=True)


def read(out: Path) -> list[tuple[Task, Any]]:
    text = out.read_text(encoding="utf-8") if out.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.endswith("]")]


def tell(out: Path) -> None:
    found: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for (name, kind, table, _), result in read(out):
        found[name, table, kind].append(result)
    print("| game | openings | positions | median | middle half | middle 80% | largest | favour the second |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, table, kind), results in sorted(found.items()):
        if table == "values":
            print(f"| {name} | {kind} | {values_row(sorted(value for value in results if value is not None))} |")
    for wanted in ("equal", "odds"):
        print(f"\n{wanted}:\n")
        print("| game | openings | pairs | split | 95% interval | first player | score of A | for ±5 | to show |")
        print("|---|---|---|---|---|---|---|---|---|")
        for (name, table, kind), results in sorted(found.items()):
            if table == wanted:
                print(f"| {name} | {kind} | {pairs_row(results)} |")


def values_row(values: list[float]) -> str:
    def at(share: float) -> float:
        return values[min(len(values) - 1, int(share * len(values)))]

    behind = sum(value < 0 for value in values) / len(values)
    return (
        f"{len(values)} | {statistics.median(values):+.2f} | {at(0.25):+.2f} to {at(0.75):+.2f} | "
        f"{at(0.1):+.2f} to {at(0.9):+.2f} | {max(map(abs, values)):.2f} | {behind:.0%}"
    )


def pairs_row(results: list[tuple[int, int]]) -> str:
    """The share of split pairs, the score and its variance, and the games that these make necessary."""
    count = len(results)
    split = sum(first == second != 0 for first, second in results) / count
    low, high = wilson_interval(split, count)
    first_player = statistics.fmean((2 + sum(outcomes)) / 4 for outcomes in results)
    scores = [(2 + first - second) / 4 for first, second in results]
    score, deviation = statistics.fmean(scores), statistics.pstdev(scores)
    wide = 2 * (_Z_95 * deviation / 0.05) ** 2
    show = 2 * ((_Z_95 + _Z_POWER) * deviation / (score - 0.5)) ** 2 if score != 0.5 else math.inf
    half = _Z_95 * deviation / math.sqrt(count)
    return (
        f"{count} | {split:.0%} | {low:.0%} to {high:.0%} | {first_player:.1%} | {score:.1%} ± {100 * half:.1f} | "
        f"{wide:.0f} | {show:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file of results, which a later run adds to")
    parser.add_argument("--games", nargs="*", default=[game.name for game in GAMES], help="which games")
    parser.add_argument("--sets", type=Path, help="a folder with GAME.txt for each game; the shipped sets by default")
    parser.add_argument("--share", type=float, default=1.0, help="share of the positions and pairs, for a trial")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this many seconds")
    parser.add_argument("--jobs", type=int, default=len(usable_cores()), help="processes")
    arguments = parser.parse_args()
    games = [game for game in GAMES if game.name in arguments.games]
    run(arguments.out, games, arguments.sets, arguments.share, arguments.seconds, arguments.jobs)
    tell(arguments.out)


if __name__ == "__main__":
    main()
