"""Finished games of a tournament as the results of an experiment."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from joute.arena.measures import PlyMeasure, measure
from joute.arena.schedules.registry import find_schedule
from joute.arena.standings import Standings
from joute.arena.store.store import Store
from joute.match import GameRecord, MatchResult, Reason
from joute.numbers import finite
from joute.reproduce.experiments import Experiment
from joute.reproduce.results import AgentResult, Batch, Mean, PairingResult, RowResult

# A pairing's games are split, in order, into this many batches.
_BATCHES = 10
# Figures that need measurements for each ply.
_BY_PLY = frozenset({"depth", "time"})


@dataclass
class _Sum:
    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> Mean:
        return Mean(self.count, self.total, self.squares)


@dataclass
class _Pairing:
    """Counts of two agents' games that `MatchResult` lacks."""

    plies: _Sum = field(default_factory=_Sum)
    margin: _Sum = field(default_factory=_Sum)
    #: A's outcomes, by the rule that decided the game.
    decided_by: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    #: Distinct move sequences, regardless of who played first.
    lines: set[str] = field(default_factory=set)
    #: For each game: A's points, the moves of A and B, the seconds of A and B.
    games: list[tuple[float, tuple[int, int], tuple[float, float]]] = field(default_factory=list)

    def add(self, record: GameRecord, *, a_first: bool) -> None:
        own = 0 if a_first else 1
        outcome = record.result.outcome_for(own)
        self.lines.add(record.line)
        self.plies.add(len(record.moves))
        if record.reason is Reason.NORMAL:
            self.margin.add(record.result.margin * (1 if a_first else -1))
            self.decided_by[record.result.decided_by][outcome] += 1
        moves, times = [0, 0], [0.0, 0.0]
        for played in record.moves:
            moves[played.player ^ own] += 1
            times[played.player ^ own] += played.time_s
        self.games.append(((1 + outcome) / 2, (moves[0], moves[1]), (times[0], times[1])))

    @property
    def batches(self) -> tuple[Batch, ...]:
        bounds = [len(self.games) * number // _BATCHES for number in range(_BATCHES + 1)]
        parts = [self.games[low:high] for low, high in itertools.pairwise(bounds) if low < high]
        return tuple(
            Batch(len(part), sum(points for points, _, _ in part), (_time_a_move(part, 0), _time_a_move(part, 1)))
            for part in parts
        )


def _time_a_move(games: list[tuple[float, tuple[int, int], tuple[float, float]]], side: int) -> float:
    moves = sum(counts[side] for _, counts, _ in games)
    return sum(times[side] for _, _, times in games) / moves if moves else 0.0


def collect(store: Store, experiment: Experiment, protocol: str) -> RowResult:
    """The results of a finished tournament, under the names of agents in the experiment."""
    by_ply = not _BY_PLY.isdisjoint(experiment.figures)
    by_batch = "batches" in experiment.figures or any(finding.measure == "trend" for finding in experiment.findings)
    plan = store.plan
    games = list(store.games())
    standings = Standings(plan)
    pairings: defaultdict[tuple[int, int], _Pairing] = defaultdict(_Pairing)
    for game in games:
        standings.add(game.pairing, game.record)
        a, b = sorted(game.pairing.players)
        pairings[a, b].add(game.record, a_first=game.pairing.players[0] == a)
    is_rated = len(plan.entrants) > 2 and find_schedule(plan.schedule).all_meet
    rated = standings.ratings(may_be_infinite=True).ratings if is_rated else None
    by_name = {standing.name: standing for standing in standings.table}
    measured = {agent.name: agent for agent in measure(plan, games).agents}
    names = {entrant.name: agent.name for entrant, agent in zip(plan.entrants, experiment.agents, strict=True)}
    agents = []
    for index, entrant in enumerate(plan.entrants):
        standing = by_name[entrant.name]
        low, high = standing.interval
        rating = rated[index] if rated else None
        agents.append(
            AgentResult(
                name=names[entrant.name],
                spec=entrant.agent,
                clock=str(plan.control(index)),
                wins=standing.wins,
                draws=standing.draws,
                losses=standing.losses,
                score=standing.score,
                low=low,
                high=high,
                elo=(finite(rating.elo), finite(rating.low), finite(rating.high)) if rating else None,
                moves=standing.moves,
                time_s=standing.time_s,
                lost_turns=standing.lost_turns,
                forfeits=standing.forfeits.total(),
                depth=_mean_of(measured[entrant.name].plies, "depth"),
                nodes=_mean_of(measured[entrant.name].plies, "nodes"),
                plies=measured[entrant.name].plies if by_ply else (),
            )
        )
    return RowResult(
        protocol=protocol,
        games=len(games),
        agents=tuple(agents),
        pairings=tuple(
            _pairing_result(result, names, pairings[players], pairings[players].batches if by_batch else ())
            for players, result in sorted(standings.pairings.items())
        ),
        note=store.note,
    )


def _mean_of(plies: Sequence[PlyMeasure], what: str) -> float | None:
    """The mean over the moves for which the agent gave this number; None if there are none."""
    told = [(ply.moves, getattr(ply, what)) for ply in plies if getattr(ply, what) is not None]
    moves = sum(count for count, _ in told)
    return sum(count * value for count, value in told) / moves if moves else None


def _pairing_result(
    result: MatchResult, names: Mapping[str, str], more: _Pairing, batches: tuple[Batch, ...]
) -> PairingResult:
    low, high = result.interval
    return PairingResult(
        a=names[result.a],
        b=names[result.b],
        as_first=result.tally(a_first=True),
        as_second=result.tally(a_first=False),
        score=result.score,
        low=low,
        high=high,
        trials=result.trials,
        distinct=result.distinct_games,
        plies=more.plies.mean,
        margin=more.margin.mean,
        decided_by={
            what: (counts[1], counts[0], counts[-1])
            for what, counts in sorted(more.decided_by.items(), key=lambda item: (-item[1].total(), item[0]))
        },
        reasons=result.reasons,
        batches=batches,
        lines=len(more.lines),
    )
