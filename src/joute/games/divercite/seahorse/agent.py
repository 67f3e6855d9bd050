"""An agent of Joute's inside seahorse, the framework of the Divercité course; a generated my_player.py calls it.

The framework calls a player in its own process, with its state and the seconds left. A player that raises an exception,
returns an illegal action or exceeds its time loses. This class therefore always returns an action: the agent's, else
that of the agent `greedy`, else the first that the framework generates.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joute.agents import Agent, Clock, agent
from joute.agents.loading import find_source, load_agent, not_loadable
from joute.errors import described
from joute.games import Move
from joute.games.divercite.seahorse.state import GAME, STEPS, action_data, shown_by, state_of
from joute.games.divercite.state import Divercite

#: The share of the nominal clock that is reserved for each of the agent's remaining moves: 1% at the start in total.
#: The framework has no tolerance (1.1.5, GameMaster.step), and charges its own work to the player's clock.
RESERVE = 1 / 2000

#: A larger number of seconds means that there is no clock: the framework's default is 1e9.
NO_CLOCK_S = 1e8

#: The agent that replaces one that fails.
STAND_IN = "greedy"


class SeahorseAgent:
    """One player of one game. Copies and pickles leave out the agent, which is then created again when needed.

    The framework and other players' agents copy states, and with them the players.
    """

    def __init__(self, spec: str, *, seed: int = 0, folder: str | Path = ".") -> None:
        """`spec` names the agent: a spec, or a Python file whose path is relative to `folder`.

        SpecError if there is no such agent; the course's program then fails before the game.
        """
        self._spec = resolved(spec, Path(folder))
        self._seed = seed
        self._agent: Agent | None = self._made()
        self._last_ply = -1
        self._nominal_s = math.inf

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_agent": None}

    def action(self, current_state: Any, remaining_time: Any) -> Any:
        """Return the action to play: a LightAction, or a StatelessAction in newer versions of the framework."""
        return action_type()(self.action_data(current_state, remaining_time))

    def action_data(self, current_state: Any, remaining_time: Any) -> dict[str, Any]:
        """Return the data of the action to play."""
        try:
            state = state_of(shown_by(current_state))
        except Exception as error:
            _tell(f"the framework's state was not understood: {described(error)}")
            return first_action(current_state)
        try:
            return action_data(self._chosen(state, remaining_time))
        except (Exception, SystemExit) as error:
            _tell(f"{self._spec} failed at step {state.ply}: {described(error)}; {STAND_IN} plays")
        try:
            return action_data(_quick_move(state, self._seed))
        except Exception:  # for example, out of memory
            return first_action(current_state)

    def _chosen(self, state: Divercite, remaining_time: Any) -> Move:
        """Return the agent's move, or a quick one if there is no time left."""
        seconds = seconds_left(remaining_time)
        if self._last_ply < 0 or state.ply <= self._last_ply:  # a game begins
            self._nominal_s = seconds
            self._agent = self._agent if self._last_ply < 0 else None
        if self._agent is None:
            self._agent = self._made()
        self._last_ply = state.ply
        left_s = seconds - RESERVE * self._nominal_s * own_moves_left(state.ply) if math.isfinite(seconds) else math.inf
        if left_s <= 0.0:
            return _quick_move(state, self._seed)
        clock = Clock(remaining_s=left_s, nominal_s=self._nominal_s)
        with _stopped_in_time(self._agent, left_s):
            chosen = self._agent.choose(state, clock)
        move: Move = state.legal_move(chosen)
        return move

    def _made(self) -> Agent:
        return load_agent(self._spec, GAME, self._seed)


def resolved(spec: str, folder: Path) -> str:
    """Return an agent's name with absolute paths; SpecError if the agent cannot run in this process."""
    with contextlib.chdir(folder):
        source = find_source(spec, GAME)
    if not source.is_loadable:
        raise not_loadable(spec)
    return source.text


def action_type() -> Any:
    """Return the installed framework's class of actions without states, which 1.2 renamed."""
    try:
        return importlib.import_module("seahorse.game.light_action").LightAction
    except ImportError:
        return importlib.import_module("seahorse.game.stateless_action").StatelessAction


def first_action(current_state: Any) -> dict[str, Any]:
    """Return the data of the first action that the framework generates."""
    for name in ("generate_possible_light_actions", "generate_possible_stateless_actions"):
        if generate := getattr(current_state, name, None):
            data: dict[str, Any] = next(iter(generate())).data
            return data
    raise TypeError(f"{type(current_state).__name__} generates no actions")


def own_moves_left(ply: int) -> int:
    """Return the number of moves that the player to move has left, including this one."""
    return (STEPS - ply + 1) // 2


def seconds_left(remaining_time: Any) -> float:
    """Return the remaining seconds; infinite if there is no clock."""
    try:
        seconds = float(remaining_time)
    except (TypeError, ValueError, OverflowError):
        return math.inf
    return max(0.0, seconds) if seconds < NO_CLOCK_S else math.inf


def _quick_move(state: Divercite, seed: int) -> Move:
    move: Move = agent(STAND_IN, game=state.game, seed=seed).choose(state, Clock())
    return move


@contextlib.contextmanager
def _stopped_in_time(thinker: Agent, seconds: float) -> Iterator[None]:
    """Call the agent's `stop`, if it has one, when its time is up; a timer thread waits for it."""
    stop = getattr(thinker, "stop", None)
    if not callable(stop) or not math.isfinite(seconds):
        yield
        return
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # stderr may be closed
        print(f"joute: {sentence}", file=sys.stderr)
