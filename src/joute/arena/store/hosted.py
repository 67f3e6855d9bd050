"""The store of a server's games: a tournament's file to which entrants are added when they connect.

A separate thread writes the games, because waiting for the disk takes milliseconds and would block the server.
"""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from joute.arena.plan import Entrant, Plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.database import StoreError
from joute.arena.store.rows import agent_values, insert
from joute.arena.store.store import Store
from joute.games import State, new
from joute.match.record import GameRecord

HOSTED = "hosted"


class HostedGames:
    """The hosted games of one game spec and start position, stored in a file. An existing file of these is continued.

    A new file is removed on exit if no game was added.
    """

    def __init__(self, path: Path, start: State, *, clock: str, seed: int, command: str = "") -> None:
        self.path = path
        self._start = start
        self._plan = Plan(start.spec, (), schedule=HOSTED, seed=seed, clock=clock, margin_s=0.0, openings="as played")
        self._command = command
        self._is_new = not (path.is_file() and path.stat().st_size)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="joute-store")
        try:
            self._store, self.count = self._thread.submit(self._opened).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()
        if self._is_new and not self.count:
            self.path.unlink(missing_ok=True)

    def add(self, record: GameRecord, started: datetime) -> Future[int]:
        """Store a game; returns a future of its number, which is done when the game is on disk."""
        return self._thread.submit(self._add, record, started)

    def _opened(self) -> tuple[_HostedStore, int]:
        store = self._created() if self._is_new else _HostedStore.resume(self.path)
        try:
            self._check(store)
            store.begin_session(workers=0, note="")
            return store, store.count
        except BaseException:
            store.close()
            raise

    def _created(self) -> _HostedStore:
        return _HostedStore.create(self.path, self._plan, (), (self._start.position,), command=self._command, note="")

    def _check(self, store: Store) -> None:
        """StoreError if an existing file holds other games."""
        if store.plan.schedule != HOSTED:
            raise StoreError(f"{self.path} already holds another tournament; choose a new file")
        there = new(store.plan.game)
        if (there.spec, store.openings) != (self._start.spec, (self._start.position,)):
            raise StoreError(
                f"{self.path} holds games of {there.spec}, not of {self._start.spec}; name another file for these"
            )

    def _add(self, record: GameRecord, started: datetime) -> int:
        first, second = (self._store.admit(name) for name in record.players)
        number = self.count
        self._store.add(Pairing(number, (first, second), 0), record, started=started)
        self.count += 1
        return number


class _HostedStore(Store):
    """A tournament's file to which entrants can be added."""

    def admit(self, name: str) -> int:
        """The index of the entrant with this name, added if it is new."""
        for number, entrant in enumerate(self.plan.entrants):
            if entrant.name == name:
                return number
        number = len(self.plan.entrants)
        plan = dataclasses.replace(self.plan, entrants=(*self.plan.entrants, Entrant(name, name)))
        with self._transaction():
            insert(self._connection, "agents", [agent_values(plan, number, "remote", None)])
            self._connection.execute("UPDATE tournament SET plan = ?", (json.dumps(plan.as_data()),))
        self.plan, self.schedule = plan, plan.make_schedule()
        return number
