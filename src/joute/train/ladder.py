"""Ratings of a run's networks, against earlier networks and against agents of constant strength.

Each match is stored as nine counts, so that every checkpoint can recompute all ratings, with intervals, from all
matches. The strongest reference, which is named last, has the rating 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from joute.match import MatchResult
from joute.match.ratings import RatedGame, Rating, rate
from joute.numbers import finite

#: A's points as first and as second player in a pair, for each index of the counts.
_PAIRS = tuple((as_first, as_second) for as_first in (0.0, 0.5, 1.0) for as_second in (0.0, 0.5, 1.0))


@dataclass(frozen=True)
class MatchCounts:
    """A match of colour-swapped pairs: counts of A's points as first and as second player, in the order of `_PAIRS`."""

    a: str
    b: str
    counts: tuple[int, ...]

    @staticmethod
    def of(result: MatchResult) -> MatchCounts:
        """The counts of a match; games without their pair are left out."""
        pairs: dict[Any, dict[bool, float]] = {}
        for game in result.rated_games(0, 1):
            points = game.points if game.first == 0 else 1 - game.points
            pairs.setdefault(game.pair, {})[game.first == 0] = points
        found = [(pair[True], pair[False]) for pair in pairs.values() if len(pair) == 2]
        return MatchCounts(result.a, result.b, tuple(found.count(pair) for pair in _PAIRS))

    @property
    def games(self) -> int:
        """The number of games."""
        return 2 * sum(self.counts)

    @property
    def score(self) -> float:
        """A's points per game."""
        points = sum(count * sum(pair) for count, pair in zip(self.counts, _PAIRS, strict=True))
        return points / self.games if self.games else 0.5


@dataclass
class Ladder:
    """All matches of a run."""

    #: Specs of the reference agents; the last one has the rating 0.
    references: Sequence[str]
    matches: list[MatchCounts] = field(default_factory=list)

    def add(self, result: MatchResult) -> MatchCounts:
        """Add a match."""
        self.matches.append(MatchCounts.of(result))
        return self.matches[-1]

    def ratings(self) -> dict[str, Rating]:
        """The rating of every player with a 95% interval; infinite after only wins or only losses."""
        names = list(dict.fromkeys(name for match in self.matches for name in (match.a, match.b)))
        index = {name: number for number, name in enumerate(names)}
        zero = next((name for name in reversed(self.references) if name in index), None)
        anchors = {index[zero]: 0.0} if zero is not None else {}
        rated = rate(len(names), self._games(index), anchors=anchors, names=names) if names else None
        return dict(zip(names, rated.ratings, strict=True)) if rated else {}

    def _games(self, index: Mapping[str, int]) -> Iterator[RatedGame]:
        pair = 0
        for match in self.matches:
            a, b = index[match.a], index[match.b]
            for count, (as_first, as_second) in zip(match.counts, _PAIRS, strict=True):
                for _ in range(count):
                    pair += 1
                    yield RatedGame(a, b, as_first, pair=pair)
                    yield RatedGame(b, a, 1 - as_second, pair=pair)

    def as_data(self) -> list[list[Any]]:
        """The matches as JSON."""
        return [[match.a, match.b, list(match.counts)] for match in self.matches]

    @staticmethod
    def from_data(references: Sequence[str], data: Sequence[Sequence[Any]]) -> Ladder:
        """The inverse of `as_data`."""
        return Ladder(references, [MatchCounts(a, b, tuple(counts)) for a, b, counts in data])


def rating_data(rating: Rating) -> dict[str, float | None]:
    """A rating as JSON, which has no infinity."""
    return {"elo": finite(rating.elo), "low": finite(rating.low), "high": finite(rating.high)}


def name_of(steps: int) -> str:
    """The name of the network after so many learner steps."""
    return f"step {steps:,}"


def rungs_to_keep(steps: Sequence[int], most: int = 4) -> list[int]:
    """The earlier networks to keep as opponents: the last one, and those nearest to a half, a quarter … of its steps.

    A rating curve needs opponents of similar strength, where both sides win games, and a few old ones against drift.
    Few rungs keep checkpoints small.

    >>> rungs_to_keep([0, 100, 200, 300, 400, 500, 600, 700, 800])
    [100, 200, 400, 800]
    """
    if not steps:
        return []
    last = max(steps)
    return sorted({min(steps, key=lambda at: (abs(at - last / 2**age), at)) for age in range(most)})
