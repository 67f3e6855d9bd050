"""A table of texts, printed in aligned columns or shown as HTML in a notebook."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joute.text import html_text, printable, shortened

# A cell is cut to this width in print, so that a table stays narrower than most screens.
_WIDEST_CELL = 44
# Colours are left to the notebook, which has a light and a dark theme.
_CELL = "padding:0.2em 0.8em;white-space:nowrap;text-align:"


@dataclass(frozen=True)
class Table:
    """Columns of cells by header. The columns named in `left` align to the left, all others to the right.

    >>> print(Table({"agent": ["greedy", "random"], "wins": ["7", "12"]}, left=("agent",)))
     agent    wins
     ─────────────
     greedy      7
     random     12
    """

    columns: Mapping[str, Sequence[str]]
    left: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*self.columns.values(), strict=True))

    def __str__(self) -> str:
        columns = [
            [shortened(printable(cell), _WIDEST_CELL) for cell in (header, *cells)]
            for header, cells in self.columns.items()
        ]
        widths = [max(map(_width, column)) for column in columns]
        lines = [
            " " + "   ".join(map(self._aligned, self.columns, cells, widths)).rstrip()
            for cells in zip(*columns, strict=True)
        ]
        rule = " " + "─" * (sum(widths) + 3 * (len(widths) - 1))
        return "\n".join([lines[0], rule, *lines[1:]])

    def _aligned(self, header: str, cell: str, width: int) -> str:
        blanks = " " * (width - _width(cell))
        return cell + blanks if header in self.left else blanks + cell

    @property
    def html(self) -> str:
        """The table as HTML that needs no style sheet."""
        head = "".join(self._cell("th", header, header) for header in self.columns)
        rows = [map(self._cell, itertools.repeat("td"), self.columns, row) for row in self.rows]
        body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _cell(self, kind: str, header: str, cell: str) -> str:
        side = "left" if header in self.left else "right"
        return f'<{kind} style="{_CELL}{side}">{html_text(cell)}</{kind}>'


def paragraphs(sentences: Sequence[str]) -> str:
    """Sentences as HTML, one below another; empty ones are left out."""
    return "".join(f'<p style="margin:0.3em 0">{html_text(sentence)}</p>' for sentence in sentences if sentence)


def _width(text: str) -> int:
    """The columns that a text takes on a terminal: two for the wide characters of East Asian scripts."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
