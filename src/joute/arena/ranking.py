"""The order of the agents in a table: by points if all played equally many games with each other, else by rating."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

#: What decides the rank.
BY_POINTS, BY_ELO, BY_SCHEDULE = "points", "Elo", "schedule"

#: Smaller differences of ratings, in Elo, are rounding errors; likelihoods of superiority are then 50%.
TIE = 1e-4


@dataclass(frozen=True)
class Ranking:
    """The agents by rank, as indices, best first, and what decides it: `BY_POINTS`, `BY_ELO` or `BY_SCHEDULE`."""

    order: tuple[int, ...]
    decided_by: str

    @property
    def text(self) -> str:
        """The rule in words."""
        if self.decided_by == BY_POINTS:
            return "by points; equal points: by points in the games with each other, then Sonneborn–Berger"
        return "by Elo" if self.decided_by == BY_ELO else "by the rules of the schedule"


def ranking(
    elos: Sequence[float], points: Mapping[tuple[int, int], tuple[float, float]], absent: Collection[int] = ()
) -> Ranking:
    """Rank agents by their points or their ratings.

    `points` has the points of both agents of each pairing (a, b) with games. Agents in `absent` never started and are
    last. If each two agents played equally many games, the points decide: they are then all that the games say about
    the agents, so that the agent with more points has the higher rating and the higher likelihood of superiority. An
    odd number of games a pairing, or repeated games, which count less, may break that; then ratings decide.

    >>> ranking([80.0, 0.0, -80.0], {(0, 1): (1.5, 0.5), (0, 2): (1.5, 0.5), (1, 2): (1.0, 1.0)}).order
    (0, 1, 2)
    """
    totals: defaultdict[int, float] = defaultdict(float)
    games: defaultdict[int, float] = defaultdict(float)
    for players, scored in points.items():
        for agent, own in zip(players, scored, strict=True):
            totals[agent] += own
            games[agent] += sum(scored)
    playing = len(games)
    present = [agent for agent in range(len(elos)) if games[agent] and agent not in absent]
    last = [agent for agent in range(len(elos)) if agent not in present]
    last.sort(key=lambda agent: (not games[agent], -totals[agent]))
    by_points = sorted(present, key=lambda agent: _by_points(agent, present, totals, points), reverse=True)
    met = {sum(scored) for scored in points.values()}
    is_equal = len(met) == 1 and len(points) == playing * (playing - 1) // 2
    in_order = [elos[agent] for agent in by_points]
    if is_equal and all(above > below - TIE for above, below in itertools.pairwise(in_order)):
        return Ranking((*by_points, *last), BY_POINTS)
    # The score decides between agents of equal, infinite or unknown ratings.
    by_elo = sorted(
        present, key=lambda agent: (0.0 if math.isnan(elos[agent]) else -elos[agent], -totals[agent] / games[agent])
    )
    return Ranking((*by_elo, *last), BY_ELO)


def _by_points(
    agent: int,
    agents: Sequence[int],
    totals: Mapping[int, float],
    points: Mapping[tuple[int, int], tuple[float, float]],
) -> tuple[float, float, float]:
    """Points, points against agents with as many points, and Sonneborn–Berger: points weighted by the opponent's."""
    direct = weighted = 0.0
    for other in agents:
        if other == agent:
            continue
        pairing = (min(agent, other), max(agent, other))
        own = points.get(pairing, (0.0, 0.0))[agent > other]
        direct += own if totals[other] == totals[agent] else 0.0
        weighted += own * totals[other]
    return totals[agent], direct, weighted
