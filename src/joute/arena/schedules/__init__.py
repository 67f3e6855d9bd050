"""Schedules: which agents meet in which game, one file per family of tournaments.

`Schedule` (schedule.py) is the base class; registry.py maps a text such as ``round-robin`` to a schedule. fixed.py
lists all games in advance, and grown.py adds to them; swiss.py (with swiss_pairing.py), knockout.py and sequential.py
use the results so far. A schedule is a function of those results and keeps no state, so that a resumed tournament plays
the same games. The driver asks it for pairings and passes them to the pool.
"""

from joute.arena.schedules.registry import default_games, make_schedule, register_schedule
from joute.arena.schedules.schedule import Schedule
from joute.moved import names_of

__all__ = ["Schedule", "default_games", "make_schedule", "register_schedule"]

__getattr__ = names_of("joute.arena.schedules.registry")  # 0.1 had a module of this name
