"""How an analysis prints, shows in a notebook, and becomes a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joute.frames import frame
from joute.numbers import value_text
from joute.tables import Table, paragraphs

if TYPE_CHECKING:
    from pandas import DataFrame

    from joute.agents.agent import Analysis

# The most moves that are shown, and the most moves of a line.
_MOVES = 20
_LINE = 8


def analysis_text(analysis: Analysis) -> str:
    """The moves as a table, best first, below a sentence about the position."""
    return "\n".join([_headline(analysis), str(_table(analysis)), *_more(analysis)])


def analysis_html(analysis: Analysis) -> str:
    """The same for a notebook."""
    return paragraphs([_headline(analysis)]) + _table(analysis).html + paragraphs(_more(analysis))


def analysis_repr(analysis: Analysis) -> str:
    """One line."""
    return f"<analysis: {_headline(analysis)}>"


def analysis_frame(analysis: Analysis) -> DataFrame:
    """A data frame of pandas with a row per move, best first: move, value, verdict, visits and pv."""
    moves = analysis.moves
    return frame(
        {
            "move": [str(judged.move) for judged in moves],
            "value": [judged.value for judged in moves],
            "verdict": [judged.verdict for judged in moves],
            "visits": [judged.visits for judged in moves],
            "pv": [" ".join(map(str, judged.pv)) for judged in moves],
        }
    )


def _headline(analysis: Analysis) -> str:
    value = "" if analysis.value is None else f"{analysis.unit} {value_text(analysis.value)}"
    effort = {"depth": analysis.depth, "nodes": analysis.nodes, "iterations": analysis.iterations}
    efforts = [f"{name} {count:,}" for name, count in effort.items() if count is not None]
    exact = "exact" if analysis.exact else ""
    return ", ".join(filter(None, [analysis.verdict, value, exact, *efforts]))


def _table(analysis: Analysis) -> Table:
    moves = analysis.moves[:_MOVES]
    columns = {
        "move": [str(judged.move) for judged in moves],
        analysis.unit: ["" if judged.value is None else value_text(judged.value) for judged in moves],
        "visits": ["" if judged.visits is None else f"{judged.visits:,}" for judged in moves],
        "verdict": [judged.verdict for judged in moves],
        "line": [_line(tuple(map(str, judged.pv))) for judged in moves],
    }
    kept = {name: cells for name, cells in columns.items() if name == "move" or any(cells)}
    return Table(kept, left=("move", "verdict", "line"))


def _line(moves: tuple[str, ...]) -> str:
    return " ".join(moves[:_LINE]) + (" …" if len(moves) > _LINE else "")


def _more(analysis: Analysis) -> list[str]:
    hidden = len(analysis.moves) - _MOVES
    return [f"and {hidden} more"] if hidden > 0 else []
