"""The columns of the standings, each written once: what it is in a terminal, a page, Markdown, CSV and JSON.

A new column is one more entry of `COLUMNS`; everything that shows standings reads that list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from joute.arena.hints import hint
from joute.arena.standings import Standing
from joute.numbers import NOTHING, duration, elo_interval, elo_text, finite, percent, percent_interval

if TYPE_CHECKING:
    from joute.match.ratings import Rating

#: The tables for people: `joute tournament`, and a report as a page or as Markdown.
TERMINAL, PAGE, MARKDOWN = "terminal", "page", "markdown"

#: The data for programs: a report as CSV or as JSON, and `joute tournament --json`.
CSV, REPORT_JSON, TOURNAMENT_JSON = "csv", "report", "tournament"


@dataclass(frozen=True)
class Row:
    """An agent's line of the standings."""

    #: From 1.
    rank: int
    standing: Standing
    #: None where no ratings are computed, as in the live table.
    rating: Rating | None = None
    #: The agent as the plan names it, and its clock.
    agent: str = ""
    clock: str = ""

    @property
    def rated(self) -> Rating:
        """The rating, where there is one."""
        assert self.rating is not None
        return self.rating


@dataclass(frozen=True)
class Shown:
    """A column of one table: its header, and the text of a cell; for a page, safe HTML."""

    header: str
    text: Callable[[Row], str]


def _always(rows: Sequence[Row]) -> bool:
    return True


@dataclass(frozen=True)
class Column:
    """A column of the standings, in all outputs that have it."""

    tables: Mapping[str, Shown] = field(default_factory=dict)
    #: The values by key, for each kind of data.
    data: Mapping[str, Mapping[str, Callable[[Row], Any]]] = field(default_factory=dict)
    #: ``number`` (to the right) or ``name`` (to the left).
    kind: str = "number"
    #: Whether tables show it, by all their rows. Data always has it.
    is_shown: Callable[[Sequence[Row]], bool] = _always
    #: A narrow terminal drops columns of low numbers first, and those of 0 never.
    dropped: int = 0


@dataclass(frozen=True)
class Listed:
    """A column of a certain table, filled."""

    header: str
    cells: list[str]
    kind: str
    dropped: int


def listed(table: str, rows: Sequence[Row]) -> list[Listed]:
    """The columns that a table shows for these rows, in order."""
    return [
        Listed(shown.header, [shown.text(row) for row in rows], column.kind, column.dropped)
        for column in COLUMNS
        if (shown := column.tables.get(table)) and column.is_shown(rows)
    ]


def row_data(kind: str, row: Row) -> dict[str, Any]:
    """The values of a row for programs, by key, in order."""
    return {key: value(row) for column in COLUMNS for key, value in column.data.get(kind, {}).items()}


def data_keys(kind: str) -> tuple[str, ...]:
    """The keys of `row_data`."""
    return tuple(key for column in COLUMNS for key in column.data.get(kind, {}))


def elo_data(rating: Rating) -> dict[str, float | None]:
    """A rating as JSON; null stands for what is infinite or unknown."""
    return {"elo": finite(rating.elo), "elo_low": finite(rating.low), "elo_high": finite(rating.high)}


def is_csv_header(line: str) -> bool:
    """Whether a line is the header of a CSV of ours: of this version, or of an earlier one with fewer columns.

    All its names are ours and in our order, and those that every version has are there. So a file is not ours to
    which somebody added a column.
    """
    names = tuple(line.split(","))
    known = data_keys(CSV)
    ours_in_order = tuple(key for key in known if key in names)
    return names == ours_in_order and (names == known or set(_FIRST_CSV) <= set(names))


# The columns that a CSV had in version 0.1, whose files must stay recognisable.
_FIRST_CSV = ("name", "games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high")


def _is_rated(rows: Sequence[Row]) -> bool:
    return all(row.rating is not None for row in rows) and bool(rows)


def _is_unrated(rows: Sequence[Row]) -> bool:
    return not _is_rated(rows)


def _have_forfeits(rows: Sequence[Row]) -> bool:
    return any(row.standing.forfeits for row in rows)


def _have_own_clocks(rows: Sequence[Row]) -> bool:
    return len({row.clock for row in rows}) > 1


def _score(row: Row) -> str:
    return percent(row.standing.score) if row.standing.games else NOTHING


def _score_interval(row: Row) -> str:
    return percent_interval(row.standing.interval) if row.standing.games else NOTHING


def _elo(row: Row) -> str:
    return elo_text(row.rated.elo)


def _elo_interval(row: Row) -> str:
    return elo_interval(row.rated.low, row.rated.high)


def _time(row: Row) -> str:
    return duration(row.standing.mean_time_s) if row.standing.moves else NOTHING


def _forfeits(row: Row) -> str:
    return str(row.standing.forfeits.total() or NOTHING)


def _page_name(row: Row) -> str:
    """A name and, where it does not say it, what it stands for."""
    name = row.standing.name
    title = f' title="{escape(row.agent)}"' if row.agent != name else ""
    return f"<span{title}>{escape(name)}</span>"


def _name(row: Row) -> str:
    return row.standing.name


