"""What the report of a reproduction says, made once for all its formats.

Texts are plain, with code between backticks; a format escapes what it must.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from joute.errors import SpecError
from joute.games import find_game
from joute.numbers import count_of, percent
from joute.reproduce.experiments import Paper, experiments_folder
from joute.reproduce.figures import Figure, figures_of
from joute.reproduce.grids import Grid, agents_grid, conditions, findings_grid, notes, pairings_grid
from joute.reproduce.results import Results
from joute.reproduce.tables import FEW_GAMES, ExperimentTable, FindingRow, experiment_table
from joute.reproduce.verdicts import Verdict, published_games
from joute.spec import look_up

TITLE = "The reports' experiments, played again"


@dataclass(frozen=True)
class ExperimentPart:
    """What is said about an experiment; `id` is a place to link to."""

    id: str
    table: ExperimentTable
    conditions: tuple[tuple[str, str], ...]
    grids: tuple[Grid, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class PaperPart:
    """What is said about a report."""

    id: str
    heading: str
    title: str
    discussion: tuple[str, ...]
    experiments: tuple[ExperimentPart, ...]

    @property
    def claims(self) -> list[FindingRow]:
        """All its claims about numbers."""
        return [row for part in self.experiments for row in part.table.claims if not row.is_ours]

    @property
    def our_claims(self) -> list[FindingRow]:
        """What we claim about its numbers."""
        return [row for part in self.experiments for row in part.table.claims if row.is_ours]

    @property
    def compared(self) -> list[FindingRow]:
        """The published numbers that can be compared, each once: not where an experiment is read in another way."""
        parts = [part for part in self.experiments if not part.table.experiment.variant_of]
        return [row for part in parts for row in part.table.findings if row.agrees is not None]


@dataclass(frozen=True)
class Contradiction:
    """A claim that does not hold: where it is found, and what is wrong, in a sentence."""

    id: str
    title: str
    sentence: str


@dataclass(frozen=True)
class Contents:
    """The whole report."""

    title: str
    facts: tuple[tuple[str, str], ...]
    command: str
    summary: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    counts: Grid
    reading: tuple[tuple[str, str], ...]
    reports: tuple[PaperPart, ...]


def contents(results: Results, reports: Sequence[Paper], *, discussed: bool = False) -> Contents:
    """What there is to say about the experiments that were played; SpecError if a text refers to what is not there.

    The discussions of reports are about the results that are kept with Joute: they are left out unless `discussed`.
    """
    made = (_report(results, report, discussed=discussed) for report in reports if report.name in results.rows)
    parts = tuple(part for part in made if part.experiments)
    if not parts:
        theirs = ", ".join(results.rows) or "nothing"
        raise SpecError(f"the results are of {theirs}, not of {', '.join(report.name for report in reports)}")
    told = [report for report in reports if any(part.id == report.name for part in parts)]
    are_ours = all(report.folder == experiments_folder() for report in told)
    return Contents(
        title=TITLE if are_ours else "; ".join(report.title for report in told),
        facts=(
            ("Scale", results.scale),
            ("Seed", str(results.seed)),
            ("Joute", results.joute),
            ("Machine", results.machine),
            ("Thinking time", _core_time(_thinking_s(results))),
        ),
        command=results.command,
        summary=tuple(_summary(results, parts)),
        contradictions=tuple(_contradictions(parts)),
        counts=_counts(parts),
        reading=_READING,
        reports=parts,
    )


def _core_time(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes of one core" if seconds >= 600 else f"{seconds:.0f} seconds of one core"


def _thinking_s(results: Results) -> float:
    """How long all agents thought."""
    experiments = (rows for of_report in results.rows.values() for rows in of_report.values())
    return sum(agent.time_s for rows in experiments for row in rows for agent in row.agents)


# What a reader has to know, under a heading each.
_READING = (
    (
        "Two protocols",
        "From the start position, as the reports played: colours alternate. From paired openings: positions that leave "
        "both sides their chances, after a few random moves or from a list, each played twice with colours swapped, so "
        "that games differ and no opening favours an agent. Openings decide about a claim; where there are none, the "
        "start position does. Numbers that say something of the start position itself, such as what the first player "
        "scores there, are decided by games from there.",
    ),
    (
        "Intervals",
        "In brackets stand 95% intervals. A game that repeats another, move by move, tells nothing new, so ours are as "
        "wide as the distinct games make them. The reports gave none: beside a published score stands the interval "
        "that its number of games allows.",
    ),
    (
        "Verdicts",
        "A claim is reproduced if the whole interval lies where the claim has the number, contradicted if all "
        "of it lies elsewhere, and not distinguishable if it reaches both: more games would tell. Where a report "
        "gives no number (“level”, “few”, “suffices”), the limit in the column “claimed” is ours. A number without "
        f"interval, such as a time, is taken to be right within a tenth. Fewer than {FEW_GAMES} distinct games get no "
        "verdict. An experiment is judged by its claims together: “in part” means that they differ. Claims of ours, "
        "about what an error of a report costs, are judged alike and counted apart.",
    ),
    (
        "Agreement",
        "A published number agrees with ours if both may be the same at 95%, whatever was claimed about it, and "
        "else differs; one in twenty differs by chance. What counts here is the start position, where the reports "
        "played, unless games from there are too few. Times are those of other machines and other programs, so "
        "they are not compared.",
    ),
)


def _report(results: Results, report: Paper, *, discussed: bool) -> PaperPart:
    played = results.rows[report.name]
    tables = {
        experiment.name: experiment_table(experiment, played[experiment.name])
        for experiment in report.experiments
        if played.get(experiment.name)
    }
    return PaperPart(
        id=report.name,
        heading=find_game(report.game or report.name).title,
        title=report.title,
        discussion=_discussion(report, tables) if discussed and results.scale == "full" else (),
        experiments=tuple(
            ExperimentPart(
                id=f"{report.name}-{name}",
                table=table,
                conditions=tuple(conditions(table, results.scale)),
                grids=tuple(grid for grid in (agents_grid(table), findings_grid(table), pairings_grid(table)) if grid),
                notes=tuple(notes(table)),
                figures=tuple(figures_of(table, f"{report.name}-{name}")),
            )
            for name, table in tables.items()
        ),
    )


def _discussion(report: Paper, tables: Mapping[str, ExperimentTable]) -> tuple[str, ...]:
    """The paragraphs with their numbers filled in; none if one is about an experiment that was not played."""
    known = {experiment.name: experiment for experiment in report.experiments}
    was_played = True

    def number(found: re.Match[str]) -> str:
        nonlocal was_played
        reference = re.fullmatch(r"(.+)\.(\d+)", found[1])
        if not reference:
            raise SpecError(
                f"{found[0]} in the discussion of {report.name} does not name a finding as {{experiment.1}} does"
            )
        name, place = reference[1], int(reference[2])
        experiment = look_up(f"experiment in the discussion of {report.name}", name, known)
        if not 1 <= place <= len(experiment.findings):
            have = count_of(len(experiment.findings), "finding")
            raise SpecError(f"{found[0]} in the discussion of {report.name}: experiment {name} has {have}")
        if name not in tables:
            was_played = False
            return ""
        value = tables[name].findings[place - 1].cell.value
        before = report.discussion[: found.start()]
        is_in_brackets = before.count("(") > before.count(")")
        return value.replace(" (", ", ").removesuffix(")") if is_in_brackets else value

    text = re.sub(r"\{([^{}]*)\}", number, report.discussion)
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return tuple(filter(None, paragraphs)) if was_played else ()


def _summary(results: Results, parts: Sequence[PaperPart]) -> Iterator[str]:
    experiments = sum(len(part.experiments) for part in parts)
    claims = [row for part in parts for row in part.claims]
    yield (
        f"{count_of(experiments, 'experiment')} of {count_of(len(parts), 'report')} played again. Of "
        f"{count_of(len(claims), 'claim')} about numbers, {_verdicts(claims)}."
    )
    if ours := [row for part in parts for row in part.our_claims]:
        yield f"Of {count_of(len(ours), 'claim')} of ours, about what errors cost, {_verdicts(ours)}."
    if compared := [row for part in parts for row in part.compared]:
        agreeing = sum(bool(row.agrees) for row in compared)
        few = sum(1 for row in compared if 0 < published_games(row.finding) < FEW_GAMES)
        yield (
            f"Of {count_of(len(compared), 'published number')} that can be compared, {agreeing} "
            f"({percent(agreeing / len(compared))}) agree with ours, from the start position where that was played."
            + (f" {few} of them rest on fewer than {FEW_GAMES} games, which agree with nearly anything." if few else "")
        )
    if results.scale != "full":
        yield (
            f"This is the {results.scale} scale: few games, so wide intervals. `--scale full` plays as many as the "
            "verdicts need."
        )


def _verdicts(claims: Sequence[FindingRow]) -> str:
    """How many claims have each verdict."""
    counts = Counter(row.cell.verdict for row in claims)
    undecided = f", {counts[Verdict.NONE]} undecided" if counts[Verdict.NONE] else ""
    return ", ".join(f"{counts[one]} {one.value}" for one in Verdict if one is not Verdict.NONE) + undecided


def _contradictions(parts: Sequence[PaperPart]) -> Iterator[Contradiction]:
    for report in parts:
        for part in report.experiments:
            for row in part.table.claims:
                by = "we " if row.is_ours else ""
                if row.cell.verdict is Verdict.CONTRADICTED:
                    yield Contradiction(
                        part.id,
                        f"{report.heading}, {part.table.experiment.title}",
                        f"{row.what}: {by}claimed {row.claim}, measured {row.cell.value}.",
                    )


def _counts(parts: Sequence[PaperPart]) -> Grid:
    rows = []
    for part in parts:
        counts = Counter(row.cell.verdict for row in part.claims)
        rows.append(
            (
                part.heading,
                str(len(part.experiments)),
                str(len(part.claims)),
                *(
                    str(counts[verdict])
                    for verdict in (
                        Verdict.REPRODUCED,
                        Verdict.NOT_DISTINGUISHABLE,
                        Verdict.CONTRADICTED,
                        Verdict.NONE,
                    )
                ),
                f"{sum(bool(row.agrees) for row in part.compared)} of {len(part.compared)}",
            )
        )
    header = ("report", "experiments", "claims", "reproduced", "not distinguishable", "contradicted", "undecided")
    return Grid("Claims by report", (*header, "numbers that agree"), tuple(rows), left=(0,))
