"""Measures of findings: each computes a number and its 95% interval from an experiment's results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joute.errors import SpecError
from joute.match.statistics import Z_95, wilson_interval
from joute.reproduce.experiments import Experiment, Finding
from joute.reproduce.results import AgentResult, Mean, PairingResult, RowResult, plies_key
from joute.spec import look_up


@dataclass(frozen=True)
class Measured:
    """A number with its 95% interval; nan if unknown."""

    value: float
    low: float = math.nan
    high: float = math.nan
    #: The number of games, moves or positions behind it.
    count: int = 0

    @property
    def has_interval(self) -> bool:
        """Whether both bounds are known."""
        return not math.isnan(self.low) and not math.isnan(self.high)


NOTHING = Measured(math.nan)


@dataclass(frozen=True)
class Measure:
    """How a number is computed and shown."""

    read: Callable[[Experiment, Finding, RowResult], Measured]
    #: The description that precedes the names of the agents.
    words: str
    #: Whether it is a share: between 0 and 1, shown in percent, with the interval of a proportion.
    is_share: bool = False
    unit: str = ""
    #: The unit of `Measured.count` in tables; empty for moves, whose number is not shown.
    counts: str = "game"
    #: Whether it is about the start position, so that games from openings cannot decide it.
    is_of_start: bool = False
    #: The least and the most agents that a finding names.
    agents: tuple[int, int] = (0, 2)


def measured(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The number of a finding, measured in the results of one protocol."""
    return measure_of(finding).read(experiment, finding, row)


def measure_of(finding: Finding) -> Measure:
    """The measure of a finding; SpecError if it is unknown or the number of agents is wrong."""
    measure = look_up("measure", finding.measure, MEASURES)
    least, most = measure.agents
    if not least <= len(finding.of) <= most:
        raise SpecError(f"measure {finding.measure} takes {least} to {most} agents, not {len(finding.of)}")
    return measure


def share(part: float, count: int, distinct: int | None = None) -> Measured:
    """A share with Wilson's interval, as wide as for `distinct` trials: repeated games add no information."""
    if not count:
        return NOTHING
    interval = wilson_interval(part / count, count if distinct is None else distinct)
    return Measured(part / count, *interval, count)


def _share_of_games(part: float, pairings: Sequence[PairingResult]) -> Measured:
    """A share of games; games with equal moves count as repeated, whoever of the two moved first."""
    return share(part, sum(pairing.games for pairing in pairings), _lines(pairings))


def _lines(pairings: Sequence[PairingResult]) -> int:
    return sum(pairing.lines or pairing.distinct for pairing in pairings)


def _pairing(finding: Finding, row: RowResult) -> tuple[PairingResult, bool] | None:
    """The pairing of two agents, and whether its A is the agent named first."""
    for pairing in row.pairings:
        if {pairing.a, pairing.b} == set(finding.of):
            return pairing, pairing.a == finding.of[0]
    return None


def pairings_of(finding: Finding, row: RowResult) -> list[PairingResult]:
    """The pairings that contain all named agents; all pairings if none is named."""
    return [pairing for pairing in row.pairings if set(finding.of) <= {pairing.a, pairing.b}]


def distinct_games(finding: Finding, row: RowResult) -> int:
    """The number of distinct games that a finding is about; of a difference, the smaller one of its two parts."""
    if finding.measure in {"gain", "first_gain"}:
        parts = [finding.of[:2], finding.of[2:]]
    elif finding.measure in {"points_lead", "depth_lead", "nodes_ratio", "node_exponent"}:
        parts = [(name,) for name in finding.of]
    else:
        parts = [finding.of]
    return min(sum(pairing.distinct for pairing in pairings_of(Finding(of=part), row)) for part in parts)


