"""Fits to games: the levels of a game, and which of the data that come with games are stale."""
