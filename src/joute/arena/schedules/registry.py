"""Finds schedules by spec strings such as ``round-robin``, ``swiss:rounds=7`` or ``sprt:elo1=10``.

Schedules, including the built-in ones, are registered through the entry point group ``joute.schedules``. Each entry is
a subclass of `Schedule`; the rest of Joute uses only that interface.
"""

from __future__ import annotations

from typing import Any

from joute.arena.schedules.schedule import Hosted, Imported, Schedule
from joute.plugins import Registry
from joute.spec import parameters_of, parse_spec, read_settings


def _checked(name: str, entry: object) -> type[Schedule]:
    if not (isinstance(entry, type) and issubclass(entry, Schedule)):
        raise TypeError(f"{entry!r} is not a subclass of joute.arena.schedules.Schedule")
    if missing := sorted({*entry.__abstractmethods__, *({"settings_type"} - set(dir(entry)))}):
        raise TypeError(f"{entry.__name__} is a schedule, so it must define {', '.join(missing)}")
    return entry


_schedules: Registry[type[Schedule]] = Registry("schedule", "joute.schedules", _checked)

#: Schedules that a command of their own makes, and nobody writes.
OF_COMMANDS = frozenset({"tune"})

#: Schedules that occur in files but cannot be planned: their games are not chosen by Joute.
WITHOUT_PLAN: dict[str, type[Schedule]] = {"imported": Imported, "hosted": Hosted}


def register_schedule(name: str, kind: type[Schedule]) -> None:
    """Register a schedule class in this process."""
    _schedules.register(name, kind)


def schedule_names() -> list[str]:
    """The names of all schedules that a user can choose, sorted."""
    return [name for name in _schedules.names() if name not in OF_COMMANDS]


def find_schedule(text: str) -> type[Schedule]:
    """The schedule class that a spec names; SpecError if there is none."""
    name, _ = parse_spec(text)
    return WITHOUT_PLAN.get(name) or _schedules.find(name)


def make_schedule(text: str, entrants: int, games: int) -> Schedule:
    """The schedule of a spec, for a number of entrants and of games per pairing; SpecError if the spec is invalid."""
    name, pairs = parse_spec(text)
    kind: Any = find_schedule(name)
    settings = read_settings(f"schedule '{name}'", pairs, parameters_of(kind.settings_type))
    made: Schedule = kind(entrants, games, kind.settings_type(**settings))
    return made


def default_games(text: str) -> int:
    """The default number of games per pairing of a schedule."""
    return find_schedule(text).default_games


def count_alike(text: str, other: str) -> bool:
    """Whether `games` means the same in two schedules: games per pairing, or the maximum of a sequential test."""
    return find_schedule(text).is_sequential == find_schedule(other).is_sequential


def __getattr__(name: str) -> Any:
    """`KINDS`, the table of schedules that 0.1 had, including plug-ins."""
    if name == "KINDS":
        return {known: find_schedule(known) for known in schedule_names()}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
