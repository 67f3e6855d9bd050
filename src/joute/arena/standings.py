"""The standings of a tournament so far: points with intervals, results of pairings, forfeits and their reasons."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from joute._core import one_line
from joute.arena.hints import hint
from joute.arena.plan import Plan
from joute.arena.ranking import BY_SCHEDULE, Ranking, ranking
from joute.arena.schedules.registry import find_schedule
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.results import failed_without_move
from joute.frames import frame_of_rows
from joute.match import GameRecord, MatchResult, Reason
from joute.match.record import PRESUMED
from joute.match.statistics import wilson_interval
from joute.numbers import count_of, duration, elo_interval, elo_text, game_number, percent, points_text
from joute.spec import look_up
from joute.tables import Table

if TYPE_CHECKING:
    from pandas import DataFrame

    from joute.match.ratings import Rating, Ratings

#: The mark of results that rest on a presumption.
PRESUMED_MARK = "†"

LEVELS = {
    "worker": "built-in agents in worker processes",
    "process": "other agents in processes of their own",
    "sandbox": "other agents in sandboxes",
    "remote": "agents that others run",
}


@dataclass(frozen=True, order=True)
class Example:
    """A game quoted as an example of a reason for ending: its number for people and the detail of its record."""

    game: int
    detail: str

    def about(self, name: str, reason: str) -> str:
        """The part of the detail about one agent: the detail of an adjudicated game may be about both."""
        parts = self.detail.split("; ") if reason == Reason.ADJUDICATED.value else [self.detail]
        return next((part for part in parts if part.startswith((f"{name} ", f"{name}: "))), self.detail)

    def __str__(self) -> str:
        return f"game {self.game}: {self.detail}"


@dataclass
class Forfeits:
    """The games that one agent forfeited, by reason."""

    counts: Counter[str] = field(default_factory=Counter)
    #: For each reason, the game with the lowest number.
    examples: dict[str, Example] = field(default_factory=dict)
    #: The number of these games that ended before the first move.
    unstarted: int = 0

    def add(self, number: int, record: GameRecord) -> None:
        """Count a game that the agent forfeited."""
        reason = record.reason.value
        self.counts[reason] += 1
        self.unstarted += bool(failed_without_move(record))
        _keep_first(self.examples, reason, number, record)


def _keep_first(examples: dict[str, Example], reason: str, number: int, record: GameRecord) -> None:
    example = Example(game_number(number), record.detail or record.headline)
    examples[reason] = min(examples.get(reason, example), example)


@dataclass
class Standing:
    """One agent's row of the table, without its rating."""

    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: The effective number of independent win/loss games. Draws and colour-swapped pairs increase it, repeated games
    #: decrease it.
    trials: float = 0.0
    moves: int = 0
    time_s: float = 0.0
    #: The number of games it forfeited, by reason. If both fail before the first move, the game is a draw that counts
    #: as a forfeit of both, with the reason ``adjudicated``.
    forfeits: Counter[str] = field(default_factory=Counter)
    #: For each of these reasons, the game with the lowest number.
    examples: dict[str, Example] = field(default_factory=dict)
    #: The number of games in which it failed before the first move.
    unstarted: int = 0
    #: The number of its turns that were lost by a late answer.
    lost_turns: int = 0
    #: The number of its games whose result rests on a presumption.
    presumed: int = 0
    #: Whether it plays no more: it was withdrawn, or a new version replaced it.
    retired: bool = False

    @property
    def forfeits_text(self) -> str:
        """How many games it forfeited and why, with examples and hints, as a sentence; empty if none."""
        if not self.forfeits:
            return ""
        parts = []
        for reason, count in self.forfeits.items():
            example = self.examples[reason]
            both = ", neither agent could begin" if reason == Reason.ADJUDICATED.value else ""
            detail = example.about(self.name, reason)
            advice = f" (hint: {advice})" if (advice := hint(detail)) else ""
            # The sentence begins with the name already.
            words = detail.removeprefix(f"{self.name} ").removeprefix(f"{self.name}: ")
            parts.append(f"{count} {reason}{both}, for example game {example.game}: {one_line(words)}{advice}")
        started = ", it never started" if self.never_started else ""
        games = count_of(self.games, "game")
        return f"{one_line(self.name)} forfeited {self.forfeits.total()} of {games}{started}: {'; '.join(parts)}"

    @property
    def never_started(self) -> bool:
        """Whether it failed before any move was made, in every game."""
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
        """Points per game; 0.5 without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval of the score against these opponents."""
        return wilson_interval(self.score, self.trials)

    @property
    def mean_time_s(self) -> float:
        """Mean time per move."""
        return self.time_s / self.moves if self.moves else 0.0


