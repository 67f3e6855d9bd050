"""An agent of Joute as a bot of OpenSpiel."""

from __future__ import annotations

from typing import Any

import pyspiel

from joute.agents import Agent, Clock
from joute.agents import agent as agent_of
from joute.errors import JouteError
from joute.openspiel.convert import actions_of, position_of
from joute.openspiel.exported import JouteState


class JouteBot(pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """Plays the moves of an agent, given as a spec or as an object with `choose`, under the same clock each move."""

    def __init__(self, agent: str | Agent, *, seed: int, clock: Clock) -> None:
        super().__init__()
        self._given, self._seed, self._clock = agent, seed, clock
        self._agents: dict[str, Agent] = {}
        self._planned: tuple[Any, list[int]] = (None, [])  # a position, and the actions of the move chosen there

    def step(self, state: Any) -> int:
        """Return the agent's action."""
        position = position_of(state)
        taken = list(state.taken) if isinstance(state, JouteState) else []
        planned_at, planned = self._planned
        if not taken or planned_at != position:
            if taken:
                raise JouteError("the bot did not begin this move, so it cannot complete it")
            move = position.legal_move(self._agent(position.spec).choose(position, self._clock))
            planned = list(actions_of(position, move))
            self._planned = position, planned
        if planned[: len(taken)] != taken or len(planned) == len(taken):
            raise JouteError("another player completed a move of the bot")
        return planned[len(taken)]

    def restart(self) -> None:
        """Forget the move in progress."""
        self._planned = None, []

    def restart_at(self, state: Any) -> None:
        """Forget the move in progress; every step sees the whole state."""
        self.restart()

    def _agent(self, game: str) -> Agent:
        if not isinstance(self._given, str):
            return self._given
        if game not in self._agents:
            self._agents[game] = agent_of(self._given, game=game, seed=self._seed)
        return self._agents[game]
