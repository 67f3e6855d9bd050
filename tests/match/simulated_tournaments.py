"""Tournaments of agents whose strength is known: how often do the intervals of `rate` cover it?

``python tests/match/simulated_tournaments.py --tournaments 2000`` prints the table of docs/ratings.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from joute.match.bradley_terry import BradleyTerry
from joute.match.ratings import RatedGame, rate
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tournaments", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("| simulated tournaments | ratings | first move |\n|---|---|---|")
    for scenario in (*SCENARIOS, *EXTREMES):
        of_agents, of_first = coverage(scenario, arguments.tournaments, arguments.seed)
        print(f"| {scenario.name} | {100 * of_agents:.1f}% | {100 * of_first:.1f}% |", flush=True)


if __name__ == "__main__":
    main()
