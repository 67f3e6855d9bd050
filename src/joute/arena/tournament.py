"""The driver of a tournament: creates or resumes it, plays its games with a pool of workers, and stores them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from joute._core import one_line
from joute.agents.loading import Source, find_source
from joute.arena.growth import Growth
from joute.arena.plan import Plan, caveat_of
from joute.arena.plan_file import changed_plan
from joute.arena.players.players import check_players
from joute.arena.pool.blame import Unplayed
from joute.arena.pool.node import Node
from joute.arena.pool.pool import Finished, Running
from joute.arena.pool.venue import HERE, Games, Venue
from joute.arena.schedules.registry import find_schedule
from joute.arena.schedules.schedule import FinishedGame, Pairing, Results
from joute.arena.standings import Standings
from joute.arena.store.frozen import FrozenCopy, copies_folder, files_of_others, freeze, remove_copies, unpack
from joute.arena.store.growing import GrowingStore
from joute.arena.store.results import as_played
from joute.arena.store.rows import stored_now
from joute.arena.store.store import Store, StoreError
from joute.errors import JouteError, SpecError
from joute.games import new
from joute.match import GameRecord
from joute.numbers import game_number
from joute.system import isolation_problem


def _frozen_sources(plan: Plan, entries: Mapping[int, FrozenCopy]) -> tuple[Source, ...]:
    """The sources of a frozen tournament: the copy where there is one, otherwise found by its text."""
    game = new(plan.game).spec
    playing = frozenset(plan.playing)
    return tuple(
        Source(entrant.agent, "unknown")
        if index not in playing
        else entries[index].source
        if index in entries
        else find_source(entrant.agent, game)
        for index, entrant in enumerate(plan.entrants)
    )


def _checked_sources(store: Store) -> tuple[Source, ...]:
    """The sources of a stored tournament; JouteError if an agent that plays has changed or cannot be started."""
    plan = store.plan
    found = _frozen_sources(plan, store.entries()) if plan.frozen else plan.sources()
    if not plan.frozen:
        store.check_agents({index: found[index] for index in plan.playing})
    check_players(found, plan.game, plan.isolation)
    return found


def _caveats(plan: Plan, sources: tuple[Source, ...]) -> list[str]:
    """The distinct warnings about built-in agents that do not play as their specs say, e.g. without their network."""
    found = {source.text: caveat_of(source, plan.game) for source in sources if source.kind == "built-in"}
    return list(dict.fromkeys(filter(None, found.values())))


def _changes_since(store: Store, sources: Mapping[int, Source]) -> str:
    """A note naming the agents whose main file changed since an earlier tournament; empty if none did."""
    changed = [
        f"'{store.plan.entrants[index].name}'" for index, source in sources.items() if store.has_changed(index, source)
    ]
    if not changed:
        return ""
    return f"{', '.join(changed)} {'has' if len(changed) == 1 else 'have'} changed since {store.path.name}"


def _file_signature(source: Source) -> tuple[int, ...] | None:
    """A cheap signature of the agent's main file (inode, size, time); None without a file, () if it is gone."""
    if source.file is None:
        return None
    try:
        found = source.file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


