"""Positions as requests describe them."""

from __future__ import annotations

from typing import Any

from joute.games import State, new
from joute.match.game import GameInProgress
from joute.match.record import replayed


def position_data(game: GameInProgress[State]) -> dict[str, Any]:
    """A position with its history, as a request: the start, random outcomes before the first move, and the line."""
    return {
        "game": game.start.spec,
        "start": game.start.position,
        "start_outcomes": list(game.start_outcomes),
        "line": list(game.line),
    }


def start_of(data: dict[str, Any]) -> State:
    """The position before the first move."""
    state = new(data["game"], data["start"])
    for outcome in data["start_outcomes"]:
        state = state.resolve(outcome)
    return state


def state_of(data: dict[str, Any]) -> State:
    """The position of a request."""
    state = start_of(data)
    for token in data["line"]:
        state = state.resolve(int(token[1:])) if state.is_chance else replayed(state, token)
    return state
