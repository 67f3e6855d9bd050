"""The report as Markdown: tables to paste, figures as files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from joute.pages.markdown_parts import code, table, text
from joute.reproduce.contents import Contents, ExperimentPart, PaperPart, contents
from joute.reproduce.experiments import Paper
from joute.reproduce.grids import Grid
from joute.reproduce.results import Results
from joute.reproduce.verdicts import Verdict
from joute.text import LONGEST_TEXT


def markdown(results: Results, papers: Sequence[Paper], figures: str = "figures") -> str:
    """The report with the discussions of the committed results; `figures` is the path of its pictures."""
    return markdown_of(contents(results, papers, discussed=True), figures)


def markdown_of(report: Contents, figures: str) -> str:
    """The report as Markdown; `figures` is the path of its pictures."""
    return "\n".join(_lines(report, figures)).rstrip("\n") + "\n"


def _lines(report: Contents, figures: str) -> Iterator[str]:
    yield from (f"# {text(report.title)}", "")
    for sentence in report.summary:
        yield from (_prose(sentence), "")
    yield from _grid(report.counts)
    if report.contradictions:
        yield from ("Contradicted:", "")
        for each in report.contradictions:
            yield f"- [{text(each.title)}](#{each.id}): {_prose(each.sentence)}"
        yield ""
    yield from ("## How it was made", "")
    yield from (f"- {name}: {text(fact, LONGEST_TEXT)}" for name, fact in report.facts)
    yield from (f"- Command: {code(report.command)}", "")
    yield from ("## How to read it", "")
    for name, said in report.reading:
        yield from (f"**{name}.** {_prose(said)}", "")
    for part in report.papers:
        yield from _paper(part, figures)


def _paper(part: PaperPart, figures: str) -> Iterator[str]:
    yield from (f'<a id="{part.id}"></a>', "", f"## {text(part.heading)}", "", _prose(part.title), "")
    for paragraph in part.discussion:
        yield from (_prose(paragraph), "")
    yield from table(
        ("experiment", "verdict"),
        [(f"[{text(each.table.experiment.title)}](#{each.id})", each.table.verdict) for each in part.experiments],
        left=(0, 1),
    )
    if part.omitted:
        yield from ("Not reproduced:", "")
        yield from (f"- {_prose(each.claim)} {_prose(each.reason)}" for each in part.omitted)
        yield ""
    for each in part.experiments:
        yield from _experiment(each, figures)


def _experiment(part: ExperimentPart, figures: str) -> Iterator[str]:
    experiment = part.table.experiment
    yield from (f'<a id="{part.id}"></a>', "", f"### {text(experiment.title)}", "")
    yield from (f"Claim: {_prose(experiment.said)} **{_first_upper(part.table.verdict)}.**", "")
    if experiment.about:
        yield from (_prose(" ".join(experiment.about.split())), "")
    yield from (f"- {name}: {_prose(said)}" for name, said in part.conditions)
    yield ""
    for grid in part.grids:
        yield from _grid(grid)
    for note in part.notes:
        yield from (_prose(note), "")
    for figure in part.figures:
        yield from (f"![{text(figure.picture.label, LONGEST_TEXT)}]({figures}/{figure.file}.svg)", "")


def _grid(grid: Grid) -> Iterator[str]:
    rows = [tuple("<br>".join(map(_line, cell.split("\n"))) for cell in row) for row in grid.rows]
    yield from table(tuple(map(text, grid.header)), rows, left=grid.left)


def _line(line: str) -> str:
    """A line of a cell; verdicts are bold."""
    parts = line.split(" · ")
    verdicts = {verdict.value for verdict in Verdict} - {""}
    return " · ".join(f"**{part}**" if part in verdicts else _prose(part) for part in parts)


def _prose(words: str) -> str:
    r"""Escaped text, except for code between backticks.

    >>> print(_prose("set `a_b` to a_b"))
    set `a_b` to a\_b
    """
    parts = re.split(r"`([^`]*)`", words)
    return "".join(
        code(part).replace("|", "\\|") if number % 2 else text(part, LONGEST_TEXT) for number, part in enumerate(parts)
    )


def _first_upper(words: str) -> str:
    return words[:1].upper() + words[1:]
