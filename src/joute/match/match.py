"""A match: two agents play many games with alternating colours; the result has a confidence interval."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from joute.agents import Agent
from joute.errors import SpecError
from joute.games import State
from joute.match.clock import Clocks, controls_of
from joute.match.game import derive_seed
from joute.match.match_view import match_frame, match_html, match_repr, match_text
from joute.match.player import Player, as_player
from joute.match.record import GameRecord, Reason
from joute.match.referee import play_game
from joute.match.sprt import Evidence, Sprt, SprtState
from joute.match.statistics import (
    Z_95,
    Pentanomial,
    dispersion,
    elo_of,
    score_of,
    superiority,
    trials_to_show,
    wilson_interval,
)
from joute.numbers import noun

if TYPE_CHECKING:
    from joute.match.ratings import RatedGame

# With fewer distinct games there is no verdict.
_FEW_GAMES = 10

# If a nearly even score needs more games than this, the verdict states the games for a difference of `_SMALL_ELO`.
_MOST_GAMES = 100_000
_SMALL_ELO = 10


@dataclass(frozen=True, slots=True)
class _Game:
    """The data of a game for statistics."""

    number: int
    start: str
    a_first: bool
    #: The points of A.
    points: float
    #: A's colour and a hash of the moves.
    line: tuple[bool, str]


class _Pairs:
    """Games in the order of their numbers, grouped into pairs: two games from the same start with colours swapped."""

    def __init__(self, games: Iterable[_Game] = ()) -> None:
        self.games: list[_Game] = []
        #: For each game, the index of the first game of its pair.
        self.pair: list[int] = []
        self.counts: Counter[float] = Counter()
        self.evidence = Evidence()
        self.lines: set[tuple[bool, str]] = set()
        self._is_new: list[bool] = []
        # By start position, the indices of the games without a counterpart; all of them have the same colours.
        self._waiting: defaultdict[str, deque[int]] = defaultdict(deque)
        for game in games:
            self.add(game)

    def add(self, game: _Game) -> None:
        place = len(self.games)
        self.games.append(game)
        self._is_new.append(game.line not in self.lines)
        self.lines.add(game.line)
        waiting = self._waiting[game.start]
        if not waiting or self.games[waiting[0]].a_first == game.a_first:
            waiting.append(place)
            self.pair.append(place)
            return
        other = waiting.popleft()
        self.pair.append(other)
        points = self.games[other].points + game.points
        self.counts[points] += 1
        self.evidence.add(points, new_games=self._is_new[other] + self._is_new[place])

    @property
    def singles(self) -> list[float]:
        """The points of the games without a counterpart."""
        return [self.games[place].points for waiting in self._waiting.values() for place in waiting]


@dataclass
class MatchResult:
    """The games of a match so far, counted for agent A.

    Two games from the same position with colours swapped are a pair, even if other games are between them.
    """

    a: str
    b: str
    #: Whether to keep the records; tournaments keep them in their store instead.
    keep_records: bool = True
    records: list[GameRecord] = field(default_factory=list, init=False)
    #: For each kept record, whether A played first.
    a_first: list[bool] = field(default_factory=list, init=False)
    _pairs: _Pairs = field(default_factory=_Pairs, init=False, repr=False)
    _are_in_order: bool = field(default=True, init=False, repr=False)
    _outcomes: Counter[tuple[bool, int]] = field(default_factory=Counter, init=False, repr=False)
    _forfeits: Counter[tuple[bool, str]] = field(default_factory=Counter, init=False, repr=False)
    _lost_turns: Counter[bool] = field(default_factory=Counter, init=False, repr=False)
    _reasons: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    _decided_by: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    _moves: Counter[bool] = field(default_factory=Counter, init=False, repr=False)
    _time_s: dict[bool, float] = field(default_factory=lambda: {True: 0.0, False: 0.0}, init=False, repr=False)

    __str__, __repr__, _repr_html_ = match_text, match_repr, match_html
    to_frame = match_frame

    def add(self, record: GameRecord, *, a_first: bool, number: int | None = None) -> None:
        """Count a finished game. `number` is its number in the match, needed if games are added out of order."""
        if self.keep_records:
            self.records.append(record)
            self.a_first.append(a_first)
        outcome = record.result.outcome_for(0 if a_first else 1)
        self._outcomes[a_first, outcome] += 1
        self._reasons[record.reason.value] += 1
        if record.reason is Reason.NORMAL:
            self._decided_by[record.result.decided_by] += 1
        for player in record.at_fault:
            self._forfeits[(player == 0) == a_first, record.reason.value] += 1
        for player, count in enumerate(record.lost_turns):
            self._lost_turns[(player == 0) == a_first] += count
        number = self.games if number is None else number
        earlier = self._pairs.games
        self._are_in_order &= not earlier or earlier[-1].number < number
        self._pairs.add(_Game(number, record.start, a_first, (1 + outcome) / 2, (a_first, record.line)))
        for played in record.moves:
            by_a = (played.player == 0) == a_first
            self._moves[by_a] += 1
            self._time_s[by_a] += played.time_s

    @property
    def _in_order(self) -> _Pairs:
        """The games sorted by number, so that the pairs do not depend on which game finished first."""
        if not self._are_in_order:
            self._pairs = _Pairs(sorted(self._pairs.games, key=lambda game: game.number))
            self._are_in_order = True
        return self._pairs

    def tally(self, *, a_first: bool | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of A: in all games, or only in those in which A played first or second."""
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
        """The 95% interval of A's score.

        It depends on the number of distinct games: a repeated game adds no evidence and does not narrow it.
        """
        return self.interval_at(Z_95)

    def interval_at(self, z: float) -> tuple[float, float]:
        """The interval of A's score for a normal quantile, e.g. one that allows for several matches."""
        spread = dispersion(self.pentanomial, self._in_order.singles, new=self._new, z=z)
        return wilson_interval(self.score, self.distinct_games / spread, z)

    @property
    def elo(self) -> float:
        """A's Elo advantage by its score; infinite if A won or lost all games."""
        return elo_of(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The 95% interval of the score, in Elo."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    @property
    def los(self) -> float:
        """The likelihood of superiority (LOS): the probability that A is stronger."""
        return superiority(self.score, self.trials)

    @property
    def pentanomial(self) -> Pentanomial:
        """The numbers of complete pairs by A's points."""
        return _pentanomial(self._in_order.counts)

    @property
    def distinct_games(self) -> int:
        """The number of games that differ in moves or colours. Deterministic agents repeat games."""
        return len(self._pairs.lines)

    @property
    def dispersion(self) -> float:
        """The variance of the points relative to coin flips; draws and swapped colours make it less than 1."""
        return dispersion(self.pentanomial, self._in_order.singles, new=self._new)

    @property
    def trials(self) -> float:
        """The effective number of games: the number of coin flips with the same evidence."""
        return self.distinct_games / self.dispersion

    @property
    def _new(self) -> float:
        """The share of distinct games."""
        return self.distinct_games / self.games if self.games else 1.0

    def test(self, sprt: Sprt) -> SprtState:
        """The state of a sequential test after the complete pairs; repeated games are no evidence."""
        return self._in_order.evidence.test(sprt)

    def is_futile(self, openings: int) -> bool:
        """Whether the agents only repeat earlier games from this number of openings."""
        return self._in_order.evidence.is_futile(openings)

    def rated_games(self, a: int, b: int) -> Iterator[RatedGame]:
        """The games as input for `ratings.rate`; `a` and `b` are the indices of the agents."""
        from joute.match.ratings import RatedGame  # imported here: it needs NumPy

        pairs = self._in_order
        for game, pair in zip(pairs.games, pairs.pair, strict=True):
            first, second = (a, b) if game.a_first else (b, a)
            yield RatedGame(first, second, game.points if game.a_first else 1 - game.points, pair=pair, line=game.line)

    def moves(self, *, of_a: bool) -> int:
        """The number of moves of A, or of B."""
        return self._moves[of_a]

    def time_s(self, *, of_a: bool) -> float:
        """The total thinking time of A, or of B."""
        return self._time_s[of_a]

    def mean_time_s(self, *, of_a: bool) -> float:
        """Mean time per move of A, or of B."""
        return self.time_s(of_a=of_a) / self.moves(of_a=of_a) if self.moves(of_a=of_a) else 0.0

    def forfeits(self, *, of_a: bool) -> int:
        """The number of games forfeited by A, or by B; a game that neither could begin counts for both."""
        return sum(self.forfeit_reasons(of_a=of_a).values())

    def forfeit_reasons(self, *, of_a: bool) -> dict[str, int]:
        """The number of games forfeited by A, or by B, by reason, most frequent first."""
        return {reason: count for (by_a, reason), count in self._forfeits.most_common() if by_a == of_a}

    def lost_turns(self, *, of_a: bool) -> int:
        """The number of turns that A, or B, lost by a late answer."""
        return self._lost_turns[of_a]

    @property
    def mean_plies(self) -> float:
        """Mean length of a game."""
        return self._moves.total() / self.games if self.games else 0.0

    @property
    def reasons(self) -> dict[str, int]:
        """The number of games by reason, without games with a normal end."""
        return {reason: count for reason, count in self._reasons.items() if reason != Reason.NORMAL.value}

    @property
    def decided_by(self) -> dict[str, int]:
        """The number of games with a normal end by `Result.decided_by`, most frequent first."""
        return dict(self._decided_by.most_common())

    @property
    def verdict(self) -> str:
        """The conclusion from the games, as a sentence: which agent is stronger at 95%, or why there is no verdict."""
        if doubt := self._forfeited or self._too_few:
            return doubt
        low, high = self.interval
        if low > 0.5:
            return f"{self.a} is stronger (95%)"
        if high < 0.5:
            return f"{self.b} is stronger (95%)"
        return f"not distinguishable at 95%; {self._outlook}"

    def verdict_by(self, sprt: Sprt) -> str:
        """The decision of a sequential test, as a sentence.

        `verdict` is not valid here: the test stops at a convincing score, so that the score is biased.
        """
        return self._forfeited or self.test(sprt).words(self.a, self.b)

    @property
    def _forfeited(self) -> str:
        """A sentence if an agent forfeited more than half of the games; else empty."""
        forfeits = [(name, self.forfeits(of_a=of_a)) for name, of_a in ((self.a, True), (self.b, False))]
        most = [f"{name} forfeited {count} of {self.games}" for name, count in forfeits if 2 * count > self.games]
        who = f"{' and '.join(most)} {noun(self.games, 'game')}"
        return f"{who}, so there is no verdict on how they play" if most else ""

    @property
    def has_too_few_games(self) -> bool:
        """Whether there is no verdict because there are too few games, or too few distinct ones."""
        return not self._forfeited and bool(self._too_few)

    @property
    def _too_few(self) -> str:
        """A sentence if there are too few games or too few distinct games; else empty."""
        if self.distinct_games < min(self.games, _FEW_GAMES):
            distinct = f"{self.distinct_games} distinct game" + "s" * (self.distinct_games != 1)
            return f"only {distinct} among {self.games}: these agents hardly vary, so there is no verdict"
        if self.games < _FEW_GAMES:
            return f"only {self.games} game{'s' * (self.games != 1)}: too few for a verdict"
        return ""

    @property
    def _outlook(self) -> str:
        """The number of further games for a verdict if the score stays the same, as part of a sentence."""
        needed = trials_to_show(self.score) * self.dispersion
        if needed <= _MOST_GAMES:
            return f"about {_rounded(needed - self.distinct_games)} more games"
        return (
            f"to show a difference of {_SMALL_ELO} Elo takes about "
            f"{_rounded(trials_to_show(score_of(_SMALL_ELO)) * self.dispersion)} games"
        )


def _pentanomial(pairs: Counter[float]) -> Pentanomial:
    return Pentanomial((pairs[0.0], pairs[0.5], pairs[1.0], pairs[1.5], pairs[2.0]))


def _rounded(games: float) -> str:
    """A number of games, rounded up to two significant digits, as text: 1234 as 1,300."""
    unit = 10 ** max(0, math.floor(math.log10(games)) - 1)
    return f"{math.ceil(games / unit) * unit:,}"


def play_match(
    game: str | State,
    a: str | Agent | Player,
    b: str | Agent | Player,
    *,
    games: int,
    seed: int = 0,
    clock: Clocks = "none",
    openings: Sequence[State] = (),
    sprt: Sprt | None = None,
    on_game: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play a match in this process; `joute.play_match` describes the arguments, and also takes openings as text."""
    if games < 1:
        raise SpecError(f"a match has at least 1 game, not {games}")
    players = as_player(a), as_player(b)
    controls = controls_of(clock)

    def played() -> Iterator[tuple[int, GameRecord]]:
        for number in range(games):
            start = openings[number // 2 % len(openings)] if openings else game
            sides = (0, 1) if _is_a_first(number) else (1, 0)
            first, second = (players[side] for side in sides)
            clocks = (controls[sides[0]], controls[sides[1]])
            yield number, play_game(start, first, second, seed=derive_seed(seed, number), clock=clocks)

    result = MatchResult(players[0].name, players[1].name)
    return add_games(result, played(), sprt=sprt, openings=openings, on_game=on_game)


def add_games(
    result: MatchResult,
    games: Iterable[tuple[int, GameRecord]],
    *,
    sprt: Sprt | None,
    openings: Sequence[State],
    on_game: Callable[[MatchResult], None] | None,
) -> MatchResult:
    """Add numbered games to a result, in order, until a sequential test ends; returns the result.

    A game is missing if an interruption or a failure left it out; after it the test decides nothing.
    """
    for number, record in games:
        result.add(record, a_first=_is_a_first(number), number=number)
        if on_game:
            on_game(result)
        is_end_of_pairs = not _is_a_first(number) and result.games == number + 1
        if sprt and is_end_of_pairs and (result.test(sprt).decision or result.is_futile(len(openings))):
            break
    return result


def _is_a_first(number: int) -> bool:
    """Whether A moves first in this game of a match."""
    return number % 2 == 0
