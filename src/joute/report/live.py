"""The report of a running tournament: written again, whole, whenever games have finished."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from time import sleep

from joute.arena.store.importing import open_games
from joute.report.data import Report, make_report
from joute.report.formats import check_is_report, write_report
from joute.report.html import LIVE_S, html_report


def write_page(
    db: Path,
    file: Path,
    *,
    live: bool,
    is_standing: bool = False,
    title: str = "",
    anchors: Mapping[str, float] | None = None,
    replays: int | None = None,
    force: bool = False,
) -> Report:
    """Write the report of a tournament to an HTML file, atomically; returns its contents.

    A `live` page loads itself again every few seconds until the tournament is over: its last game makes the page a
    plain one. A tournament that `is_standing` is never over: agents may join it. JouteError if `file` exists and is not
    a report, unless `force`.
    """
    with open_games(db) as store:
        report = make_report(store, anchors=anchors, title=title)
        text = html_report(report, store, replays=replays, live=live and (is_standing or not is_over(report)))
    write_report(file, text, force=force)
    return report


def is_over(report: Report) -> bool:
    """Whether all games of the tournament are played."""
    return report.length is not None and len(report.games) >= report.length


def follow(
    db: Path,
    file: Path,
    *,
    title: str = "",
    anchors: Mapping[str, float] | None = None,
    replays: int | None = None,
    force: bool = False,
) -> Generator[Report, None, None]:
    """Write the report of a running tournament again and again until its last game, and yield it each time.

    The page is written only if games have finished since. If the caller stops early, the page becomes a plain one.
    """
    if not force:
        check_is_report(file)
    count = -1
    options = {"title": title, "anchors": anchors, "replays": replays}
    report: Report | None = None
    try:
        while report is None or not is_over(report):
            with open_games(db) as store:
                finished = store.count
            if finished != count:
                report = write_page(db, file, live=True, force=True, **options)  # type: ignore[arg-type]
                count = finished
                yield report
            else:
                sleep(LIVE_S)
    finally:
        if report is not None and not is_over(report):
            write_page(db, file, live=False, force=True, **options)  # type: ignore[arg-type]