def _score(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    if len(finding.of) == 1:
        agent = row.agent(finding.of[0])
        return Measured(agent.score, agent.low, agent.high, agent.games)
    found = _pairing(finding, row)
    if not found:
        return NOTHING
    pairing, is_a = found
    if is_a:
        return Measured(pairing.score, pairing.low, pairing.high, pairing.games)
    return Measured(1 - pairing.score, 1 - pairing.high, 1 - pairing.low, pairing.games)


def _gain(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The score of the first agent against the second, minus the score of the third against the fourth."""
    one, other = (_score(experiment, Finding(of=finding.of[at : at + 2]), row) for at in (0, 2))
    return _difference(one, other)


def _difference(one: Measured, other: Measured) -> Measured:
    """The difference of two numbers with Newcombe's interval, from the intervals of both (1998, method 10)."""
    if not (one.has_interval and other.has_interval):
        return NOTHING
    value = one.value - other.value
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    return Measured(value, low, high, one.count + other.count)


def _first_score(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    pairings = pairings_of(finding, row)
    points = 0.0
    for pairing in pairings:
        (wins, draws, _lost), (_won, others, losses) = pairing.as_first, pairing.as_second
        points += wins + losses + (draws + others) / 2
    return _share_of_games(points, pairings)


def _first_gain(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The score of who moves first in the pairing of agents 1 and 2, minus that in the pairing of 3 and 4."""
    one, other = (_first_score(experiment, Finding(of=finding.of[at : at + 2]), row) for at in (0, 2))
    return _difference(one, other)


def _draws(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    pairings = pairings_of(finding, row)
    return _share_of_games(sum(pairing.tally[1] for pairing in pairings), pairings)


def _decided_by(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The share of games, of one agent or of a pairing, that the rule `finding.by` decided."""
    pairings = pairings_of(finding, row)
    decided = sum(sum(pairing.decided_by.get(finding.by, ())) for pairing in pairings)
    return _share_of_games(decided, pairings)


def _lost_by(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The share of the first agent's losses that the rule `finding.by` decided."""
    if not (found := _pairing(finding, row)):
        return NOTHING
    pairing, is_a = found
    place = 2 if is_a else 0  # a loss of B is a win of A
    lost = sum(outcomes[place] for outcomes in pairing.decided_by.values())
    return share(pairing.decided_by.get(finding.by, (0, 0, 0))[place], lost)


def _mean(mean: Mean, sign: int = 1, distinct: int | None = None) -> Measured:
    """A mean with its interval, as wide as for `distinct` games."""
    if not mean.count:
        return NOTHING
    value, error = sign * mean.mean, Z_95 * mean.error * math.sqrt(mean.count / max(1, distinct or mean.count))
    if not math.isfinite(error):
        return Measured(value, count=mean.count)
    return Measured(value, value - error, value + error, mean.count)


def _joined(means: list[Mean]) -> Mean:
    return Mean(sum(m.count for m in means), sum(m.total for m in means), sum(m.squares for m in means))


def _plies(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    pairings = pairings_of(finding, row)
    return _mean(_joined([pairing.plies for pairing in pairings]), distinct=_lines(pairings))


def _margin(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    if not (found := _pairing(finding, row)):
        return NOTHING
    pairing, is_a = found
    repeated = pairing.games - pairing.distinct
    return _mean(pairing.margin, 1 if is_a else -1, max(1, pairing.margin.count - repeated))


def _won_by(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The share of games that the first agent won by the rules, by at least `finding.margin`."""
    if not (found := _pairing(finding, row)):
        return NOTHING
    pairing, is_a = found
    sign = 1 if is_a else -1
    won = sum(count for margin, count in pairing.margins.items() if sign * int(margin) >= finding.margin)
    return share(won, pairing.games, pairing.distinct)


def _points(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    """Points per game, by the experiment's own points for wins, draws and losses."""
    agent = row.agent(finding.of[0])
    counts = (agent.wins, agent.draws, agent.losses)
    total = sum(points * count for points, count in zip(experiment.points, counts, strict=True))
    squares = sum(points**2 * count for points, count in zip(experiment.points, counts, strict=True))
    return _mean(Mean(agent.games, total, squares), distinct=distinct_games(Finding(of=finding.of), row))


def _points_lead(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The points per game of the first agent minus those of the second, over all their games in a tournament."""
    one, other = (_points(experiment, Finding(of=(name,)), row) for name in finding.of)
    return _difference(one, other)


def _time_ms(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    agent = row.agent(finding.of[0])
    return Measured(1e3 * agent.time_s / agent.moves, count=agent.moves) if agent.moves else NOTHING


def _time_ratio(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    one, other = (_time_ms(experiment, Finding(of=(name,)), row) for name in finding.of)
    return Measured(one.value / other.value, count=one.count) if one.count and other.count and other.value else NOTHING


def _depth(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The mean completed search depth, in plies, of a game's moves at `finding.plies`."""
    return _mean(row.agent(finding.of[0]).depths.get(plies_key(finding.plies), Mean()))


def _depth_lead(experiment: Experiment, finding: Finding, row: RowResult) -> Measured:
    one, other = (_depth(experiment, Finding(of=(name,), plies=finding.plies), row) for name in finding.of)
    return _difference(one, other)


def _nodes(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """Nodes per second."""
    agent = row.agent(finding.of[0])
    if not agent.nodes or not agent.time_s:
        return NOTHING
    return Measured(agent.nodes * agent.moves / agent.time_s, count=agent.moves)


def _log_nodes(name: str, row: RowResult) -> Measured:
    """The logarithm of an agent's mean nodes a move; the interval is that of the mean over games, to first order."""
    mean = _mean(row.agent(name).nodes_a_move)
    if math.isnan(mean.value) or mean.value <= 1:
        return NOTHING
    value, spread = math.log(mean.value), (mean.high - mean.value) / mean.value
    return Measured(value, value - spread, value + spread, mean.count)


def _nodes_ratio(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    one, other = (_log_nodes(name, row) for name in finding.of)
    ratio = _difference(one, other)
    return Measured(math.exp(ratio.value), math.exp(ratio.low), math.exp(ratio.high), ratio.count)


def _node_exponent(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The power of the second agent's nodes a move that gives those of the first; 0.5 is the square root."""
    one, other = (_log_nodes(name, row) for name in finding.of)
    if not (one.has_interval and other.has_interval):
        return NOTHING
    value = one.value / other.value
    # The first-order error of a quotient, for independent errors.
    spread = math.hypot(one.high - one.value, value * (other.high - other.value)) / other.value
    return Measured(value, value - spread, value + spread, one.count + other.count)


def _trend(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    """The first agent's score in the second half of the games, minus its score in the first half."""
    found = _pairing(finding, row)
    if not found or len(found[0].batches) < 2:
        return NOTHING
    pairing, is_a = found
    middle = len(pairing.batches) // 2
    halves = pairing.batches[:middle], pairing.batches[middle:]
    counts = [sum(batch.games for batch in half) for half in halves]
    early, late = (sum(b.points for b in half) / count for half, count in zip(halves, counts, strict=True))
    change = (late - early) * (1 if is_a else -1)
    new = pairing.distinct / pairing.games
    spread = Z_95 * math.sqrt(sum(s * (1 - s) / (n * new) for s, n in zip((early, late), counts, strict=True)))
    return Measured(change, change - spread, change + spread, sum(counts))


def _failures(_: Experiment, finding: Finding, row: RowResult) -> Measured:
    agent: AgentResult = row.agent(finding.of[0])
    return share(agent.failures, agent.moves)


MEASURES: dict[str, Measure] = {
    "score": Measure(_score, "score of", is_share=True, agents=(1, 2)),
    "gain": Measure(_gain, "score of", unit="pp", counts="game", agents=(4, 4)),
    "first_gain": Measure(_first_gain, "score of who moves first", unit="pp", is_of_start=True, agents=(4, 4)),
    "first_score": Measure(_first_score, "score of who moves first", is_share=True, is_of_start=True),
    "draws": Measure(_draws, "games drawn", is_share=True),
    "decided_by": Measure(_decided_by, "games decided by", is_share=True),
    "lost_by": Measure(_lost_by, "losses by", is_share=True, counts="lost game", agents=(2, 2)),
    "plies": Measure(_plies, "plies a game", is_of_start=True),
    "margin": Measure(_margin, "mean margin of", agents=(2, 2)),
    "won_by": Measure(_won_by, "games won by at least", is_share=True, agents=(2, 2)),
    "points": Measure(_points, "points a game of", agents=(1, 1)),
    "points_lead": Measure(_points_lead, "lead in points a game of", counts="game", agents=(2, 2)),
    "time_ms": Measure(_time_ms, "time a move of", unit="ms", counts="", agents=(1, 1)),
    "time_ratio": Measure(_time_ratio, "time a move of", unit="×", counts="", agents=(2, 2)),
    "depth": Measure(_depth, "completed depth of", agents=(1, 1)),
    "depth_lead": Measure(_depth_lead, "completed depth of", agents=(2, 2)),
    "nodes": Measure(_nodes, "positions a second of", counts="", agents=(1, 1)),
    "nodes_ratio": Measure(_nodes_ratio, "positions a move of", unit="×", agents=(2, 2)),
    "node_exponent": Measure(_node_exponent, "exponent of positions a move of", agents=(2, 2)),
    "trend": Measure(_trend, "second half of the games less the first, score of", unit="pp", agents=(2, 2)),
    "failures": Measure(_failures, "positions failed by", is_share=True, counts="position", agents=(1, 1)),
}
