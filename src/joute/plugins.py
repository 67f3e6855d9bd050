"""Things found by name through entry points: games, agents, commands and more.

Each kind of thing has an entry point group of its own. A game that brings several names them all in one `Room`, an
entry point of the group ``joute.rooms``, and a room loads nothing that nobody asks for. The built-in things are found
the same way as a stranger's plug-in, so both are proven to work. A plug-in's mistake costs that plug-in alone.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from joute.errors import SpecError, described
from joute.spec import look_up

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint
    from importlib.resources.abc import Traversable

T = TypeVar("T")

_OURS = "joute"
_ROOMS = "joute.rooms"


@dataclass(frozen=True)
class Room:
    """All that a game brings along, each thing named ``module:object`` and loaded on first use.

    Modules are named from `package` on: ``agents.engine:AVALAM`` is the object AVALAM of the module
    ``joute.games.avalam.agents.engine`` where the package is ``joute.games.avalam``.
    """

    package: str
    game: str  # its State class (joute.games)
    agents: Mapping[str, str] = field(default_factory=dict)  # AgentTypes by name (joute.agents)
    endgame: str = ""  # an Endgame, its exact solver (joute.agents.solve_first)
    course: str = ""  # a Course (joute.protocol.course)
    bench: str = ""  # a Bench (joute.match.signature)
    commands: Mapping[str, str] = field(default_factory=dict)  # what adds a command to the command line (joute.cli)
    languages: Mapping[str, str] = field(default_factory=dict)  # Languages that its players speak (joute.agents.source)
    book: str = ""  # what adds `joute book GAME` to the command line (joute.cli.book)
    network: str = ""  # the file of the network that comes with it, such as data/NAME.onnx (joute.agents.network)
    experiments: str = ""  # the TOML file of its paper's experiments, in Joute's experiments/ or in its package
    moved: Mapping[str, str] = field(default_factory=dict)  # modules by their older names (joute.moved)
    plans: Mapping[str, str] = field(default_factory=dict)  # SourcedPlans of its agents (joute.agents.time_plans)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.default_factory is MISSING:
                if not isinstance(value, str):
                    raise TypeError(f"{each.name} of a Room is a text, not {value!r}")
            elif not isinstance(value, Mapping) or not all(
                isinstance(text, str) for pair in value.items() for text in pair
            ):
                raise TypeError(f"{each.name} of a Room maps names to texts, unlike {value!r}")

    @property
    def is_ours(self) -> bool:
        """Whether the room is part of Joute itself."""
        return self.package.partition(".")[0] == _OURS

    def file(self, path: str) -> Traversable:
        """A file of the room's package, which may not be there."""
        import importlib.resources

        return importlib.resources.files(self.package).joinpath(path)

    def offers(self, name: str, group: str) -> dict[str, str]:
        """What the room of that name adds to an entry point group: where each thing is, by name."""
        named = {
            "joute.games": {name: self.game},
            "joute.agents": self.agents,
            "joute.endgames": {name: self.endgame},
            "joute.courses": {name: self.course},
            "joute.benches": {name: self.bench},
            "joute.commands": self.commands,
            "joute.languages": self.languages,
            "joute.plans": self.plans,
            "joute.books": {name: self.book},
        }
        return {key: f"{self.package}.{value}" for key, value in named.get(group, {}).items() if value}


@dataclass(frozen=True)
class _Offer:
    """A thing of a name, not loaded yet."""

    value: str  # module:object
    package: str  # the distribution that provides it

    def load(self) -> object:
        module, _, name = self.value.partition(":")
        found: Any = import_module(module)
        for part in filter(None, name.split(".")):
            found = getattr(found, part)
        return found


def instance_of(kind: type[T], known_as: str, *, named_by: str = "") -> Callable[[str, object], T]:
    """A check for a `Registry`: an entry is an instance of `kind`, and its attribute `named_by` equals its name.

    `known_as` is the class in messages, such as ``joute.agents.AgentType``.
    """

    def check(name: str, entry: object) -> T:
        if not isinstance(entry, kind):
            raise TypeError(f"{entry!r} is not a {known_as}")
        if named_by and (own := getattr(entry, named_by)) != name:
            raise TypeError(f"the {known_as.rpartition('.')[2]} calls itself '{own}'")
        return entry

    return check


