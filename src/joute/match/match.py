"""A match: two agents, many games, colours in turn, and a result with its interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from joute.agents import Agent
from joute.games import State
from joute.match.game import agent_name, derive_seed, play_game
from joute.match.record import GameRecord, Reason

# The normal quantile of a 95% interval.
Z_95 = 1.959964


def wilson_interval(score: float, games: int) -> tuple[float, float]:
    """The 95% interval of a score in [0, 1] over so many games (Wilson 1927); a draw counts half.

    Draws make the true interval narrower, so with draws this one errs on the safe side.

    >>> low, high = wilson_interval(0.54, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.443 0.634'
    """
    if games == 0:
        return 0.0, 1.0
    shrink = 1 + Z_95**2 / games
    centre = (score + Z_95**2 / (2 * games)) / shrink
    half_width = Z_95 * math.sqrt(score * (1 - score) / games + (Z_95 / (2 * games)) ** 2) / shrink
    # At 0 and at 1 the formula touches the score itself, but for rounding.
    return min(score, max(0.0, centre - half_width)), max(score, min(1.0, centre + half_width))


@dataclass
class MatchResult:
    """The games of a match so far, counted for agent A."""

    a: str
    b: str
    records: list[GameRecord] = field(default_factory=list)
    #: For each game, whether A played first.
    a_first: list[bool] = field(default_factory=list)

    def add(self, record: GameRecord, *, a_first: bool) -> None:
        """Count a finished game."""
        self.records.append(record)
        self.a_first.append(a_first)

    def tally(self, *, a_first: bool | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of A; of the games in which A played first (or second), if asked."""
        counts = Counter(
            record.result.outcome_for(0 if first else 1)
            for record, first in zip(self.records, self.a_first, strict=True)
            if a_first is None or first == a_first
        )
        return counts[1], counts[0], counts[-1]

    @property
    def games(self) -> int:
        """Games played."""
        return len(self.records)

    @property
    def score(self) -> float:
        """A's score in [0, 1]; a draw counts half."""
        wins, draws, _ = self.tally()
        return (wins + draws / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of A's score."""
        return wilson_interval(self.score, self.games)

    @property
    def distinct_games(self) -> int:
        """How many games differ in their moves; agents without randomness repeat themselves."""
        lines = {
            (first, tuple((played.move, played.outcomes) for played in record.moves))
            for record, first in zip(self.records, self.a_first, strict=True)
        }
        return len(lines)

    def mean_time_s(self, *, of_a: bool) -> float:
        """Mean time per move of A, or of B."""
        times = [
            played.time_s
            for record, first in zip(self.records, self.a_first, strict=True)
            for played in record.moves
            if ((played.player == 0) == first) == of_a
        ]
        return sum(times) / len(times) if times else 0.0

    @property
    def mean_plies(self) -> float:
        """Mean length of a game."""
        return sum(len(record.moves) for record in self.records) / self.games if self.games else 0.0

    @property
    def reasons(self) -> dict[str, int]:
        """How many games ended for which reason, those that ended normally left out."""
        reasons = Counter(record.reason.value for record in self.records)
        return {reason: count for reason, count in reasons.items() if reason != Reason.NORMAL.value}

    @property
    def verdict(self) -> str:
        """What the games say, in a sentence."""
        low, high = self.interval
        if self.distinct_games < min(self.games, 10):
            distinct = f"{self.distinct_games} distinct game" + "s" * (self.distinct_games != 1)
            return f"only {distinct} among {self.games}: these agents hardly vary, so no interval holds"
        if low > 0.5:
            return f"{self.a} is stronger (95%)"
        if high < 0.5:
            return f"{self.b} is stronger (95%)"
        return "not distinguishable at 95%"


def play_match(
    game: str | State,
    a: str | Agent,
    b: str | Agent,
    *,
    games: int,
    seed: int = 0,
    on_game: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play a match; A has the first move in every other game. `on_game` is called after each."""
    result = MatchResult(agent_name(a), agent_name(b))
    for index in range(games):
        a_first = index % 2 == 0
        first, second = (a, b) if a_first else (b, a)
        result.add(play_game(game, first, second, seed=derive_seed(seed, index)), a_first=a_first)
        if on_game:
            on_game(result)
    return result
