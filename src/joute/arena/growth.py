"""Changes of a tournament that has begun: agents that join, new versions, withdrawals, and more games.

Games that are played stay as they are, with their numbers. An old version and a withdrawn agent stay entrants with
their games, and play no more. The next games are those that the remaining agents lack (schedules/grown.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joute.agents.loading import Source, find_source
from joute.arena.entries import Entry
from joute.arena.plan import Entrant, Plan, own_name
from joute.arena.players.players import check_players
from joute.arena.step import EMPTY, Step
from joute.arena.store.database import StoreError
from joute.arena.store.frozen import FrozenCopy, files_of_others, freeze
from joute.arena.store.growing import GrowingStore
from joute.errors import SpecError
from joute.games import new
from joute.spec import look_up


class SameVersionError(SpecError):
    """A new version that is the version which plays already."""


@dataclass(frozen=True)
class Growth:
    """The changes to make, in the order: withdrawals, new versions, new agents, games."""

    add: Sequence[Entry] = ()
    #: The names of agents, and the versions that replace them.
    replace: Sequence[tuple[str, Entry]] = ()
    withdraw: Sequence[str] = ()
    #: Additional games per pair of agents.
    games: int = 0
    #: Whether an added agent gets a number if another one plays under its name; otherwise that is an error.
    numbered: bool = False
    #: Files of others beside the new agents, which frozen copies leave out.
    private: Sequence[Path] = ()

    def apply(self, store: GrowingStore) -> None:
        """Make the changes in a store; JouteError, and no change, if one of them is not possible."""
        plan, sources = self._grown(store)
        plan.check()
        if plan.frozen:
            playing = [sources[index] for index in plan.playing if index in sources]
        else:
            found = plan.sources()
            store.check_agents({index: found[index] for index in plan.playing if index not in sources})
            playing = [found[index] for index in plan.playing]
        check_players(playing, plan.game, plan.isolation)
        entries = self._frozen(plan, sources) if plan.frozen else {}
        store.grow(plan, sources, _openings(store, plan), entries)

    def _grown(self, store: GrowingStore) -> tuple[Plan, dict[int, Source]]:
        """The new plan, and the sources of the entrants that are new or have a new file."""
        plan = store.plan
        if not store.schedule.can_grow:
            again = shlex.join(("joute", "tournament", "--from", str(store.path)))
            raise SpecError(
                f"{store.path} cannot grow: its schedule is '{plan.schedule}', and only the games of round-robin, "
                f"gauntlet and pairs do not depend on results; to begin a new tournament with its agents: {again}"
            )
        seats = _Seats(store, self._is_same)
        for name in self.withdraw:
            seats.withdraw(name)
        for name, entry in self.replace:
            seats.replace(name, entry)
        for entry in self.add:
            seats.add(entry, numbered=self.numbered)
        games = plan.games + self.games
        steps = plan.steps or (Step(tuple(range(len(plan.entrants))), plan.games),)
        step = Step(tuple(seats.seats), games)
        grown = dataclasses.replace(plan, entrants=tuple(seats.entrants), games=games, steps=(*steps, step))
        return grown, seats.sources

    def _is_same(self, store: GrowingStore, index: int, source: Source) -> bool:
        """Whether an agent is the entrant `index`; of a frozen one, all files are compared."""
        if store.has_changed(index, source):
            return False
        kept = store.entries().get(index) if store.plan.frozen else None
        return kept is None or kept.sha256 == self._frozen(store.plan, {index: source})[index].sha256

    def _frozen(self, plan: Plan, sources: Mapping[int, Source]) -> dict[int, FrozenCopy]:
        """Copies of the new agents, without the files of other entrants."""
        others = files_of_others(self.private)
        for index, entrant in enumerate(plan.entrants):
            if index not in sources:
                with contextlib.suppress(SpecError):  # the original of a copy may be gone
                    others.append(find_source(entrant.agent, plan.game))
        names = [plan.entrants[index].name for index in sources]
        copies, _ = freeze(list(sources.values()), names, others)
        return {index: copies[place] for place, index in enumerate(sources) if place in copies}


class _Seats:
    """The entrants and seats of a tournament while changes are made."""

    def __init__(self, store: GrowingStore, is_same: Callable[[GrowingStore, int, Source], bool]) -> None:
        self._store = store
        self._is_same = is_same
        self._game = new(store.plan.game).spec
        self.entrants = list(store.plan.entrants)
        last = store.plan.steps[-1].seats if store.plan.steps else range(len(self.entrants))
        self.seats = list(last)
        self.sources: dict[int, Source] = {}

    def withdraw(self, name: str) -> None:
        """Empty the seat of an agent."""
        self.seats[self._seat(name)] = EMPTY

    def replace(self, name: str, entry: Entry) -> None:
        """Give the seat of an agent to a new version of it; SameVersionError if that version plays already."""
        seat = self._seat(name)
        before = self.seats[seat]
        text, _, clock = entry
        source = find_source(text, self._game)
        entrant = Entrant(name, source.text, clock or self.entrants[before].clock)
        is_stored = before not in self.sources
        if is_stored and entrant == self.entrants[before] and self._is_same(self._store, before, source):
            # Without copies, only the main file is known; an agent at another path is always a new version.
            hint = (
                "" if self._store.plan.frozen else "; if another file of it has changed, enter a copy with another path"
            )
            raise SameVersionError(f"'{name}' plays in this version already: {text} has not changed{hint}")
        self.seats[seat] = self._entered(entrant, source, before)

    def add(self, entry: Entry, *, numbered: bool) -> None:
        """Give a new seat to an agent."""
        text, given, clock = entry
        source = find_source(text, self._game)
        name = base = given or own_name(text, source)
        number = 1
        while numbered and name in self._playing:
            number += 1
            name = f"{base} #{number}"
        if name in self._playing:
            raise SpecError(f"'{name}' plays already; to enter a new version of it: --replace {shlex.quote(text)}")
        retired = next((index for index, entrant in enumerate(self.entrants) if entrant.name == name), None)
        entrant = Entrant(name, source.text, clock)
        if retired is not None and entrant == self.entrants[retired] and self._is_same(self._store, retired, source):
            self.seats.append(retired)  # the agent returns
        else:
            self.seats.append(self._entered(entrant, source, retired))

    @property
    def _playing(self) -> dict[str, int]:
        """The seats of the agents that play, by name."""
        return {self.entrants[index].name: seat for seat, index in enumerate(self.seats) if index >= 0}

    def _seat(self, name: str) -> int:
        return look_up("playing agent", name, self._playing)

    def _entered(self, entrant: Entrant, source: Source, before: int | None) -> int:
        """The index of a new entrant. `before` is an entrant of the same name, which gets the name of a version.

        If that one has played no game, the new entrant takes its place.
        """
        if before is not None and (before in self.sources or not self._store.has_played(before)):
            index = before
            self.entrants[index] = entrant
        else:
            if before is not None:
                self.entrants[before] = dataclasses.replace(self.entrants[before], name=self._version_of(entrant.name))
            index = len(self.entrants)
            self.entrants.append(entrant)
        self.sources[index] = source
        return index

    def _version_of(self, name: str) -> str:
        names = {entrant.name for entrant in self.entrants}
        number = 1
        while (version := f"{name} (v{number})") in names:
            number += 1
        return version


def _openings(store: GrowingStore, plan: Plan) -> tuple[str, ...]:
    """The openings of the grown plan: those of the store, and more if it needs more."""
    known = store.openings
    wanted, before = plan.make_schedule().openings, store.schedule.openings
    if wanted <= before or len(known) < before:  # if there were too few before, games already share them
        return known
    more = [position for position in plan.make_openings().positions if position not in known]
    return (*known, *more[: wanted - len(known)])


def replaced_name(text: str, playing: Sequence[str]) -> tuple[str, str]:
    """The name and the agent in ``NAME=AGENT``, or in ``AGENT`` if its own name is that of an agent that plays.

    >>> replaced_name("anna=new/anna.py", ["anna", "ben"])
    ('anna', 'new/anna.py')
    """
    for index, character in enumerate(text):
        if character == "=" and text[:index] in playing:
            return text[:index], text[index + 1 :]
    try:
        name = own_name(text, find_source(text))
    except SpecError:
        if text not in playing:
            raise
        raise SpecError(f"say which agent replaces '{text}': --replace {shlex.quote(text)}=AGENT") from None
    if name not in playing:
        raise StoreError(f"no agent named '{name}' plays; say which one {text} replaces: --replace NAME={text}")
    return name, text
