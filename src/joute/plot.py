"""Figures of matplotlib: ratings, stated values by ply, time by ply, sweeps.

Every function draws into `ax`, or into a new figure, and returns the Axes, so that titles, limits and styles are set as
usual. Games are a record, a match, any iterable of records, or the path of a tournament's database.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from joute.errors import JouteError
from joute.games import new
from joute.match import GameRecord, MatchResult
from joute.match.record import MoveRecord
from joute.numbers import is_decided

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from joute.arena.standings import Standings
    from joute.sweeps.sweep import SweepResult

Games: TypeAlias = GameRecord | MatchResult | Iterable[GameRecord] | str | Path

# Most values of a sweep that are written below a logarithmic axis; more would overlap.
_MOST_TICKS = 12

__all__ = ["ratings", "score_by_ply", "sweep", "time_use"]


def ratings(games: Standings | str | Path, *, ax: Axes | None = None) -> Axes:
    """The Elo rating of every agent of a tournament with its 95% interval, best first.

    An interval without an end, after only wins or only losses, is drawn as an arrow.
    """
    from joute.arena.games_frame import standings_of
    from joute.arena.standings import Standings
    from joute.arena.store.importing import open_games

    if isinstance(games, Standings):
        standings = games
    else:
        with open_games(Path(games)) as store:
            standings = standings_of(store)
    rated = standings.ratings()
    rows = [row for row in standings.rated_table(rated) if not math.isnan(row.rating.elo)]
    ax = _axes(ax)
    finite = [
        bound for row in rows for bound in (row.rating.low, row.rating.elo, row.rating.high) if math.isfinite(bound)
    ]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    room = 0.1 * (high - low) or 50.0
    for place, row in enumerate(rows):
        rating = row.rating
        ends = [min(max(bound, low - room), high + room) for bound in (rating.low, rating.high)]
        ax.plot(ends, [place, place], color="C0")
        for end, bound, marker in zip(ends, (rating.low, rating.high), "<>", strict=True):
            if math.isinf(bound):
                ax.plot([end], [place], marker=marker, color="C0")
        if math.isfinite(rating.elo):
            ax.plot([rating.elo], [place], "o", color="C0")
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    ax.invert_yaxis()
    ax.set_xlabel(f"Elo, 95% intervals ({rated.reference})")
    return ax


def score_by_ply(games: Games, *, ax: Axes | None = None) -> Axes:
    """The value that each agent states for itself, by ply: the mean over its games, on the agent's own scale.

    Values that say that a player wins are left out, because they are on no scale.
    """

    def stated(played: MoveRecord) -> float | None:
        value = played.info.value_for_mover if played.info else None
        return None if value is None or not math.isfinite(value) or is_decided(value) else value

    ax = _by_ply(games, stated, ax)
    if not ax.lines:
        raise JouteError("no agent of these games states the value of its moves, so there is nothing to plot")
    ax.set_ylabel("value for the mover")
    return ax


def time_use(games: Games, *, ax: Axes | None = None) -> Axes:
    """The time for a move of each agent, by ply: the mean over its games."""
    ax = _by_ply(games, lambda played: played.time_s, ax)
    ax.set_ylabel("seconds for a move")
    ax.set_ylim(bottom=0)
    return ax


def sweep(result: SweepResult, *, ax: Axes | None = None) -> Axes:
    """The scores of a sweep with simultaneous 95% intervals, over the numeric variable with most values.

    The other variables tell the curves apart.
    """
    from joute.sweeps.page import across_of, curves, is_wide

    across = across_of(result)
    if across is None:
        raise JouteError("no variable of this sweep has numbers to draw along an axis; its table shows the scores")
    ax = _axes(ax)
    lines = curves(result, across)
    variable = result.grid.variables[across]
    is_log = is_wide(variable.numbers or ())
    for index, (name, points) in enumerate(lines.items()):
        shift = 0.01 * (index - (len(lines) - 1) / 2)  # intervals of several curves are drawn side by side
        places = _shifted([x for x, _ in points], shift, is_log=is_log)
        scores = [each.match.score for _, each in points]
        below = [score - each.interval[0] for score, (_, each) in zip(scores, points, strict=True)]
        above = [each.interval[1] - score for score, (_, each) in zip(scores, points, strict=True)]
        ax.errorbar(places, scores, yerr=(below, above), marker="o", capsize=3, label=name)
    ax.axhline(0.5, color="grey", linewidth=0.8)
    if is_log:
        ax.set_xscale("log")
        ax.minorticks_off()
        if len(variable.values) <= _MOST_TICKS:
            ax.set_xticks(variable.numbers or (), variable.values)
    ax.set_xlabel(variable.name)
    ax.set_ylabel(f"score against {result.against}")
    ax.set_title("simultaneous 95% intervals", fontsize="small")
    if len(lines) > 1:
        ax.legend()
    return ax


def _shifted(places: Sequence[float], share: float, *, is_log: bool) -> list[float]:
    """The places on an axis, moved by a share of their extent."""
    low, high = min(places), max(places)
    return [x * (high / low) ** share if is_log else x + share * (high - low) for x in places]


def _axes(ax: Axes | None) -> Axes:
    """The given Axes or those of a new figure; JouteError if matplotlib is not installed."""
    try:
        from matplotlib import pyplot  # imported here: it is an extra and takes a second
    except ImportError as error:
        raise JouteError("figures need matplotlib: pip install matplotlib, or pip install 'joute[notebook]'") from error
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax  # room for long names of agents


def _by_ply(games: Games, measure: Callable[[MoveRecord], float | None], ax: Axes | None) -> Axes:
    """A line per agent: the mean of a measure of its moves by ply; moves without the measure are left out.

    Two plies make a point. Otherwise the line of an agent with alternating colours would show them in turn.
    """
    values: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in _records(games):
        start_ply = new(record.game, record.start).ply
        for ply, played in enumerate(record.moves, start=start_ply):
            if (value := measure(played)) is not None:
                values[record.players[played.player]][ply - ply % 2].append(value)
    ax = _axes(ax)
    for name, plies in values.items():
        means = [sum(each) / len(each) for _, each in sorted(plies.items())]
        ax.plot(sorted(plies), means, marker=".", label=name)
    ax.set_xlabel("ply")
    if values:
        ax.legend()
    return ax


def _records(games: Games) -> Sequence[GameRecord]:
    if isinstance(games, GameRecord):
        return [games]
    if isinstance(games, MatchResult):
        return games.records
    if isinstance(games, str | Path):
        from joute.arena.store.importing import open_games
        from joute.arena.store.results import counted_games

        with open_games(Path(games)) as store:
            return [stored.record for stored in counted_games(store)]
    return list(games)
