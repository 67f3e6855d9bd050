"""What a tournament says so far: points with intervals, pairings, and who forfeited why."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from joute._core import one_line
from joute.arena.plan import Plan
from joute.arena.schedules.registry import find_schedule
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.results import absent_players
from joute.match import GameRecord, MatchResult, Reason
from joute.match.statistics import wilson_interval
from joute.spec import look_up

if TYPE_CHECKING:
    from joute.match.ratings import Rating, Ratings

LEVELS = {
    "worker": "built-in agents in worker processes",
    "process": "other agents in processes of their own",
    "sandbox": "other agents in sandboxes",
    "remote": "agents that others run",
}


@dataclass(frozen=True, order=True)
class Example:
    """A game that ended in a certain way."""

    game: int
    detail: str

    def about(self, name: str, reason: str) -> str:
        """What is said of an agent, where a game's detail may be about both."""
        parts = self.detail.split("; ") if reason == Reason.ADJUDICATED.value else [self.detail]
        return next((part for part in parts if part.startswith((f"{name} ", f"{name}: "))), self.detail)

    def __str__(self) -> str:
        return f"game {self.game}: {self.detail}"


@dataclass
class Forfeits:
    """How one agent lost games by its own fault."""

    counts: Counter[str] = field(default_factory=Counter)
    #: For each reason, the first game.
    examples: dict[str, Example] = field(default_factory=dict)
    #: How many of these games ended before anybody had moved.
    unstarted: int = 0

    def add(self, number: int, record: GameRecord) -> None:
        """Count a game that the agent forfeited."""
        reason = record.reason.value
        self.counts[reason] += 1
        self.unstarted += bool(absent_players(record))
        _keep_first(self.examples, reason, number, record)


def _keep_first(examples: dict[str, Example], reason: str, number: int, record: GameRecord) -> None:
    example = Example(number, record.detail or str(record))
    examples[reason] = min(examples.get(reason, example), example)


@dataclass
class Standing:
    """One agent's part of the table."""

    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: As many coin flips tell as much as its games: draws and swapped colours make it more, repetitions fewer.
    trials: float = 0.0
    moves: int = 0
    time_s: float = 0.0
    #: How many games it lost by its own fault, for which reasons. Where neither agent could begin, the game is
    #: drawn, and a forfeit of both: ``adjudicated``.
    forfeits: Counter[str] = field(default_factory=Counter)
    #: For each of these reasons, the first game.
    examples: dict[str, Example] = field(default_factory=dict)
    #: In how many games it failed before anybody had moved.
    unstarted: int = 0
    #: How many of its moves are turns that it lost by answering too late.
    lost_turns: int = 0

    @property
    def never_started(self) -> bool:
        """Whether it failed in every game before anybody had moved."""
        return 0 < self.games == self.unstarted

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts one, a draw half."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points a game."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score, for opponents as they were."""
        return wilson_interval(self.score, self.trials)

    @property
    def mean_time_s(self) -> float:
        """Mean time of a move."""
        return self.time_s / self.moves if self.moves else 0.0


@dataclass(frozen=True)
class RatedStanding:
    """An agent's part of the table, with its rating. `index` is its place in the plan."""

    index: int
    standing: Standing
    rating: Rating

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.standing.name


