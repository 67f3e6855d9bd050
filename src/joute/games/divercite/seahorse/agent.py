"""An agent of Joute's inside seahorse, the framework of the Divercité course: what a written my_player.py calls.

The framework calls a player with its state and the seconds left, in its own process, and a player that raises an
exception, names an illegal action or thinks too long has lost. So whatever the agent does, an action is answered:
the agent's, else that of one who looks one move ahead, else the first that the framework itself generates.
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

#: The share of the nominal clock that is kept back for every move that the agent has still to make: 1% at the start.
#: The framework has no tolerance (1.1.5, GameMaster.step), and its own work counts as the player's.
RESERVE = 1 / 2000

#: More seconds than this are the framework's way to say that there is no clock: its default is 1e9.
NO_CLOCK_S = 1e8

#: Who plays when the agent cannot.
STAND_IN = "greedy"


class SeahorseAgent:
    """One player of one game. Copies and pickles of it are the player without its agent, which is made anew.

    The framework and other players' agents copy states, and with them the players.
    """

    def __init__(self, spec: str, *, seed: int = 0, folder: str | Path = ".") -> None:
        """`spec` names the agent: a spec, or a Python file, whose path counts from `folder`.

        SpecError if there is no such agent: then the program says so before the game.
        """
        self._spec = resolved(spec, Path(folder))
        self._seed = seed
        self._agent: Agent | None = self._made()
        self._last_ply = -1
        self._nominal_s = math.inf

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_agent": None}

    def action(self, current_state: Any, remaining_time: Any) -> Any:
        """The action to play: a LightAction, or a StatelessAction where the framework has these."""
        return action_type()(self.action_data(current_state, remaining_time))

    def action_data(self, current_state: Any, remaining_time: Any) -> dict[str, Any]:
        """The data of the action to play."""
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
        except Exception:  # no memory is left, for example
            return first_action(current_state)

    def _chosen(self, state: Divercite, remaining_time: Any) -> Move:
        """The agent's move, or a quick one where there is no time to think."""
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
    """The text that names an agent in any folder; SpecError if it is none that can think in this process."""
    with contextlib.chdir(folder):
        source = find_source(spec, GAME)
    if not source.is_loadable:
        raise not_loadable(spec)
    return source.text


def action_type() -> Any:
    """The class of actions without states in the framework that is installed: 1.2 gave it another name."""
    try:
        return importlib.import_module("seahorse.game.light_action").LightAction
    except ImportError:
        return importlib.import_module("seahorse.game.stateless_action").StatelessAction


def first_action(current_state: Any) -> dict[str, Any]:
    """The data of the first action that the framework itself generates."""
    for name in ("generate_possible_light_actions", "generate_possible_stateless_actions"):
        if generate := getattr(current_state, name, None):
            data: dict[str, Any] = next(iter(generate())).data
            return data
    raise TypeError(f"{type(current_state).__name__} generates no actions")


def own_moves_left(ply: int) -> int:
    """How many moves the player to move has still to make, this one included."""
    return (STEPS - ply + 1) // 2


def seconds_left(remaining_time: Any) -> float:
    """The seconds that the framework says are left; infinite if there is no clock."""
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
    """Stop an agent that can be stopped when its time is up; a thread waits for that, and computes nothing."""
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
    with contextlib.suppress(OSError, ValueError):  # nobody may listen
        print(f"joute: {sentence}", file=sys.stderr)