def _elo_values(text: Callable[[float], Any]) -> dict[str, Callable[[Row], Any]]:
    """Rating and interval, each as `text` writes a number."""
    return {
        "elo": lambda row: text(row.rated.elo),
        "elo_low": lambda row: text(row.rated.low),
        "elo_high": lambda row: text(row.rated.high),
    }


def _csv_elo(value: float) -> str:
    return f"{value:z.2f}"


def _tables(header: str, text: Callable[[Row], str], *tables: str) -> dict[str, Shown]:
    return dict.fromkeys(tables, Shown(header, text))


def _count(name: str, page: str, markdown: str) -> Column:
    """How many games ended so: a number that reports show and all data has."""

    def count(row: Row) -> int:
        return int(getattr(row.standing, name))

    shown = {PAGE: Shown(page, lambda row: f"{count(row):,}"), MARKDOWN: Shown(markdown, lambda row: str(count(row)))}
    return Column(shown, {kind: {name: count} for kind in (CSV, REPORT_JSON, TOURNAMENT_JSON)})


def _examples(row: Row) -> dict[str, dict[str, Any]]:
    return {
        reason: {
            "game": example.game,
            "detail": example.detail,
            "hint": hint(example.about(row.standing.name, reason)),
        }
        for reason, example in row.standing.examples.items()
    }


#: The columns in the order of all outputs. One that has another place in some outputs is listed once for each place.
COLUMNS: tuple[Column, ...] = (
    Column(_tables("rank", lambda row: str(row.rank), TERMINAL, PAGE, MARKDOWN)),
    Column(
        {**_tables("agent", _name, TERMINAL, MARKDOWN), PAGE: Shown("agent", _page_name)},
        {
            CSV: {"name": _name},
            REPORT_JSON: {"name": _name, "agent": lambda row: row.agent, "clock": lambda row: row.clock},
            TOURNAMENT_JSON: {"agent": _name},
        },
        kind="name",
    ),
    Column(
        _tables("Elo", _elo, TERMINAL, PAGE, MARKDOWN),
        {TOURNAMENT_JSON: _elo_values(finite)},
        is_shown=_is_rated,
    ),
    Column(_tables("95% interval", _elo_interval, TERMINAL, PAGE, MARKDOWN), is_shown=_is_rated, dropped=6),
    Column(
        _tables("points", lambda row: f"{row.standing.points:g}/{row.standing.games}", TERMINAL),
        {TOURNAMENT_JSON: {"points": lambda row: row.standing.points}},
    ),
    _count("games", "games", "games"),
    _count("wins", "won", "+"),
    _count("draws", "drawn", "="),
    _count("losses", "lost", "−"),
    Column(
        _tables("+ = -", lambda row: f"{row.standing.wins} {row.standing.draws} {row.standing.losses}", TERMINAL),
        dropped=3,
    ),
    # Beside a rating, a narrow terminal can do without the score.
    Column(_tables("score", _score, TERMINAL), is_shown=_is_rated, dropped=4),
    Column(_tables("score", _score, TERMINAL), is_shown=_is_unrated),
    Column(
        _tables("score", _score, PAGE, MARKDOWN),
        {
            CSV: {"score": lambda row: f"{row.standing.score:.6f}" if row.standing.games else "nan"},
            REPORT_JSON: {"score": lambda row: row.standing.score if row.standing.games else None},
            TOURNAMENT_JSON: {"score": lambda row: row.standing.score},
        },
    ),
    Column(_tables("95% interval", _score_interval, TERMINAL), is_shown=_is_unrated, dropped=1),
    Column(
        _tables("95% interval", _score_interval, PAGE, MARKDOWN),
        {
            REPORT_JSON: {"score_interval": lambda row: list(row.standing.interval)},
            TOURNAMENT_JSON: {
                "low": lambda row: row.standing.interval[0],
                "high": lambda row: row.standing.interval[1],
            },
        },
    ),
    Column(data={CSV: _elo_values(_csv_elo), REPORT_JSON: _elo_values(finite)}),
    Column(
        {**_tables("time/move", _time, TERMINAL), **_tables("time a move", _time, PAGE, MARKDOWN)},
        {kind: {"mean_time_s": lambda row: row.standing.mean_time_s} for kind in (REPORT_JSON, TOURNAMENT_JSON)},
        dropped=2,
    ),
    Column(
        data={
            TOURNAMENT_JSON: {
                "never_started": lambda row: row.standing.never_started,
                "lost_turns": lambda row: row.standing.lost_turns,
            }
        }
    ),
    Column(
        _tables("forfeits", _forfeits, TERMINAL, PAGE),
        {
            REPORT_JSON: {
                "forfeits": lambda row: dict(row.standing.forfeits),
                "lost_turns": lambda row: row.standing.lost_turns,
            },
            TOURNAMENT_JSON: {"forfeits": lambda row: dict(row.standing.forfeits), "forfeit_examples": _examples},
        },
        is_shown=_have_forfeits,
        dropped=5,
    ),
    Column(_tables("clock", lambda row: escape(row.clock), PAGE), is_shown=_have_own_clocks),
)
