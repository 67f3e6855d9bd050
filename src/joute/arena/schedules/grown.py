"""The schedule of a tournament that has grown: agents joined or left, or the number of games was raised.

The tournament is a sequence of steps. Each step lists the games that its agents lack, and numbers them after those of
the earlier steps. A game therefore keeps its number, its opening and its seed when the tournament grows again.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joute.arena.schedules.fixed import FixedSchedule
from joute.arena.schedules.schedule import NoSettings, Pairing, Results, Schedule
from joute.arena.step import Step
from joute.errors import SpecError
from joute.numbers import count_of

# The most games of a step. All games are listed in memory, and a stored plan may be anything.
_MOST_GAMES = 10**7


@dataclass(frozen=True)
class Grown(Schedule):
    """The games of all steps. Games that an agent left unplayed when it was withdrawn are cancelled."""

    steps: tuple[Step, ...]
    #: The schedule of each step, whose entrants are the step's seats.
    bases: tuple[FixedSchedule, ...]

    settings_type = NoSettings
    can_grow = True

    @property
    def openings(self) -> int:
        """The most openings that a step uses."""
        return max(base.openings for base in self.bases)

    @property
    def most_games(self) -> int:
        """The number of games of all steps, cancelled ones included."""
        return len(self._listed)

    @property
    def title(self) -> str:
        """The title of the schedule that grew."""
        return self.bases[-1].title

    @property
    def description(self) -> str:
        """The title, and the number of agents that play."""
        playing = len(self._playing)
        agents = f"{count_of(playing, 'agent')} still {'plays' if playing == 1 else 'play'}"
        return f"{self.title}, grown; {agents}, {count_of(self.games, 'game')} a pairing"

    @property
    def note(self) -> str:
        """The warning of the schedule that grew."""
        return self.bases[-1].note

    @property
    def heroes(self) -> tuple[int, ...]:
        """The heroes of a gauntlet that still play."""
        seats = self.steps[-1].seats
        return tuple(seats[seat] for seat in self.bases[-1].heroes if seats[seat] >= 0)

    def pairings(self, results: Results) -> Iterator[Pairing]:
        """The games that are played or will be, without waiting for results."""
        return (game for game in self._listed if self._counts(game, results))

    def length(self, results: Results) -> int:
        """The number of games of all steps; a cancelled game keeps its number."""
        return len(self._listed)

    def games_in_all(self, results: Results) -> int:
        """The number of games without the cancelled ones."""
        return sum(self._counts(game, results) for game in self._listed)

    def _counts(self, game: Pairing, results: Results) -> bool:
        return game.number in results or self._playing.issuperset(game.players)

    @functools.cached_property
    def _playing(self) -> frozenset[int]:
        return frozenset(self.steps[-1].playing)

    @functools.cached_property
    def _listed(self) -> list[Pairing]:
        games: list[Pairing] = []
        # The agents of each pair; the first one moves first in their first game, whatever their seats are later.
        pairs: dict[frozenset[int], tuple[int, int]] = {}
        done: Counter[tuple[int, int]] = Counter()
        for step, base in zip(self.steps, self.bases, strict=True):
            met = [(step.seats[a], step.seats[b]) for a, b in base.meetings]
            meeting = [pairs.setdefault(frozenset(players), players) for players in met if min(players) >= 0]
            for index in range(0, step.games, 2):
                for a, b in meeting:
                    for game, players in ((index, (a, b)), (index + 1, (b, a))):
                        if done[a, b] <= game < step.games:
                            games.append(Pairing(len(games), players, game // 2))
            done.update({players: max(0, step.games - done[players]) for players in meeting})
        return games


def grown_schedule(text: str, entrants: int, steps: Sequence[Step]) -> Grown:
    """The schedule `text` after these steps; SpecError if it cannot grow or does not fit the seats of a step."""
    from joute.arena.schedules.registry import make_schedule

    bases = []
    for step in steps:
        base = make_schedule(text, len(step.seats), step.games)
        if not isinstance(base, FixedSchedule):
            raise SpecError(f"a tournament of the kind '{text}' cannot grow: its pairings depend on results")
        if base.most_games > _MOST_GAMES:
            raise SpecError(f"a tournament that grows has at most {_MOST_GAMES:,} games, not {base.most_games:,}")
        bases.append(base)
    return Grown(entrants, steps[-1].games, tuple(steps), tuple(bases))
