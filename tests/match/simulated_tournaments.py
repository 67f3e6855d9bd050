"""Tournaments of agents whose strength is known: how often do the intervals of `rate` cover it?

``python tests/match/simulated_tournaments.py --tournaments 2000`` prints the first table of docs/ratings.md, and
``python tests/match/simulated_tournaments.py --classes 1200 --jobs 4`` the table of classes.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from joute.arena.ranking import ranking
from joute.match.bradley_terry import BradleyTerry
from joute.match.posterior import Posterior
from joute.match.rated_games import GameTable
from joute.match.ratings import BAYESIAN, RatedGame, rate
from joute.match.statistics import ELO_A_NAT

# Gauss and Hermite's points and weights: sums over them are means over a normal distribution.
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)


@dataclass(frozen=True)
class Scenario:
    """Agents of known strength, everybody against everybody, `pairs` openings each, played both ways."""

    name: str
    elos: tuple[float, ...]
    pairs: int
    first_move: float = 0.0
    #: The share of draws between equal agents; of those pairings that have another one, by their agents.
    draws: float = 0.0
    other_draws: tuple[tuple[tuple[int, int], float], ...] = ()
    #: How much openings favour one colour: the standard deviation, in Elo. It helps both players in turn.
    openings_sd: float = 0.0

    def expected(self) -> np.ndarray:
        """(n, n): the mean points of the row, first, against the column, over all openings."""
        elos = np.array(self.elos)
        ahead = elos[:, None, None] - elos[None, :, None] + self.first_move + self.openings_sd * _POINTS
        return np.asarray((_score(ahead) * _WEIGHTS).sum(axis=2) / _WEIGHTS.sum())

    def truth(self) -> np.ndarray:
        """The ratings, with mean 0, and the first move's worth that explain the mean points."""
        many = 1e9 * (1 - np.eye(len(self.elos)))
        return BradleyTerry(many, many * self.expected(), {}).maximum().x * ELO_A_NAT

    def games(self, rng: np.random.Generator) -> Iterator[RatedGame]:
        """One tournament."""
        elos = np.array(self.elos)
        draws = np.full((len(elos), len(elos)), self.draws)
        for players, share in self.other_draws:
            draws[players] = draws[players[::-1]] = share
        a, b = (np.repeat(players, self.pairs) for players in np.triu_indices(len(elos), 1))
        favour = rng.normal(self.first_move, self.openings_sd, len(a))
        for first, second in ((a, b), (b, a)):
            score = _score(elos[first] - elos[second] + favour)
            # Draws as often as the weaker one's chances allow, so that the score stays what it is.
            half_draws = draws[first, second] * np.minimum(score, 1 - score)
            luck = rng.random(len(a))
            points = np.where(luck < score - half_draws, 1.0, np.where(luck < score + half_draws, 0.5, 0.0))
            for pair, (i, j, scored) in enumerate(zip(first.tolist(), second.tolist(), points.tolist(), strict=True)):
                yield RatedGame(i, j, scored, pair=pair)


def _score(elo: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-elo / ELO_A_NAT))


SCENARIOS = (
    Scenario("2 agents, 20 games, draws", (0, 0), 10, draws=0.4),
    Scenario("4 agents, 4 games a pairing", (0, 60, 120, 200), 2, first_move=20, draws=0.3),
    Scenario("4 agents, 2 games a pairing", (0, 60, 120, 200), 1, first_move=20, draws=0.3),
    Scenario(
        "6 agents, 20 games a pairing, openings that favour a side by 300 Elo",
        (0, 50, 100, 150, 200, 250), 10, first_move=60, draws=0.3, openings_sd=300,
    ),
    Scenario(
        "4 agents, 20 games a pairing, draws from 5% to 90%",
        (0, 50, 100, 150), 10, first_move=30, draws=0.05,
        other_draws=(((0, 1), 0.9), ((0, 2), 0.9), ((0, 3), 0.9), ((1, 2), 0.9)),
    ),
)  # fmt: skip

