"""Plug-ins: games, agents, commands and more, found by name through entry points.

Each kind has its own entry point group. A game that provides several objects lists them all in one `Room`, an entry
point of the group ``joute.rooms``; each object is loaded on first use. Built-in games and agents are found the same
way as third-party plug-ins, so every use tests the mechanism. An error in a plug-in disables that plug-in only.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from joute.errors import MissingPackageError, SpecError, described
from joute.spec import look_up

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, EntryPoints
    from importlib.resources.abc import Traversable

T = TypeVar("T")

_OURS = "joute"
_ROOMS = "joute.rooms"
# Present in a source tree alone.
_SOURCES = Path(__file__).parents[2] / "pyproject.toml"


@dataclass(frozen=True)
class Room:
    """Everything that a game provides; each object is named ``module:object`` and loaded on first use.

    Module names are relative to `package`: with package ``joute.games.avalam``, ``agents.engine:AVALAM`` is the object
    AVALAM of the module ``joute.games.avalam.agents.engine``.
    """

    package: str
    game: str  # its State class (joute.games)
    agents: Mapping[str, str] = field(default_factory=dict)  # AgentTypes by name (joute.agents)
    guide: str = ""  # a Guide, its cheat sheet (joute.games.guide)
    effects: str = ""  # a function: what a move does, in words (joute.games.effects)
    builder: str = ""  # a function: how its moves are composed of parts on the board (joute.games.builder)
    editor: str = ""  # an Editor: how its positions are edited on the board (joute.games.editor)
    endgame: str = ""  # an Endgame, its exact solver (joute.agents.solve_first)
    course: str = ""  # a Course (joute.protocol.course)
    bench: str = ""  # a Bench (joute.match.signature)
    commands: Mapping[str, str] = field(default_factory=dict)  # functions that add a command (joute.cli)
    languages: Mapping[str, str] = field(default_factory=dict)  # Languages that its players speak (joute.agents.source)
    book: str = ""  # a function that adds `joute book GAME` (joute.cli.book)
    openings: str = ""  # an OpeningSet: how its balanced openings are made (joute.arena.opening_sets)
    calibration: str = ""  # the file of its win probabilities, data/win_probability.txt (joute.agents.win_probability)
    presets: Mapping[str, str] = field(default_factory=dict)  # TrainingPresets (joute.train.presets)
    levels: str = ""  # a LevelSet: its levels and how they are fitted (joute.agents.levels)
    lesson: str = ""  # the file of its lesson, data/lesson.toml (joute.learn.lessons)
    puzzles: str = ""  # a PuzzleSet: how its puzzles are made (joute.learn.puzzles)
    strongest: str = ""  # the agent that plays it best, if that is not its engine
    network: str = ""  # its shipped network file, such as data/NAME.onnx (joute.agents.network)
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
        """Return a file of the room's package; it may not exist."""
        import importlib.resources

        return importlib.resources.files(self.package).joinpath(path)

    def offers(self, name: str, group: str) -> dict[str, str]:
        """Return the objects that this room, registered as `name`, adds to an entry point group: locations by name."""
        named = {
            "joute.games": {name: self.game},
            "joute.guides": {name: self.guide},
            "joute.effects": {name: self.effects},
            "joute.builders": {name: self.builder},
            "joute.editors": {name: self.editor},
            "joute.agents": self.agents,
            "joute.endgames": {name: self.endgame},
            "joute.courses": {name: self.course},
            "joute.benches": {name: self.bench},
            "joute.commands": self.commands,
            "joute.languages": self.languages,
            "joute.plans": self.plans,
            "joute.presets": self.presets,
            "joute.books": {name: self.book},
            "joute.openings": {name: self.openings},
            "joute.levels": {name: self.levels},
            "joute.puzzles": {name: self.puzzles},
        }
        return {key: f"{self.package}.{value}" for key, value in named.get(group, {}).items() if value}


