"""Parts of HTML pages: the frame, sections, and tables that scroll if they are too wide.

A page is one file that makes no requests. Its content security policy allows only its own scripts and style sheet, by
their hashes. So text in a name, an output or a game's drawing cannot run or load anything, even if escaping failed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from joute.text import LONGEST_TEXT, html_text
from joute.version import __version__

#: The beginning of every page, by which Joute recognises its reports.
MARK = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="joute report'


@dataclass(frozen=True)
class Section:
    """A section of the page; `html` is escaped already."""

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
    """A table in a scrolling box. Header cells are (CSS class, text); cells of rows are escaped HTML."""
    head = "".join(f'<th scope="col" class="{name}">{html_text(text)}</th>' for name, text in header)
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
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html_text(caption)}"><table class="{kind}">'
        f"<caption><span>{html_text(caption)}</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def page(
    title: str, body: Sequence[str], *, scripts: Sequence[str] = (), more_style: str = "", live_s: int | None = None
) -> str:
    """A page with a body of escaped HTML. `scripts` are files of this folder; `more_style` is appended to their styles.

    With `live_s`, the script page.js, which must be among them, loads the page again after that many seconds.
    """
    style = colours() + _file("charts.css") + _file("page.css") + more_style
    codes = [_file(name) for name in scripts]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hash(style)}",
            *([f"script-src {' '.join(map(_hash, codes))}"] if codes else []),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = [
        f'{MARK} {html_text(__version__)}">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{html_text(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        f'<body data-live-s="{live_s}">' if live_s else "<body>",
        *body,
        *(f"<script>{code}</script>" for code in codes),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def head(kicker: str, title: str, subtitle: str, contents: Sequence[tuple[str, str]]) -> list[str]:
    """The beginning of a body: headings, and links to the result and to the sections in `contents`, as (id, title)."""
    links = "".join(f'<li><a href="#{name}">{html_text(text)}</a></li>' for name, text in contents)
    return [
        '<a class="skip" href="#result">Skip to the result</a>',
        "<header>",
        f'<p class="kicker">{html_text(kicker)}</p>',
        f"<h1>{html_text(title)}</h1>",
        f'<p class="subtitle">{html_text(subtitle)}</p>',
        "</header>",
        f'<nav aria-label="Contents"><ul><li><a href="#result">Result</a></li>{links}</ul></nav>' if links else "<hr>",
    ]


def result_section(sentences: Sequence[str], first: str = "") -> str:
    """The section with the result in sentences; `first` is escaped HTML that precedes them."""
    summary = "".join(f"<p>{html_text(sentence)}</p>" for sentence in sentences)
    return f'<section id="result" class="lead"><h2>Result</h2>{first}{summary}</section>'


def fact_list(facts: Sequence[tuple[str, str]], command: tuple[str, str]) -> str:
    """A list of facts as (name, text), and the command, unless it is empty."""
    listed = "".join(
        f"<div><dt>{html_text(name)}</dt><dd>{html_text(text, LONGEST_TEXT)}</dd></div>" for name, text in facts
    )
    name, line = command
    wide = (
        f'<div class="wide"><dt>{html_text(name)}</dt><dd><code>{html_text(line, LONGEST_TEXT)}</code></dd></div>'
        if line
        else ""
    )
    return f'<dl class="facts">{listed}{wide}</dl>'


def section_html(section: Section) -> str:
    """A section with its heading."""
    return f'<section id="{section.id}"><h2>{html_text(section.title)}</h2>{section.html}</section>'


def folded_section(section: Section) -> str:
    """A section that shows only its heading until it is opened."""
    return (
        f'<section id="{section.id}" class="folded"><details><summary><h2>{html_text(section.title)}</h2></summary>'
        f"{section.html}</details></section>"
    )


def crash_html(text: str, *, is_open: bool = False) -> str:
    """The traceback or the last words of an agent that failed, to unfold; empty if there are none."""
    if not text:
        return ""
    shown = " open" if is_open else ""
    name = "traceback" if text.startswith("Traceback") else "what it wrote last"
    return (
        f'<details class="crash"{shown}><summary>{name}</summary><pre>{html_text(text, LONGEST_TEXT)}</pre></details>'
    )


def colours() -> str:
    """The colours of pages and pictures in both themes, as a style sheet."""
    return _file("colours.css")


def _file(name: str) -> str:
    return resources.files("joute.pages").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
