"""How a tournament looks: live on a terminal, as tables to paste, and as JSON."""

from __future__ import annotations

import math
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

import typer

from joute.cli.common import duration, percent, table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from joute.arena.tournament import Tournament

# A cross table of more agents than this fits no page.
_WIDEST_CROSS_TABLE = 12

_REFRESH_S = 0.25


class Progress:
    """The live table of a tournament, on a terminal only."""

    def __init__(self, out: Console, made: Tournament, *, quiet: bool) -> None:
        from rich.live import Live

        self._made = made
        self._shows = out.is_terminal and not quiet
        self._live = Live(console=out, transient=True, auto_refresh=False)
        self._began_s = time.monotonic()
        self._games_before = made.standings.games
        self._shown_s = -math.inf

    def __enter__(self) -> Self:
        if self._shows:
            self._live.start()
            self.update()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shows:
            self._live.stop()

    def update(self) -> None:
        """A game has ended."""
        now = time.monotonic()
        if self._shows and now - self._shown_s >= _REFRESH_S:
            self._shown_s = now
            self._live.update(self._view(now), refresh=True)

    def _view(self, now: float) -> RenderableType:
        from rich.console import Group

        games, total = self._made.standings.games, self._made.schedule.games
        rate = (games - self._games_before) / max(1e-9, now - self._began_s)
        of_all = f" of {total}" if total else ""
        left = f", {timedelta(seconds=round((total - games) / rate))} left" if total and rate else ""
        return Group(standings_table(self._made), f"{games}{of_all} games, {_rate_text(rate)}{left}")


def _rate_text(rate: float) -> str:
    return f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"


def print_table(out: Console, made: Tournament) -> None:
    """The end, or the state, of a tournament."""
    standings = made.standings
    if not standings.games:
        typer.echo("no game is finished yet")
        return
    out.print(standings_table(made))
    if 2 < len(made.plan.entrants) <= _WIDEST_CROSS_TABLE:
        out.print(_cross_table(made))
    if standings.distinct_games < standings.games:
        typer.echo(
            f"{standings.distinct_games} of the {standings.games} games are distinct; "
            "a game played again tells nothing new, so the intervals count it once"
        )
    for reason, count in standings.reasons.items():
        typer.echo(f"ended by {reason}: {count}, for example {standings.examples[reason]}")
    overhead = standings.overhead_s
    took = f"; the runner took {duration(overhead)} a ply (median)" if overhead is not None else ""
    typer.echo(f"{standings.conditions}{took}")


def standings_table(made: Tournament) -> Table:
    """Rank, points and score of every agent. In a narrow terminal names are folded; numbers never are."""
    rows = made.standings.table
    forfeits = ("forfeits",) if any(row.forfeits for row in rows) else ()
    listing = table(
        "rank", "agent", "points", "+ = -", "score", "95% interval", "time/move", *forfeits,
        numbers=("rank", "points", "+ = -", "score", "95% interval", "time/move"),
    )  # fmt: skip
    for column in listing.columns:
        column.no_wrap = column.header not in ("agent", "forfeits")
        column.overflow = "fold"
    for rank, row in enumerate(rows, start=1):
        low, high = row.interval
        cells = [
            str(rank),
            row.name,
            f"{row.points:g}/{row.games}",
            f"{row.wins} {row.draws} {row.losses}",
            percent(row.score) if row.games else "–",
            f"{100 * low:.1f}–{percent(high)}" if row.games else "–",
            duration(row.mean_time_s) if row.moves else "–",
        ]
        if forfeits:
            cells.append(", ".join(f"{count} {reason}" for reason, count in row.forfeits.items()) or "–")
        listing.add_row(*cells)
    return listing


def _cross_table(made: Tournament) -> Table:
    names = [row.name for row in made.standings.table]
    ranks = [str(rank) for rank in range(1, len(names) + 1)]
    listing = table("rank", "agent", *ranks, title="points of the row against the column", numbers=("rank", *ranks))
    for rank, name in zip(ranks, names, strict=True):
        scores = [None if name == other else made.standings.score(name, other) for other in names]
        cells = ["–" if score is None else f"{score[0]:g}/{score[1]}" for score in scores]
        listing.add_row(rank, name, *cells)
    return listing


def as_data(made: Tournament) -> dict[str, Any]:
    """The tournament so far as JSON."""
    standings, store = made.standings, made.store
    return {
        "plan": made.plan.as_data(),
        "db": str(store.path),
        "command": store.command,
        "versions": list(store.versions()),
        "games": standings.games,
        "games_in_all": made.schedule.games,
        "finished": made.is_finished,
        "openings": len(store.openings),
        "notes": [note for note in (store.note, made.workers_note) if note],
        "workers": made.workers,
        "conditions": standings.conditions,
        "overhead_s": standings.overhead_s,
        "distinct_games": standings.distinct_games,
        "standings": [
            {
                "agent": row.name,
                "points": row.points,
                "games": row.games,
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "score": row.score,
                "low": row.interval[0],
                "high": row.interval[1],
                "mean_time_s": row.mean_time_s,
                "forfeits": dict(row.forfeits),
            }
            for row in standings.table
        ],
        "pairings": [
            {
                "a": result.a,
                "b": result.b,
                **dict(zip(("wins", "draws", "losses"), result.tally(), strict=True)),
                "score": result.score,
                "low": result.interval[0],
                "high": result.interval[1],
                "verdict": result.verdict,
            }
            for _, result in sorted(standings.pairings.items())
        ],
        "reasons": dict(standings.reasons),
        "examples": standings.examples,
    }