# Where ten pairs cannot tell how much results vary, intervals are rather too wide.
EXTREMES = (
    Scenario("2 agents, 20 games, 80% draws", (0, 0), 10, draws=0.8),
    Scenario("2 agents 150 Elo apart, 20 games, 40% draws", (150, 0), 10, first_move=30, draws=0.4),
    Scenario("2 agents, 20 games, openings that favour a side by 600 Elo", (0, 50), 10, first_move=50, openings_sd=600),
)


def coverage(scenario: Scenario, tournaments: int, seed: int) -> tuple[float, float]:
    """In how many tournaments the intervals cover the truth: of the agents, on average, and of the first move."""
    rng = np.random.default_rng(seed)
    truth = scenario.truth()
    covered = np.zeros(len(truth))
    for _ in range(tournaments):
        found = rate(len(scenario.elos), scenario.games(rng))
        intervals = np.array([(rating.low, rating.high) for rating in (*found.ratings, found.first_move)])
        # Ratings refer to the mean of those that are finite.
        true = truth.copy()
        true[:-1] -= truth[:-1][[np.isfinite(rating.elo) for rating in found.ratings]].mean()
        covered += (intervals[:, 0] <= true + 1e-9) & (true - 1e-9 <= intervals[:, 1])
    shares = covered / tournaments
    return float(shares[:-1].mean()), float(shares[-1])


