"""Modules under the names that an older version gave them, so that files of users keep working.

An import of such a name gives the module itself, after a DeprecationWarning. Only imports that would fail otherwise are
looked at. Modules of a game are listed in its room (`joute.plugins.Room.moved`), all others here.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PACKAGE = __name__.partition(".")[0]

# Since 0.1: the new name of each module, by the folder that it was in.
_MOVED = {
    "agents": {"report_version": "agents.paper_version"},
    "arena": {
        "black_box": "arena.pool.black_box",
        "cores": "arena.pool.cores",
        "database": "arena.store.database",
        "external": "arena.players.external",
        "frozen": "arena.store.frozen",
        "game_file": "arena.store.game_file",
        "hosted": "arena.store.hosted",
        "importing": "arena.store.importing",
        "isolation": "arena.players.isolation",
        "jail_door": "arena.players.jail_door",
        "knockout": "arena.schedules.knockout",
        "process": "arena.players.process",
        "program": "arena.players.program",
        "results": "arena.store.results",
        "sandbox": "arena.players.sandbox",
        "schedule": "arena.schedules.schedule",
        "schema": "arena.store.schema",
        "sequential": "arena.schedules.sequential",
        "supervise": "arena.players.supervise",
        "swiss": "arena.schedules.swiss",
        "swiss_pairing": "arena.schedules.swiss_pairing",
        "worker": "arena.pool.worker",
    },
    "arena.report": {
        "boards": "pages.boards",
        "charts": "pages.charts",
        "data": "report.data",
        "formats": "report.formats",
        "game_sections": "report.game_sections",
        "games": "report.games",
        "html": "report.html",
        "markdown": "report.markdown",
        "markdown_parts": "pages.markdown_parts",
        "page_parts": "pages.page_parts",
        "result_sections": "report.result_sections",
        "summary": "report.summary",
    },
}

# Packages that are gone; what is left of one is a name for its modules.
_PACKAGES = {"arena.report": "report"}


def install() -> None:
    """Let imports of old names succeed."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def names_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package that has the name of an older module: what that module held is in `module` now."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(import_module(module), name)
        package = module.rpartition(".")[0]
        warnings.warn(f"{package}.{name} is in {module} now", DeprecationWarning, stacklevel=2)
        return found

    return get


@functools.cache
def _moves() -> dict[str, str]:
    """The new names of modules by their old ones."""
    from joute.plugins import all_rooms  # here: rooms are looked for when an import fails, not before

    moves = {f"{folder}.{old}": new for folder, names in _MOVED.items() for old, new in names.items()} | _PACKAGES
    found = {f"{_PACKAGE}.{old}": f"{_PACKAGE}.{new}" for old, new in moves.items()}
    for room in all_rooms().values():
        found |= {f"{_PACKAGE}.{old}": f"{room.package}.{new}" for old, new in room.moved.items()}
    return found


class _Finder:
    """Finds modules under their old names. It is the last finder of all."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What loads a module that has moved; None for every other name."""
        if not fullname.startswith(f"{_PACKAGE}.") or fullname not in _moves():
            return None
        # An old package has no folder, or Python would load the modules in it a second time, under their old names.
        is_package = any(other.startswith(f"{fullname}.") for other in _moves())
        loader: Any = _Loader(_moves()[fullname])  # importlib.abc has the protocol, and imports much
        return ModuleSpec(fullname, loader, is_package=is_package)


class _Loader:
    """Loads a module that has moved."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._own_spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module itself; a new one for an old package."""
        warnings.warn(f"{spec.name} is {self._name} now", DeprecationWarning, stacklevel=2)
        module = import_module(self._name)
        if spec.submodule_search_locations is not None:
            return None
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing runs twice: the import system has only replaced the module's own spec."""
        if self._own_spec is None:
            module.__dict__["__getattr__"] = functools.partial(getattr, import_module(self._name))
        else:
            module.__spec__ = self._own_spec
