"""The files of a report: Markdown, a page, and the figures of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joute.errors import JouteError
from joute.files import whole_file
from joute.reproduce.contents import Contents, contents
from joute.reproduce.experiments import Paper, paper_names
from joute.reproduce.figures import FIGURES
from joute.reproduce.markdown import markdown_of
from joute.reproduce.page import page_of
from joute.reproduce.results import Results

#: Where the figures are, seen from the report.
FIGURE_FOLDER = "figures"


def write_report(results: Results, reports: Sequence[Paper], folder: Path) -> Contents:
    """Write report.md, report.html and their figures into a folder, and give what they say.

    Figures of an earlier report there go.

    SpecError if a report refers to what is not there; JouteError if a file cannot be written.
    """
    made = contents(results, reports)
    drawings = drawings_of(made)
    figures = folder / FIGURE_FOLDER
    try:
        figures.mkdir(parents=True, exist_ok=True)
        for path in sorted(figures.iterdir()):
            if path.name not in drawings and _is_figure(path.name, reports):
                path.unlink()
    except OSError as error:
        raise JouteError(f"{figures} cannot be written: {error.strerror}") from error
    files = {
        **{f"{FIGURE_FOLDER}/{name}": drawing for name, drawing in drawings.items()},
        "report.md": markdown_of(made, FIGURE_FOLDER),
        "report.html": page_of(made),
    }
    for name, content in files.items():
        with whole_file(folder / name) as text:
            text.write(content)
    return made


def drawings_of(made: Contents) -> dict[str, str]:
    """The figures of a report, by the names of their files."""
    return {
        f"{figure.file}.svg": figure.picture.standalone()
        for part in made.reports
        for experiment in part.experiments
        for figure in experiment.figures
    }


def _is_figure(name: str, reports: Sequence[Paper]) -> bool:
    """Whether a file has a name that only a figure of a report has."""
    known = {report.name for report in reports} | set(paper_names())
    first, _, rest = name.partition("-")
    return first in known and any(rest.endswith(f"-{figure}.svg") for figure in FIGURES)
