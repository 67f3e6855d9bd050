"""The processes that play the games of a tournament."""

from joute.moved import names_of

__getattr__ = names_of("joute.arena.pool.pool")  # what 0.1 had in a module of this name
