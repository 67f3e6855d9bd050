"""Converts agents, games and moves to rows of a tournament's file, and games and moves back.

The columns are defined in schema.py. Rows are inserted as {column: value} and read by column name (`sqlite3.Row`), so
that the order of columns, which differs in migrated files, does not matter.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from joute._core import Result, one_line
from joute.agents import SearchInfo
from joute.arena.plan import Plan
from joute.arena.pool.node import Node
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.schema import column_types
from joute.match.record import GameRecord, MoveRecord, Reason

Values = dict[str, Any]

_LONGEST_S = 1e9


@dataclass(frozen=True)
class StoredGame:
    """A finished game and its place in the tournament."""

    pairing: Pairing
    record: GameRecord
    #: When it began, as ISO time; empty if unknown.
    started: str
    #: The node of a cluster that has just played it. It is not read back.
    node: Node | None = field(default=None, compare=False)


def stored_now(pairing: Pairing, record: GameRecord, started: datetime, node: Node | None = None) -> StoredGame:
    """A game that has just been played, to be stored."""
    return StoredGame(pairing, record, started.isoformat(timespec="milliseconds"), node)


def insert(connection: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows that all have the same columns; returns the row id of a single row, else 0."""
    made = list(rows)
    if not made:
        return 0
    columns = made[0].keys()
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(f':{column}' for column in columns)})"
    if len(made) == 1:
        return connection.execute(sql, made[0]).lastrowid or 0
    connection.executemany(sql, made)
    return 0


def agent_values(plan: Plan, index: int, kind: str, sha256: str | None) -> Values:
    """An entrant of a plan as a row of ``agents``."""
    entrant = plan.entrants[index]
    return {
        "id": index,
        "name": storable(entrant.name),
        "source": storable(entrant.agent),
        "kind": kind,
        "clock": str(plan.control(index)),
        "sha256": sha256,
    }


def game_values(stored: StoredGame, session: int, node: int | None = None) -> Values:
    """A finished game as a row of ``games``."""
    pairing, record, result = stored.pairing, stored.record, stored.record.result
    return {
        "number": pairing.number,
        "session": session,
        **_sides("{}", pairing.players),
        "opening": pairing.opening,
        "seed": str(record.seed),
        "outcome": result.outcome,
        "score": result.score,
        "margin": result.margin,
        "decided_by": storable(result.decided_by),
        "reason": record.reason.value,
        "detail": storable(record.detail),
        "plies": len(record.moves),
        "start_outcomes": _outcomes_text(record.start_outcomes),
        **_sides("isolation_{}", record.isolation),
        **_sides("output_{}", tuple(map(storable, record.output))),
        "overhead_s": record.overhead_s,
        "started": stored.started,
        "finished": now(),
        **_sides("clock_{}", record.clocks),
        **_sides("settings_{}", tuple(map(storable, pairing.settings))),
        "node": node,
    }


def node_values(node: Node, session: int) -> Values:
    """A node as a row of ``nodes``."""
    return {
        "session": session,
        "name": storable(node.name),
        "cores": node.cores,
        "workers": node.workers,
        "threads": node.threads,
        "speed": node.speed,
        "reference_speed": node.reference_speed,
        "clock_factor": node.clock_factor,
        "failures": node.failures,
        "games_lost": node.games_lost,
        "busy_s": node.busy_s,
        "note": storable(node.note),
        "began": node.began.isoformat(timespec="milliseconds"),
        "seen": node.seen.isoformat(timespec="milliseconds"),
    }


def node_of(row: sqlite3.Row) -> Node:
    """The inverse of `node_values`; ValueError if a value is invalid."""
    check_types(row, "nodes")
    _check_seconds(row, "busy_s")
    for column in ("clock_factor", "speed", "reference_speed"):
        if not (row[column] is None or 0 < row[column] < math.inf):
            raise ValueError(f"{column} is {row[column]}")
    times = {name: datetime.fromisoformat(row[name]) for name in ("began", "seen")}
    if not all(time.tzinfo for time in times.values()):
        raise ValueError("the times of a node have no time zone")
    return Node(**{field.name: row[field.name] for field in dataclasses.fields(Node)} | times)


