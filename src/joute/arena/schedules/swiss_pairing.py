"""Who meets whom in a round of a Swiss tournament: the best of all ways to pair, exactly.

What makes a way to pair better is a list of costs, each more important than all after it together:

1. pairs that have met before, so there is no rematch before it is unavoidable;
2. a bye for somebody who has had more of them than another;
3. how often the pairs of 1 have met;
4. the points of who gets the bye;
5. agents that would have had one colour more than twice oftener than the other;
6. differences of points, squared: many small ones rather than a large one;
7. how unequal colours are, squared;
8. within equal points, how far a pair is from top half against bottom half; between unequal ones, the lowest of the
   upper against the highest of the lower;
9. a number that depends on the pair alone. Draws between ways to pair are thereby so rare (the isolation lemma of
   Mulmuley, Vazirani and Vazirani, 1987) that the round does not depend on how the best is found.

A way to pair is a perfect matching of a complete graph, where an odd number of agents has one more node, the bye. The
costs of an edge make one whole number, a digit for each in a base that no sum of them reaches, so Edmonds' algorithm
finds the best.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from joute.match.game import derive_seed

Costs = tuple[int, ...]

# How far colours may get out of balance before it weighs more than points.
_MOST_COLOUR_DIFFERENCE = 2

# Numbers that decide between ways to pair which are equally good.
_LOTS = 2**32


@dataclass(frozen=True)
class Competitor:
    """What pairing needs to know of an agent. `seed` is its place in the plan, from 0; points count twice."""

    seed: int
    points: int = 0
    #: The opponents so far, as often as they were met.
    met: tuple[int, ...] = ()
    byes: int = 0
    #: How often it moved first, less how often second.
    colour: int = 0
    #: 1 where it moved first in the first game of its latest match, -1 where second, 0 before.
    latest: int = 0


@dataclass(frozen=True)
class Round:
    """The pairs of a round, each with who moves first in the first game before the other, and who has a bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None = None


@functools.lru_cache(maxsize=256)
def pair_round(competitors: tuple[Competitor, ...], number: int, *, colours_differ: bool) -> Round:
    """The best pairs for round `number`, from 0.

    `colours_differ`: a match has an odd number of games, so one side moves first once more. Remembered, for a
    schedule is asked again after every round.
    """
    import networkx

    graph: networkx.Graph[int] = networkx.Graph()
    edges = pair_costs(competitors, colours_differ=colours_differ)
    weights = _as_numbers(list(edges.values()), (len(competitors) + 1) // 2)
    graph.add_weighted_edges_from((a, b, -weight) for (a, b), weight in zip(edges, weights, strict=True))
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    by_seed = {one.seed: one for one in competitors}
    found = [(by_seed[a], by_seed[b]) for a, b in matching if _BYE not in (a, b)]
    found.sort(key=lambda pair: (-max(one.points for one in pair), -sum(one.points for one in pair), _best_seed(pair)))
    bye = next((max(pair) for pair in matching if _BYE in pair), None)
    return Round(tuple(_ordered(a, b, number) for a, b in found), bye)


_BYE = -1


def pair_costs(competitors: Sequence[Competitor], *, colours_differ: bool) -> dict[tuple[int, int], Costs]:
    """What each possible pair costs, by the seeds of the two; a bye is a pair with -1."""
    ranked = sorted(competitors, key=lambda one: one.seed)
    groups = {
        points: [one.seed for one in members]
        for points, members in itertools.groupby(
            sorted(ranked, key=lambda one: -one.points), key=lambda one: one.points
        )
    }
    costs = {
        (a.seed, b.seed): _pair_costs(a, b, groups, colours_differ=colours_differ)
        for a, b in itertools.combinations(ranked, 2)
    }
    if len(ranked) % 2:
        fewest = min(one.byes for one in ranked)
        for one in ranked:
            lot = _lot(one.seed, one.seed)
            costs[one.seed, _BYE] = (0, one.byes - fewest, 0, one.points, 0, 0, 0, ranked[-1].seed - one.seed, lot)
    return costs


def _pair_costs(a: Competitor, b: Competitor, groups: dict[int, list[int]], *, colours_differ: bool) -> Costs:
    meetings = a.met.count(b.seed)
    colours = _colours_after(a, b) if colours_differ else (a.colour, b.colour)
    return (
        int(meetings > 0),
        0,
        meetings,
        0,
        sum(abs(colour) > _MOST_COLOUR_DIFFERENCE for colour in colours) if colours_differ else 0,
        (a.points - b.points) ** 2,
        sum(colour**2 for colour in colours),
        _distance_from_fold(a, b, groups),
        _lot(a.seed, b.seed),
    )


def _colours_after(a: Competitor, b: Competitor) -> tuple[int, int]:
    """The colour differences after a match in which who has moved first less often does so once more."""
    low, high = sorted((a.colour, b.colour))
    return low + 1, high - 1


def _distance_from_fold(a: Competitor, b: Competitor, groups: dict[int, list[int]]) -> int:
    upper, lower = (a, b) if a.points >= b.points else (b, a)
    group = groups[upper.points]
    place, other = group.index(upper.seed), groups[lower.points].index(lower.seed)
    if a.points == b.points:
        return (abs(place - other) - len(group) // 2) ** 2
    return len(group) - 1 - place + other


def _lot(a: int, b: int) -> int:
    return derive_seed(a, b) % _LOTS


def _as_numbers(costs: Sequence[Costs], pairs: int) -> list[int]:
    """Each list of costs as one number, so that sums of `pairs` of them compare as the lists' sums do."""
    bases = [1 + pairs * max(column) for column in zip(*costs, strict=True)]
    worths = [math.prod(bases[index + 1 :]) for index in range(len(bases))]
    return [sum(cost * worth for cost, worth in zip(row, worths, strict=True)) for row in costs]


def _best_seed(pair: tuple[Competitor, Competitor]) -> int:
    return min(one.seed for one in pair)


def _ordered(a: Competitor, b: Competitor, number: int) -> tuple[int, int]:
    """The pair, who moves first in the first game before the other.

    That is who has done so less often; if equally often, who did not do so in its latest match; if that is the same
    too, the better seed, or the other, in turn.
    """
    a, b = sorted((a, b), key=lambda one: one.seed)
    a_key, b_key = (a.colour, a.latest), (b.colour, b.latest)
    a_first = (a.seed + number) % 2 == 0 if a_key == b_key else a_key < b_key
    return (a.seed, b.seed) if a_first else (b.seed, a.seed)
