"""The columns of the standings, each defined once for all outputs: terminal, HTML page, Markdown, CSV and JSON.

To add a column, add an entry to `COLUMNS`; all outputs read that list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from joute.arena.hints import hint
from joute.arena.standings import PRESUMED_MARK, Standing
from joute.numbers import NOTHING, duration, elo_interval, elo_text, finite, percent, percent_interval, points_text
from joute.text import html_text

if TYPE_CHECKING:
    from joute.match.ratings import Rating

#: The tables for people: `joute tournament`, and a report as a page or as Markdown.
TERMINAL, PAGE, MARKDOWN = "terminal", "page", "markdown"

#: The data for programs: a report as CSV or as JSON, and `joute tournament --json`.
CSV, REPORT_JSON, TOURNAMENT_JSON = "csv", "report", "tournament"


@dataclass(frozen=True)
class Row:
    """An agent's row of the standings."""

    #: Starts at 1.
    rank: int
    standing: Standing
    #: None if ratings are not computed, as in the live table.
    rating: Rating | None = None
    #: The agent's text in the plan, and its clock.
    agent: str = ""
    clock: str = ""

    @property
    def rated(self) -> Rating:
        """The rating, which must not be None."""
        assert self.rating is not None
        return self.rating


@dataclass(frozen=True)
class Shown:
    """A column of one table: its header and its cell text for a row; for a page, the text is escaped HTML."""

    header: str
    text: Callable[[Row], str]


def _always(rows: Sequence[Row]) -> bool:
    return True


@dataclass(frozen=True)
class Column:
    """A column of the standings in all its outputs."""

    tables: Mapping[str, Shown] = field(default_factory=dict)
    #: For each data format, the functions that compute the values, by key.
    data: Mapping[str, Mapping[str, Callable[[Row], Any]]] = field(default_factory=dict)
    #: ``number`` (aligned right) or ``name`` (aligned left).
    kind: str = "number"
    #: Decides from all rows whether tables show the column. Data always contains it.
    is_shown: Callable[[Sequence[Row]], bool] = _always
    #: The order in which a narrow terminal drops columns: 1 first; 0 is never dropped.
    dropped: int = 0


@dataclass(frozen=True)
class Listed:
    """A column of one table with its cells."""

    header: str
    cells: list[str]
    kind: str
    dropped: int


def listed(table: str, rows: Sequence[Row]) -> list[Listed]:
    """The columns of a table for these rows, in order; `table` is TERMINAL, PAGE or MARKDOWN."""
    return [
        Listed(shown.header, [shown.text(row) for row in rows], column.kind, column.dropped)
        for column in COLUMNS
        if (shown := column.tables.get(table)) and column.is_shown(rows)
    ]


def row_data(kind: str, row: Row) -> dict[str, Any]:
    """The values of a row by key, in order; `kind` is CSV, REPORT_JSON or TOURNAMENT_JSON."""
    return {key: value(row) for column in COLUMNS for key, value in column.data.get(kind, {}).items()}


def data_keys(kind: str) -> tuple[str, ...]:
    """The keys of `row_data`."""
    return tuple(key for column in COLUMNS for key in column.data.get(kind, {}))


def elo_data(rating: Rating) -> dict[str, float | None]:
    """A rating as JSON-compatible data; infinite and unknown numbers are None."""
    return {"elo": finite(rating.elo), "elo_low": finite(rating.low), "elo_high": finite(rating.high)}


def is_csv_header(line: str) -> bool:
    """Whether a line is the header of a CSV report written by this version of Joute or by an earlier one.

    All its names must be known and in our order, and the columns of version 0.1 must be there. A file with an
    additional column does not match.
    """
    names = tuple(line.split(","))
    known = data_keys(CSV)
    ours_in_order = tuple(key for key in known if key in names)
    return names == ours_in_order and (names == known or set(_FIRST_CSV) <= set(names))


# The columns of a CSV written by version 0.1.
_FIRST_CSV = ("name", "games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high")


def _is_rated(rows: Sequence[Row]) -> bool:
    return all(row.rating is not None for row in rows) and bool(rows)


def _is_unrated(rows: Sequence[Row]) -> bool:
    return not _is_rated(rows)


def _have_forfeits(rows: Sequence[Row]) -> bool:
    return any(row.standing.forfeits for row in rows)


def _have_presumed_games(rows: Sequence[Row]) -> bool:
    return any(row.standing.presumed for row in rows)


def _have_own_clocks(rows: Sequence[Row]) -> bool:
    return len({row.clock for row in rows}) > 1


def _rank(row: Row) -> str:
    return NOTHING if row.standing.retired else str(row.rank)


def _score(row: Row) -> str:
    return percent(row.standing.score) if row.standing.games else NOTHING


def _score_interval(row: Row) -> str:
    return percent_interval(row.standing.interval) if row.standing.games else NOTHING


def _elo(row: Row) -> str:
    return elo_text(row.rated.elo)


def _elo_interval(row: Row) -> str:
    return elo_interval(row.rated.low, row.rated.high)


def _time(row: Row) -> str:
    return NOTHING if (mean_s := _mean_time(row)) is None else duration(mean_s)


def _mean_time(row: Row) -> float | None:
    """The mean time of a move; None if no move has a time, as in recordings and texts without times."""
    return row.standing.mean_time_s or None


def _forfeits(row: Row) -> str:
    return str(row.standing.forfeits.total() or NOTHING)


def _page_name(row: Row) -> str:
    """The name as HTML, with the agent's text as a tooltip if it differs from the name."""
    name = row.standing.name
    title = f' title="{html_text(row.agent)}"' if row.agent != name else ""
    return f"<span{title}>{html_text(name)}</span>"


def _name(row: Row) -> str:
    return row.standing.name


def _elo_values(text: Callable[[float], Any]) -> dict[str, Callable[[Row], Any]]:
    """Rating and interval, each number converted by `text`."""
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
    """A column with a count of games, the attribute `name` of a standing, for reports and all data formats."""

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


#: The columns in the order of all outputs. A column whose position differs between outputs has one entry per position.
COLUMNS: tuple[Column, ...] = (
    Column(_tables("rank", _rank, TERMINAL, PAGE, MARKDOWN)),
    Column(
        {**_tables("agent", _name, TERMINAL, MARKDOWN), PAGE: Shown("agent", _page_name)},
        {
            CSV: {"name": _name},
            REPORT_JSON: {"name": _name, "agent": lambda row: row.agent, "clock": lambda row: row.clock},
            TOURNAMENT_JSON: {"agent": _name},
        },
        kind="name",
    ),
    # On a page, points come before ratings: a phone shows the first columns only.
    Column(_tables("points", lambda row: points_text(row.standing.points), PAGE)),
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
    # With ratings, a narrow terminal may drop the score; without ratings, it may not.
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
        {kind: {"mean_time_s": _mean_time} for kind in (REPORT_JSON, TOURNAMENT_JSON)},
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
    Column(
        _tables(PRESUMED_MARK, lambda row: str(row.standing.presumed or NOTHING), TERMINAL, PAGE, MARKDOWN),
        {kind: {"presumed": lambda row: row.standing.presumed} for kind in (REPORT_JSON, TOURNAMENT_JSON)},
        is_shown=_have_presumed_games,
    ),
    Column(_tables("clock", lambda row: html_text(row.clock), PAGE), is_shown=_have_own_clocks),
    Column(data={kind: {"retired": lambda row: row.standing.retired} for kind in (REPORT_JSON, TOURNAMENT_JSON)}),
)
