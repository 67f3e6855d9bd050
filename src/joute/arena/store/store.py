"""The store of a tournament: one SQLite file, which only the driver writes and other processes may read meanwhile.

Each finished game is one transaction and is on disk before it counts; an interrupted transaction leaves nothing. The
file is identified by its application id and its schema version. docs/arena.md shows the schema.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from joute._core import one_line
from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.pool.node import Node
from joute.arena.schedules.schedule import Pairing, Schedule
from joute.arena.store.database import (
    DamagedError,
    StoreError,
    beside,
    check_is_file,
    check_is_ours,
    connected,
    explained,
    is_ours,
    locked,
    migrate,
    others_of,
    set_log,
    version_of,
)
from joute.arena.store.frozen import FrozenCopy
from joute.arena.store.rows import (
    StoredGame,
    agent_values,
    check_types,
    game_values,
    insert,
    move_values,
    node_of,
    node_values,
    now,
    played_move,
    storable,
    stored_game,
    stored_now,
)
from joute.arena.store.schema import APPLICATION_ID, MISSING_COLUMNS, SCHEMA, SCHEMA_VERSION
from joute.errors import JouteError
from joute.match.record import GameRecord, MoveRecord
from joute.numbers import game_number

__all__ = ["Store", "StoreError", "StoredGame", "fingerprint"]


class Store:
    """The file of one tournament. `create` and `resume` lock it for a driver; `read` opens it for reading."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        lock: int | None = None,
        contents: _Contents | None = None,
    ) -> None:
        self.path = path
        connection.row_factory = sqlite3.Row
        self._connection = connection
        self._lock = lock
        self._session = 0
        self._nodes: dict[Node, int] = {}  # the rows of the nodes of this session
        with explained(path):
            contents = contents or _read_contents(path, connection)
            self.plan = contents.plan
            self.schedule: Schedule = self.plan.make_schedule()
            self.command = contents.command
            self.note = contents.note
            self.openings = contents.openings

    @classmethod
    def create(
        cls,
        path: Path,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        *,
        command: str,
        note: str,
        entries: Mapping[int, FrozenCopy] | None = None,
    ) -> Self:
        """A new store for a plan; StoreError if the file holds data or is in use. `entries`: copies of agents."""
        lock = locked(path, create=True)
        try:
            with explained(path):
                connection = connected(path, read_only=False)
                if is_ours(connection, path):
                    raise StoreError(
                        f"{path} already holds a tournament; to continue it: joute tournament --resume --db {path}"
                    )
                connection.executescript("BEGIN IMMEDIATE;" + SCHEMA)
                contents = _Contents(plan, storable(command), storable(note), openings)
                tournament = {
                    "plan": json.dumps(plan.as_data()),
                    "command": contents.command,
                    "note": contents.note,
                    "created": now(),
                }
                insert(connection, "tournament", [tournament])
                for index, source in enumerate(sources):
                    entry = (entries or {}).get(index)
                    sha256 = entry.fingerprint if entry else fingerprint(source)
                    insert(connection, "agents", [agent_values(plan, index, source.kind, sha256)])
                    if entry:
                        insert(connection, "entries", [{"agent": index, **entry.values()}])
                starts = ({"id": index, "position": position} for index, position in enumerate(openings))
                insert(connection, "openings", starts)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                connection.execute("COMMIT")
            return cls(path, connection, lock, contents)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def resume(cls, path: Path) -> Self:
        """The store of a tournament to continue, locked, checked for damage and migrated."""
        check_is_file(path)
        lock = locked(path, create=False)
        try:
            with explained(path):
                connection = connected(path, read_only=False)
                check_is_ours(connection, path)
                if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                    raise StoreError(f"{path} is damaged: {one_line(str(found).splitlines()[-1])}")
            store = cls(path, connection, lock)
            with explained(path):  # last, so that a file that cannot be used is not changed
                migrate(connection)
            return store
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def read(cls, path: Path) -> Self:
        """The store for reading, possible while its tournament runs."""
        check_is_file(path)
        with explained(path):
            connection = connected(path, read_only=True)
            check_is_ours(connection, path)
        return cls(path, connection)

    @property
    def files(self) -> list[Path]:
        """The database file and SQLite's log and index files beside it."""
        path = self.path.absolute()
        return [path, *beside(path)]

    def close(self) -> None:
        """Close the file and release the lock."""
        if self._lock is not None:
            set_log(self._connection, on=False)
        self._connection.close()
        if self._lock is not None:
            # Last: closing any descriptor of the file releases SQLite's POSIX locks of this process.
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit what is written in the context, or nothing of it."""
        with explained(self.path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                raise

    def begin_session(self, *, workers: int, note: str) -> None:
        """Record that the tournament starts or resumes, with its software, machine, workers and a note."""
        import platform  # imported here: it takes 10 ms

        from joute.version import __version__

        with explained(self.path):
            set_log(self._connection, on=True)
            session = {
                "started": now(),
                "joute": __version__,
                "python": platform.python_version(),
                "platform": platform.platform(),
                "cores": os.cpu_count() or 1,
                "workers": workers,
                "note": note,
            }
            self._session = insert(self._connection, "sessions", [session])

    def add(self, pairing: Pairing, record: GameRecord, *, started: datetime) -> None:
        """Store a finished game. It is on disk when this returns."""
        self.add_all([stored_now(pairing, record, started)])

    def add_all(self, games: Iterable[StoredGame], nodes: Iterable[Node] = ()) -> None:
        """Store finished games in one transaction, and what is new about nodes. All is on disk when this returns.

        The node of a game was in `nodes` before, or is now.
        """
        with self._transaction():
            for each in nodes:
                self._keep_node(each)
            for stored in games:
                node = self._nodes[stored.node] if stored.node else None
                moves = enumerate(stored.record.moves)
                number = stored.pairing.number
                insert(self._connection, "games", [game_values(stored, self._session, node)])
                insert(self._connection, "moves", (move_values(number, ply, move) for ply, move in moves))

    def _keep_node(self, node: Node) -> None:
        """Store the facts about a node of this session, or replace them."""
        values = node_values(node, self._session)
        if node not in self._nodes:
            self._nodes[node] = insert(self._connection, "nodes", [values])
            return
        changes = ", ".join(f"{column} = :{column}" for column in values)
        self._connection.execute(f"UPDATE nodes SET {changes} WHERE id = :id", values | {"id": self._nodes[node]})

    def nodes(self) -> list[Node]:
        """The nodes of all sessions, in order of first use."""
        with explained(self.path):
            is_known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'nodes'"
            if not self._connection.execute(is_known).fetchone():  # a file of an earlier version
                return []
            rows = self._connection.execute(
                "SELECT *, (SELECT count(*) FROM games WHERE games.node = nodes.id) AS games FROM nodes ORDER BY id"
            )
            return list(map(node_of, rows))

    @property
    def reference_speed(self) -> float | None:
        """The speed of a node that the clocks of the plan refer to, as the first session with clocks measured it."""
        known = (node.reference_speed for node in self.nodes())
        return next((speed for speed in known if speed is not None), None)

    def games(self) -> Iterator[StoredGame]:
        """All stored games by number; `results.counted_games` gives only those that count."""
        for number in self.numbers():
            try:
                stored = self.game(number)
            except DamagedError as error:
                raise DamagedError(f"{error}; {others_of(self.path)}") from error
            if stored:
                yield stored

    def game(self, number: int) -> StoredGame | None:
        """One game, or None. It is read separately, so that damage elsewhere in the file does not matter."""
        with explained(self.path, f"game {game_number(number)} cannot be read: "):
            missing = MISSING_COLUMNS[version_of(self._connection)]
            row = self._connection.execute(f"SELECT *{missing} FROM games WHERE number = ?", (number,)).fetchone()
            return stored_game(row, self._moves(number), self.plan, self.openings) if row else None

    def numbers(self) -> list[int]:
        """The numbers of the stored games. If the list of games is damaged, all numbers that may exist."""
        try:
            with explained(self.path):
                return [number for (number,) in self._connection.execute("SELECT number FROM games ORDER BY number")]
        except StoreError:
            with contextlib.suppress(StoreError), explained(self.path):
                (last,) = self._connection.execute("SELECT max(game) FROM moves").fetchone()
                return list(range(1 + min(last, self._most_games_by_size)))
            return list(range(1 + self._most_games_by_size))

    @property
    def _most_games_by_size(self) -> int:
        # The row of a game takes more than 200 bytes.
        return self.path.stat().st_size // 200

    @property
    def count(self) -> int:
        """The number of stored games."""
        with explained(self.path):
            return int(self._connection.execute("SELECT count(*) FROM games").fetchone()[0])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each agent: built-in, python, program, remote or unknown."""
        with explained(self.path):
            rows = self._connection.execute("SELECT kind FROM agents ORDER BY id").fetchall()
            for row in rows:
                check_types(row, "agents")
            return tuple(row["kind"] for row in rows)

    def entries(self) -> dict[int, FrozenCopy]:
        """The copies of agents in a frozen tournament, by index; StoreError if one is damaged."""
        with explained(self.path):
            if version_of(self._connection) < 2:
                return {}
            entries = {}
            count = len(self.plan.entrants)
            for row in self._connection.execute("SELECT * FROM entries ORDER BY agent"):
                check_types(row, "entries")
                agent = row["agent"]
                if not 0 <= agent < count:
                    raise ValueError(f"there is a copy of agent {agent}, and there are {count} agents")
                entries[agent] = FrozenCopy.from_values(row)
                if entries[agent].sha256 != row["sha256"]:
                    name = self.plan.entrants[agent].name
                    raise StoreError(
                        f"{self.path} is damaged: the copy of agent '{name}' differs from the stored checksum"
                    )
            return entries

    def records(self) -> Iterator[GameRecord]:
        """The records of the stored games by number."""
        return (stored.record for stored in self.games())

    def versions(self) -> tuple[str, ...]:
        """The versions of Joute that played the games, in order of first use."""
        with explained(self.path):
            rows = self._connection.execute(
                "SELECT joute FROM sessions WHERE id IN (SELECT session FROM games) GROUP BY joute ORDER BY min(id)"
            )
            return tuple(str(version) for (version,) in rows)

    @property
    def sessions(self) -> int:
        """How often the tournament was started or resumed."""
        with explained(self.path):
            return int(self._connection.execute("SELECT count(*) FROM sessions").fetchone()[0])

    def _moves(self, number: int) -> tuple[MoveRecord, ...]:
        rows = self._connection.execute("SELECT * FROM moves WHERE game = ? ORDER BY ply", (number,))
        return tuple(map(played_move, rows))

    def has_changed(self, agent: int, source: Source) -> bool:
        """Whether an agent's main file differs from the version that entered the tournament, or is gone.

        Files that it imports are not compared.
        """
        with explained(self.path):
            (known,) = self._connection.execute("SELECT sha256 FROM agents WHERE id = ?", (agent,)).fetchone()
        try:
            return bool(fingerprint(source) != known)
        except StoreError:
            return True

    def check_agents(self, sources: Mapping[int, Source]) -> None:
        """StoreError if the main file of one of these entrants has changed."""
        for index, source in sources.items():
            if self.has_changed(index, source):
                name, file = self.plan.entrants[index].name, source.file
                new_version = ("joute", "tournament", "--db", str(self.path), "--replace", f"{name}={file}")
                enter = f", or enter the new version: {shlex.join(new_version)}" if self.schedule.can_grow else ""
                raise StoreError(
                    f"agent '{name}' has changed: {file} is not the file that the tournament began with; restore it to "
                    f"continue{enter}; the games so far: {shlex.join(('joute', 'report', str(self.path)))}"
                )


@dataclass(frozen=True)
class _Contents:
    """The data of a tournament besides its agents and games."""

    plan: Plan
    command: str
    note: str
    openings: tuple[str, ...]


def _read_contents(path: Path, connection: sqlite3.Connection) -> _Contents:
    row = connection.execute("SELECT plan, command, note FROM tournament").fetchone()
    if row is None:
        raise StoreError(f"{path} holds no tournament")
    check_types(row, "tournament")
    plan = Plan.from_data(json.loads(row["plan"]))
    try:
        plan.check()
    except JouteError as error:
        raise StoreError(f"{path} cannot be used: {error}") from error
    openings = []
    for opening in connection.execute("SELECT position FROM openings ORDER BY id"):
        check_types(opening, "openings")
        openings.append(opening["position"])
    return _Contents(plan, row["command"], row["note"], tuple(openings))


def fingerprint(source: Source) -> str | None:
    """The SHA-256 of an agent's main file; None for agents without a file."""
    if source.file is None:
        return None
    try:
        with source.file.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(f"agent file {source.file} cannot be read: {error.strerror}") from error
