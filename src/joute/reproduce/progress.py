"""How far a run is, and how long it will take: by what games of each row cost, about, and how fast they went so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from joute.reproduce.run import Row


class Progress:
    """Counts games as they end, over all rows."""

    def __init__(self, rows: Sequence[Row], *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._began_s = now()
        self._rows = {row.name: row for row in rows}
        self._lengths = {row.name: row.length() for row in rows}
        #: Games that are finished, and those that were before this run.
        self._done = {row.name: row.done() for row in rows}
        self._earlier = dict(self._done)
        self._row = ""

    def begin(self, row: Row) -> None:
        """A row begins."""
        self._row = row.name

    def add(self, games: int) -> None:
        """Games of that row have ended."""
        self._done[self._row] += games

    @property
    def left(self) -> list[Row]:
        """The rows that have something left to play."""
        return [row for row in self._rows.values() if self._done[row.name] < self._lengths[row.name]]

    @property
    def games(self) -> tuple[int, int]:
        """Games that are finished, and all."""
        return sum(self._done.values()), sum(self._lengths.values())

    @property
    def left_s(self) -> float | None:
        """About how long the rest takes; None while nothing is known of this machine's speed."""
        played = self._work({name: done - self._earlier[name] for name, done in self._done.items()})
        rest = self._work({name: length - self._done[name] for name, length in self._lengths.items()})
        elapsed_s = self._now() - self._began_s
        return elapsed_s * rest / played if played else None

    def _work(self, games: dict[str, int]) -> float:
        return sum(self._rows[name].cost_s * count for name, count in games.items())

    @property
    def text(self) -> str:
        """A line about where it stands."""
        done, games = self.games
        row = f"; {self._row}: {self._done[self._row]:,} of {self._lengths[self._row]:,}" if self._row else ""
        elapsed = _clock(self._now() - self._began_s)
        left = "" if self.left_s is None else f", about {_clock(self.left_s)} left"
        return f"{done:,} of {games:,} games, {elapsed} so far{left}{row}"


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))