class Tournament:
    """A tournament and its store. Make one with `create`, `again` or `resume`, use it as a context, and call `play`.

    After Ctrl-C, an error or SIGKILL the finished games are in the store; `resume` plays the rest.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.plan = store.plan
        self.schedule = store.schedule
        self._sources: tuple[Source, ...] = ()
        #: The number of games played in parallel (0 if no game is left), and a warning about it or "".
        self.workers, self.workers_note = 0, ""
        #: The entrants whose main file (`Source.file`) changed during the run. Their games are not handed out any more,
        #: and a game that ends after the change is discarded.
        self.changed: set[int] = set()
        #: The games that were given up without a result, and why.
        self.unplayed: list[Unplayed] = []
        #: The total number of games; None while later results can change it.
        self.length: int | None = None
        #: The nodes of a cluster that played games, or were left out, in this run.
        self.nodes: list[Node] = []
        # Where games are played, the games in parallel that the user asked for, and the workers while games are played.
        self._venue: Venue = HERE
        self._wanted = 0
        self._games: Games | None = None
        # Games with this or a higher number do not count; None while that is undecided.
        self._end: int | None = None
        self._count_stored()

    @classmethod
    def create(
        cls,
        plan: Plan,
        path: Path,
        *,
        command: str = "",
        note: str = "",
        entries: Mapping[int, FrozenCopy] | None = None,
        private: Sequence[Path] = (),
    ) -> Self:
        """A new tournament. All checks come first: if one fails, nothing is written.

        A frozen tournament plays with copies of its agents: `entries`, the copies of an earlier tournament, or, if
        None, copies made now, without the files in `private`.
        """
        if problem := isolation_problem():
            raise JouteError(problem)
        if not find_schedule(plan.schedule).can_be_played:
            raise SpecError(f"'{plan.schedule}' marks games that Joute did not schedule; name another schedule")
        sources = plan.sources() if entries is None else _frozen_sources(plan, entries)
        check_players(sources, plan.game, plan.isolation)
        notes = [note, *_caveats(plan, sources)]
        if plan.frozen and entries is None:
            entries, about_others = freeze(sources, [each.name for each in plan.entrants], files_of_others(private))
            notes.append(about_others)
        if plan.frozen:
            notes.insert(0, "the agents are frozen: the games use copies of their files, which the database holds")
        openings = plan.make_openings()
        said = "; ".join(filter(None, [openings.note, *notes]))
        store = Store.create(path, plan, sources, openings.positions, command=command, note=said, entries=entries)
        return cls._opened(store, lambda: sources)

    @classmethod
    def again(cls, earlier: Path, path: Path | None, changes: Mapping[str, Any], *, command: str = "") -> Self:
        """A new tournament with the agents and settings of an earlier one, except for `changes`.

        Its file is `path`, or a new file beside the earlier one. If both tournaments are frozen, the new one uses the
        copies of agents in the earlier one.
        """
        with Store.read(earlier) as store:
            if not store.schedule.can_be_played:
                raise StoreError(f"the games of {earlier} were {store.plan.schedule}, so its agents cannot be played")
            plan = changed_plan(store.plan.afresh(), changes, str(earlier))
            playing = store.plan.playing
            entries, note = None, ""
            if store.plan.frozen and plan.frozen:
                kept = store.entries()
                entries = {new: kept[old] for new, old in enumerate(playing) if old in kept}
            else:
                note = _changes_since(store, dict(zip(playing, plan.sources(), strict=True)))
        kind = "final" if plan.frozen else "again"
        path = path or earlier.with_name(f"{earlier.stem}-{kind}{earlier.suffix}")
        return cls.create(plan, path, command=command, note=note, entries=entries)

    @classmethod
    def resume(cls, path: Path, *, concurrency: int = 0) -> Self:
        """Reopen the tournament in a store.

        If games are left, every agent's main file must be there unchanged; a frozen tournament uses its copies.
        """
        store = Store.resume(path)
        return cls._opened(store, lambda: _checked_sources(store), concurrency)

    @classmethod
    def grow(cls, path: Path, growth: Growth, *, concurrency: int = 0) -> Self:
        """Let agents join or leave the tournament in a store, or raise its number of games.

        All checks come first: if one fails, the file stays as it is. Games that are played keep their numbers.
        """
        if problem := isolation_problem():
            raise JouteError(problem)
        store = GrowingStore.resume(path)

        try:
            growth.apply(store)
        except BaseException:
            store.close()
            raise
        return cls._opened(store, lambda: _checked_sources(store), concurrency)

    @classmethod
    def _opened(cls, store: Store, sources: Callable[[], tuple[Source, ...]], concurrency: int = 0) -> Self:
        """The tournament of a store; calls `sources` only if games are left to play. Closes the store on failure."""
        try:
            made = cls(store)
            if not made.is_finished:
                made._admit(sources(), concurrency)
            return made
        except BaseException:
            store.close()
            raise

    def _admit(self, sources: tuple[Source, ...], concurrency: int) -> None:
        """Set the agents to play with (unpacked copies if frozen) and the number of workers."""
        if self.plan.frozen:
            playing = frozenset(self.plan.playing)
            entries = {index: entry for index, entry in self.store.entries().items() if index in playing}
            copies = unpack(entries, copies_folder(self.store.path))
            sources = tuple(copies.get(index, source) for index, source in enumerate(sources))
        self._sources = sources
        self._is_changed = [False] * len(sources)
        self._signatures = [_file_signature(source) for source in sources]
        self._wanted = concurrency or self.plan.concurrency
        self.use(HERE)

    @property
    def plays_here(self) -> bool:
        """Whether games are played on this machine."""
        return self._venue is HERE

    def use(self, venue: Venue) -> None:
        """Play the games at this venue. Without a call, they are played on this machine."""
        self._venue = venue
        if self._sources:
            busy = [self._sources[index] for index in self.plan.playing]
            self.workers, self.workers_note = venue.workers(busy, self._wanted, self.schedule.most_games)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and remove the unpacked copies of agents."""
        if self._sources and self.plan.frozen:
            remove_copies(copies_folder(self.store.path))
        self.store.close()

    @property
    def is_finished(self) -> bool:
        """Whether all games that count are played."""
        return self.length is not None and self.standings.games >= self.length

    @property
    def results(self) -> Results:
        """The finished games by number, in the form that schedules read."""
        return self._results

    def play(
        self, on_game: Callable[[Finished], None] | None = None, *, should_stop: Callable[[], bool] = lambda: False
    ) -> Standings:
        """Play the remaining games. `on_game` is called after each game has been stored.

        When `should_stop` returns True, no further game begins. It is called before each game.
        """
        if self.is_finished:
            return self.standings
        self._should_stop = should_stop
        self.store.begin_session(workers=self.workers, note=self.workers_note)
        try:
            plan = dataclasses.replace(self.plan, folder=str(self.store.path.absolute().parent))
            games = self._venue.open(
                plan if self.plan.frozen else self.plan,
                self._sources,
                self.store.openings,
                self.workers,
                self._private_files(),
                wanted=self._wanted,
                reference_speed=self.store.reference_speed,
            )
            try:
                with games:
                    self._games = games
                    for finished in games.play(self._pairings()):
                        self._keep(finished, games, on_game)
                    self.unplayed += games.unplayed
            finally:
                self._keep((), games, on_game)
        except KeyboardInterrupt:
            self._count_stored()  # the interrupt may have come between storing and counting a game
            raise
        finally:
            self._games = None
        self._find_length()
        return self.standings

    def running(self) -> list[Running]:
        """The games that are being played. Any thread may call it while another one is in `play`."""
        games = self._games
        return [] if games is None else games.running()

    def _keep(self, finished: Sequence[Finished], games: Games, on_game: Callable[[Finished], None] | None) -> None:
        """Store and count games that ended, and what is new about the nodes of a cluster."""
        # A game of an agent that has changed may have been played with either version of its file.
        kept = [each for each in finished if not self._have_changed(each.pairing)]
        nodes = games.changed_nodes()
        self.nodes += [node for node in nodes if node not in self.nodes]
        if kept or nodes:
            self.store.add_all([stored_now(each.pairing, each.record, each.started, each.node) for each in kept], nodes)
        for each in kept:
            self._count(each.pairing, each.record)
            if on_game:
                on_game(each)

    def _private_files(self) -> list[Path]:
        """Files hidden from sandboxed agents: all agents' files (each agent can read its own) and the store."""
        agents = [file for source in self._sources for file in source.files]
        compiled = [path for file in agents for path in file.parent.glob(f"__pycache__/{file.stem}.*")]
        return [*agents, *compiled, *self.store.files]

    def _have_changed(self, pairing: Pairing) -> bool:
        """Whether the main file of a player differs from its version at the creation of the tournament."""
        for index in pairing.players:
            source = self._sources[index]
            if (signature := _file_signature(source)) == self._signatures[index]:
                continue
            self._signatures[index] = signature
            self._is_changed[index] = self.store.has_changed(index, source)
        changed = {index for index in pairing.players if self._is_changed[index]}
        self.changed |= changed
        return bool(changed)

    def _count_stored(self) -> None:
        self._results: dict[int, FinishedGame] = {}
        self.length = self._end = None
        self._count_all()
        self._find_length()

    def _count_all(self) -> None:
        self.standings = Standings(self.plan)
        for stored in self.store.games():
            self._count(stored.pairing, stored.record)

    def _count(self, pairing: Pairing, record: GameRecord) -> None:
        self._results[pairing.number] = as_played(pairing, record)
        if self._end is None or pairing.number < self._end:
            self.standings.add(pairing, record)

    def _find_length(self) -> None:
        """Set `length` if the results decide it, and recount if later games were already counted."""
        if self.length is not None:
            return
        self.length = self.schedule.games_in_all(self._results)
        self._end = self.schedule.length(self._results)
        if self._end is not None and self._end < len(self._results):
            self._count_all()

    def _pairings(self) -> Iterator[Pairing | None]:
        """The games to play: those not stored yet whose agents are unchanged. Openings are reused cyclically."""
        stored = frozenset(self._results)
        for pairing in self.schedule.pairings(self._results):
            if self._should_stop():
                return
            if pairing is None:
                yield None
            elif pairing.number in stored:
                self._check_players(pairing)
            elif not self._have_changed(pairing):
                yield dataclasses.replace(pairing, opening=pairing.opening % len(self.store.openings))
        self._find_length()

    def _check_players(self, pairing: Pairing) -> None:
        """StoreError if a stored game is not between the agents, with the settings, that the schedule asks for."""
        stored, game = self._results[pairing.number], f"game {game_number(pairing.number)}"
        if stored.players != pairing.players:
            raise StoreError(f"{self.store.path} is damaged: {game} is not between the agents that the schedule pairs")
        if stored.settings != pairing.settings:
            raise StoreError(
                f"{self.store.path} cannot go on: {game} was played with {one_line(stored.settings)}, and this version "
                f"asks for {one_line(pairing.settings)}"
            )
