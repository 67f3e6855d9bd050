"""The kinds of tournaments by name, as spec strings: ``round-robin``, ``swiss:rounds=7``, ``sprt:elo1=10``."""

from __future__ import annotations

from typing import Any

from joute.arena.schedules.knockout import Knockout
from joute.arena.schedules.schedule import Gauntlet, Hosted, Imported, Pairs, RoundRobin, Schedule
from joute.arena.schedules.sequential import Sequential
from joute.arena.schedules.swiss import Swiss
from joute.spec import look_up, parameters_of, parse_spec, read_settings

#: What a tournament may be.
KINDS: dict[str, type[Schedule]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "pairs": Pairs,
    "swiss": Swiss,
    "knockout": Knockout,
    "sprt": Sequential,
}

#: What a file may hold besides: games that nobody here decides upon, and that cannot be played again.
WITHOUT_PLAN: dict[str, type[Schedule]] = {"imported": Imported, "hosted": Hosted}


def make_schedule(text: str, entrants: int, games: int) -> Schedule:
    """The schedule that a text names, for so many entrants and games a pairing; SpecError if there is none such."""
    name, pairs = parse_spec(text)
    kind: Any = _kind(name)
    settings = read_settings(f"schedule '{name}'", pairs, parameters_of(kind.settings_type))
    made: Schedule = kind(entrants, games, kind.settings_type(**settings))
    return made


def default_games(text: str) -> int:
    """How many games a pairing has, where the user does not say."""
    return _kind(parse_spec(text)[0]).default_games


def count_alike(text: str, other: str) -> bool:
    """Whether a number of games means the same in two schedules: a pairing's, or the most of a sequential test."""
    return _kind(parse_spec(text)[0]).is_sequential == _kind(parse_spec(other)[0]).is_sequential


def _kind(name: str) -> type[Schedule]:
    return WITHOUT_PLAN.get(name) or look_up("schedule", name, KINDS)
