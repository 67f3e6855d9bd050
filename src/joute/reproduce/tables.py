"""The table of an experiment: each finding as published and as measured, with a verdict, and the other pairings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from joute.numbers import count_of
from joute.reproduce.experiments import OPENINGS, START, Experiment, Finding
from joute.reproduce.measures import Measured, distinct_games, measure_of, measured
from joute.reproduce.results import PairingResult, RowResult
from joute.reproduce.verdicts import Verdict, agrees, verdict
from joute.reproduce.wording import claim_text, published_text, value_text, what

#: With fewer distinct games, a finding gets no interval and no verdict.
FEW_GAMES = 10


@dataclass(frozen=True)
class Cell:
    """A finding as measured by one protocol."""

    seen: Measured
    #: The number with its interval as text, and the number of games behind it.
    value: str
    count: str = ""
    verdict: Verdict = Verdict.NONE
    #: Whether the published number agrees at 95%; None if they cannot be compared.
    agrees: bool | None = None
    #: The reason for a missing verdict.
    note: str = ""


@dataclass(frozen=True)
class FindingRow:
    """A row of the table."""

    finding: Finding
    what: str
    published: str
    claim: str
    #: By protocol, in the order of the experiment's protocols.
    cells: Mapping[str, Cell]
    #: Whether the claim is ours, not the paper's.
    is_ours: bool = False

    @property
    def deciding(self) -> str:
        """The protocol that decides: paired openings if they were played, else the start position.

        Numbers about the start position itself, such as the score of the first player, are decided by games from it,
        unless these are too few.
        """
        of_start = self.cells.get(START)
        if OPENINGS not in self.cells or (measure_of(self.finding).is_of_start and of_start and not of_start.note):
            return START
        return OPENINGS

    @property
    def cell(self) -> Cell:
        """The finding by the deciding protocol."""
        return self.cells[self.deciding]

    @property
    def agrees(self) -> bool | None:
        """Whether the published number agrees with ours: from the start position if comparable, else from openings."""
        found = (self.cells[protocol].agrees for protocol in (START, OPENINGS) if protocol in self.cells)
        return next((same for same in found if same is not None), None)


@dataclass(frozen=True)
class ExperimentTable:
    """An experiment with its results and findings."""

    experiment: Experiment
    #: By protocol.
    rows: Mapping[str, RowResult]
    findings: tuple[FindingRow, ...]

    @property
    def main(self) -> RowResult:
        """The games from openings, or from the start position if there are no others."""
        return self.rows[OPENINGS if OPENINGS in self.rows else START]

    @cached_property
    def claims(self) -> tuple[FindingRow, ...]:
        """The findings with a claim."""
        return tuple(row for row in self.findings if row.finding.expects)

    @property
    def verdict(self) -> str:
        """The verdict on the whole experiment, from its claims that have a verdict.

        If all claims have the same verdict, this is the experiment's verdict. Otherwise it is contradicted in part if
        some claim is contradicted, else reproduced in part.
        """
        if not self.claims:
            return "no verdict"
        counts = Counter(row.cell.verdict for row in self.claims if row.cell.verdict is not Verdict.NONE)
        if not counts:
            return "undecided"
        if len(counts) == 1:
            return str(next(iter(counts)).value)
        return "contradicted in part" if counts[Verdict.CONTRADICTED] else "reproduced in part"

    @property
    def other_pairings(self) -> list[Mapping[str, PairingResult]]:
        """The pairings whose score is in no finding, each by protocol."""
        named = {frozenset(row.finding.of) for row in self.findings if row.finding.measure == "score"}
        return [
            {
                protocol: other
                for protocol, row in self.rows.items()
                for other in row.pairings
                if (other.a, other.b) == (pairing.a, pairing.b)
            }
            for pairing in self.main.pairings
            if {pairing.a, pairing.b} not in named
        ]


def experiment_table(experiment: Experiment, rows: Sequence[RowResult]) -> ExperimentTable:
    """Make the table of an experiment; SpecError if the results are of other agents."""
    for row in rows:
        for agent in experiment.agents:
            row.agent(agent.name)  # raises if the results lack this agent
    by_protocol = {row.protocol: row for row in sorted(rows, key=lambda row: (START, OPENINGS).index(row.protocol))}
    findings = tuple(
        FindingRow(
            finding,
            what(finding),
            published_text(finding) + " in all" * (finding.measure == "points" and are_totals(experiment)),
            claim_text(finding),
            {protocol: _cell(experiment, finding, row, by_protocol) for protocol, row in by_protocol.items()},
            experiment.ours or finding.ours,
        )
        for finding in experiment.findings
    )
    return ExperimentTable(experiment, by_protocol, findings)


def are_totals(experiment: Experiment) -> bool:
    """Whether the published points are totals over all games: some exceed the points for one game."""
    return any(
        finding.measure == "points"
        and isinstance(finding.published, int | float)
        and finding.published > max(experiment.points)
        for finding in experiment.findings
    )


def _cell(experiment: Experiment, finding: Finding, row: RowResult, rows: Mapping[str, RowResult]) -> Cell:
    measure, seen = measure_of(finding), measured(experiment, finding, row)
    counted = count_of(seen.count, measure.counts) if measure.counts and seen.count else ""
    if measure.counts == "game" and seen.count:
        distinct = distinct_games(finding, row)
        if distinct < FEW_GAMES:
            bare = value_text(measure, Measured(seen.value))
            return Cell(seen, bare, counted, note=_few(distinct, experiment, row, rows))
    for agent in map(row.agent, finding.of):
        if 2 * agent.forfeits > agent.games > 0:
            lost = f"{agent.name} forfeited {agent.forfeits} of its {count_of(agent.games, 'game')}: no verdict"
            return Cell(seen, value_text(measure, Measured(seen.value)), counted, note=lost)
    # Totals depend on the length of the tournament, so they cannot be compared with points per game.
    is_comparable = finding.measure != "points" or not are_totals(experiment)
    same = agrees(finding, seen) if is_comparable else None
    return Cell(seen, value_text(measure, seen), counted, verdict(finding.expects, seen), same)


def _few(distinct: int, experiment: Experiment, row: RowResult, rows: Mapping[str, RowResult]) -> str:
    games = count_of(distinct, "distinct game")
    if experiment.deterministic and row.protocol == START:
        return f"{games}: all agents are deterministic, so " + ("openings decide" if OPENINGS in rows else "no verdict")
    return f"{games}: too few for a verdict"
