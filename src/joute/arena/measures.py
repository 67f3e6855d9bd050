"""Statistics of a tournament's games: results by colour and opening, effort by ply, lengths, margins and reasons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from joute.arena.plan import Plan
from joute.arena.store.store import StoredGame
from joute.games import new
from joute.match import GameRecord, Reason
from joute.match.statistics import wilson_interval


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one side, and the number of distinct games among them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    distinct_games: int = 0

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game: a win counts one, a draw half; 0.5 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval of the score; identical games count once, as they add no evidence."""
        return wilson_interval(self.score, self.distinct_games)


@dataclass(frozen=True)
class PlyMeasure:
    """An agent's effort at one ply: means over its moves. Depth and nodes are means over the moves that state them."""

    ply: int
    moves: int
    time_s: float
    depth: float | None = None
    nodes: float | None = None


@dataclass(frozen=True)
class AgentMeasures:
    """Statistics over one agent's games."""

    name: str
    as_first: Tally
    as_second: Tally
    #: By ply of the game, without plies at which it never moved.
    plies: tuple[PlyMeasure, ...]
    #: After each of its games: the number of games of the tournament so far, and the agent's score so far.
    course: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class OpeningMeasures:
    """The results of the first player from one start position."""

    position: str
    first: Tally


@dataclass(frozen=True)
class Measures:
    """All statistics of a tournament besides its standings."""

    agents: tuple[AgentMeasures, ...]
    #: The results of the player who moves first.
    first: Tally
    #: One entry per start position that was played.
    openings: tuple[OpeningMeasures, ...]
    #: The number of games by length in plies, counted from the start position.
    lengths: Counter[int]
    #: The number of games with a normal end and a winner, by margin in the game's unit.
    margins: Counter[int]
    reasons: Counter[str]
    #: The number of games with a normal end, by `Result.decided_by`.
    decided_by: Counter[str]


@dataclass
class _Counted:
    outcomes: Counter[int] = field(default_factory=Counter)
    lines: set[Hashable] = field(default_factory=set)

    def add(self, outcome: int, line: Hashable) -> None:
        self.outcomes[outcome] += 1
        self.lines.add(line)

    @property
    def tally(self) -> Tally:
        return Tally(self.outcomes[1], self.outcomes[0], self.outcomes[-1], len(self.lines))


@dataclass
class _Thinking:
    """Sums over the moves of an agent at a ply; `depths` and `searches` count the moves that state depth and nodes."""

    moves: int = 0
    time_s: float = 0.0
    depths: int = 0
    depth: float = 0.0
    searches: int = 0
    nodes: float = 0.0

    def measure(self, ply: int) -> PlyMeasure:
        return PlyMeasure(
            ply,
            self.moves,
            self.time_s / self.moves,
            self.depth / self.depths if self.depths else None,
            self.nodes / self.searches if self.searches else None,
        )


@dataclass
class _Agent:
    colours: tuple[_Counted, _Counted] = field(default_factory=lambda: (_Counted(), _Counted()))
    plies: defaultdict[int, _Thinking] = field(default_factory=lambda: defaultdict(_Thinking))
    course: list[tuple[int, float]] = field(default_factory=list)
    games: int = 0
    points: float = 0.0


def measure(plan: Plan, games: Iterable[StoredGame]) -> Measures:
    """The statistics of a tournament; `games` must be in the order of their numbers."""
    agents = [_Agent() for _ in plan.entrants]
    first = _Counted()
    openings: defaultdict[str, _Counted] = defaultdict(_Counted)
    start_plies: dict[str, int] = {}
    lengths: Counter[int] = Counter()
    margins: Counter[int] = Counter()
    reasons: Counter[str] = Counter()
    decided_by: Counter[str] = Counter()
    for count, stored in enumerate(games, start=1):
        record, players = stored.record, stored.pairing.players
        outcome = record.result.outcome
        line = (players, record.line)
        first.add(outcome, line)
        openings[record.start].add(outcome, line)
        for colour, player in enumerate(players):
            own = agents[player]
            own.colours[colour].add(record.result.outcome_for(colour), line)
            own.games += 1
            own.points += (1 + record.result.outcome_for(colour)) / 2
            own.course.append((count, own.points / own.games))
        if record.start not in start_plies:
            start_plies[record.start] = new(plan.game, record.start).ply
        _add_thinking(record, start_plies[record.start], [agents[player] for player in players])
        lengths[len(record.moves)] += 1
        reasons[record.reason.value] += 1
        if record.reason is Reason.NORMAL:
            decided_by[record.result.decided_by] += 1
            if record.winner is not None:
                margins[abs(record.result.margin)] += 1
    return Measures(
        agents=tuple(_measured(own, entrant.name) for own, entrant in zip(agents, plan.entrants, strict=True)),
        first=first.tally,
        openings=tuple(OpeningMeasures(position, counted.tally) for position, counted in openings.items()),
        lengths=lengths,
        margins=margins,
        reasons=reasons,
        decided_by=decided_by,
    )


def _add_thinking(record: GameRecord, start_ply: int, players: list[_Agent]) -> None:
    for ply, played in enumerate(record.moves, start=start_ply):
        at_ply = players[played.player].plies[ply]
        at_ply.moves += 1
        at_ply.time_s += played.time_s
        info = played.info
        if info and info.depth is not None:
            at_ply.depths += 1
            at_ply.depth += info.depth
        if info and info.nodes is not None:
            at_ply.searches += 1
            at_ply.nodes += info.nodes


def _measured(own: _Agent, name: str) -> AgentMeasures:
    plies = tuple(thinking.measure(ply) for ply, thinking in sorted(own.plies.items()))
    as_first, as_second = (counted.tally for counted in own.colours)
    return AgentMeasures(name, as_first, as_second, plies, tuple(own.course))
