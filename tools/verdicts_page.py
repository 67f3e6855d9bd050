"""Make docs/verdicts.md: the verdicts of version 0.1 that differ from today's, with the reason.

The verdicts of 0.1 and the reasons are in docs/reproduction/verdicts_0_1.toml; today's come from the results beside it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from joute.pages.markdown_parts import table, text
from joute.reproduce.contents import Contents, PaperPart
from joute.reproduce.tables import FindingRow
from joute.reproduce.verdicts import Verdict
from joute.text import LONGEST_TEXT


def verdicts_page(report: Contents, old: Path) -> str:
    """The page; ValueError if a number is unknown or its verdict has not changed."""
    data = tomllib.loads(old.read_text(encoding="utf-8"))
    return "\n".join(_lines(report, data)).rstrip("\n") + "\n"


def _lines(report: Contents, data: Mapping[str, Any]) -> Iterator[str]:
    yield from ("# Verdicts that changed since version 0.1", "", data["introduction"].strip(), "")
    verdicts = (Verdict.REPRODUCED, Verdict.NOT_DISTINGUISHABLE, Verdict.CONTRADICTED)
    rows = [
        ("of the papers, 0.1", *map(str, data["papers"])),
        ("of the papers, now", *_counted([row for part in report.papers for row in part.claims], verdicts)),
        ("ours, 0.1", *map(str, data["ours"])),
        ("ours, now", *_counted([row for part in report.papers for row in part.our_claims], verdicts)),
    ]
    yield from table(("claims", "all", *(verdict.value for verdict in verdicts)), rows, left=(0,))
    yield from (
        "The tables list each number that has another verdict now. All numbers of today are in "
        "[reproduction.md](reproduction.md).",
        "",
    )
    for part in report.papers:
        yield from (f"## {text(part.heading)}", "")
        changed = [entry for entry in data["changed"] if entry["paper"] == part.id]
        if changed:
            header = ("number", "0.1: measured, claimed, verdict", "now", "reason")
            yield from table(header, [_row(part, entry) for entry in changed], left=(0, 1, 2, 3))
        if remark := data["remarks"].get(part.id):
            yield from (remark.strip(), "")


def _counted(claims: Sequence[FindingRow], verdicts: Sequence[Verdict]) -> Iterator[str]:
    counts = Counter(row.cell.verdict for row in claims)
    yield str(len(claims))
    yield from (str(counts[verdict]) for verdict in verdicts)


def _row(part: PaperPart, entry: Mapping[str, str]) -> tuple[str, str, str, str]:
    found = [each for each in part.experiments if each.table.experiment.name == entry["experiment"]]
    rows = [row for each in found for row in each.table.findings if row.what == entry["number"]]
    if not rows:
        raise ValueError(f"{part.id} has no number '{entry['number']}' in experiment {entry['experiment']}")
    now = rows[0]
    if now.cell.verdict.value == entry["verdict"]:
        raise ValueError(f"{entry['number']} of {part.id} is {entry['verdict']} as before: remove the entry")
    claimed = now.claim if now.finding.expects else ""
    return (
        f"[{entry['experiment']}](reproduction.md#{found[0].id}): {_text(entry['number'])}",
        _judged(entry["measured"], entry["claimed"], entry["verdict"]),
        _judged(now.cell.value, claimed, now.cell.verdict.value) + (", ours" if now.is_ours else ""),
        _text(entry["reason"]),
    )


def _judged(measured: str, claimed: str, verdict: str) -> str:
    return f"{_text(measured)}, {_text(claimed)}: {verdict}" if claimed else f"{_text(measured)}: no claim"


def _text(words: str) -> str:
    return text(words, LONGEST_TEXT)
