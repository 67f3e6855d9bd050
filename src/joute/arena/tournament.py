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
        self.workers, self.workers_note = worker_count(sources, wanted, self.schedule.games)
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
        """The tournament of a store, to be gone on with."""
        store = Store.resume(path)
        try:
            sources = store.plan.sources()
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
        agents = [source.file for source in self._sources if source.file]
        return [*agents, *self.store.files]

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
            elif pairing.number not in stored:
                yield dataclasses.replace(pairing, opening=pairing.opening % len(self.store.openings))