class Standings:
    """The table of a tournament, as its games come in."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = tuple(entrant.name for entrant in plan.entrants)
        #: The result of each pairing, seen from the entrant that the plan names first.
        self.pairings: dict[tuple[int, int], MatchResult] = {}
        #: How many games ended for each reason but the normal one.
        self.reasons: Counter[str] = Counter()
        #: Of these, the games that are nobody's fault, and the first for each reason.
        self.blameless: Counter[str] = Counter()
        self.examples: dict[str, Example] = {}
        self._forfeits = [Forfeits() for _ in plan.entrants]
        self._overheads_s: list[float] = []
        self._levels: set[str] = set()
        self.games = 0

    def add(self, pairing: Pairing, record: GameRecord) -> None:
        """Count a finished game."""
        self.games += 1
        first = pairing.players[0]
        a, b = sorted(pairing.players)
        if (a, b) not in self.pairings:
            self.pairings[a, b] = MatchResult(self._names[a], self._names[b], keep_records=False)
        self.pairings[a, b].add(record, a_first=first == a, number=pairing.number)
        self._levels |= set(record.isolation)
        if (overhead_s := record.overhead_a_ply_s) is not None:
            self._overheads_s.append(overhead_s)
        if record.reason is Reason.NORMAL:
            return
        reason = record.reason.value
        self.reasons[reason] += 1
        for player in record.at_fault:
            self._forfeits[pairing.players[player]].add(pairing.number, record)
        if not record.at_fault:
            self.blameless[reason] += 1
            _keep_first(self.examples, reason, pairing.number, record)

    def ratings(self, anchors: Mapping[str, float] | None = None) -> Ratings:
        """Elo of every agent by the games so far, in the order of the plan; SpecError if an anchor is no agent."""
        from joute.match.ratings import rate  # here: NumPy takes its time

        indices = {name: index for index, name in enumerate(self._names)}
        fixed = {look_up("agent of the tournament", name, indices): elo for name, elo in (anchors or {}).items()}
        games = (game for (a, b), result in self.pairings.items() for game in result.rated_games(a, b))
        rated = rate(len(self._names), games, anchors=fixed, names=self._names)
        if len(self._names) == 2 and self.games and len(fixed) < 2:
            return _of_a_match(self.pairings[0, 1], rated, fixed)
        return rated

    def rated_table(self, ratings: Ratings, order: Sequence[int] | None = None) -> list[RatedStanding]:
        """Every agent's standing, the best first: by its rating, unless the tournament has an order of its own."""
        rows = [
            RatedStanding(index, standing, ratings.ratings[index])
            for standing in self.table
            for index in (self._names.index(standing.name),)
        ]
        return sorted(rows, key=lambda row: order.index(row.index)) if order else sorted(rows, key=_weakness)

    @property
    def table(self) -> list[Standing]:
        """Every agent's standing, the best first."""
        rows = [
            Standing(name, forfeits=Counter(own.counts), examples=dict(own.examples), unstarted=own.unstarted)
            for name, own in zip(self._names, self._forfeits, strict=True)
        ]
        for (a, b), result in self.pairings.items():
            wins, draws, losses = result.tally()
            for index, won, lost, of_a in ((a, wins, losses, True), (b, losses, wins, False)):
                row = rows[index]
                row.wins += won
                row.draws += draws
                row.losses += lost
                row.trials += result.trials
                row.moves += result.moves(of_a=of_a)
                row.time_s += result.time_s(of_a=of_a)
                row.lost_turns += result.lost_turns(of_a=of_a)
        return sorted(rows, key=lambda row: -row.score if row.games else 1.0)

    def score(self, name: str, against: str) -> tuple[float, int] | None:
        """The points of an agent against another, and in how many games; None before they met."""
        one, other = self._names.index(name), self._names.index(against)
        result = self.pairings.get((min(one, other), max(one, other)))
        if result is None:
            return None
        points = result.score * result.games
        return (points if one < other else result.games - points), result.games

    @property
    def distinct_games(self) -> int:
        """How many games are not a repetition of another."""
        return sum(result.distinct_games for result in self.pairings.values())

    @property
    def overhead_s(self) -> float | None:
        """What the runner itself takes a ply: the median of the games."""
        import statistics  # here: it takes 20 ms to import

        return statistics.median(self._overheads_s) if self._overheads_s else None

    @property
    def is_sequential(self) -> bool:
        """Whether the tournament stops when its score is convincing, so that the score is too bold."""
        return find_schedule(self._plan.schedule).is_sequential

    @property
    def conditions(self) -> str:
        """Clock, margin and isolation in words."""
        plan = self._plan
        if find_schedule(plan.schedule).is_from_elsewhere:
            clocks = {str(plan.control(index)) for index in range(len(plan.entrants))} - {"none"}
            return "games from elsewhere" + (f"; clock {', '.join(sorted(clocks))}" if clocks else "")
        is_timed = any(plan.control(index).is_timed for index in range(len(plan.entrants)))
        own = [f"{one_line(entrant.name)}: {entrant.clock}" for entrant in plan.entrants if entrant.clock]
        clock = plan.clock + (f" ({', '.join(own)})" if own else "")
        levels = [words for level, words in LEVELS.items() if level in self._levels]
        return conditions(clock, levels, margin_s=plan.margin_s if is_timed else None, stall_s=plan.isolation.stall_s)


def _of_a_match(match: MatchResult, rated: Ratings, fixed: Mapping[int, float]) -> Ratings:
    """The ratings of two agents, as `joute match` would tell them: the difference by the score, from their mean."""
    from joute.match.ratings import Rating

    low, high = match.elo_interval
    ahead, behind = Rating(match.elo, low, high), Rating(-match.elo, -high, -low)
    if not fixed:
        ratings = tuple(Rating(one.elo / 2, one.low / 2, one.high / 2) for one in (ahead, behind))
    else:
        ((anchor, elo),) = fixed.items()
        other = behind if anchor == 0 else ahead
        free, known = Rating(elo + other.elo, elo + other.low, elo + other.high), Rating(elo, elo, elo)
        ratings = (known, free) if anchor == 0 else (free, known)
    return dataclasses.replace(
        rated,
        ratings=ratings,
        reference=rated.reference if fixed else "0 is the mean of 2 agents",
        _superiority=lambda agent, _: match.los if agent == 0 else 1 - match.los,
    )


def _weakness(row: RatedStanding) -> tuple[bool, float, float]:
    """Who never started is last. Infinite ratings are no order: there, points are."""
    elo = row.rating.elo
    return (
        row.standing.never_started or not row.standing.games,
        -elo if not math.isnan(elo) else 0.0,
        -row.standing.score,
    )


def conditions(clock: str, levels: list[str], *, margin_s: float | None, stall_s: float | None) -> str:
    """What games were played under, in words; `margin_s` is None where no clock runs, `stall_s` where nobody waits."""
    stalled = f", stalled after {stall_s:g} s" if stall_s is not None else ""
    margin = f"no time limit{stalled}" if margin_s is None else f"margin {margin_s:g} s"
    return "; ".join([f"clock {clock}, {margin}", *levels])
