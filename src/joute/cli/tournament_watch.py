"""``joute tournament --watch``: a ladder of the agents in a folder, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.cli.common import command_line, console, echo, option_words
from joute.cli.isolation import given
from joute.numbers import count_of
from joute.spec import Value

if TYPE_CHECKING:
    from joute.arena.ladder import Ladder
    from joute.arena.pool.venue import Venue
    from joute.arena.tournament import Tournament

# Seconds between two looks at the folder.
_LOOK_S = 2.0

# Seconds between two reports while games are played, and the largest share of the time that writing them takes.
_REPORT_S = 30.0
_REPORT_SHARE = 0.05


def watch_folder(
    folder: Path,
    words: list[str],
    settings: Mapping[str, Any],
    isolation: Mapping[str, Value],
    db: Path | None,
    venue: Venue,
    *,
    once: bool,
    ray: str | None,
) -> None:
    """Keep the ladder of a folder up to date; `once`: until all is checked and played. `ray`: the user's option."""
    from joute.arena.ladder import Ladder
    from joute.arena.plan_file import openings_text
    from joute.errors import SpecError

    if db is None:
        raise SpecError("--watch needs the file of the ladder: joute tournament GAME --watch FOLDER --db FILE")
    if settings.get("frozen") is False:
        raise SpecError("--watch plays with copies of agents, so that students may save their files; omit --no-frozen")
    if words and words[0].endswith(".toml"):
        raise SpecError("--watch takes a game and agents to compare with, not a TOML file")
    settings = {name: value for name, value in settings.items() if name != "frozen"}
    options = option_words({**settings, **isolation})
    if "openings" in settings:
        settings["openings"] = openings_text(settings["openings"], Path.cwd())
    game, *yardsticks = words or [""]
    command = command_line("tournament", *words, "--watch", folder, *options)
    ladder = Ladder(
        folder, db, game=game, yardsticks=yardsticks, settings=settings, isolation=isolation, command=command
    )
    again = command_line("tournament", "--watch", folder, "--db", db, *option_words(given(ray=ray)))
    echo(f"watching {ladder.folder}; games in {db}, report in {_report_path(db)}; Ctrl-C ends it")
    watch = _Watch(ladder)
    try:
        watch.run(venue, once=once)
    except KeyboardInterrupt:
        watch.end()
        _print_table(ladder)
        echo(f"stopped; to go on: {again}")
        raise
    watch.end()
    _print_table(ladder)
    echo(f"to go on: {again}")


class _Watch:
    """The loop over a ladder, with its messages and reports."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._next_look_s = self._next_report_s = 0.0
        self._told: set[str] = set()
        self._games = 0

    def run(self, venue: Venue, *, once: bool) -> None:
        """Take up changes and play, until an interrupt or, if `once`, until nothing is left."""
        from joute.arena.ladder import SETTLE_S

        began_s = time.monotonic()
        is_due = True  # games may be missing
        while True:
            news = self._ladder.news()
            for problem in self._ladder.problems:
                self._tell_once(problem)
            for one in news:
                self._tell(self._ladder.take_up(one))
                is_due = True
            if is_due:
                is_due = self._play(venue)
            # A file needs time to settle, and may settle during the first look.
            has_settled = time.monotonic() - began_s > SETTLE_S + _LOOK_S
            if once and has_settled and not self._ladder.news():
                return
            time.sleep(_LOOK_S)

    def _play(self, venue: Venue) -> bool:
        """Play what is missing; returns whether a change interrupted it."""
        self._games = 0
        is_finished = self._ladder.play(self._on_game, self._has_news, venue)
        if self._games:
            self._tell(f"{count_of(self._games, 'game')} played")
            self._write_report()
        if is_finished:
            return False
        if self._ladder.news():
            return True
        self._tell("some games did not get to an end; they are tried again after the next change or start")
        return False

    def _on_game(self, made: Tournament) -> None:
        self._games += 1
        if time.monotonic() >= self._next_report_s:
            self._write_report()

    def _has_news(self) -> bool:
        """Whether a change waits; looks at the folder every few seconds only."""
        if time.monotonic() < self._next_look_s:
            return False
        self._next_look_s = time.monotonic() + _LOOK_S
        return bool(self._ladder.news())

    def end(self) -> None:
        """Write the report once more, as a page that does not load itself again."""
        if self._ladder.path.exists():
            self._write_report(live=False)

    def _write_report(self, *, live: bool = True) -> None:
        from joute.report.live import write_page

        began_s = time.monotonic()
        write_page(self._ladder.path, _report_path(self._ladder.path), live=live, is_standing=True)
        took_s = time.monotonic() - began_s
        self._next_report_s = time.monotonic() + max(_REPORT_S, took_s / _REPORT_SHARE)

    def _tell(self, sentence: str) -> None:
        echo(f"{datetime.now():%H:%M:%S} {sentence}")

    def _tell_once(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _report_path(db: Path) -> Path:
    return db.with_suffix(".html")


def _print_table(ladder: Ladder) -> None:
    from joute.arena.store.store import Store
    from joute.arena.tournament import Tournament
    from joute.cli.tournament_table import print_table

    if ladder.plan is None:
        echo("fewer than two agents can play yet, so nothing is stored")
    else:
        with Tournament(Store.read(ladder.path)) as made:
            print_table(console(), made)
    for name, reason in ladder.failures.items():
        echo(f"{name} failed its latest check: {reason}")
