"""A file of games as data frames of pandas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from joute.arena.standings import Standings
from joute.arena.store.importing import open_games
from joute.arena.store.results import counted_games
from joute.arena.store.store import Store
from joute.frames import frame_of_rows
from joute.match.match_view import RECORD_COLUMNS, record_row
from joute.numbers import game_number
from joute.spec import look_up

if TYPE_CHECKING:
    from pandas import DataFrame

_MOVE_COLUMNS = (
    "game", "ply", "player", "agent", "move", "time_s", "value_for_mover", "depth", "nodes",
)  # fmt: skip


def read_db(path: str | Path, table: str = "games") -> DataFrame:
    """Read a tournament's database, or a file of games as text, as a data frame of pandas.

    `table` is ``games``, a row per game, numbered from 1; ``moves``, a row per move; or ``agents``, the standings with
    ratings. Only the games that count are read. It is possible while the tournament runs.
    """
    read = look_up("table", table, {"games": _games, "moves": _moves, "agents": _agents})
    with open_games(Path(path)) as store:
        return read(store)


def standings_of(store: Store) -> Standings:
    """The standings of the games that count."""
    standings = Standings(store.plan)
    for stored in counted_games(store):
        standings.add(stored.pairing, stored.record)
    return standings


def _games(store: Store) -> DataFrame:
    rows = [
        [game_number(stored.pairing.number), stored.pairing.opening, stored.started, *record_row(stored.record)]
        for stored in counted_games(store)
    ]
    return frame_of_rows(["game", "opening", "started", *RECORD_COLUMNS], rows)


def _moves(store: Store) -> DataFrame:
    rows: list[list[object]] = []
    for stored in counted_games(store):
        game, record = game_number(stored.pairing.number), stored.record
        for ply, played in enumerate(record.moves):
            info = played.info
            stated = (info.value_for_mover, info.depth, info.nodes) if info else (None, None, None)
            agent = record.players[played.player]
            rows.append([game, ply, played.player, agent, played.move, played.time_s, *stated])
    return frame_of_rows(_MOVE_COLUMNS, rows)


def _agents(store: Store) -> DataFrame:
    return standings_of(store).to_frame()
