"""The progress of a running tournament: a live view with the table so far on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from joute.cli.common import clock_text, progress_lines, redrawn
from joute.cli.tournament_table import standings_table
from joute.numbers import noun

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from joute.arena.standings import Standing
    from joute.arena.tournament import Tournament

# Computing tables takes at most this share of the driver's time.
_SHARE_OF_TIME = 0.05

# Lines besides the agents' rows: progress, header and rule of the table, "and N more", the cursor's line.
_OTHER_LINES = 5


class Progress:
    """The progress of a tournament. It is also shown between game ends, so that its clock advances.

    On a terminal it is a live view; otherwise a line on standard error every half minute, if not `quiet`.
    """

    def __init__(
        self,
        out: Console,
        made: Tournament,
        *,
        quiet: bool,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._made = made
        self._now = now
        self._shows = out.is_terminal and not quiet
        self._lines = contextlib.nullcontext() if out.is_terminal or quiet else progress_lines(self.progress)
        self._began_s = self._last_game_s = now()
        self._games_before = self._games = made.standings.games
        self._rows: list[Standing] = []
        self._next_table_s = self._began_s
        self._live = redrawn(out, self.view)

    def __enter__(self) -> Self:
        if self._shows:
            self._rows = self._made.standings.table
            self._live.start()
        self._lines.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shows:
            self._live.stop()
        self._lines.__exit__(None, None, None)

    def update(self) -> None:
        """A game has ended."""
        self._games = self._made.standings.games
        self._last_game_s = began = self._now()
        if self._shows and began >= self._next_table_s:
            # A copy, because another thread draws it while results are added.
            self._rows = self._made.standings.table
            took_s = self._now() - began
            self._next_table_s = began + took_s / _SHARE_OF_TIME

    def view(self) -> RenderableType:
        """The current view, progress first, cut to the terminal's height."""
        from rich.console import Group
        from rich.text import Text

        parts: list[RenderableType] = [Text(self.progress(), no_wrap=True, overflow="ellipsis")]
        room = self._out.height - _OTHER_LINES
        if self._games and room > 0:
            listing = standings_table(self._out, self._rows[:room])
            listing.show_edge = False
            parts.append(listing)
            if (hidden := len(self._rows) - room) > 0:
                parts.append(Text(f"and {hidden} more"))
        return Group(*parts)

    def progress(self) -> str:
        """Games, speed and time left, estimated from the games finished so far."""
        length = self._made.length
        total = self._made.schedule.most_games if length is None else length
        of_total = of_all(self._made)
        elapsed_s = self._now() - self._began_s
        new = self._games - self._games_before
        if not new:
            done = f"{self._games}{of_total} played before; " if self._games else ""
            which = "the next games" if self._games else f"the first{of_total}"
            return f"{done}playing {which}, {clock_text(elapsed_s)} so far"
        game_s = max(1e-9, self._last_game_s - self._began_s) / new
        text = f"{self._games}{of_total}, {_rate(1 / game_s)}, {clock_text(elapsed_s)} so far"
        # The current game may take longer than the mean; the estimate subtracts at most one mean game for it.
        waited_s = min(game_s, elapsed_s - (self._last_game_s - self._began_s))
        most = "at most " if length is None else ""
        return f"{text}, {most}{clock_text((total - self._games) * game_s - waited_s)} left"


def of_all(made: Tournament) -> str:
    """The suffix " of N games" or " of at most N games" after a number of played games."""
    most = made.schedule.most_games if made.length is None else made.length
    return f" of {'at most ' if made.length is None else ''}{most} {noun(most, 'game')}"


def _rate(rate: float) -> str:
    return f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"
