"""The table of an experiment: each finding as published and as measured, with a verdict, and the pairings besides."""

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

#: Fewer distinct games say something about those games, not about the agents.
FEW_GAMES = 10


@dataclass(frozen=True)
class Cell:
    """A finding as it was measured by one protocol."""

    seen: Measured
    #: The number with its interval, and in how many games it was seen.
    value: str
    count: str = ""
    verdict: Verdict = Verdict.NONE
    #: Whether the published number may be the same; None where that cannot be said.
    agrees: bool | None = None
    #: Why there is no verdict.
    note: str = ""


@dataclass(frozen=True)
class FindingRow:
    """A line of the table."""

    finding: Finding
    what: str
    published: str
    claim: str
    #: By protocol, in the order of the experiment's.
    cells: Mapping[str, Cell]
    #: Whether the claim is ours, not the report's.
    is_ours: bool = False

    @property
    def deciding(self) -> str:
        """The protocol that decides: paired openings, or the start position where there is no other.

        What is a number of the start position, such as what the first player scores there, is decided there, unless
        the games from it are too few.
        """
        of_start = self.cells.get(START)
        if OPENINGS not in self.cells or (measure_of(self.finding).is_of_start and of_start and not of_start.note):
            return START
        return OPENINGS

    @property
    def cell(self) -> Cell:
        """The finding by the protocol that decides."""
        return self.cells[self.deciding]

    @property
    def agrees(self) -> bool | None:
        """Whether the published number may be ours, from the start position, as it was found, if that can be said."""
        found = (self.cells[protocol].agrees for protocol in (START, OPENINGS) if protocol in self.cells)
        return next((same for same in found if same is not None), None)


@dataclass(frozen=True)
class ExperimentTable:
    """An experiment that was played, and what came of it."""

    experiment: Experiment
    #: By protocol.
    rows: Mapping[str, RowResult]
    findings: tuple[FindingRow, ...]

    @property
    def main(self) -> RowResult:
        """The games from openings, or those from the start where there are no others."""
        return self.rows[OPENINGS if OPENINGS in self.rows else START]

    @cached_property
    def claims(self) -> tuple[FindingRow, ...]:
        """The findings that a claim says something of."""
        return tuple(row for row in self.findings if row.finding.expects)

    @property
    def verdict(self) -> str:
        """What is to be said of the whole experiment, by its claims that have a verdict.

        It is reproduced if all of them are, contradicted if all of them are, and contradicted in part if some are. If
        none is contradicted, it is reproduced in part if some are reproduced, and not distinguishable if none is.
        """
        if not self.claims:  # about numbers
            return "no verdict"
        counts = Counter(row.cell.verdict for row in self.claims if row.cell.verdict is not Verdict.NONE)
        if not counts:
            return "undecided"
        if len(counts) == 1:
            return str(next(iter(counts)).value)
        return "contradicted in part" if counts[Verdict.CONTRADICTED] else "reproduced in part"

    @property
    def other_pairings(self) -> list[Mapping[str, PairingResult]]:
        """The pairings whose score no finding is about, each by protocol."""
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
    """The table of an experiment that was played; SpecError if its results are of other agents."""
    for row in rows:
        for agent in experiment.agents:
            row.agent(agent.name)  # or these are results of something else
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
    """Whether the published points are those of all games: more than a game can give."""
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
    # Totals of a tournament of another length are in another unit.
    is_comparable = finding.measure != "points" or not are_totals(experiment)
    same = agrees(finding, seen) if is_comparable else None
    return Cell(seen, value_text(measure, seen), counted, verdict(finding.expects, seen), same)


def _few(distinct: int, experiment: Experiment, row: RowResult, rows: Mapping[str, RowResult]) -> str:
    games = count_of(distinct, "distinct game")
    if experiment.deterministic and row.protocol == START:
        return f"{games}: nobody draws lots, so " + ("openings decide" if OPENINGS in rows else "no verdict")
    return f"{games}: too few for a verdict"
