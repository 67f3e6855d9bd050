"""What the page is made of: sections, and tables that scroll where they are too wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Section:
    """A part of the page; `html` is safe as it is."""

    id: str
    title: str
    html: str


def table(
    caption: str,
    header: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[str]],
    *,
    kind: str = "",
) -> str:
    """A table in a box that scrolls. Header cells are (class, text); cells of rows are safe HTML, the first heads."""
    head = "".join(f'<th scope="col" class="{name}">{escape(text)}</th>' for name, text in header)
    body = "".join(
        "<tr>"
        + "".join(
            cell if cell.startswith("<td") else f'<td class="{name}">{cell}</td>'
            for (name, _), cell in zip(header, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="{kind}">'
        f"<caption><span>{escape(caption)}</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
