"""Who plays whom, when, and from where.

A schedule gives the games of a tournament by number, from 0 on, and may look at the results so far. It is a
function of its settings and of the results, whatever the order in which these came in, so a tournament that was
stopped goes on with the same games: those whose result is stored are passed over.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from joute.moved import names_of


@dataclass(frozen=True)
class Pairing:
    """One game to be played: its number, the entrants who play first and second, and the number of the opening."""

    number: int
    players: tuple[int, int]
    opening: int


@dataclass(frozen=True)
class FinishedGame:
    """What a schedule knows of a finished game. Entrants are named by their index in the plan."""

    players: tuple[int, int]
    #: For who played first: 1 won, 0 drawn, -1 lost.
    outcome: int
    #: By how much, from the same view, as the game measures it.
    margin: int = 0
    #: The entrants who failed before anybody had moved.
    absent: frozenset[int] = frozenset()
    #: The entrants who lost it, or both spoilt it, by misconduct.
    at_fault: frozenset[int] = frozenset()
    #: The opening that was used.
    opening: int = 0
    #: The same for the same moves from the same opening; with the same players, such a game tells nothing new.
    line: str = ""

    def points_of(self, entrant: int) -> float:
        """1 for a win, 0.5 for a draw; 0 also for who did not play."""
        if entrant not in self.players:
            return 0.0
        return (1 + (self.outcome if entrant == self.players[0] else -self.outcome)) / 2

    def margin_of(self, entrant: int) -> int:
        """By how much an entrant won, or lost."""
        return self.margin if entrant == self.players[0] else -self.margin


Results = Mapping[int, FinishedGame]


@dataclass(frozen=True)
class Schedule(ABC):
    """Which games a tournament has, for so many entrants and games a pairing."""

    entrants: int
    games: int

    #: Games a pairing, unless the user says so.
    default_games: ClassVar[int] = 2
    #: Whether it ends when the results are convincing; then only `standing_lines` say what they mean.
    is_sequential: ClassVar[bool] = False
    #: Whether everybody meets everybody alike, so that ratings compare all of them.
    all_meet: ClassVar[bool] = False
    #: Whether it can be asked for; False for games that nobody here decided upon and that cannot be played again.
    is_planned: ClassVar[bool] = True
    #: Whether its games were played elsewhere, under conditions that nobody here set.
    is_from_elsewhere: ClassVar[bool] = False
    #: The parameter class of what it may be told, which its field `settings` has.
    settings_type: ClassVar[type]

    @property
    @abstractmethod
    def openings(self) -> int:
        """How many openings it can use."""

    @property
    @abstractmethod
    def most_games(self) -> int:
        """How many games there are at most."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, for people, in a few words: the head of a report."""

    @property
    def heroes(self) -> int:
        """How many of the first entrants the others are there to measure; 0 where all are alike."""
        return 0

    @property
    def description(self) -> str:
        """What it is and how many games it takes."""
        return f"{self.title}, at most {self.most_games} games"

    @property
    def note(self) -> str:
        """What is to be said before it begins; empty for nothing."""
        return ""

    @abstractmethod
    def pairings(self, results: Results) -> Iterator[Pairing | None]:
        """The games in order; None where another result must come in first. `results` grows meanwhile."""

    @abstractmethod
    def length(self, results: Results) -> int | None:
        """How many games there are in all, None while that is undecided; games with later numbers do not count."""

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """What the results mean in this kind of tournament, beside the table of points."""
        return []

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """Who has won, or leads, by the rules of this kind of tournament; empty where points and ratings tell."""
        return ""

    def order(self, results: Results) -> list[int] | None:
        """The entrants by the rules of this kind of tournament, the best first; None where ratings tell."""
        return None


@dataclass(frozen=True)
class NoSettings:
    """For schedules that cannot be told anything."""


@dataclass(frozen=True)
class Imported(Schedule):
    """Games that were played elsewhere: all count, and there are no others."""

    settings: NoSettings = field(default_factory=NoSettings)

    settings_type = NoSettings
    is_planned = False
    is_from_elsewhere = True
    title = description = "imported games"
    openings = 0
    most_games = 0

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """None."""
        return iter(())

    def length(self, results: Results) -> int:
        """As many as there are."""
        return max(results, default=-1) + 1


@dataclass(frozen=True)
class Hosted(Imported):
    """Games of players who came to a server: all count, and more may be added."""

    is_from_elsewhere = False
    title = description = "hosted games"


class WaveSchedule(Schedule):
    """Games in waves: each is decided by the results of all before it, so numbers do not depend on who was quicker."""

    @abstractmethod
    def known_games(self, results: Results) -> tuple[Sequence[Pairing], bool]:
        """The games that the results so far decide, all waves in order, and whether these are all there will be.

        A wave is given when every game before it has a result.
        """

    def pairings(self, results: Results) -> Iterator[Pairing | None]:
        """The games of each wave, and None until all their results are there."""
        given = 0
        while True:
            games, are_all = self.known_games(results)
            yield from games[given:]
            if are_all:
                return
            for game in games[given:]:
                while game.number not in results:
                    yield None
            given = len(games)

    def length(self, results: Results) -> int | None:
        """Decided with the last wave."""
        games, are_all = self.known_games(results)
        return len(games) if are_all else None


def match_games(meetings: Iterable[tuple[int, int]], games: int, *, number: int = 0, opening: int = 0) -> list[Pairing]:
    """So many games for each pair of entrants, numbered from `number` on.

    Two games share an opening, colours swapped; who is named first has the first move in the first of them. All
    pairs play an opening before the next one comes.
    """
    numbers = itertools.count(number)
    pairs = list(meetings)
    return [
        Pairing(next(numbers), players, opening + done // 2)
        for done in range(0, games, 2)
        for a, b in pairs
        for players in ((a, b), (b, a))[: games - done]
    ]


__getattr__ = names_of("joute.arena.schedules.fixed")  # what 0.1 had in this module
