"""The `Player` interface between the referee and an agent, and the player for agents in this process.

A player's failure is a MisconductError, by which it loses the game or the turn. Of other exceptions, only
KeyboardInterrupt and errors of the user, such as a wrong spec, pass through.
"""

from __future__ import annotations

import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from joute._core import class_name, one_line
from joute.agents import Agent, Clock, SearchInfo, find_agent
from joute.agents.agent import prepare_game
from joute.agents.loading import is_spec
from joute.errors import IllegalMoveError, JouteError, SpecError, described
from joute.games import Move, State
from joute.match.crash import crash_place, place_note, traceback_text
from joute.match.record import Reason


class MisconductError(Exception):
    """An agent's failure, by which it loses the game.

    `costs_a_turn`: the agent exceeded its limit per move but can continue; if the game has lost turns, it loses only
    the turn. `time_s`: the agent's time, if it is less than the time that the referee waited. `traceback`: that of the
    exception of an agent in this process, as text.
    """

    def __init__(
        self,
        reason: Reason,
        detail: str,
        *,
        costs_a_turn: bool = False,
        time_s: float | None = None,
        traceback: str = "",
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.costs_a_turn = costs_a_turn
        self.time_s = time_s
        self.traceback = traceback


class InterruptionError(JouteError):
    """A player's process was killed from outside, so that the game has no result."""


@dataclass(frozen=True)
class Answer:
    """A player's answer. `move` is unchecked and may be any object; the referee validates it."""

    move: Any
    time_s: float
    info: SearchInfo | None = None


class Player(ABC):
    """The referee's interface to an agent. A player plays one game at a time: begin, ask…, end."""

    #: The name in records and messages.
    name: str
    #: The isolation level: ``worker`` (in the process of the referee), ``process``, ``sandbox`` or ``remote``.
    isolation: str = "worker"

    @abstractmethod
    def begin(self, start: State, player: int, seed: int) -> None:
        """Prepare a game from a position, as player 0 or 1. The clock does not run."""

    @abstractmethod
    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """The move for `state`; `line` holds the moves since the start, and random outcomes in the form ``#0``.

        An answer after `limit_s` seconds is too late. A player that can be stopped is stopped then and raises
        MisconductError, whose `costs_a_turn` says whether the player can be asked again.
        """

    def end(self) -> str:
        """End the game. Returns the kept part of the player's standard error, or an empty text."""
        return ""

    def close(self) -> None:  # noqa: B027  # most players keep nothing
        """Release what the player keeps between games."""


class LocalPlayer(Player):
    """An agent in this process. It cannot be stopped, so the referee checks its time afterwards."""

    def __init__(self, agent: str | Agent, name: str | None = None) -> None:
        self.name = name or agent_name(agent)
        self._source = agent
        self._agent: Agent | None = None
        self._traceback = ""

    def begin(self, start: State, player: int, seed: int) -> None:
        """Create the agent if it is given as a spec, and let it prepare the game."""
        self._traceback = ""
        try:
            self._agent = _prepared(seat(self._source, self.name, start.spec, seed), self.name, start)
        except MisconductError as misconduct:
            self._traceback = misconduct.traceback
            raise

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """The agent's choice."""
        assert self._agent is not None
        try:
            chosen, time_s = _timed_choice(self._agent, self.name, state, clock)
        except MisconductError as misconduct:
            self._traceback = misconduct.traceback
            raise
        return Answer(chosen, time_s, _info(self._agent))

    def end(self) -> str:
        """End the game. Returns the traceback of the agent's exception, or an empty text."""
        return self._traceback


def as_player(agent: str | Agent | Player) -> Player:
    """A player for an agent in this process; a player is returned unchanged."""
    # issubclass(type(…)) instead of isinstance, here and below: an agent may override __class__.
    if issubclass(type(agent), str) and not is_spec(str(agent)):
        raise SpecError(
            f"{one_line(agent)} is not the spec of an agent: files, programs and servers play in joute match and joute "
            "tournament; in Python, pass an object with a method choose(state, clock)"
        )
    if issubclass(type(agent), type) and inspect.isfunction(inspect.getattr_static(agent, "choose", None)):
        name = agent.__name__  # type: ignore[union-attr]
        raise SpecError(f"{name} is a class; pass an agent of this class: {name}()")
    if issubclass(type(agent), Player):
        return agent  # type: ignore[return-value]
    if not issubclass(type(agent), str) and not _has_choose(agent):
        raise SpecError(f"{class_name(agent)} has no method choose(state, clock), so it is not an agent")
    return LocalPlayer(agent)  # type: ignore[arg-type]


def _has_choose(agent: object) -> bool:
    try:
        return hasattr(agent, "choose")
    except KeyboardInterrupt:
        raise
    except BaseException:  # the agent fails in its games too, which tell how
        return True


def ask(agent: Agent, name: str, state: State, clock: Clock) -> tuple[Move, float]:
    """The legal move that an agent chooses and its time in seconds; MisconductError if the agent fails."""
    chosen, time_s = _timed_choice(agent, name, state, clock)
    return read_move(chosen, name, state), time_s


def read_move(chosen: Any, name: str, state: State) -> Move:
    """The legal move for an answer; MisconductError if there is none."""
    try:
        move: Move = state.legal_move(chosen)
        return move
    except IllegalMoveError as error:
        raise illegal_move(name, error) from error


def illegal_move(name: str, error: IllegalMoveError) -> MisconductError:
    """The MisconductError for an illegal move."""
    return MisconductError(Reason.ILLEGAL_MOVE, f"{name}: {error}")


def seat(player: str | Agent, name: str, game: str, seed: int) -> Agent:
    """The agent for one game, created if `player` is a spec. A wrong spec raises SpecError, not MisconductError."""
    if not isinstance(player, str):
        return player
    agent_type, parameters = find_agent(player, game)
    try:
        return agent_type.create(parameters, seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failure(name, error) from error


def _prepared(agent: Agent, name: str, start: State) -> Agent:
    """The agent, after it has prepared a game."""
    try:
        prepare_game(agent, start)
    except (KeyboardInterrupt, SpecError):
        raise
    except BaseException as error:
        raise _failure(name, error) from error
    return agent


def _failure(name: str, error: BaseException) -> MisconductError:
    """The MisconductError for an exception of an agent in this process."""
    text, traceback = described(error), traceback_text(error)
    detail = f"{name}: {text}{place_note(text, crash_place(traceback))}"
    return MisconductError(reason_of(error), detail, traceback=traceback)


def reason_of(error: BaseException) -> Reason:
    """The reason for the end of a game in which an agent raised this exception."""
    return Reason.MEMORY if issubclass(type(error), MemoryError) else Reason.CRASH


def agent_name(player: str | Agent) -> str:
    """The name of an agent in records: its spec, or its class."""
    return player if isinstance(player, str) else class_name(player)


def _timed_choice(agent: Agent, name: str, state: State, clock: Clock) -> tuple[Any, float]:
    """An agent's answer and time. All its exceptions but KeyboardInterrupt become MisconductError, even SystemExit."""
    began = time.perf_counter()
    try:
        chosen = agent.choose(state, clock)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failure(name, error) from error
    return chosen, time.perf_counter() - began


def _info(agent: Agent) -> SearchInfo | None:
    try:
        info = getattr(agent, "info", None)
        return plain_info(info) if isinstance(info, SearchInfo) else None
    except KeyboardInterrupt:
        raise
    except BaseException:  # search information is optional, so a failure here has no consequence
        return None


def plain_info(info: SearchInfo) -> SearchInfo:
    """Search information with plain numbers and texts, as records keep it; raises if the conversion fails.

    Values are rounded to six decimals, to keep records readable.
    """
    return SearchInfo(
        value_for_mover=None if info.value_for_mover is None else round(float(info.value_for_mover), 6),
        depth=None if info.depth is None else int(str(int(info.depth))),  # str() refuses huge integers
        nodes=None if info.nodes is None else int(str(int(info.nodes))),
        pv=tuple(str(move) for move in info.pv),
    )
