"""Parts of Markdown texts: tables, escaped text, code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from joute.text import LONGEST_MESSAGE, LONGEST_TEXT, printable, shortened


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: tuple[int, ...] = ()) -> Iterator[str]:
    """The lines of a table. Cells are Markdown; columns in `left` align to the left, the others to the right."""
    yield f"| {' | '.join(header)} |"
    yield f"|{'|'.join('---' if column in left else '---:' for column in range(len(header)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def text(words: str, longest: int = LONGEST_MESSAGE) -> str:
    r"""Text escaped for Markdown, on one line, and cut; names may contain anything.

    >>> print(text("a|b <b> *c* a_b"))
    a\|b &lt;b> \*c\* a\_b
    """
    return (
        re.sub(r"([\\`*_\[\]|~])", r"\\\1", shortened(printable(words), longest))
        .replace("&", "&amp;")
        .replace("<", "&lt;")
    )


def whole_line(words: str) -> str:
    r"""Text as one printable line, cut only if it is longer than a command can be; `one_line` would cut it earlier.

    >>> print(whole_line("a\nb"), len(whole_line("a" * 1000)))
    a\nb 1000
    """
    return shortened(printable(words), LONGEST_TEXT)


def code(words: str) -> str:
    """A command as inline code, between more backticks than it contains in a row."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{whole_line(words)}{pad}{ticks}"
