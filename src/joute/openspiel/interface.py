"""What `joute.openspiel` offers: conversions between Joute and OpenSpiel, both ways."""

from __future__ import annotations

from typing import Any

from joute.agents import Agent, Clock
from joute.environments.choices import start_of
from joute.errors import JouteError
from joute.games import State
from joute.openspiel.bots import SpielAgent
from joute.openspiel.convert import game_of, position_of, state_of
from joute.openspiel.players import JouteBot
from joute.openspiel.registration import MAX_PLIES, register_all
from joute.spec import Value


def register() -> list[str]:
    """Make all games known to OpenSpiel, whose `load_game` then finds them; return their names there.

    >>> "joute_connect4" in register()
    True
    """
    return register_all()


def game(spec: str, *, max_plies: int = MAX_PLIES, **rules: Value) -> Any:
    """Return a game as a ``pyspiel.Game``; `rules` are options of its rules.

    A game that has not ended after `max_plies` plies is decided as if it was stopped there.

    >>> game("connect4").new_initial_state().legal_actions()
    [0, 1, 2, 3, 4, 5, 6]
    """
    if max_plies < 1:
        raise JouteError("max_plies must be 1 or more")
    return game_of(start_of(spec, rules).spec, max_plies)


def state(position: State) -> Any:
    """Return a position as a ``pyspiel.State``."""
    return state_of(position)


def position(state: Any) -> State:
    """Return a ``pyspiel.State`` as a position."""
    return position_of(state)


def bot(agent: str | Agent, *, seed: int = 0, clock: Clock | None = None) -> JouteBot:
    """Return an agent, given as a spec or as an object with `choose`, as a ``pyspiel.Bot``.

    `clock` limits each move. Without one, the agent's own parameters are the only limits.
    """
    return JouteBot(agent, seed=seed, clock=clock or Clock())


def agent(bot: Any) -> SpielAgent:
    """Return a ``pyspiel.Bot`` as an agent, for `play_game` and `play_match`."""
    return SpielAgent(lambda game, player: bot)