def stored_game(row: sqlite3.Row, moves: tuple[MoveRecord, ...], plan: Plan, openings: tuple[str, ...]) -> StoredGame:
    """The inverse of `game_values`, with the game's moves; ValueError if moves are missing or a value is invalid."""
    check_types(row, "games")
    if len(moves) != row["plies"]:
        raise ValueError(f"{len(moves)} of its moves are found, and it has {row['plies']}")
    _check_seconds(row, "overhead_s")
    players = _both(row, "{}")
    for column, index, count in (
        ("first", players[0], len(plan.entrants)),
        ("second", players[1], len(plan.entrants)),
        ("opening", row["opening"], len(openings)),
    ):
        if not 0 <= index < count:
            raise ValueError(f"{column} is {index}, and there are {count}")
    record = GameRecord(
        game=plan.game,
        start=openings[row["opening"]],
        players=(plan.entrants[players[0]].name, plan.entrants[players[1]].name),
        seed=_seed(row["seed"]),
        moves=moves,
        result=Result(row["outcome"], score=row["score"], margin=row["margin"], decided_by=row["decided_by"]),
        reason=Reason(row["reason"]),
        detail=row["detail"],
        start_outcomes=_outcomes(row["start_outcomes"]),
        clocks=_both(row, "clock_{}"),
        isolation=_both(row, "isolation_{}"),
        output=_both(row, "output_{}"),
        overhead_s=row["overhead_s"],
    )
    return StoredGame(
        Pairing(row["number"], players, row["opening"], _both(row, "settings_{}")), record, row["started"]
    )


def move_values(game: int, ply: int, played: MoveRecord) -> Values:
    """A move as a row of ``moves``."""
    info = played.info
    return {
        "game": game,
        "ply": ply,
        "player": played.player,
        "move": storable(played.move),
        "time_s": played.time_s,
        "outcomes": _outcomes_text(played.outcomes),
        "told": int(info is not None),
        "value": info.value_for_mover if info else None,
        "depth": _integer(info.depth) if info else None,
        "nodes": _integer(info.nodes) if info else None,
        "pv": json.dumps([str(move) for move in info.pv]) if info and info.pv else "",
    }


def played_move(row: sqlite3.Row) -> MoveRecord:
    """The inverse of `move_values`; ValueError if a value is invalid."""
    check_types(row, "moves")
    if row["player"] not in (0, 1):
        raise ValueError(f"player is {row['player']}")
    _check_seconds(row, "time_s")
    pv = _line(row["pv"]) if row["pv"] else ()
    info = SearchInfo(row["value"], row["depth"], row["nodes"], pv) if row["told"] else None
    return MoveRecord(row["player"], row["move"], row["time_s"], _outcomes(row["outcomes"]), info)


def storable(text: str) -> str:
    """The text with lone surrogates escaped: SQLite cannot store them, and agents may produce them."""
    return text.encode("utf-8", "backslashreplace").decode()


def now() -> str:
    """The current time in UTC as ISO text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def check_types(row: sqlite3.Row, table: str) -> None:
    """Raise ValueError if a column of a row holds a value of another type than its table says."""
    for column, types in column_types(table).items():
        # A file of an earlier version lacks columns, and a query may leave some out.
        if column in row.keys() and not isinstance(row[column], types):  # noqa: SIM118  # a Row contains values
            raise ValueError(f"{column} is {one_line(repr(row[column]))}, which no {table} have")


def _check_seconds(row: sqlite3.Row, column: str) -> None:
    """Raise ValueError if a time is infinite or longer than thirty years: no chart has room for it."""
    if not abs(row[column]) < _LONGEST_S:
        raise ValueError(f"{column} is {row[column]}")


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 20 and int(text) < 2**64):
        raise ValueError(f"seed is {one_line(text)}, not a number less than 2**64")
    return int(text)


def _line(text: str) -> tuple[str, ...]:
    moves = json.loads(text)
    if not (isinstance(moves, list) and all(isinstance(move, str) for move in moves)):
        raise ValueError(f"pv is {one_line(text)}, not a list of moves")
    return tuple(moves)


def _sides(column: str, values: tuple[Any, Any] | tuple[Any, ...]) -> Values:
    first, second = values
    return {column.format("first"): first, column.format("second"): second}


def _both(row: sqlite3.Row, column: str) -> tuple[Any, Any]:
    return row[column.format("first")], row[column.format("second")]


def _outcomes_text(outcomes: tuple[int, ...]) -> str:
    return " ".join(map(str, outcomes))


def _outcomes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _integer(number: int | None) -> int | None:
    """An agent's number, clamped to SQLite's 64-bit range."""
    return None if number is None else max(-(2**63), min(number, 2**63 - 1))
