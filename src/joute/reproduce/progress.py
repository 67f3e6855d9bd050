"""The progress of a run and its time left, estimated from each row's approximate cost and the speed so far."""

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
        #: Finished games by row: now, and before this run.
        self._done = {row.name: row.done() for row in rows}
        self._earlier = dict(self._done)
        self._row = ""

    def begin(self, row: Row) -> None:
        """Make `row` the current row."""
        self._row = row.name

    def add(self, games: int) -> None:
        """Count finished games of the current row."""
        self._done[self._row] += games

    @property
    def left(self) -> list[Row]:
        """The unfinished rows."""
        return [row for row in self._rows.values() if self._done[row.name] < self._lengths[row.name]]

    @property
    def games(self) -> tuple[int, int]:
        """Finished games, and all games."""
        return sum(self._done.values()), sum(self._lengths.values())

    @property
    def left_s(self) -> float | None:
        """Estimated seconds left; None before the first game of this run has ended."""
        played = self._work({name: done - self._earlier[name] for name, done in self._done.items()})
        rest = self._work({name: length - self._done[name] for name, length in self._lengths.items()})
        elapsed_s = self._now() - self._began_s
        return elapsed_s * rest / played if played else None

    def _work(self, games: dict[str, int]) -> float:
        return sum(self._rows[name].cost_s * count for name, count in games.items())

    @property
    def text(self) -> str:
        """The progress in a line."""
        done, games = self.games
        row = f"; {self._row}: {self._done[self._row]:,} of {self._lengths[self._row]:,}" if self._row else ""
        elapsed = _clock(self._now() - self._began_s)
        left = "" if self.left_s is None else f", about {_clock(self.left_s)} left"
        return f"{done:,} of {games:,} games, {elapsed} so far{left}{row}"


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))
