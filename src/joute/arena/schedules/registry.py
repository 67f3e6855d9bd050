"""The kinds of tournaments by name, as spec strings: ``round-robin``, ``swiss:rounds=7``, ``sprt:elo1=10``.

They are found through the entry point group ``joute.schedules``, the built-in ones included; each entry is a subclass
of `Schedule`, which says all that the rest of Joute needs to know of it.
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

#: What a file may hold besides: games that nobody here decides upon, and that cannot be played again.
WITHOUT_PLAN: dict[str, type[Schedule]] = {"imported": Imported, "hosted": Hosted}


def register_schedule(name: str, kind: type[Schedule]) -> None:
    """Make a kind of tournament known to this process."""
    _schedules.register(name, kind)


def schedule_names() -> list[str]:
    """The kinds of tournaments that can be asked for, sorted."""
    return _schedules.names()


def find_schedule(text: str) -> type[Schedule]:
    """The kind of tournament that a text names; SpecError if there is none such."""
    name, _ = parse_spec(text)
    return WITHOUT_PLAN.get(name) or _schedules.find(name)


def make_schedule(text: str, entrants: int, games: int) -> Schedule:
    """The schedule that a text names, for so many entrants and games a pairing; SpecError if there is none such."""
    name, pairs = parse_spec(text)
    kind: Any = find_schedule(name)
    settings = read_settings(f"schedule '{name}'", pairs, parameters_of(kind.settings_type))
    made: Schedule = kind(entrants, games, kind.settings_type(**settings))
    return made


def default_games(text: str) -> int:
    """How many games a pairing has, where the user does not say."""
    return find_schedule(text).default_games


def count_alike(text: str, other: str) -> bool:
    """Whether a number of games means the same in two schedules: a pairing's, or the most of a sequential test."""
    return find_schedule(text).is_sequential == find_schedule(other).is_sequential


def __getattr__(name: str) -> Any:
    """The table of kinds that 0.1 had, with those of plug-ins."""
    if name == "KINDS":
        return {known: find_schedule(known) for known in schedule_names()}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
