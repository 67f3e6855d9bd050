"""What a tournament says so far: points with intervals, pairings, and who forfeited why."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field

from joute.arena.plan import Plan
from joute.arena.schedule import Pairing
from joute.match import GameRecord, MatchResult, Reason
from joute.match.statistics import wilson_interval

#: Reasons that cost an agent the game.
FORFEITS = (Reason.ILLEGAL_MOVE, Reason.TIME, Reason.CRASH, Reason.MEMORY, Reason.STALLED)

_LEVELS = {
    "worker": "built-in agents in worker processes",
    "process": "other agents in processes of their own",
    "sandbox": "other agents in sandboxes",
}


@dataclass
class Standing:
    """One agent's part of the table."""

    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: Games that tell something new, which the interval counts.
    distinct_games: int = 0
    moves: int = 0
    time_s: float = 0.0
    forfeits: Counter[str] = field(default_factory=Counter)

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
        return wilson_interval(self.score, self.distinct_games)

    @property
    def mean_time_s(self) -> float:
        """Mean time of a move."""
        return self.time_s / self.moves if self.moves else 0.0


class Standings:
    """The table of a tournament, as its games come in."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = tuple(entrant.name for entrant in plan.entrants)
        #: The result of each pairing, seen from the entrant that the plan names first.
        self.pairings: dict[tuple[int, int], MatchResult] = {}
        #: How many games ended for each reason but the normal one.
        self.reasons: Counter[str] = Counter()
        self._examples: dict[str, tuple[int, str]] = {}
        self._forfeits: dict[int, Counter[str]] = {index: Counter() for index in range(len(plan.entrants))}
        self._overheads_s: list[float] = []
        self._levels: set[str] = set()
        self.games = 0

    def add(self, pairing: Pairing, record: GameRecord) -> None:
        """Count a finished game."""
        self.games += 1
        first, second = pairing.players
        a, b = sorted(pairing.players)
        if (a, b) not in self.pairings:
            self.pairings[a, b] = MatchResult(self._names[a], self._names[b], keep_records=False)
        self.pairings[a, b].add(record, a_first=first == a)
        self._levels |= set(record.isolation)
        if record.moves and record.overhead_s:  # not where the driver had to end the game
            self._overheads_s.append(record.overhead_s / len(record.moves))
        if record.reason is Reason.NORMAL:
            return
        self.reasons[record.reason.value] += 1
        example = (pairing.number, record.detail or str(record))
        self._examples[record.reason.value] = min(self._examples.get(record.reason.value, example), example)
        if record.reason in FORFEITS and record.winner is not None:
            self._forfeits[(first, second)[1 - record.winner]][record.reason.value] += 1

    @property
    def table(self) -> list[Standing]:
        """Every agent's standing, the best first."""
        rows = [Standing(name, forfeits=self._forfeits[index]) for index, name in enumerate(self._names)]
        for (a, b), result in self.pairings.items():
            wins, draws, losses = result.tally()
            for index, won, lost, of_a in ((a, wins, losses, True), (b, losses, wins, False)):
                row = rows[index]
                row.wins += won
                row.draws += draws
                row.losses += lost
                row.distinct_games += result.distinct_games
                row.moves += result.moves(of_a=of_a)
                row.time_s += result.time_s(of_a=of_a)
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
    def examples(self) -> dict[str, str]:
        """For each of these reasons, the first game that ended so, in words."""
        return {reason: f"game {number}: {text}" for reason, (number, text) in self._examples.items()}

    @property
    def distinct_games(self) -> int:
        """How many games are not a repetition of another."""
        return sum(result.distinct_games for result in self.pairings.values())

    @property
    def overhead_s(self) -> float | None:
        """What the runner itself takes a ply: the median of the games."""
        return statistics.median(self._overheads_s) if self._overheads_s else None

    @property
    def conditions(self) -> str:
        """Clock, margin and isolation in words."""
        plan = self._plan
        is_timed = any(plan.control(index).is_timed for index in range(len(plan.entrants)))
        own = [f"{entrant.name}: {entrant.clock}" for entrant in plan.entrants if entrant.clock]
        clock = f"clock {plan.clock}" + (f" ({', '.join(own)})" if own else "")
        margin = f"margin {plan.margin_s:g} s" if is_timed else "no time limit"
        if not is_timed:
            margin += f", stalled after {plan.isolation.stall_s:g} s"
        levels = [words for level, words in _LEVELS.items() if level in self._levels]
        return "; ".join([f"{clock}, {margin}", *levels])
