"""The contents of a reproduction's report, made once for all its formats.

Texts are plain, with code between backticks; each format does its own escaping.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from joute.errors import SpecError
from joute.games import find_game
from joute.numbers import count_of, percent
from joute.reproduce.experiments import Omitted, Paper, experiments_folder
from joute.reproduce.figures import Figure, figures_of
from joute.reproduce.grids import Grid, agents_grid, conditions, findings_grid, notes, pairings_grid
from joute.reproduce.results import Results
from joute.reproduce.tables import FEW_GAMES, ExperimentTable, FindingRow, experiment_table
from joute.reproduce.verdicts import Verdict, published_games
from joute.spec import look_up

TITLE = "The papers' experiments, played again"


@dataclass(frozen=True)
class ExperimentPart:
    """The section of an experiment; `id` is its link target."""

    id: str
    table: ExperimentTable
    conditions: tuple[tuple[str, str], ...]
    grids: tuple[Grid, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class PaperPart:
    """The section of a paper."""

    id: str
    heading: str
    title: str
    discussion: tuple[str, ...]
    experiments: tuple[ExperimentPart, ...]
    omitted: tuple[Omitted, ...]

    @property
    def claims(self) -> list[FindingRow]:
        """The paper's claims about numbers."""
        return [row for part in self.experiments for row in part.table.claims if not row.is_ours]

    @property
    def our_claims(self) -> list[FindingRow]:
        """Our claims about its numbers."""
        return [row for part in self.experiments for row in part.table.claims if row.is_ours]

    @property
    def compared(self) -> list[FindingRow]:
        """The published numbers that can be compared, each once: experiments with `variant_of` are left out."""
        parts = [part for part in self.experiments if not part.table.experiment.variant_of]
        return [row for part in parts for row in part.table.findings if row.agrees is not None]


@dataclass(frozen=True)
class Contradiction:
    """A contradicted claim: its link target, its title, and a sentence with claim and measurement."""

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
    papers: tuple[PaperPart, ...]


def contents(results: Results, papers: Sequence[Paper], *, discussed: bool = False) -> Contents:
    """The report on the experiments that were played; SpecError if a discussion refers to an unknown finding.

    The discussions of the papers are about the committed results, so they are left out unless `discussed`.
    """
    made = (_paper(results, paper, discussed=discussed) for paper in papers if paper.name in results.rows)
    parts = tuple(part for part in made if part.experiments)
    if not parts:
        theirs = ", ".join(results.rows) or "nothing"
        raise SpecError(f"the results are of {theirs}, not of {', '.join(paper.name for paper in papers)}")
    told = [paper for paper in papers if any(part.id == paper.name for part in parts)]
    are_ours = all(paper.folder == experiments_folder() for paper in told)
    return Contents(
        title=TITLE if are_ours else "; ".join(paper.title for paper in told),
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
        papers=parts,
    )


