"""Positions of Joute as states of OpenSpiel, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joute.environments.choices import choices_of
from joute.errors import JouteError
from joute.games import Move, State, new
from joute.openspiel.exported import JouteState
from joute.openspiel.imported import START, SpielState
from joute.openspiel.registration import MAX_PLIES, load
from joute.openspiel.rules import NAME, text_of


def game_of(spec: str, max_plies: int = MAX_PLIES) -> Any:
    """Return the game of a spec: OpenSpiel's own, or ours."""
    start = new(spec)
    return start.spiel.get_game() if isinstance(start, SpielState) else load(spec, max_plies)


def state_of(position: State) -> Any:
    """Return a position as a state of OpenSpiel."""
    if isinstance(position, SpielState):
        return position.spiel
    return game_of(position.spec).state_at(position)


def position_of(state: Any) -> State:
    """Return a state of OpenSpiel as a position."""
    if isinstance(state, JouteState):
        return state.position
    actions = ".".join(map(str, state.history())) or START
    found = new(f"{NAME}:{text_of(state.get_game())}", actions)
    assert isinstance(found, SpielState)
    if str(found.spiel) != str(state):
        raise JouteError("a state of OpenSpiel that did not begin at the start of its game has no position")
    return found


def move_of(position: State, actions: Sequence[int]) -> Move | None:
    """Return the move that these actions make; None if it needs more."""
    return choices_of(position).move(position, actions)


def actions_of(position: State, move: Move) -> Sequence[int]:
    """Return the actions that make a move."""
    return choices_of(position).actions_of(position, move)
