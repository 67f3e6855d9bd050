"""Agents as players: ours in the worker's own process, all others in one of their own."""

from __future__ import annotations

from joute.agents.loading import Source
from joute.arena.isolation import Isolation
from joute.match.player import LocalPlayer, Player


def make_player(source: Source, name: str, game: str, isolation: Isolation) -> Player:
    """The player for an agent; `game` is the spec of the game it will play."""
    if source.kind == "built-in":
        return LocalPlayer(source.text, name)
    raise NotImplementedError
