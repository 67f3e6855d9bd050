"""Tournaments whose games are known before the first is played: round robin, pairs, and the gauntlet."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

from joute.arena.schedules.schedule import NoSettings, Pairing, Results, Schedule, match_games
from joute.errors import SpecError
from joute.spec import parameter


@dataclass(frozen=True)
class FixedSchedule(Schedule):
    """Certain pairings, the same number of games each, whatever the results.

    The pairs of games from one opening, colours swapped, go round all pairings before the next opening comes, so
    that the table is fair at any moment.
    """

    @property
    @abstractmethod
    def meetings(self) -> list[tuple[int, int]]:
        """Who meets."""

    @property
    def openings(self) -> int:
        """One for two games."""
        return (self.games + 1) // 2

    @property
    def most_games(self) -> int:
        """Pairings times games."""
        return len(self.meetings) * self.games

    @property
    def description(self) -> str:
        """Its name, pairings, games each, and games in all."""
        return f"{self.title}, {self.counts}"

    @property
    def counts(self) -> str:
        """Pairings, games each, and games in all."""
        count = len(self.meetings)
        return f"{count} pairing{'s' * (count != 1)}, {self.games} games each, {self.most_games} games in all"

    @property
    def note(self) -> str:
        """That colours are unequal, where they are."""
        return f"{self.games} games a pairing is odd, so colours are unequal" if self.games % 2 else ""

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """All games; none waits for a result.

        >>> [game.players for game in RoundRobin(3, 2).pairings({})]
        [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
        """
        return iter(match_games(self.meetings, self.games))

    def length(self, results: Results) -> int:
        """All of them."""
        return self.most_games


@dataclass(frozen=True)
class RoundRobin(FixedSchedule):
    """Everybody against everybody, the same number of games."""

    settings: NoSettings = field(default_factory=NoSettings)

    settings_type = NoSettings
    all_meet = True
    title = "round robin"

    @property
    def description(self) -> str:
        """The counts alone: it is the ordinary kind."""
        return self.counts

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Every pair of entrants."""
        return list(itertools.combinations(range(self.entrants), 2))


@dataclass(frozen=True)
class Pairs(FixedSchedule):
    """The first agent against the second, the third against the fourth, and so on: several matches at once.

    >>> Pairs(4, 2).meetings
    [(0, 1), (2, 3)]
    """

    settings: NoSettings = field(default_factory=NoSettings)

    settings_type = NoSettings
    title = "matches"

    def __post_init__(self) -> None:
        if self.entrants % 2:
            raise SpecError(f"pairs need an even number of agents, not {self.entrants}")

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Neighbours."""
        return [(first, first + 1) for first in range(0, self.entrants, 2)]


@dataclass(frozen=True)
class GauntletSettings:
    """What a gauntlet may be told."""

    heroes: int = parameter(
        1, help="how many of the first agents play all others, and not each other", source="one agent is new", low=1
    )


@dataclass(frozen=True)
class Gauntlet(FixedSchedule):
    """The first agents, the heroes, against all others.

    >>> Gauntlet(4, 2, GauntletSettings(heroes=2)).meetings
    [(0, 2), (0, 3), (1, 2), (1, 3)]
    """

    settings: GauntletSettings = GauntletSettings()

    settings_type = GauntletSettings

    def __post_init__(self) -> None:
        heroes = self.settings.heroes
        if heroes >= self.entrants:
            raise SpecError(f"a gauntlet of {heroes} heroes among {self.entrants} agents leaves nobody to play against")

    @property
    def title(self) -> str:
        """How many heroes."""
        return "gauntlet" if self.settings.heroes == 1 else f"gauntlet of {self.settings.heroes} heroes"

    @property
    def heroes(self) -> int:
        """As told."""
        return self.settings.heroes

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Each hero with each of the others."""
        heroes = self.settings.heroes
        return [(hero, other) for hero in range(heroes) for other in range(heroes, self.entrants)]
