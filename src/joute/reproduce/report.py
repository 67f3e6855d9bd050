"""Writes the files of a report: Markdown, an HTML page, and figures."""

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

#: The folder of the figures, relative to the report.
FIGURE_FOLDER = "figures"


def write_report(results: Results, papers: Sequence[Paper], folder: Path) -> Contents:
    """Write report.md, report.html and their figures into a folder, and return their contents.

    Figures of an earlier report in the folder are deleted.

    SpecError if the results are not of these papers; JouteError if a file cannot be written.
    """
    made = contents(results, papers)
    drawings = drawings_of(made)
    figures = folder / FIGURE_FOLDER
    try:
        figures.mkdir(parents=True, exist_ok=True)
        for path in sorted(figures.iterdir()):
            if path.name not in drawings and _is_figure(path.name, papers):
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
    """The figures of a report as SVG, by file name."""
    return {
        f"{figure.file}.svg": figure.picture.standalone()
        for part in made.papers
        for experiment in part.experiments
        for figure in experiment.figures
    }


def _is_figure(name: str, papers: Sequence[Paper]) -> bool:
    """Whether a file name has the form PAPER-EXPERIMENT-FIGURE.svg."""
    known = {paper.name for paper in papers} | set(paper_names())
    first, _, rest = name.partition("-")
    return first in known and any(rest.endswith(f"-{figure}.svg") for figure in FIGURES)
