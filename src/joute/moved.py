"""Import hook for the old names of moved modules, so that users' files keep working.

An import of an old name issues a DeprecationWarning and returns the module under its new name. The hook handles only
imports that would fail otherwise. A game's room lists its moved modules (`joute.plugins.Room.moved`); this file lists
all others.
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

# Modules moved since 0.1: old folder -> old name -> new name.
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

# Removed packages, and the packages that replace them.
_PACKAGES = {"arena.report": "report"}


def install() -> None:
    """Add the import hook, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def names_of(module: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that was a module in an older version; its contents are now in `module`."""

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
    """Return the new name of each moved module by its old name."""
    from joute.plugins import all_rooms  # imported here: rooms are searched only when an import fails

    moves = {f"{folder}.{old}": new for folder, names in _MOVED.items() for old, new in names.items()} | _PACKAGES
    found = {f"{_PACKAGE}.{old}": f"{_PACKAGE}.{new}" for old, new in moves.items()}
    for room in all_rooms().values():
        found |= {f"{_PACKAGE}.{old}": f"{room.package}.{new}" for old, new in room.moved.items()}
    return found


class _Finder:
    """Finds modules by their old names. It comes last in `sys.meta_path`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a moved module; None for every other name."""
        if not fullname.startswith(f"{_PACKAGE}.") or fullname not in _moves():
            return None
        # An old package gets no search path; with one, Python would load its modules again under their old names.
        is_package = any(other.startswith(f"{fullname}.") for other in _moves())
        loader: Any = _Loader(_moves()[fullname])  # importlib.abc.Loader is the type; its import is slow
        return ModuleSpec(fullname, loader, is_package=is_package)


class _Loader:
    """Loads a module that has moved."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._own_spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the moved module; None, for a new empty module, if the old name is a package."""
        warnings.warn(f"{spec.name} is {self._name} now", DeprecationWarning, stacklevel=2)
        module = import_module(self._name)
        if spec.submodule_search_locations is not None:
            return None
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which the import system replaced. Does not execute the module again."""
        if self._own_spec is None:
            module.__dict__["__getattr__"] = functools.partial(getattr, import_module(self._name))
        else:
            module.__spec__ = self._own_spec