@dataclass(frozen=True)
class RatedStanding:
    """An agent's row of the table, with its rating. `index` is its index in the plan."""

    index: int
    standing: Standing
    rating: Rating

    @property
    def name(self) -> str:
        """The agent's name in tables."""
        return self.standing.name


class Standings:
    """The table of a tournament, updated game by game."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = tuple(entrant.name for entrant in plan.entrants)
        #: The result of each pair of entrants (a, b) with a < b, for entrant a.
        self.pairings: dict[tuple[int, int], MatchResult] = {}
        #: The number of games per reason other than a normal end.
        self.reasons: Counter[str] = Counter()
        #: Of these, the number of games without an agent at fault, and the example with the lowest number per reason.
        self.blameless: Counter[str] = Counter()
        self.examples: dict[str, Example] = {}
        #: The games whose result rests on a presumption, by number: their players.
        self.presumed: dict[int, tuple[int, int]] = {}
        self._presumed_examples: dict[str, Example] = {}
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
        if record.is_presumed:
            self.presumed[pairing.number] = pairing.players
            _keep_first(self._presumed_examples, PRESUMED, pairing.number, record)
        for player in record.at_fault:
            self._forfeits[pairing.players[player]].add(pairing.number, record)
        if not record.at_fault:
            self.blameless[reason] += 1
            _keep_first(self.examples, reason, pairing.number, record)

    def ratings(self, anchors: Mapping[str, float] | None = None, *, may_be_infinite: bool = False) -> Ratings:
        """The Elo ratings by the games so far, in the order of the plan; SpecError if an anchor is not an agent.

        `anchors` fixes the Elo of agents by name. With two agents, the ratings follow from the score of their match.
        With more, ratings are Bayesian if the games alone leave one infinite, unless it `may_be_infinite`. An agent
        that never started has no rating: its games tell nothing about strength.
        """
        from joute.match.ratings import rate  # imported here: NumPy is slow to import

        indices = {name: index for index, name in enumerate(self._names)}
        fixed = {look_up("agent of the tournament", name, indices): elo for name, elo in (anchors or {}).items()}
        is_match = len(self._names) == 2
        absent = set() if is_match else self._absent
        games = (
            game
            for (a, b), result in self.pairings.items()
            if absent.isdisjoint((a, b))
            for game in result.rated_games(a, b)
        )
        rated = rate(
            len(self._names), games, anchors=fixed, names=self._names, may_be_infinite=may_be_infinite or is_match
        )
        if is_match and self.games and len(fixed) < 2:
            return _of_a_match(self.pairings[0, 1], rated, fixed)
        return rated

    @property
    def _absent(self) -> set[int]:
        """The agents that never started."""
        return {self._names.index(row.name) for row in self.table if row.never_started}

    def ranking(self, ratings: Ratings, order: Sequence[int] | None = None) -> Ranking:
        """The order of the agents: `order`, the schedule's ranking, or else by points or rating."""
        if order:
            return Ranking(tuple(order), BY_SCHEDULE)
        retired = self._plan.retired
        tallies = {players: result.tally() for players, result in self.pairings.items()}
        points = {players: (wins + draws / 2, losses + draws / 2) for players, (wins, draws, losses) in tallies.items()}
        found = ranking([rating.elo for rating in ratings.ratings], points, self._absent)
        return dataclasses.replace(found, order=tuple(sorted(found.order, key=retired.__contains__)))

    def rated_table(self, ratings: Ratings, order: Sequence[int] | None = None) -> list[RatedStanding]:
        """All agents with their ratings, best first; `order` is the schedule's ranking, if it has one."""
        standings = {standing.name: standing for standing in self.table}
        return [
            RatedStanding(index, standings[self._names[index]], ratings.ratings[index])
            for index in self.ranking(ratings, order).order
        ]

    @property
    def table(self) -> list[Standing]:
        """All agents' standings, by score, best first; agents that play no more are last."""
        retired = self._plan.retired
        rows = [
            Standing(
                name,
                forfeits=Counter(own.counts),
                examples=dict(own.examples),
                unstarted=own.unstarted,
                retired=index in retired,
            )
            for index, (name, own) in enumerate(zip(self._names, self._forfeits, strict=True))
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
        for players in self.presumed.values():
            for index in players:
                rows[index].presumed += 1
        return sorted(rows, key=lambda row: (row.retired, -row.score if row.games else 1.0))

    @property
    def presumed_text(self) -> str:
        """A footnote about the games whose result rests on a presumption; empty if there are none."""
        if not self.presumed:
            return ""
        games = f"{count_of(len(self.presumed), 'game')} with a result that is presumed, not proven"
        return f"{PRESUMED_MARK} {games}, for example {self._presumed_examples[PRESUMED]}"

    @property
    def retired_text(self) -> str:
        """A footnote about the agents that play no more; empty if there are none."""
        count = len(self._plan.retired)
        if not count:
            return ""
        agents, them = (
            (f"{count} agents without a rank play", "them") if count > 1 else ("1 agent without a rank plays", "it")
        )
        return f"{agents} no more: withdrawn, or an old version (v1, v2, ...); the games with {them} count"

    def to_frame(self) -> DataFrame:
        """A data frame of pandas with a row per agent, best first: counts, score and Elo with their 95% intervals."""
        names = [
            "agent", "games", "wins", "draws", "losses", "score", "low", "high", "elo", "elo_low", "elo_high",
            "forfeits", "mean_time_s",
        ]  # fmt: skip
        rows = []
        for rated in self.rated_table(self.ratings()):
            row, rating = rated.standing, rated.rating
            counts = (row.games, row.wins, row.draws, row.losses)
            elo = (rating.elo, rating.low, rating.high)
            rows.append([row.name, *counts, row.score, *row.interval, *elo, row.forfeits.total(), row.mean_time_s])
        return frame_of_rows(names, rows)

    @property
    def _shown(self) -> Table:
        rows = self.rated_table(self.ratings())
        return Table(
            {
                "agent": [row.name for row in rows],
                "points": [points_text(row.standing.points) for row in rows],
                "games": [f"{row.standing.games:,}" for row in rows],
                "score": [percent(row.standing.score) for row in rows],
                "Elo": [elo_text(row.rating.elo) for row in rows],
                "95% interval": [elo_interval(row.rating.low, row.rating.high) for row in rows],
                "forfeits": [str(row.standing.forfeits.total() or "") for row in rows],
                "time/move": [duration(row.standing.mean_time_s) for row in rows],
            },
            left=("agent",),
        )

    def __str__(self) -> str:
        return str(self._shown)

    def __repr__(self) -> str:
        return f"<standings of {count_of(len(self._names), 'agent')} after {count_of(self.games, 'game')}>"

    def _repr_html_(self) -> str:
        return self._shown.html

    def score(self, name: str, against: str) -> tuple[float, int] | None:
        """The points of an agent against another and the number of games; None before their first game."""
        one, other = self._names.index(name), self._names.index(against)
        result = self.pairings.get((min(one, other), max(one, other)))
        if result is None:
            return None
        points = result.score * result.games
        return (points if one < other else result.games - points), result.games

    @property
    def distinct_games(self) -> int:
        """The number of games, where identical games of the same pairing count once."""
        return sum(result.distinct_games for result in self.pairings.values())

    @property
    def overhead_s(self) -> float | None:
        """The referee's overhead per ply: the median over the games; None if unknown."""
        import statistics  # imported here: it takes 20 ms

        return statistics.median(self._overheads_s) if self._overheads_s else None

    @property
    def is_sequential(self) -> bool:
        """Whether the tournament is a sequential test. It stops at a convincing score, so that its score is biased."""
        return find_schedule(self._plan.schedule).is_sequential

    @property
    def conditions(self) -> str:
        """Clock, margin and isolation levels as text for people."""
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
    """The ratings of two agents, consistent with `joute match`: the Elo difference follows from the score.

    The mean is 0, unless an anchor fixes one agent.
    """
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


def conditions(clock: str, levels: list[str], *, margin_s: float | None, stall_s: float | None) -> str:
    """The conditions of games as text; `margin_s` is None without a clock, `stall_s` is None without a stall limit."""
    stalled = f", stalled after {stall_s:g} s" if stall_s is not None else ""
    margin = f"no time limit{stalled}" if margin_s is None else f"margin {margin_s:g} s"
    return "; ".join([f"clock {clock}, {margin}", *levels])