@dataclass(frozen=True)
class Classroom:
    """A round robin of agents whose strengths are drawn from a normal distribution, colours swapped."""

    agents: int
    games: int
    #: The standard deviation of the strengths, in Elo.
    spread: float
    #: Whether one agent of six never starts, and another one of six crashes in a fifth of its games.
    forfeits: bool = False

    def __str__(self) -> str:
        broken = ", forfeits" if self.forfeits else ""
        return f"{self.agents} agents, {self.games} games a pairing, spread {self.spread:g} Elo{broken}"

    def play(self, seed: Sequence[int]) -> ClassResult:
        """One tournament, rated and ranked as in its table."""
        rng = np.random.default_rng(seed)
        broken = rng.permutation(self.agents).tolist()[: max(1, self.agents // 6) * 2 * self.forfeits]
        absent, crashing = set(broken[: len(broken) // 2]), broken[len(broken) // 2 :]
        crashes = np.zeros(self.agents)
        crashes[crashing] = 0.2
        scenario = Scenario("", tuple(rng.normal(0, self.spread, self.agents)), self.games // 2, 30.0, draws=0.2)
        played = [_with_crashes(game, absent, crashes, rng) for game in scenario.games(rng)]
        rated_games = [game for game in played if absent.isdisjoint((game.first, game.second))]
        found = rate(self.agents, rated_games, may_be_infinite=False)
        present = [agent for agent in range(self.agents) if agent not in absent]
        truth = _truth_with_crashes(scenario.expected(), crashes, present)
        posterior = Posterior(GameTable(self.agents, rated_games), {})
        bounds = [(found.ratings[agent].low, found.ratings[agent].high) for agent in present]
        quantiles = [[posterior.quantile(agent, share) * ELO_A_NAT for share in (0.025, 0.975)] for agent in present]
        points: defaultdict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros(2))
        for game in played:
            scored = np.array((game.points, 1 - game.points))
            points[min(game.first, game.second), max(game.first, game.second)] += (
                scored if game.first < game.second else scored[::-1]
            )
        order = ranking([rating.elo for rating in found.ratings], {k: (*v,) for k, v in points.items()}, absent)
        ranked = [agent for agent in order.order if agent not in absent]
        # Of maximum likelihood, whose LOS is slow, neighbours: it has the sign of the difference of ratings.
        is_bayesian = found.method == BAYESIAN
        pairs = itertools.combinations(ranked, 2) if is_bayesian else itertools.pairwise(ranked)
        return ClassResult(
            covered=tuple(low <= true <= high for (low, high), true in zip(bounds, truth, strict=True)),
            covered_by_posterior=tuple(low <= true <= high for (low, high), true in zip(quantiles, truth, strict=True)),
            is_bayesian=is_bayesian,
            ranked_by=order.decided_by,
            contradictions=sum(found.superiority(above, below) < 0.5 for above, below in pairs),
        )


@dataclass(frozen=True)
class ClassResult:
    """The ratings and ranks of a class."""

    #: By agent that started: whether the interval contains the true rating.
    covered: tuple[bool, ...]
    #: The same for the Bayesian intervals, whether they are shown or not.
    covered_by_posterior: tuple[bool, ...]
    is_bayesian: bool
    ranked_by: str
    #: The number of pairs of agents whose ranks contradict their likelihood of superiority.
    contradictions: int


def _with_crashes(game: RatedGame, absent: set[int], crashes: np.ndarray, rng: np.random.Generator) -> RatedGame:
    """The game as it ends if an agent does not start or crashes; a draw if both do."""
    lost = [agent in absent or bool(rng.random() < crashes[agent]) for agent in (game.first, game.second)]
    points = 0.5 + (lost[1] - lost[0]) / 2 if any(lost) else game.points
    return RatedGame(game.first, game.second, points, game.pair)


def _truth_with_crashes(expected: np.ndarray, crashes: np.ndarray, present: Sequence[int]) -> np.ndarray:
    """The ratings, with mean 0, that explain the mean points of the agents that started."""
    first, second = crashes[:, None], crashes[None, :]
    mean = (1 - first) * (1 - second) * expected + (1 - first) * second + first * second / 2
    many = 1e9 * (1 - np.eye(len(present)))
    best = BradleyTerry(many, many * mean[np.ix_(present, present)], {}).maximum()
    return np.asarray(best.x[:-1] * ELO_A_NAT)


CLASSES = tuple(
    Classroom(agents, games, spread, forfeits)
    for agents in (6, 12, 30)
    for games in (2, 4, 10)
    for spread in (200.0, 400.0)
    for forfeits in (False, True)
)


def play_class(task: tuple[Classroom, Sequence[int]]) -> ClassResult:
    """One tournament of a kind of class."""
    classroom, seed = task
    return classroom.play(seed)


def print_classes(agents: int, seed: int, jobs: int) -> None:
    """Print the table of classes; of each kind, as many are played as have so many agents together."""
    kinds = list(dict.fromkeys((kind.spread, kind.forfeits) for kind in CLASSES))
    columns = [f"spread {spread:g}" + ", forfeits" * forfeits for spread, forfeits in kinds]
    print(f"| agents | games a pairing | {' | '.join(columns)} | all Bayesian | ranks against LOS |")
    print("|---" * (len(columns) + 4) + "|")
    means = []
    # Workers share the processors; linear algebra with several threads each would be slower.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for row in range(0, len(CLASSES), len(kinds)):
            cells, by_posterior, contradictions = [], [], 0
            for number, kind in enumerate(CLASSES[row : row + len(kinds)], start=row):
                tasks = [(kind, (seed, number, each)) for each in range(-(-agents // kind.agents))]
                results = pool.map(play_class, tasks, chunksize=4)
                shown = float(np.mean([result.is_bayesian for result in results]))
                covered = float(np.mean([covered for result in results for covered in result.covered]))
                cells.append(f"{covered:.1%} ({shown:.0%})")
                means.append(covered)
                by_posterior += [covered for result in results for covered in result.covered_by_posterior]
                contradictions += sum(result.contradictions for result in results)
            listed = " | ".join(cells)
            print(
                f"| {kind.agents} | {kind.games} | {listed} | {np.mean(by_posterior):.1%} | {contradictions} |",
                flush=True,
            )
    print(f"\nmean coverage of the intervals shown: {np.mean(means):.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tournaments", type=int, default=500)
    parser.add_argument("--classes", type=int, help="print the table of classes instead; agents of each kind of class")
    parser.add_argument("--jobs", type=int, default=1, help="processes for --classes")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.classes:
        print_classes(arguments.classes, arguments.seed, arguments.jobs)
        return
    print("| simulated tournaments | ratings | first move |\n|---|---|---|")
    for scenario in (*SCENARIOS, *EXTREMES):
        of_agents, of_first = coverage(scenario, arguments.tournaments, arguments.seed)
        print(f"| {scenario.name} | {100 * of_agents:.1f}% | {100 * of_first:.1f}% |", flush=True)


if __name__ == "__main__":
    main()
