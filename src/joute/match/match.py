"""A match: two agents, many games, colours in turn, and a result with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from joute.agents import Agent
from joute.games import State
from joute.match.clock import TimeControl
from joute.match.player import Player, as_player
from joute.match.record import GameRecord, Reason
from joute.match.referee import derive_seed, play_game
from joute.match.statistics import wilson_interval

# Fewer distinct games than this say something about those games, not about the agents.
_FEW_GAMES = 10


@dataclass
class MatchResult:
    """The games of a match so far, counted for agent A as they come in."""

    a: str
    b: str
    #: Whether the games themselves are kept: long tournaments have a store for them.
    keep_records: bool = True
    records: list[GameRecord] = field(default_factory=list, init=False)
    #: For each game kept, whether A played first.
    a_first: list[bool] = field(default_factory=list, init=False)
    _outcomes: Counter[tuple[bool, int]] = field(default_factory=Counter, init=False, repr=False)
    _forfeits: Counter[bool] = field(default_factory=Counter, init=False, repr=False)
    _reasons: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    _lines: set[tuple[bool, int]] = field(default_factory=set, init=False, repr=False)
    _moves: Counter[bool] = field(default_factory=Counter, init=False, repr=False)
    _time_s: dict[bool, float] = field(default_factory=lambda: {True: 0.0, False: 0.0}, init=False, repr=False)

    def add(self, record: GameRecord, *, a_first: bool) -> None:
        """Count a finished game."""
        if self.keep_records:
            self.records.append(record)
            self.a_first.append(a_first)
        self._outcomes[a_first, record.result.outcome_for(0 if a_first else 1)] += 1
        self._reasons[record.reason.value] += 1
        for player in record.at_fault:
            self._forfeits[(player == 0) == a_first] += 1
        self._lines.add((a_first, record.line))
        for played in record.moves:
            by_a = (played.player == 0) == a_first
            self._moves[by_a] += 1
            self._time_s[by_a] += played.time_s

    def tally(self, *, a_first: bool | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of A; of the games in which A played first (or second), if asked."""
        colours = (True, False) if a_first is None else (a_first,)
        wins, draws, losses = (sum(self._outcomes[first, outcome] for first in colours) for outcome in (1, 0, -1))
        return wins, draws, losses

    @property
    def games(self) -> int:
        """Games played."""
        return self._outcomes.total()

    @property
    def score(self) -> float:
        """A's score in [0, 1]; a draw counts half."""
        wins, draws, _ = self.tally()
        return (wins + draws / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of A's score, as wide as the distinct games make it.

        Playing a game again, move by move, tells nothing new, so a repeated game does not narrow it.
        """
        return wilson_interval(self.score, self.distinct_games)

    @property
    def distinct_games(self) -> int:
        """How many games differ in their moves or colours; agents without randomness repeat themselves."""
        return len(self._lines)

    def moves(self, *, of_a: bool) -> int:
        """How many moves A, or B, has played."""
        return self._moves[of_a]

    def time_s(self, *, of_a: bool) -> float:
        """How long A, or B, has thought in all."""
        return self._time_s[of_a]

    def mean_time_s(self, *, of_a: bool) -> float:
        """Mean time per move of A, or of B."""
        return self.time_s(of_a=of_a) / self.moves(of_a=of_a) if self.moves(of_a=of_a) else 0.0

    def forfeits(self, *, of_a: bool) -> int:
        """How many games A, or B, lost by misconduct; where neither could begin, both did."""
        return self._forfeits[of_a]

    @property
    def mean_plies(self) -> float:
        """Mean length of a game."""
        return self._moves.total() / self.games if self.games else 0.0

    @property
    def reasons(self) -> dict[str, int]:
        """How many games ended for which reason, those that ended normally left out."""
        return {reason: count for reason, count in self._reasons.items() if reason != Reason.NORMAL.value}

    @property
    def verdict(self) -> str:
        """What the games say, in a sentence."""
        low, high = self.interval
        forfeits = [(name, self.forfeits(of_a=of_a)) for name, of_a in ((self.a, True), (self.b, False))]
        if most := [f"{name} forfeited {count} of {self.games}" for name, count in forfeits if 2 * count > self.games]:
            return f"{' and '.join(most)} games, so there is no verdict on how they play"
        if self.distinct_games < min(self.games, _FEW_GAMES):
            distinct = f"{self.distinct_games} distinct game" + "s" * (self.distinct_games != 1)
            return f"only {distinct} among {self.games}: these agents hardly vary, so there is no verdict"
        if self.games < _FEW_GAMES:
            return f"only {self.games} game{'s' * (self.games != 1)}, which are too few for a verdict"
        if low > 0.5:
            return f"{self.a} is stronger (95%)"
        if high < 0.5:
            return f"{self.b} is stronger (95%)"
        return "not distinguishable at 95%"


def play_match(
    game: str | State,
    a: str | Agent | Player,
    b: str | Agent | Player,
    *,
    games: int,
    seed: int = 0,
    clock: str | TimeControl = "none",
    openings: Sequence[State] = (),
    on_game: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play a match; A has the first move in every other game. `on_game` is called after each.

    `openings` are positions to start from instead of the game's own, used in turn: each for two games, colours
    swapped.
    """
    players = as_player(a), as_player(b)
    result = MatchResult(players[0].name, players[1].name)
    for index in range(games):
        a_first = index % 2 == 0
        first, second = players if a_first else reversed(players)
        start = openings[index // 2 % len(openings)] if openings else game
        record = play_game(start, first, second, seed=derive_seed(seed, index), clock=clock)
        result.add(record, a_first=a_first)
        if on_game:
            on_game(result)
    return result
