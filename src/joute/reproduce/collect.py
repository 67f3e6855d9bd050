"""Finished games of a tournament as the results of an experiment."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from joute.arena.measures import PlyMeasure, measure
from joute.arena.schedules.registry import find_schedule
from joute.arena.standings import Standings
from joute.arena.store.store import Store, StoredGame
from joute.games import new
from joute.match import GameRecord, MatchResult, Reason
from joute.numbers import finite
from joute.reproduce.experiments import Experiment
from joute.reproduce.results import AgentResult, Batch, Mean, PairingResult, RowResult, plies_key

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
    #: Games by A's margin.
    margins: Counter[int] = field(default_factory=Counter)
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
            margin = record.result.margin * (1 if a_first else -1)
            self.margin.add(margin)
            self.margins[margin] += 1
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
    asked = {finding.measure for finding in experiment.findings}
    by_batch = "batches" in experiment.figures or "trend" in asked
    by_margin = "won_by" in asked
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
    depths, nodes = _by_game(plan.game, games, {finding.plies for finding in experiment.findings} | {()})
    names = {entrant.name: agent.name for entrant, agent in zip(plan.entrants, experiment.agents, strict=True)}
    agents = []
    for index, entrant in enumerate(plan.entrants):
        standing = by_name[entrant.name]
        low, high = standing.interval
        rating = rated[index] if rated else None
        agents.append(
            AgentResult(
                name=names[entrant.name],
                spec=experiment.agents[index].spec,  # a path as in the file, and not the absolute one of the plan
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
                nodes=_mean_nodes(measured[entrant.name].plies),
                plies=measured[entrant.name].plies if by_ply else (),
                nodes_a_move=nodes[index].mean,
                depths={key: total.mean for key, total in sorted(depths[index].items())},
            )
        )
    return RowResult(
        protocol=protocol,
        games=len(games),
        agents=tuple(agents),
        pairings=tuple(
            _pairing_result(result, names, pairings[players], by_batch=by_batch, by_margin=by_margin)
            for players, result in sorted(standings.pairings.items())
        ),
        note=store.note,
    )


def _mean_nodes(plies: Sequence[PlyMeasure]) -> float | None:
    """The mean nodes over the moves for which the agent gave them; None if there are none."""
    told = [(ply.moves, ply.nodes) for ply in plies if ply.nodes is not None]
    moves = sum(count for count, _ in told)
    return sum(count * value for count, value in told) / moves if moves else None


def _by_game(
    game: str, games: Sequence[StoredGame], ranges: set[tuple[int, ...]]
) -> tuple[defaultdict[int, defaultdict[str, _Sum]], defaultdict[int, _Sum]]:
    """Each player's mean depth, by range of plies, and mean nodes in each of its games, summed over the games."""
    start_plies: dict[str, int] = {}
    depths: defaultdict[int, defaultdict[str, _Sum]] = defaultdict(lambda: defaultdict(_Sum))
    nodes: defaultdict[int, _Sum] = defaultdict(_Sum)
    for stored in games:
        record = stored.record
        if record.start not in start_plies:
            start_plies[record.start] = new(game, record.start).ply
        for side, player in enumerate(stored.pairing.players):
            told = [
                (ply, played.info)
                for ply, played in enumerate(record.moves, start=start_plies[record.start])
                if played.player == side and played.info
            ]
            if counts := [info.nodes for _, info in told if info.nodes is not None]:
                nodes[player].add(sum(counts) / len(counts))
            for plies in ranges:
                first, last = plies or (0, math.inf)
                seen = [info.depth for ply, info in told if info.depth is not None and first <= ply <= last]
                if seen:
                    depths[player][plies_key(plies)].add(sum(seen) / len(seen))
    return depths, nodes


def _pairing_result(
    result: MatchResult, names: Mapping[str, str], more: _Pairing, *, by_batch: bool, by_margin: bool
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
        batches=more.batches if by_batch else (),
        lines=len(more.lines),
        margins={str(margin): count for margin, count in sorted(more.margins.items())} if by_margin else {},
    )
