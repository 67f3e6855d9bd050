"""Games of Divercité as our core and the stand-ins for its course's framework tell them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from typed import New

from joute import Random
from joute.games.divercite.seahorse.stand_in.divercite import BoardDivercite, GameStateDivercite, PlayerDivercite
from joute.games.divercite.seahorse.stand_in.framework import LightAction
from joute.games.divercite.seahorse.state import GAME, HAND, action_data
from joute.games.divercite.state import Divercite

new = New(Divercite)


def course_start() -> GameStateDivercite:
    players = [PlayerDivercite("W", "Anna", id=1), PlayerDivercite("B", "Ben", id=2)]
    hands = {1: dict(HAND), 2: dict(HAND)}
    return GameStateDivercite({1: 0, 2: 0}, players[0], players, BoardDivercite({}, [9, 9]), 0, hands)


def random_game(seed: int) -> Iterator[tuple[Divercite, GameStateDivercite]]:
    """A game as both tell it."""
    rng = Random(seed)
    state, shown = new(GAME), course_start()
    yield state, shown
    while not state.is_terminal:
        move = state.random_move(rng)
        state, shown = state.play(move), shown.apply_action(LightAction(action_data(move)))
        yield state, shown


def as_json(shown: GameStateDivercite) -> Any:
    return json.loads(json.dumps(shown.to_json(), default=lambda each: each.to_json()))


def recording(seed: int = 0) -> list[Any]:
    return [as_json(shown) for _, shown in random_game(seed)]
