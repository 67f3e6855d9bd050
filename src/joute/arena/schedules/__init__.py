"""Who plays whom: one file a kind of tournament."""

from joute.arena.schedules.registry import default_games, make_schedule

__all__ = ["default_games", "make_schedule"]
