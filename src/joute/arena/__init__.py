"""Tournaments: agents kept apart, games in worker processes, a store that survives anything."""
