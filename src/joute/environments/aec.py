"""A game as an environment of PettingZoo; joute/pettingzoo.py makes it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv

from joute._core import Random
from joute.environments.choices import checked_starts, choices_of
from joute.environments.picture import pixels
from joute.errors import IllegalMoveError, JouteError
from joute.games import State, new

Observation = dict[str, NDArray[Any]]


class GameEnv(AECEnv, EzPickle):  # type: ignore[misc]  # PettingZoo has no types
    """One game between ``player_0``, who moves first, and ``player_1``."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # each environment has its own name there
        "render_modes": ["human", "rgb_array", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, start: State, *, render_mode: str | None = None, max_plies: int = 0, starts: Sequence[State] = ()
    ) -> None:
        EzPickle.__init__(self, start, render_mode=render_mode, max_plies=max_plies, starts=starts)
        AECEnv.__init__(self)
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise JouteError(f"render_mode must be one of {', '.join(modes)}, not '{render_mode}'")
        if max_plies < 0:
            raise JouteError("max_plies must be 0, for no limit, or more")
        self.metadata = {**self.metadata, "name": f"joute_{start.game}"}
        self.render_mode = render_mode
        self.choices = choices_of(start)
        self._starts = checked_starts(start, starts)
        self._max_plies = max_plies
        self._rng = Random(secrets.randbits(63))
        self._state = self._starts[0]
        self._first_ply = self._state.ply
        self._taken: list[int] = []
        self._last_move: Any = None
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        seen = spaces.Box(0, 255, self.choices.observation_shape, np.uint8)
        mask = spaces.Box(0, 1, (self.choices.action_count,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.choices.action_count) for agent in self.possible_agents}

    # --- The interface of PettingZoo ---

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of observations, the same for both players."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of actions, the same for both players."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. A seed also seeds the games that follow; the option `position` is a position as text."""
        if seed is not None:
            self._rng = Random(seed % 2**64)
        position = (options or {}).get("position")
        if position is None:
            self._state = self._starts[0] if len(self._starts) == 1 else self._rng.choice(self._starts)
        else:
            (self._state,) = checked_starts(self._starts[0], [new(self._starts[0].spec, position)])
        self._settle()
        self._first_ply = self._state.ply
        self._taken, self._last_move = [], None
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._arrive()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Take an action of the player to move."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None or int(action) not in self.choices.legal(self._state, self._taken):
            raise IllegalMoveError(f"illegal action {action} at ply {self._state.ply} of {self._state.game}")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._taken.append(int(action))
        move = self.choices.move(self._state, self._taken)
        if move is not None:
            self._play(move)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return the planes that the player to move sees. The actions of the other player are all masked."""
        mask = np.zeros(self.choices.action_count, np.int8)
        if agent == self.agent_selection and not (self.terminations.get(agent) or self.truncations.get(agent)):
            mask[list(self.choices.legal(self._state, self._taken))] = 1
        return {"observation": self.choices.observe(self._state, self._taken), "action_mask": mask}

    def state(self) -> NDArray[Any]:
        """Return what the player to move sees: there is nothing that one player knows and the other does not."""
        return self.choices.observe(self._state, self._taken)

    def render(self) -> Any:
        """The position as text (``ansi``), as pixels (``rgb_array``), or printed (``human``)."""
        if self.render_mode == "ansi":
            return f"{self._state}\n"
        if self.render_mode == "rgb_array":
            return pixels(self._state.scene(self._last_move))
        if self.render_mode == "human":
            print(self._state, flush=True)
        return None

    def close(self) -> None:
        """Do nothing: no file or process is open."""

    # --- What Joute adds ---

    @property
    def position(self) -> State:
        """The position, for whatever else Joute knows about it."""
        return self._state

    def action_text(self, action: int) -> str:
        """A legal action in the game's notation."""
        return self.choices.text(self._state, int(action), self._taken)

    def _play(self, move: Any) -> None:
        mover = self._state.to_move
        self._state = self._state.play(move, self._rng)
        self._taken, self._last_move = [], move
        self._arrive()
        if self._state.is_terminal:
            # Both have yet to receive the end; the player who did not move comes first, as after any other move.
            self.agent_selection = self.agents[1 - mover]

    def _settle(self) -> None:
        """Draw the outcomes of random events that are pending at the start of a game."""
        while self._state.is_chance:
            self._state = self._state.resolve(self._state.draw_outcome(self._rng))

    def _arrive(self) -> None:
        """Set whose turn it is, or end the game."""
        self.agent_selection = self.agents[self._state.to_move]
        result = self._state.result
        if result is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            for player, agent in enumerate(self.agents):
                self.rewards[agent] = float(result.outcome_for(player))
                self.infos[agent] = {"decided_by": result.decided_by}
        elif 0 < self._max_plies <= self._state.ply - self._first_ply:
            self.truncations = dict.fromkeys(self.agents, True)
