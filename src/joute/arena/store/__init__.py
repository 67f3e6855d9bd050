"""What a tournament keeps: its file, copies of its agents, games from elsewhere."""

from joute.arena.store.store import Store

__all__ = ["Store"]
