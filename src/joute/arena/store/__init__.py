"""What a tournament keeps: its file, copies of its agents, games from elsewhere."""

from joute.arena.store.store import Store
from joute.moved import names_of

__all__ = ["Store"]

__getattr__ = names_of("joute.arena.store.store")  # what 0.1 had in a module of this name