@dataclass(frozen=True)
class _Offer:
    """An entry of a registry that is not loaded yet."""

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
    """The entries of an entry point group, loaded on first use, and those that this process registered.

    `check(name, entry)` returns the entry, or raises an exception if it is invalid.
    """

    def __init__(self, kind: str, group: str, check: Callable[[str, object], T]) -> None:
        self._kind = kind
        self._group = group
        self._check = check
        self._loaded: dict[str, T] = {}

    def register(self, name: str, entry: T) -> None:
        """Add an entry for this process."""
        self._loaded[name] = entry

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._loaded, *self._offers()})

    def offered_names(self) -> list[str]:
        """The names that packages provide, those of rooms last, in the order of each package."""
        return list(self._offers())

    def find(self, name: str) -> T:
        """Return the entry of that name; SpecError with the nearest known name if there is none."""
        if name not in self._loaded:
            # The offers come last: another thread may have loaded the entry since the test above.
            known = dict.fromkeys(self._loaded, ()) | self._offers()
            if name not in known and (problem := broken_rooms().get(name)):
                raise SpecError(problem)
            offers = look_up(self._kind, name, known)
            self._loaded[name] = self._load(name, self._chosen(name, offers))
        return self._loaded[name]

    def is_ours(self, name: str) -> bool:
        """Whether an entry is part of Joute itself: trusted, and found by every process."""
        return any(offer.package == _OURS for offer in self._offers().get(name, ()))

    def find_all(self) -> tuple[list[T], dict[str, str]]:
        """Return all entries sorted by name, and the error message of each broken or refused entry by name."""
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
        except MissingPackageError as error:
            raise SpecError(str(error)) from error
        except BaseException as error:  # a plug-in may raise anything
            raise SpecError(
                f"{self._kind} '{name}' could not be loaded from {offer.value} "
                f"of package {offer.package}: {described(error)}"
            ) from error

    def _chosen(self, name: str, offers: tuple[_Offer, ...]) -> _Offer:
        """Return the valid offer of a name. Joute's own entry wins; a clash between other packages is a SpecError."""
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
        """Return the offers of each name, at most one per package."""
        return _offers(self._group, _folders())


@functools.lru_cache  # the scan covers all installed packages, and each agent of a match is looked up several times
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
    """Return the rooms by the names of their games, sorted.

    If several packages provide a name, Joute's own room wins; without one, the name is left out.
    """
    offers: dict[str, list[tuple[str, Room]]] = {}
    for package, name, room in _rooms(_folders())[0]:
        offers.setdefault(name, []).append((package, room))
    chosen = {
        name: [room for package, room in found if package == _OURS or len(found) == 1] for name, found in offers.items()
    }
    return {name: rooms[0] for name, rooms in sorted(chosen.items()) if rooms}


def lazily(module: str, names: Collection[str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that re-exports names of one of its modules, imported on first use.

    Reading a room imports its package, which must not load the game.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module.rpartition('.')[0]!r} has no attribute {name!r}")
        return getattr(import_module(module), name)

    return get


def broken_rooms() -> dict[str, str]:
    """Return the error messages of the rooms that failed to load, by name."""
    return _rooms(_folders())[1]


@functools.lru_cache(maxsize=1)
def _rooms(installed: tuple[tuple[str, int], ...]) -> tuple[list[tuple[str, str, Room]], dict[str, str]]:
    """Return the rooms as (package, name, room), and the error messages of those that failed to load, by name."""
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
        except BaseException as error:  # a plug-in may raise anything
            problems[entry_point.name] = (
                f"game '{entry_point.name}' could not be loaded from {entry_point.value} "
                f"of package {package}: {described(error)}"
            )
    return [(package, name, room) for (package, name), room in rooms.items()], problems


def _entry_points(group: str, installed: tuple[tuple[str, int], ...]) -> list[EntryPoint]:
    return [each for points in _all_entry_points(installed) for each in points.select(group=group)]


@functools.lru_cache(maxsize=1)  # entry_points() reads the metadata of every package, for any group
def _all_entry_points(_: tuple[tuple[str, int], ...]) -> Sequence[Any]:
    """Return the entry points of all packages, and Joute's own if it is not installed."""
    from importlib.metadata import entry_points  # imported late: it takes a third of the time of `import joute`

    found = entry_points()
    if any(_package(each) == _OURS for each in found.select(group=_ROOMS)):
        return [found]
    return [found, _of_the_source_tree()]


def _of_the_source_tree() -> EntryPoints:
    """Return the entry points in the pyproject.toml of Joute's source tree; none if there is no such file."""
    import tomllib
    from importlib.metadata import Distribution, EntryPoints

    try:
        groups = tomllib.loads(_SOURCES.read_text(encoding="utf-8"))["project"]["entry-points"]
    except (OSError, ValueError, KeyError):
        return EntryPoints(())
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    texts = {"METADATA": f"Name: {_OURS}\n", "entry_points.txt": "\n".join(lines)}

    class SourceTree(Distribution):
        """Stands for the installed package."""

        def read_text(self, filename: str) -> str | None:
            return texts.get(filename)

        def locate_file(self, path: Any) -> Any:
            return _SOURCES.parent / path

    return SourceTree().entry_points


def _folders() -> tuple[tuple[str, int], ...]:
    """Return the folders of `sys.path`, each with the time of its last change."""
    return tuple(map(_installed, sys.path))


def _installed(folder: str) -> tuple[str, int]:
    """Return a folder and its modification time, which changes when a package is installed or removed."""
    try:
        return folder, os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return folder, 0


def _package(entry_point: EntryPoint) -> str:
    return _name(entry_point.dist) if entry_point.dist else "unknown"


@functools.lru_cache  # `name` parses the package's metadata on each access, and Joute has dozens of entry points
def _name(package: Distribution) -> str:
    return package.name