def _core_time(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes of one core" if seconds >= 600 else f"{seconds:.0f} seconds of one core"


def _thinking_s(results: Results) -> float:
    """The thinking time of all agents together."""
    experiments = (rows for of_paper in results.rows.values() for rows in of_paper.values())
    return sum(agent.time_s for rows in experiments for row in rows for agent in row.agents)


# Explanations for the reader: heading and text.
_READING = (
    (
        "Two protocols",
        "Games begin at the start position, as in the papers, with alternating colours; or at paired openings, each "
        "played twice with colours swapped, so that games differ and no opening favours an agent. `balanced` openings "
        "are a set that the game's engine or solver judged as even. The openings decide about a claim; without them, "
        "the start position does. Numbers about the start position itself, such as the score of the first player, are "
        "decided by games from there.",
    ),
    (
        "Intervals",
        "Brackets hold 95% intervals. A game that repeats another, move by move, adds no information, so our intervals "
        "count only distinct games. The papers gave no intervals: the interval beside a published score is computed "
        "from its number of games.",
    ),
    (
        "Verdicts",
        "A claim is reproduced if the whole interval lies inside the claimed range, contradicted if the whole interval "
        "lies outside, and not distinguishable if it overlaps the boundary: more games would decide. Where a paper "
        "gives words instead of a number, the limit in the column “claimed” is ours: “all”, “each” and “always” are "
        "more than 98% of the games, “nearly always” more than 90%, “much better” more than 75%, “better” more than "
        "50%, “level” 50% ± 10, “no effect” 50% ± 5, “few” less than 5%; where an experiment has another limit, it "
        "says so. A number without interval, such as a time, gets a tolerance of a tenth. "
        f"Fewer than {FEW_GAMES} distinct games get no verdict. The verdict of an experiment combines its claims: “in "
        "part” means that they differ. Our own claims, about the cost of a paper's errors, are judged in the same way "
        "and counted separately.",
    ),
    (
        "Agreement",
        "A published number agrees with ours if their difference is not significant at 95%, whatever was claimed about "
        "it; otherwise it differs. One in twenty differs by chance. The comparison takes our games from the start "
        "position, as in the papers, unless they are too few. Times were measured on other machines with other "
        "programs, so they are not compared.",
    ),
)


def _paper(results: Results, paper: Paper, *, discussed: bool) -> PaperPart:
    played = results.rows[paper.name]
    tables = {
        experiment.name: experiment_table(experiment, played[experiment.name])
        for experiment in paper.experiments
        if played.get(experiment.name)
    }
    return PaperPart(
        id=paper.name,
        heading=find_game(paper.game or paper.name).title,
        title=paper.title,
        discussion=_discussion(paper, tables) if discussed and results.scale == "full" else (),
        experiments=tuple(
            ExperimentPart(
                id=f"{paper.name}-{name}",
                table=table,
                conditions=tuple(conditions(table, results.scale)),
                grids=tuple(grid for grid in (agents_grid(table), findings_grid(table), pairings_grid(table)) if grid),
                notes=tuple(notes(table)),
                figures=tuple(figures_of(table, f"{paper.name}-{name}")),
            )
            for name, table in tables.items()
        ),
        omitted=paper.omitted,
    )


def _discussion(paper: Paper, tables: Mapping[str, ExperimentTable]) -> tuple[str, ...]:
    """The paragraphs with their numbers filled in; empty if they refer to an experiment that was not played."""
    known = {experiment.name: experiment for experiment in paper.experiments}
    was_played = True

    def number(found: re.Match[str]) -> str:
        nonlocal was_played
        reference = re.fullmatch(r"(.+)\.(\d+)", found[1])
        if not reference:
            raise SpecError(
                f"{found[0]} in the discussion of {paper.name} does not name a finding as {{experiment.1}} does"
            )
        name, place = reference[1], int(reference[2])
        experiment = look_up(f"experiment in the discussion of {paper.name}", name, known)
        if not 1 <= place <= len(experiment.findings):
            have = count_of(len(experiment.findings), "finding")
            raise SpecError(f"{found[0]} in the discussion of {paper.name}: experiment {name} has {have}")
        if name not in tables:
            was_played = False
            return ""
        value = tables[name].findings[place - 1].cell.value
        before = paper.discussion[: found.start()]
        is_in_brackets = before.count("(") > before.count(")")
        return value.replace(" (", ", ").removesuffix(")") if is_in_brackets else value

    text = re.sub(r"\{([^{}]*)\}", number, paper.discussion)
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return tuple(filter(None, paragraphs)) if was_played else ()


def _summary(results: Results, parts: Sequence[PaperPart]) -> Iterator[str]:
    experiments = sum(len(part.experiments) for part in parts)
    claims = [row for part in parts for row in part.claims]
    yield (
        f"{count_of(experiments, 'experiment')} of {count_of(len(parts), 'paper')} played again. Of "
        f"{count_of(len(claims), 'claim')} about numbers, {_verdicts(claims)}."
    )
    if ours := [row for part in parts for row in part.our_claims]:
        yield f"Of {count_of(len(ours), 'claim')} of ours, about the cost of errors, {_verdicts(ours)}."
    if compared := [row for part in parts for row in part.compared]:
        agreeing = sum(bool(row.agrees) for row in compared)
        few = sum(1 for row in compared if 0 < published_games(row.finding) < FEW_GAMES)
        yield (
            f"Of {count_of(len(compared), 'published number')} that can be compared, {agreeing} "
            f"({percent(agreeing / len(compared))}) agree with ours, from the start position where that was played."
            + (f" {few} of them rest on fewer than {FEW_GAMES} games and agree with nearly any number." if few else "")
        )
    if results.scale != "full":
        yield (
            f"This is the {results.scale} scale: few games and wide intervals. `--scale full` plays as many games as "
            "the verdicts need."
        )


def _verdicts(claims: Sequence[FindingRow]) -> str:
    """How many claims have each verdict."""
    counts = Counter(row.cell.verdict for row in claims)
    undecided = f", {counts[Verdict.NONE]} undecided" if counts[Verdict.NONE] else ""
    return ", ".join(f"{counts[one]} {one.value}" for one in Verdict if one is not Verdict.NONE) + undecided


def _contradictions(parts: Sequence[PaperPart]) -> Iterator[Contradiction]:
    for paper in parts:
        for part in paper.experiments:
            for row in part.table.claims:
                by = "we " if row.is_ours else ""
                if row.cell.verdict is Verdict.CONTRADICTED:
                    yield Contradiction(
                        part.id,
                        f"{paper.heading}, {part.table.experiment.title}",
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
    header = ("paper", "experiments", "claims", "reproduced", "not distinguishable", "contradicted", "undecided")
    return Grid("Claims by paper", (*header, "numbers that agree"), tuple(rows), left=(0,))
