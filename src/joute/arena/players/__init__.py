"""Who plays in a tournament: agents in processes of their own, jailed if need be."""

from joute.moved import names_of

__getattr__ = names_of("joute.arena.players.players")  # what 0.1 had in a module of this name
