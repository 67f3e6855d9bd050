"""Who plays whom: one file a kind of tournament."""

from joute.arena.schedules.registry import default_games, make_schedule, register_schedule
from joute.arena.schedules.schedule import Schedule
from joute.moved import names_of

__all__ = ["Schedule", "default_games", "make_schedule", "register_schedule"]

__getattr__ = names_of("joute.arena.schedules.registry")  # what 0.1 had in a module of this name
