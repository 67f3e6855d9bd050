"""Who sits at the board: an agent in this process, or whatever else can be asked for a move.

The referee asks every player in the same way. What a player does wrong is a MisconductError, which costs it
the game, or the turn; nothing but Ctrl-C and mistakes of the user's come through.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from joute._core import class_name, one_line
from joute.agents import Agent, Clock, SearchInfo, find_agent
from joute.agents.loading import is_spec
from joute.errors import IllegalMoveError, SpecError, described
from joute.games import Move, State
from joute.match.record import Reason


class MisconductError(Exception):
    """What an agent did that costs it the game.

    `costs_a_turn`: it overran its limit a move, but can go on. Where the game knows lost turns, that costs no more.
    `time_s`: how long it took, where that is less than it was waited for.
    """

    def __init__(self, reason: Reason, detail: str, *, costs_a_turn: bool = False, time_s: float | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.costs_a_turn = costs_a_turn
        self.time_s = time_s


@dataclass(frozen=True)
class Answer:
    """What a player said when it was asked for a move: anything at all. The referee reads it."""

    move: Any
    time_s: float
    info: SearchInfo | None = None


class Player(ABC):
    """What the referee plays with. One player plays one game at a time: begin, ask…, end."""

    #: What it is called in records and messages.
    name: str
    #: How far it is kept apart: ``worker`` (in the process of the referee), ``process``, ``sandbox`` or ``remote``.
    isolation: str = "worker"

    @abstractmethod
    def begin(self, start: State, player: int, seed: int) -> None:
        """Get ready to play from a position, as player 0 or 1; off the clock."""

    @abstractmethod
    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """The move for a position, which came about from the start by `line`: moves, and outcomes as ``#0``.

        After `limit_s` the answer comes too late; a player that can be stopped then is, and MisconductError
        says so. It also says whether the player can be asked again.
        """

    def end(self) -> str:
        """The game is over. Returns what the player wrote for its author to read, if anything was kept."""
        return ""


class LocalPlayer(Player):
    """An agent in this process. It cannot be stopped, so the referee looks at the clock afterwards."""

    def __init__(self, agent: str | Agent, name: str | None = None) -> None:
        self.name = name or agent_name(agent)
        self._source = agent
        self._agent: Agent | None = None

    def begin(self, start: State, player: int, seed: int) -> None:
        """Make the agent, if it is a spec."""
        self._agent = seat(self._source, self.name, start.spec, seed)

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """What the agent chooses."""
        assert self._agent is not None
        chosen, time_s = _timed_choice(self._agent, self.name, state, clock)
        return Answer(chosen, time_s, _info(self._agent))


def as_player(agent: str | Agent | Player) -> Player:
    """An agent that plays in this process, unless it is a player already."""
    # Not isinstance, here and below: an agent may lie about its class.
    if issubclass(type(agent), str) and not is_spec(str(agent)):
        raise SpecError(
            f"{one_line(agent)} is not the spec of an agent: files, programs and servers play in joute match and joute "
            "tournament; in Python, pass an object with a method choose(state, clock)"
        )
    return agent if issubclass(type(agent), Player) else LocalPlayer(agent)  # type: ignore[return-value, arg-type]


def ask(agent: Agent, name: str, state: State, clock: Clock) -> tuple[Move, float]:
    """The legal move that an agent chooses and the seconds it took; MisconductError if it does anything else."""
    chosen, time_s = _timed_choice(agent, name, state, clock)
    return read_move(chosen, name, state), time_s


def read_move(chosen: Any, name: str, state: State) -> Move:
    """The legal move that an answer stands for; MisconductError if it stands for none."""
    try:
        move: Move = state.legal_move(chosen)
        return move
    except IllegalMoveError as error:
        raise illegal_move(name, error) from error


def illegal_move(name: str, error: IllegalMoveError) -> MisconductError:
    """The misconduct of a player who answered with an illegal move."""
    return MisconductError(Reason.ILLEGAL_MOVE, f"{name}: {error}")


def seat(player: str | Agent, name: str, game: str, seed: int) -> Agent:
    """The agent that a spec names, made for one game. A wrong spec is the user's mistake, not the agent's."""
    if not isinstance(player, str):
        return player
    agent_type, parameters = find_agent(player, game)
    try:
        return agent_type.create(parameters, seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MisconductError(reason_of(error), f"{name}: {described(error)}") from error


def reason_of(error: BaseException) -> Reason:
    """What an exception that an agent raised counts as."""
    return Reason.MEMORY if issubclass(type(error), MemoryError) else Reason.CRASH


def agent_name(player: str | Agent) -> str:
    """What an agent is called in records: its spec, or its class."""
    return player if isinstance(player, str) else class_name(player)


def _timed_choice(agent: Agent, name: str, state: State, clock: Clock) -> tuple[Any, float]:
    """What an agent answers; not even its sys.exit() comes through."""
    began = time.perf_counter()
    try:
        chosen = agent.choose(state, clock)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise MisconductError(reason_of(error), f"{name}: {described(error)}") from error
    return chosen, time.perf_counter() - began


def _info(agent: Agent) -> SearchInfo | None:
    try:
        info = getattr(agent, "info", None)
        return plain_info(info) if isinstance(info, SearchInfo) else None
    except KeyboardInterrupt:
        raise
    except BaseException:  # it is optional, so an agent that fails to tell loses nothing
        return None


def plain_info(info: SearchInfo) -> SearchInfo:
    """What an agent told as numbers and texts, which is what a record keeps; raises if it cannot be told so.

    Values have six decimals: the rest of an average's digits would only make records hard to read.
    """
    return SearchInfo(
        value_for_mover=None if info.value_for_mover is None else round(float(info.value_for_mover), 6),
        depth=None if info.depth is None else int(str(int(info.depth))),  # str() refuses what nobody could read
        nodes=None if info.nodes is None else int(str(int(info.nodes))),
        pv=tuple(str(move) for move in info.pv),
    )
