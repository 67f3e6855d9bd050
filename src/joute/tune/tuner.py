"""The interface of a tuning method: it asks for games between settings, is told their points, and knows the best one.

A tuner has no randomness but its seed and no memory but what it was told, so that the same answers give the same
questions: a tuning that was interrupted is told the stored results again, and goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from joute.tune.space import Point


@dataclass(frozen=True)
class Duel:
    """Pairs of games between two settings; `openings` are the numbers of their openings, one a pair."""

    a: Point
    b: Point
    openings: tuple[int, ...]


#: The points of the first setting in each pair of games of a duel, from 0 to 2.
Points = tuple[float, ...]

#: Duels that are played at the same time.
Batch = tuple[Duel, ...]

#: How many batches are asked for before the first of them must be told. With two, no worker waits for the last games of
#: a batch; it costs that a tuner knows less by one batch.
AHEAD = 2


class Tuner(Protocol):
    """A method of tuning."""

    #: The names of the two sides of a duel.
    roles: tuple[str, str]

    def ask(self) -> Batch:
        """The next games. At most `AHEAD` batches are open; an empty one: the budget is spent."""
        ...

    def tell(self, batch: Batch, points: Sequence[Points]) -> None:
        """The results of the oldest batch that is open."""
        ...

    @property
    def best(self) -> Point:
        """The best setting, by what it was told."""
        ...
