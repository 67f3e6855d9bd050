"""Schedules whose games do not depend on results: round robin, pairs and gauntlet."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

from joute.arena.schedules.schedule import NoSettings, Pairing, Results, Schedule, match_games
from joute.errors import SpecError
from joute.numbers import count_of, noun
from joute.spec import parameter


@dataclass(frozen=True)
class FixedSchedule(Schedule):
    """A fixed list of pairings with the same number of games each.

    All pairings play the two colour-swapped games of an opening before the next opening is used, so that the table is
    fair at any time.
    """

    can_grow = True

    @property
    @abstractmethod
    def meetings(self) -> list[tuple[int, int]]:
        """The pairs of entrants that play each other."""

    @property
    def openings(self) -> int:
        """One opening per two games."""
        return (self.games + 1) // 2

    @property
    def most_games(self) -> int:
        """Pairings times games."""
        return len(self.meetings) * self.games

    @property
    def description(self) -> str:
        """The title and the counts."""
        return f"{self.title}, {self.counts}"

    @property
    def counts(self) -> str:
        """The number of pairings, of games each and of games in all."""
        count, games, most = len(self.meetings), self.games, self.most_games
        return f"{count_of(count, 'pairing')}, {games} {noun(games, 'game')} each, {most} {noun(most, 'game')} in all"

    @property
    def note(self) -> str:
        """A warning if the number of games is odd, so that colours are unequal."""
        games = f"{self.games} {noun(self.games, 'game')}"
        return f"{games} a pairing is odd, so colours are unequal" if self.games % 2 else ""

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """All games, without waiting for results.

        >>> [game.players for game in RoundRobin(3, 2).pairings({})]
        [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
        """
        return iter(match_games(self.meetings, self.games))

    def length(self, results: Results) -> int:
        """The number of all games."""
        return self.most_games


@dataclass(frozen=True)
class RoundRobin(FixedSchedule):
    """Every entrant plays every other entrant, the same number of games."""

    settings: NoSettings = field(default_factory=NoSettings)

    settings_type = NoSettings
    all_meet = True
    title = "round robin"

    @property
    def description(self) -> str:
        """Only the counts, as round robin is the default."""
        return self.counts

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Every pair of entrants."""
        return list(itertools.combinations(range(self.entrants), 2))


@dataclass(frozen=True)
class Pairs(FixedSchedule):
    """The first agent plays the second, the third plays the fourth, and so on: several matches at once.

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
        """Entrants 0 and 1, 2 and 3, and so on."""
        return [(first, first + 1) for first in range(0, self.entrants, 2)]


@dataclass(frozen=True)
class GauntletSettings:
    """The settings of a gauntlet."""

    heroes: int = parameter(
        1, help="how many of the first agents play all others, and not each other", source="one agent is new", low=1
    )


@dataclass(frozen=True)
class Gauntlet(FixedSchedule):
    """The first agents, the heroes, play all others; heroes do not play each other.

    >>> Gauntlet(4, 2, GauntletSettings(heroes=2)).meetings
    [(0, 2), (0, 3), (1, 2), (1, 3)]
    """

    settings: GauntletSettings = GauntletSettings()

    settings_type = GauntletSettings

    def __post_init__(self) -> None:
        heroes = self.settings.heroes
        if heroes >= self.entrants:
            raise SpecError(f"a gauntlet of {heroes} heroes among {self.entrants} agents leaves them no opponents")

    @property
    def title(self) -> str:
        """The name, with the number of heroes if there are several."""
        return "gauntlet" if self.settings.heroes == 1 else f"gauntlet of {self.settings.heroes} heroes"

    @property
    def heroes(self) -> tuple[int, ...]:
        """The first entrants."""
        return tuple(range(self.settings.heroes))

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Each hero with each other entrant."""
        heroes = self.settings.heroes
        return [(hero, other) for hero in range(heroes) for other in range(heroes, self.entrants)]
