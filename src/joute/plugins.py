"""Things found by name through entry points: games, agents.

The built-in ones are found the same way as a stranger's plug-in, so both are proven to work. A
plug-in's mistake costs that plug-in alone.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from joute.errors import SpecError, described
from joute.spec import look_up

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")

_OURS = "joute"


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
        return sorted({*self._loaded, *self._entry_points()})

    def find(self, name: str) -> T:
        """The entry of that name, or a SpecError with the nearest name there is."""
        if name not in self._loaded:
            offers = look_up(self._kind, name, self._entry_points() | dict.fromkeys(self._loaded, ()))
            self._loaded[name] = self._load(name, self._chosen(name, offers))
        return self._loaded[name]

    def is_ours(self, name: str) -> bool:
        """Whether an entry is part of Joute itself: trusted, and found by every process."""
        return any(_package(entry_point) == _OURS for entry_point in self._entry_points().get(name, ()))

    def find_all(self) -> tuple[list[T], dict[str, str]]:
        """All entries, sorted by name; and for each name with a broken or refused one, why."""
        found: list[T] = []
        problems: dict[str, str] = {}
        for name in self.names():
            try:
                found.append(self.find(name))
            except SpecError as error:
                problems[name] = str(error)
        for name, offers in self._entry_points().items():
            if name not in problems and len(offers) > 1:
                problems[name] = self._clash(name, offers)
        return found, problems

    def _load(self, name: str, entry_point: EntryPoint) -> T:
        try:
            return self._check(name, entry_point.load())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plug-in's own mistake, whatever it is
            raise SpecError(
                f"{self._kind} '{name}' could not be loaded from {entry_point.value} "
                f"of package {_package(entry_point)}: {described(error)}"
            ) from error

    def _chosen(self, name: str, offers: tuple[EntryPoint, ...]) -> EntryPoint:
        """The one entry point of a name. Nobody can take a name of ours; two strangers take it from each other."""
        ours = [entry_point for entry_point in offers if _package(entry_point) == _OURS]
        if len(offers) > 1 and not ours:
            raise SpecError(self._clash(name, offers))
        return (ours or list(offers))[0]

    def _clash(self, name: str, offers: tuple[EntryPoint, ...]) -> str:
        packages = sorted(map(_package, offers))
        if _OURS in packages:
            packages.remove(_OURS)
            theirs = ", ".join(packages)
            return f"{self._kind} '{name}' of package {theirs} is refused: package joute already provides that name"
        return f"{self._kind} '{name}' is refused: packages {' and '.join(packages)} both provide it; uninstall one"

    def _entry_points(self) -> dict[str, tuple[EntryPoint, ...]]:
        """The offers of each name, one a package."""
        return _offers(self._group, tuple(map(_installed, sys.path)))


@functools.lru_cache  # every package of the environment is asked, and each agent of a match is looked up several times
def _offers(group: str, _: tuple[tuple[str, int], ...]) -> dict[str, tuple[EntryPoint, ...]]:
    from importlib.metadata import entry_points  # a third of the time of `import joute`

    offers: dict[str, dict[str, EntryPoint]] = {}
    for entry_point in entry_points(group=group):
        offers.setdefault(entry_point.name, {}).setdefault(_package(entry_point), entry_point)
    return {name: tuple(by_package.values()) for name, by_package in offers.items()}


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
