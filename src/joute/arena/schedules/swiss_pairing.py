"""Chooses the pairs of a round of a Swiss tournament: an exact minimum-cost matching.

The cost of a matching is a list of numbers that are compared lexicographically:

1. the number of pairs that have met before, so that rematches occur only if unavoidable;
2. the byes that the agent with the bye already has, beyond the fewest byes of any agent;
3. the number of earlier meetings of the pairs;
4. the points of the agent with the bye;
5. if a match has an odd number of games: the number of agents whose games as first player and as second player would
   differ in number by more than 2;
6. the squared differences of points: several small ones are better than a large one;
7. the squared colour differences;
8. in a pair with equal points, the distance from the fold (top half against bottom half of the group with these
   points); in a pair with unequal points, the distance from lowest of the upper group against highest of the lower;
9. a pseudo-random number that depends only on the pair. It makes ties between pairings so rare (the isolation lemma of
   Mulmuley, Vazirani and Vazirani, 1987) that the round does not depend on the order of the search.

A matching covers all nodes of a complete graph; for an odd number of agents, the bye is an additional node. The costs
of an edge are the digits of one integer, in bases so large that sums never carry. Edmonds' algorithm finds the matching
of least total weight.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from joute.match.game import derive_seed

Costs = tuple[int, ...]

# The largest colour difference that matters less than differences of points.
_MOST_COLOUR_DIFFERENCE = 2

# The range of the pseudo-random numbers that break ties.
_LOTS = 2**32


@dataclass(frozen=True)
class Competitor:
    """An agent's data for pairing. `seed` is its index in the plan; `points` are doubled, to be integers."""

    seed: int
    points: int = 0
    #: The opponents so far, repeated for each match.
    met: tuple[int, ...] = ()
    byes: int = 0
    #: The number of games in which it moved first, minus those in which it moved second.
    colour: int = 0
    #: Its colour in the first game of its latest match: 1 for first, -1 for second, 0 before any match.
    latest: int = 0


@dataclass(frozen=True)
class Round:
    """The pairs of a round, each beginning with the agent that moves first in its first game, and the bye or None."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None = None


@functools.lru_cache(maxsize=256)
def pair_round(competitors: tuple[Competitor, ...], number: int, *, colours_differ: bool) -> Round:
    """The pairs of least cost for round `number`, which starts at 0.

    `colours_differ`: a match has an odd number of games, so that one side moves first once more. Cached, because a
    schedule computes the earlier rounds again for every new round.
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
    """The costs of each possible pair, by the two seeds; a bye is a pair with -1."""
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
    """The colour differences after a match in which the agent with the lower difference moves first once more."""
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
    """Each list of costs as one integer, such that sums of `pairs` integers compare as the sums of the lists."""
    bases = [1 + pairs * max(column) for column in zip(*costs, strict=True)]
    worths = [math.prod(bases[index + 1 :]) for index in range(len(bases))]
    return [sum(cost * worth for cost, worth in zip(row, worths, strict=True)) for row in costs]


def _best_seed(pair: tuple[Competitor, Competitor]) -> int:
    return min(one.seed for one in pair)


def _ordered(a: Competitor, b: Competitor, number: int) -> tuple[int, int]:
    """The seeds of the pair; the first one moves first in the first game.

    It is the agent with the lower colour difference; if equal, the one that moved second in its latest match; if that
    is equal too, the better seed or the other one, depending on the parity of its seed plus the round.
    """
    a, b = sorted((a, b), key=lambda one: one.seed)
    a_key, b_key = (a.colour, a.latest), (b.colour, b.latest)
    a_first = (a.seed + number) % 2 == 0 if a_key == b_key else a_key < b_key
    return (a.seed, b.seed) if a_first else (b.seed, a.seed)