class Registry(Generic[T]):
    """What an entry point group offers, loaded on first use, and what this process registered.

    `check(name, entry)` returns the entry, or raises an exception that says why it is not one.
    """

    def __init__(self, kind: str, group: str, check: Callable[[str, object], T]) -> None:
        self._kind = kind
        self._group = group
        self._check = check
        self._loaded: dict[str, T] = {}

    def register(self, name: str, entry: T) -> None:
        """Make an entry known to this process."""
        self._loaded[name] = entry

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._loaded, *self._offers()})

    def offered_names(self) -> list[str]:
        """The names that packages offer, those of rooms last, in the order in which each package gives them."""
        return list(self._offers())

    def find(self, name: str) -> T:
        """The entry of that name, or a SpecError with the nearest name there is."""
        if name not in self._loaded:
            known = self._offers() | dict.fromkeys(self._loaded, ())
            if name not in known and (problem := broken_rooms().get(name)):
                raise SpecError(problem)
            offers = look_up(self._kind, name, known)
            self._loaded[name] = self._load(name, self._chosen(name, offers))
        return self._loaded[name]

    def is_ours(self, name: str) -> bool:
        """Whether an entry is part of Joute itself: trusted, and found by every process."""
        return any(offer.package == _OURS for offer in self._offers().get(name, ()))

    def find_all(self) -> tuple[list[T], dict[str, str]]:
        """All entries, sorted by name; and for each name with a broken or refused one, why."""
        found: list[T] = []
        problems: dict[str, str] = {}
        for name in self.names():
            try:
                found.append(self.find(name))
            except SpecError as error:
                problems[name] = str(error)
        for name, offers in self._offers().items():
            if name not in problems and len(offers) > 1:
                problems[name] = self._clash(name, offers)
        return found, problems

    def _load(self, name: str, offer: _Offer) -> T:
        try:
            return self._check(name, offer.load())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plug-in's own mistake, whatever it is
            raise SpecError(
                f"{self._kind} '{name}' could not be loaded from {offer.value} "
                f"of package {offer.package}: {described(error)}"
            ) from error

    def _chosen(self, name: str, offers: tuple[_Offer, ...]) -> _Offer:
        """The one offer of a name. Nobody can take a name of ours; two strangers take it from each other."""
        ours = [offer for offer in offers if offer.package == _OURS]
        if len(offers) > 1 and not ours:
            raise SpecError(self._clash(name, offers))
        return (ours or list(offers))[0]

    def _clash(self, name: str, offers: tuple[_Offer, ...]) -> str:
        packages = sorted(offer.package for offer in offers)
        if _OURS in packages:
            packages.remove(_OURS)
            theirs = ", ".join(packages)
            return f"{self._kind} '{name}' of package {theirs} is refused: package joute already provides that name"
        return f"{self._kind} '{name}' is refused: packages {' and '.join(packages)} both provide it; uninstall one"

    def _offers(self) -> dict[str, tuple[_Offer, ...]]:
        """The offers of each name, one a package."""
        return _offers(self._group, _folders())


@functools.lru_cache  # every package of the environment is asked, and each agent of a match is looked up several times
def _offers(group: str, installed: tuple[tuple[str, int], ...]) -> dict[str, tuple[_Offer, ...]]:
    offers: dict[str, dict[str, _Offer]] = {}
    for entry_point in _entry_points(group, installed):
        offer = _Offer(entry_point.value, _package(entry_point))
        offers.setdefault(entry_point.name, {}).setdefault(offer.package, offer)
    for package, room_name, room in _rooms(installed)[0]:
        for name, value in room.offers(room_name, group).items():
            offers.setdefault(name, {}).setdefault(package, _Offer(value, package))
    return {name: tuple(by_package.values()) for name, by_package in offers.items()}


def all_rooms() -> dict[str, Room]:
    """The rooms there are, by the names of their games, sorted. Nobody can take a name of ours; of two strangers with
    the same name, neither is listed.
    """
    offers: dict[str, list[tuple[str, Room]]] = {}
    for package, name, room in _rooms(_folders())[0]:
        offers.setdefault(name, []).append((package, room))
    chosen = {
        name: [room for package, room in found if package == _OURS or len(found) == 1] for name, found in offers.items()
    }
    return {name: rooms[0] for name, rooms in sorted(chosen.items()) if rooms}


def lazily(module: str, names: Collection[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are those of a module of it, loaded when one is used.

    To ask what a room offers imports its package, which must not load the game.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module.rpartition('.')[0]!r} has no attribute {name!r}")
        return getattr(import_module(module), name)

    return get


def broken_rooms() -> dict[str, str]:
    """Why each room that could not be loaded could not, by its name."""
    return _rooms(_folders())[1]


@functools.lru_cache(maxsize=1)
def _rooms(installed: tuple[tuple[str, int], ...]) -> tuple[list[tuple[str, str, Room]], dict[str, str]]:
    """The rooms there are, as (package, name, room); and for each that could not be loaded, why."""
    rooms: dict[tuple[str, str], Room] = {}
    problems: dict[str, str] = {}
    for entry_point in _entry_points(_ROOMS, installed):
        package = _package(entry_point)
        try:
            room = _Offer(entry_point.value, package).load()
            if not isinstance(room, Room):
                raise TypeError(f"{room!r} is not a joute.plugins.Room")
            rooms.setdefault((package, entry_point.name), room)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plug-in's own mistake, whatever it is
            problems[entry_point.name] = (
                f"game '{entry_point.name}' could not be loaded from {entry_point.value} "
                f"of package {package}: {described(error)}"
            )
    return [(package, name, room) for (package, name), room in rooms.items()], problems


def _entry_points(group: str, installed: tuple[tuple[str, int], ...]) -> list[EntryPoint]:
    return list(_all_entry_points(installed).select(group=group))


@functools.lru_cache(maxsize=1)  # the files of every package are read, whichever group is asked for
def _all_entry_points(_: tuple[tuple[str, int], ...]) -> Any:
    from importlib.metadata import entry_points  # a third of the time of `import joute`

    return entry_points()


def _folders() -> tuple[tuple[str, int], ...]:
    """Where packages are found, and when each folder last changed."""
    return tuple(map(_installed, sys.path))


def _installed(folder: str) -> tuple[str, int]:
    """A folder of packages, and when one was last installed there or removed."""
    try:
        return folder, os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return folder, 0


def _package(entry_point: EntryPoint) -> str:
    return _name(entry_point.dist) if entry_point.dist else "unknown"


@functools.lru_cache  # parsed from the package's metadata each time, and Joute has dozens of entry points
def _name(package: Distribution) -> str:
    return package.name
