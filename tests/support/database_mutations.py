"""Mutations of an SQLite file that SQLite accepts: values of any type in any column, and rows that are gone."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

VALUES: tuple[Any, ...] = (
    None, 0, 1, -1, 7, 99, 2**31, 2**63 - 1, -(2**63), 0.5, -0.0, 1e308, float("inf"), "", "x", "1", "-1", "[]", "{}",
    "[1]", '"a"', "null", "[[", "a\0b", "\u202eevil", "a" * 5000, "9" * 5000, "44", "draw", b"", b"\xff\xfe", b"4",
    "normal", "time", "none", "1/move", "\x1b[2J", '{"entrants": [], "isolation": {}}', "0 1 2", "a\nb",
)  # fmt: skip


def change_value(data: bytes, rng: random.Random) -> bytes:
    """A copy of a database with one to three values changed; the same bytes if it is not a database."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            _change(connection, rng)
        connection.commit()
        return connection.serialize()
    except (sqlite3.Error, UnicodeDecodeError):
        return data
    finally:
        connection.close()


def _change(connection: sqlite3.Connection, rng: random.Random) -> None:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = rng.choice(tables)
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    column = rng.choice(columns)
    count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    if not count:
        return
    key = ("game", "ply") if table == "moves" else ("rowid",)
    row = connection.execute(
        f"SELECT {', '.join(key)} FROM {table} LIMIT 1 OFFSET ?", (rng.randrange(count),)
    ).fetchone()
    where = " AND ".join(f"{name} IS ?" for name in key)
    if rng.random() < 0.05:
        connection.execute(f"DELETE FROM {table} WHERE {where}", row)
        return
    value = rng.choice(VALUES)
    if isinstance(value, str) and rng.random() < 0.3:
        old = connection.execute(f"SELECT {column} FROM {table} WHERE {where}", row).fetchone()[0]
        if isinstance(old, str) and old:
            begin = rng.randrange(len(old))
            value = old[:begin] + value[:50] + old[begin + rng.randrange(6) :]
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}", (value, *row))
