"""The base classes of schedules: which entrants play each game, in which order and from which opening.

A schedule gives the games of a tournament by number, starting at 0, and may use the results so far. It is a function of
its settings and the results, independent of the order in which results arrive. A resumed tournament therefore gets the
same games, and the driver skips those whose result is stored.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from joute.moved import names_of
from joute.numbers import noun


@dataclass(frozen=True)
class Pairing:
    """A game to play: its number, the indices of the first and the second player, and the index of the opening."""

    number: int
    players: tuple[int, int]
    opening: int
    #: What each side plays with besides its agent's own settings: ``key=value,…``, as `varied` reads it.
    settings: tuple[str, str] = ("", "")
    #: Games with the same number have the same seed; None: the game's own number.
    draw: int | None = None

    @property
    def seed_number(self) -> int:
        """The number from which the seed of the game is derived."""
        return self.number if self.draw is None else self.draw


@dataclass(frozen=True)
class FinishedGame:
    """A finished game as schedules read it. Entrants are indices in the plan."""

    players: tuple[int, int]
    #: For the first player: 1 won, 0 drawn, -1 lost.
    outcome: int
    #: The margin for the first player, in the game's unit.
    margin: int = 0
    #: The entrants who failed before any move was made.
    failed_without_move: frozenset[int] = frozenset()
    #: The entrants who ended the game by misconduct.
    at_fault: frozenset[int] = frozenset()
    #: The index of the opening.
    opening: int = 0
    #: Equal for games with the same moves from the same opening; such games of the same players add no evidence.
    line: str = ""
    #: The settings of the pairing.
    settings: tuple[str, str] = ("", "")

    def points_of(self, entrant: int) -> float:
        """The entrant's points: 1 for a win, 0.5 for a draw, 0 for a loss or if it did not play."""
        if entrant not in self.players:
            return 0.0
        return (1 + (self.outcome if entrant == self.players[0] else -self.outcome)) / 2

    def margin_of(self, entrant: int) -> int:
        """The margin for an entrant of this game; negative if it lost."""
        return self.margin if entrant == self.players[0] else -self.margin


Results = Mapping[int, FinishedGame]


@dataclass(frozen=True)
class Schedule(ABC):
    """The games of a tournament with `entrants` entrants.

    `games` is the number of games per pair of entrants; in a sequential test, the maximum.
    """

    entrants: int
    games: int

    #: The default of `games`.
    default_games: ClassVar[int] = 2
    #: Whether it ends when the results are convincing. The score is then biased; `standing_lines` state the decision.
    is_sequential: ClassVar[bool] = False
    #: Whether every pair of entrants plays the same number of games, so that ratings compare all of them.
    all_meet: ClassVar[bool] = False
    #: Whether a plan can use it; False for imported and hosted games, which cannot be played again.
    can_be_played: ClassVar[bool] = True
    #: Whether agents and games can be added to a tournament that has begun (grown.py).
    can_grow: ClassVar[bool] = False
    #: Whether its games were played elsewhere, under unknown conditions.
    is_from_elsewhere: ClassVar[bool] = False
    #: The parameter class of its settings, the type of the field `settings`.
    settings_type: ClassVar[type]

    @property
    @abstractmethod
    def openings(self) -> int:
        """The number of different openings it can use."""

    @property
    @abstractmethod
    def most_games(self) -> int:
        """The largest possible number of games."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Its name in a few words, for the head of a report."""

    @property
    def heroes(self) -> tuple[int, ...]:
        """The entrants that play against all others (gauntlet); empty for other schedules."""
        return ()

    @property
    def description(self) -> str:
        """Its title and number of games."""
        return f"{self.title}, at most {self.most_games} {noun(self.most_games, 'game')}"

    @property
    def note(self) -> str:
        """A warning to print before the first game; empty if there is none."""
        return ""

    @abstractmethod
    def pairings(self, results: Results) -> Iterator[Pairing | None]:
        """The games in order; None: the next one depends on a result that the caller has yet to add to `results`."""

    @abstractmethod
    def length(self, results: Results) -> int | None:
        """One more than the highest number of a game that counts, None while it is undecided."""

    def games_in_all(self, results: Results) -> int | None:
        """The total number of games that count, None while it is undecided."""
        return self.length(results)

    def standing_lines(self, results: Results, names: Sequence[str]) -> list[str]:
        """Lines of text about the results by the rules of this schedule, printed with the table of points."""
        return []

    def headline(self, results: Results, names: Sequence[str]) -> str:
        """The winner or leader by the rules of this schedule; empty if points and ratings decide."""
        return ""

    def order(self, results: Results) -> list[int] | None:
        """The entrants by the rules of this schedule, best first; None if ratings decide."""
        return None


@dataclass(frozen=True)
class NoSettings:
    """The settings of schedules that have none."""


@dataclass(frozen=True)
class Imported(Schedule):
    """Games that were played elsewhere. All count, and no more can be played."""

    settings: NoSettings = field(default_factory=NoSettings)

    settings_type = NoSettings
    can_be_played = False
    is_from_elsewhere = True
    title = description = "imported games"
    openings = 0
    most_games = 0

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """No games."""
        return iter(())

    def length(self, results: Results) -> int:
        """The number of stored games."""
        return max(results, default=-1) + 1


@dataclass(frozen=True)
class Hosted(Imported):
    """Games of players that connected to a server. All count, and more may be added."""

    is_from_elsewhere = False
    title = description = "hosted games"


class WaveSchedule(Schedule):
    """A schedule in waves: the results of all earlier waves determine a wave, a round or the extra games of a round.

    The number that identifies a game therefore does not depend on the order in which games end.
    """

    @abstractmethod
    def known_games(self, results: Results) -> tuple[Sequence[Pairing], bool]:
        """The games determined by the results so far, all waves in order, and whether there will be no others.

        A wave is included if every game before it has a result.
        """

    def pairings(self, results: Results) -> Iterator[Pairing | None]:
        """The games of each wave, then None until all of them have results."""
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
        """The total number of games, known once the last wave is determined."""
        games, are_all = self.known_games(results)
        return len(games) if are_all else None


def match_games(meetings: Iterable[tuple[int, int]], games: int, *, number: int = 0, opening: int = 0) -> list[Pairing]:
    """`games` games for each pair of entrants, numbered from `number`, with openings from `opening`.

    Two consecutive games of a pair share an opening with colours swapped; the first entrant of the pair moves first in
    the first one. All pairs play an opening before the next opening is used.
    """
    numbers = itertools.count(number)
    pairs = list(meetings)
    return [
        Pairing(next(numbers), players, opening + done // 2)
        for done in range(0, games, 2)
        for a, b in pairs
        for players in ((a, b), (b, a))[: games - done]
    ]


__getattr__ = names_of("joute.arena.schedules.fixed")  # names that 0.1 had in this module
