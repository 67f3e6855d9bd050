"""A tournament: created or gone on with, played by workers, kept in its store."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from joute._core import Result
from joute.agents.loading import Source
from joute.arena.cores import worker_count
from joute.arena.openings import make_openings
from joute.arena.plan import Plan
from joute.arena.pool import Finished, Pool
from joute.arena.sandbox import check_sandbox
from joute.arena.schedule import Pairing, RoundRobin, Schedule
from joute.arena.standings import Standings
from joute.arena.store import Store
from joute.match import GameRecord
from joute.match.referee import derive_seed

# The part of the seed that openings are drawn by; games have the numbers from 0 on.
_SEED_OF_OPENINGS = -1


def _check_isolation(plan: Plan, sources: tuple[Source, ...]) -> None:
    """JouteError if there are agents to be jailed and no jail: before anything is written."""
    if plan.isolation.sandbox and any(source.kind != "built-in" for source in sources):
        check_sandbox()


def _look(source: Source) -> tuple[int, ...] | None:
    """What changes when a file does, at a glance."""
    if source.file is None:
        return None
    try:
        found = source.file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


class Tournament:
    """A tournament and its store. `create` or `resume` one, use it as a context, and `play`.

    Ctrl-C, an error and even SIGKILL leave the finished games in the store; `resume` plays the rest.
    """

    def __init__(self, store: Store, sources: tuple[Source, ...], concurrency: int = 0) -> None:
        self.store = store
        self.plan = store.plan
        self._sources = sources
        self.schedule: Schedule = RoundRobin(len(self.plan.entrants), self.plan.games)
        #: How many games are played at once, and what is to be said about that.
        wanted = concurrency or self.plan.concurrency
        self.workers, self.workers_note = worker_count(sources, wanted, self.schedule.games) if sources else (0, "")
        #: The entrants whose files changed while it ran, so that games of theirs were not played, or did not count.
        self.changed: set[int] = set()
        self._is_changed = [False] * len(sources)
        self._looks = [_look(source) for source in sources]
        self._count_stored()

    @classmethod
    def create(cls, plan: Plan, path: Path, *, command: str = "") -> Self:
        """A tournament that has not begun. Nothing is written if anything is wrong with it."""
        sources = plan.sources()
        _check_isolation(plan, sources)
        schedule = RoundRobin(len(plan.entrants), plan.games)
        seed = derive_seed(plan.seed, _SEED_OF_OPENINGS)
        openings = make_openings(plan.game, plan.openings, schedule.openings, seed)
        store = Store.create(path, plan, sources, openings.positions, command=command, note=openings.note)
        try:
            return cls(store, sources)
        except BaseException:
            store.close()
            raise

    @classmethod
    def resume(cls, path: Path, *, concurrency: int = 0) -> Self:
        """The tournament of a store, to be gone on with; of a finished one the agents need not be there any more."""
        store = Store.resume(path)
        try:
            if store.count >= RoundRobin(len(store.plan.entrants), store.plan.games).games:
                return cls(store, ())
            sources = store.plan.sources()
            store.check_agents(sources)
            _check_isolation(store.plan, sources)
            return cls(store, sources, concurrency)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""
        return self.schedule.games is not None and self.standings.games >= self.schedule.games

    def play(self, on_game: Callable[[Finished], None] | None = None) -> Standings:
        """Play what is left. `on_game` is called after each game, when it is stored."""
        if self.is_finished:
            return self.standings
        self.store.begin_session(workers=self.workers, note=self.workers_note)
        try:
            with Pool(self.plan, self._sources, self.store.openings, self.workers, self._private_files()) as pool:
                for finished in pool.play(self._pairings()):
                    if self._have_changed(finished.pairing):
                        continue  # nobody knows which file played
                    self.store.add(finished.pairing, finished.record, started=finished.started)
                    self._count(finished.pairing, finished.record)
                    if on_game:
                        on_game(finished)
        except KeyboardInterrupt:
            self._count_stored()  # it may have come between storing and counting
            raise
        return self.standings

    def _private_files(self) -> list[Path]:
        """What no agent in a sandbox may read, wherever it lies: the agents, each its own apart, and the games."""
        agents = [file for source in self._sources for file in source.files]
        compiled = [path for file in agents for path in file.parent.glob(f"__pycache__/{file.stem}.*")]
        return [*agents, *compiled, *self.store.files]

    def _have_changed(self, pairing: Pairing) -> bool:
        """Whether the file of a player is not what it was when the tournament began."""
        for index in pairing.players:
            source = self._sources[index]
            if (look := _look(source)) == self._looks[index]:
                continue
            self._looks[index] = look
            self._is_changed[index] = self.store.has_changed(index, source)
        changed = {index for index in pairing.players if self._is_changed[index]}
        self.changed |= changed
        return bool(changed)

    def _count_stored(self) -> None:
        self.standings = Standings(self.plan)
        self._results: dict[int, Result] = {}
        for stored in self.store.games():
            self._count(stored.pairing, stored.record)

    def _count(self, pairing: Pairing, record: GameRecord) -> None:
        self._results[pairing.number] = record.result
        self.standings.add(pairing, record)

    def _pairings(self) -> Iterator[Pairing | None]:
        """The games that are not stored; if there are fewer openings than they could use, these are used in turn."""
        stored = frozenset(self._results)
        for pairing in self.schedule.pairings(self._results):
            if pairing is None:
                yield None
            elif pairing.number not in stored and not self._have_changed(pairing):
                yield dataclasses.replace(pairing, opening=pairing.opening % len(self.store.openings))
