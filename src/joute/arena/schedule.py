"""Who plays whom, when, and from where.

A schedule is asked for games as a generator that may look at the results so far. It gives the same games again
for the same results, so a tournament that was stopped goes on where it was: games whose result is stored are
passed over. Swiss, knockout or sequential tests are schedules that look; a round robin needs no results.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from joute._core import Result


@dataclass(frozen=True)
class Pairing:
    """One game to be played: its number, the entrants who play first and second, and the number of the opening."""

    number: int
    players: tuple[int, int]
    opening: int


class Schedule(Protocol):
    """Which games a tournament has."""

    @property
    def games(self) -> int | None:
        """How many games there are in all; None where that depends on the results."""
        ...

    @property
    def openings(self) -> int:
        """How many openings it can use."""
        ...

    def pairings(self, results: Mapping[int, Result]) -> Iterator[Pairing | None]:
        """The games in order; None where another result must come in first. `results` grows meanwhile."""
        ...


@dataclass(frozen=True)
class RoundRobin:
    """Everybody against everybody, the same number of games.

    The pairs of games from one opening, colours swapped, go round all pairings before the next opening comes, so
    that the table is fair at any moment.
    """

    entrants: int
    games_a_pairing: int

    @property
    def games(self) -> int:
        """Pairings times games."""
        return self.entrants * (self.entrants - 1) // 2 * self.games_a_pairing

    @property
    def openings(self) -> int:
        """One for two games."""
        return (self.games_a_pairing + 1) // 2

    def pairings(self, results: Mapping[int, Result]) -> Iterator[Pairing | None]:
        """All games; none waits for a result.

        >>> [game.players for game in RoundRobin(3, 2).pairings({})]
        [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
        """
        numbers = itertools.count()
        for opening in range(self.openings):
            for a, b in itertools.combinations(range(self.entrants), 2):
                for players in ((a, b), (b, a))[: self.games_a_pairing - 2 * opening]:
                    yield Pairing(next(numbers), players, opening)
