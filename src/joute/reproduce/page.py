"""The report as one HTML page that includes its figures and needs no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources

from joute.numbers import count_of
from joute.pages.page_parts import Section, fact_list, head, page, section_html, table
from joute.reproduce.contents import Contents, ExperimentPart, PaperPart
from joute.reproduce.grids import Grid
from joute.reproduce.plot import picture_style
from joute.reproduce.verdicts import Verdict
from joute.text import LONGEST_TEXT, html_text

_VERDICTS = tuple(verdict.value for verdict in Verdict if verdict.value)


def page_of(report: Contents) -> str:
    """The report as an HTML page."""
    sections = [
        Section("made", "How it was made", fact_list(report.facts, ("Command", report.command))),
        Section("reading", "How to read it", _reading(report)),
        *(Section(part.id, part.heading, "".join(_paper(part))) for part in report.papers),
    ]
    experiments = sum(len(part.experiments) for part in report.papers)
    games = ", ".join(part.heading for part in report.papers)
    scale = f"{dict(report.facts)['Scale']} scale"
    subtitle = " · ".join(filter(None, (games, count_of(experiments, "experiment"), scale)))
    body = [
        *head("Reproduction", report.title, subtitle, [(section.id, section.title) for section in sections]),
        "<main>",
        f'<section id="result" class="lead"><h2>Result</h2>{"".join(_result(report))}</section>',
        *map(section_html, sections),
        "</main>",
        f"<footer><p>Made by joute {html_text(dict(report.facts)['Joute'])}.</p></footer>",
    ]
    style = resources.files("joute.reproduce").joinpath("page.css").read_text("utf-8")
    return page(report.title, body, more_style=style + picture_style())


def _result(report: Contents) -> Iterator[str]:
    for sentence in report.summary:
        yield f"<p>{_prose(sentence)}</p>"
    yield _grid(report.counts)
    if report.contradictions:
        items = "".join(
            f'<li><a href="#{each.id}">{html_text(each.title)}</a>: {_prose(each.sentence)}</li>'
            for each in report.contradictions
        )
        yield f"<h3>Contradicted</h3><ul>{items}</ul>"


def _reading(report: Contents) -> str:
    listed = "".join(f"<dt>{html_text(name)}</dt><dd>{_prose(said)}</dd>" for name, said in report.reading)
    return f'<dl class="reading">{listed}</dl>'


def _paper(part: PaperPart) -> Iterator[str]:
    yield f"<p>{_prose(part.title)}</p>"
    for paragraph in part.discussion:
        yield f"<p>{_prose(paragraph)}</p>"
    items = "".join(
        f'<li><a href="#{each.id}">{html_text(each.table.experiment.title)}</a> {_badge(each.table.verdict)}</li>'
        for each in part.experiments
    )
    yield f'<ul class="experiments">{items}</ul>'
    if part.omitted:
        listed = "".join(f"<li>{_prose(each.claim)} {_prose(each.reason)}</li>" for each in part.omitted)
        yield f"<h3>Not reproduced</h3><ul>{listed}</ul>"
    for each in part.experiments:
        yield from _experiment(each)


def _experiment(part: ExperimentPart) -> Iterator[str]:
    experiment = part.table.experiment
    yield f'<article id="{part.id}"><h3>{html_text(experiment.title)} {_badge(part.table.verdict)}</h3>'
    yield f'<p class="claim">{_prose(experiment.said)}</p>'
    if experiment.about:
        yield f"<p>{_prose(experiment.about)}</p>"
    facts = "".join(f"<div><dt>{html_text(name)}</dt><dd>{_prose(said)}</dd></div>" for name, said in part.conditions)
    yield f'<dl class="facts">{facts}</dl>'
    for grid in part.grids:
        yield _grid(grid)
    for note in part.notes:
        yield f'<p class="note">{_prose(note)}</p>'
    for figure in part.figures:
        yield (
            f'<div class="scroll drawing" tabindex="0" role="region" aria-label="{html_text(figure.caption)}">'
            f"{figure.picture.inline()}</div>"
        )
    yield "</article>"


def _grid(grid: Grid) -> str:
    header = [("name" if column in grid.left else "number", title) for column, title in enumerate(grid.header)]
    rows = [["".join(_lines(cell)) for cell in row] for row in grid.rows]
    return table(grid.caption, header, rows, kind="findings")


def _lines(cell: str) -> Iterator[str]:
    first, *more = cell.split("\n")
    yield _prose(first)
    for line in more:
        parts = (_badge(part) if part in _VERDICTS else _prose(part) for part in line.split(" · "))
        yield f'<span class="more">{" ".join(parts)}</span>'


def _badge(verdict: str) -> str:
    kind = verdict.split(" ")[0] if verdict in _VERDICTS else "part" if verdict.endswith("in part") else "none"
    return f'<b class="verdict {kind}">{html_text(verdict)}</b>'


def _prose(words: str) -> str:
    """Escaped text, with code between backticks as ``<code>``.

    >>> print(_prose("a < `b`"))
    a &lt; <code>b</code>
    """
    parts = re.split(r"`([^`]*)`", words)
    texts = [html_text(part, LONGEST_TEXT) for part in parts]
    return "".join(f"<code>{text}</code>" if number % 2 else text for number, text in enumerate(texts))
