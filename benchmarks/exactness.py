"""Checks what searches claim near the end of games: ``python -m benchmarks.exactness --jobs 16``.

The positions are the last twelve plies of Avalam and Divercité games. Every search analyzes each of them with growing
limits, each time with an empty memory. The exact solver gives the true value of every move. The program counts

- wrong claims: a value called exact, or the verdict of a move ("wins", "does not lose"), that is not true;
- falls: a search whose chosen move is worse than what the same search with a smaller limit was sure of.

It prints them, and ends with status 1 if there is any. An alpha-beta search without reductions is among the searches,
so the solver is checked too.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

import joute
from benchmarks.searching import searcher
from joute.agents import Analysis
from joute.numbers import is_decided

PLIES = 12
# Limits in nodes; `budget` in a spec below.
BUDGETS = tuple(1000 * 4**step for step in range(6))
# A simulation of MCTS takes about as long as so many nodes.
NODES_A_SIMULATION = 20
# The share of random moves in the games that give the positions.
RANDOM_SHARE = 0.1
# A solver's node limit for the true values.
MOST_NODES = 2_000_000_000


@dataclass(frozen=True)
class GameSearches:
    player: str  # plays the games that give the positions
    solver: str
    unit: str  # of the values of the engine's solver
    in_unit: float  # the solver's own values, times this, are in that unit
    searches: tuple[str, ...]


_GENERIC = ("alphabeta:nodes={nodes}", "mcts:iterations={iterations},solver=prune")
GAMES = {
    "avalam": GameSearches(
        "avalam:nodes=1000",
        "avalam-solver",
        "towers",
        1 / 16,
        ("avalam:nodes={nodes}", "avalam:nodes={nodes},solve_share=0", "avalam-solver:nodes={nodes}", *_GENERIC),
    ),
    "divercite": GameSearches(
        "divercite:nodes=1000",
        "divercite-solver",
        "points",
        1.0,
        (
            "divercite:nodes={nodes}",
            "divercite:nodes={nodes},solve_share=0",
            "divercite-solver:nodes={nodes}",
            *_GENERIC,
        ),
    ),
}


@dataclass(frozen=True)
class Truth:
    """The true value of every move, for the mover, in the engine's unit."""

    values: dict[str, float]

    def outcome(self, move: str) -> int:
        return (self.values[move] > 0) - (self.values[move] < 0)

    @property
    def best(self) -> float:
        return max(self.values.values())


@dataclass
class Tally:
    analyses: int = 0
    exact: int = 0
    wrong: list[str] = field(default_factory=list)
    falls: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.analyses += other.analyses
        self.exact += other.exact
        self.wrong += other.wrong
        self.falls += other.falls


def positions(game: str, count: int, seed: int = 0) -> Iterator[str]:
    """The last plies of games between engines that search little and sometimes move at random."""
    rng = random.Random(seed)
    player = joute.agent(GAMES[game].player, game=game)
    while count > 0:
        state = joute.new(game)
        played = [state]
        while not state.is_terminal:
            is_random = state.ply < 4 or rng.random() < RANDOM_SHARE
            state = state.play(rng.choice(state.legal_moves) if is_random else player.choose(state, joute.Clock()))
            played.append(state)
        last = played[-1 - PLIES : -1][:count]
        count -= len(last)
        yield from (state.position for state in last)


def check(game: str, position: str, budgets: Sequence[int] = BUDGETS) -> dict[str, Tally]:
    """Check every search of a game on one position."""
    state = joute.new(game, position)
    truth = _truth(game, state)
    return {spec: _check_search(game, spec, state, truth, budgets) for spec in GAMES[game].searches}


def _truth(game: str, state: joute.State) -> Truth:
    judge = searcher(f"{GAMES[game].solver}:nodes={MOST_NODES}", game=game)
    analysis = judge.analyze(state, lines=len(state.legal_moves))
    values = {}
    for judged in analysis.moves:
        assert judged.value is not None, f"the solver did not finish {state.position}"
        values[str(judged.move)] = judged.value * GAMES[game].in_unit
    return Truth(values)


def _check_search(game: str, spec: str, state: joute.State, truth: Truth, budgets: Sequence[int]) -> Tally:
    tally = Tally()
    least_outcome, least_value = -1, -math.inf  # that a search with a smaller limit was sure of
    for budget in sorted(budgets):
        named = spec.format(nodes=budget, iterations=max(1, budget // NODES_A_SIMULATION))
        analysis = searcher(named, game=game).analyze(state, lines=1)
        tally.analyses += 1
        tally.exact += analysis.exact
        where = f"{game} '{state.position}' {named}"
        tally.wrong += [f"{where}: {claim}" for claim in _wrong_claims(game, analysis, truth)]
        chosen = str(analysis.moves[0].move)
        value = truth.values[chosen]
        if truth.outcome(chosen) < least_outcome or value < least_value:
            tally.falls.append(f"{where}: {chosen} is {value:g}; before: {least_outcome:+d}, {least_value:g}")
        least_outcome = max(least_outcome, _bounds(analysis.moves[0].verdict)[0])
        if (exact := _exact_value(game, analysis)) is not None:
            least_value = max(least_value, exact)
    return tally


def _exact_value(game: str, analysis: Analysis) -> float | None:
    """The value that an analysis calls exact, in the engine's unit; None if it proves no more than the outcome."""
    value = analysis.value
    is_known = analysis.exact and analysis.unit == GAMES[game].unit and value is not None and not is_decided(value)
    return value if is_known else None


def _wrong_claims(game: str, analysis: Analysis, truth: Truth) -> Iterator[str]:
    if (value := _exact_value(game, analysis)) is not None and value != truth.best:
        yield f"the value is {truth.best:g}, not {value:g}"
    if analysis.exact and _bounds(analysis.verdict)[0] != _bounds(analysis.verdict)[1]:
        yield f"an exact value has the verdict '{analysis.verdict}'"
    if analysis.exact and not _holds(analysis.verdict, max(map(truth.outcome, truth.values))):
        yield f"the value is {truth.best:g}, not '{analysis.verdict}'"
    for judged in analysis.moves:
        if not _holds(judged.verdict, truth.outcome(str(judged.move))):
            yield f"{judged.move} is {truth.values[str(judged.move)]:g}, not '{judged.verdict}'"


def _holds(verdict: str, outcome: int) -> bool:
    lower, upper = _bounds(verdict)
    return lower <= outcome <= upper


def _bounds(verdict: str) -> tuple[int, int]:
    """The outcomes that a verdict claims, as their lower and their upper bound."""
    if "not proven" in verdict:
        return -1, 1
    known = {"wins": (1, 1), "draws": (0, 0), "loses": (-1, -1), "does not lose": (0, 1), "does not win": (-1, 0)}
    return next((bounds for words, bounds in known.items() if verdict.startswith(words)), (-1, 1))


def run_all(games: Sequence[str], count: int, jobs: int, budgets: Sequence[int], seed: int) -> dict[str, Tally]:
    """Check `count` positions of each game in `jobs` processes; the tallies by game and search."""
    work = [(game, position) for game in games for position in positions(game, count, seed)]
    tallies: dict[str, Tally] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        pending = [(game, pool.submit(check, game, position, budgets)) for game, position in work]
        for game, future in pending:
            for spec, tally in future.result().items():
                tallies.setdefault(f"{game} {spec}", Tally()).add(tally)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", choices=[*GAMES, []], help="which games; all if none is named")
    parser.add_argument("--positions", type=int, default=2000, help="positions of each game (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the games (default: %(default)s)")
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="node limits (default: %(default)s)")
    arguments = parser.parse_args()
    tallies = run_all(
        arguments.games or list(GAMES), arguments.positions, arguments.jobs, arguments.budgets, arguments.seed
    )
    print(f"{arguments.positions} positions of each game, node limits {', '.join(map(str, arguments.budgets))}")
    print(f"{'search':<52} {'analyses':>8} {'exact':>8} {'wrong':>6} {'falls':>6}")
    for name, tally in tallies.items():
        print(f"{name:<52} {tally.analyses:>8} {tally.exact:>8} {len(tally.wrong):>6} {len(tally.falls):>6}")
    faults = [fault for tally in tallies.values() for fault in tally.wrong + tally.falls]
    print(*faults[:100], sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
