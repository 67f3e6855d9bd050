"""The player that asks an agent of a course: an XML-RPC server, which may do anything."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from joute.agents import Clock
from joute.errors import IllegalMoveError
from joute.games import State
from joute.match.player import Answer, MisconductError, Player
from joute.match.record import Reason
from joute.protocol.course import ServerCourse
from joute.protocol.xml_rpc import XmlRpcError, call, check_reachable


class CoursePlayer(Player):
    """A course's agent, at the address of its server, which somebody else started and will end.

    It is told neither that a game begins nor a seed: the course has no words for them.
    """

    isolation = "remote"

    def __init__(self, url: str, name: str, course: ServerCourse, *, start_s: float, stall_s: float) -> None:
        self.name = name
        self._url = url
        self._course = course
        self._start_s = start_s
        self._stall_s = stall_s

    def begin(self, start: State, player: int, seed: int) -> None:
        """See whether the server is there."""
        try:
            check_reachable(self._url, timeout_s=self._start_s)
        except XmlRpcError as error:
            raise MisconductError(Reason.CRASH, f"{self.name} {error}") from error
        except TimeoutError as error:
            detail = f"{self.name} could not be reached within {self._start_s:g} s"
            raise MisconductError(Reason.STALLED, detail) from error

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Call `play`, and hang up when the answer comes too late."""
        began = time.perf_counter()
        left_s = min(clock.remaining_s, clock.move_limit_s)
        is_timed = math.isfinite(limit_s)
        try:
            action = call(
                self._url,
                "play",
                self._course.percepts(state),
                self._course.number(state.to_move),
                state.ply + 1,
                left_s if math.isfinite(left_s) else None,
                timeout_s=limit_s if is_timed else self._stall_s,
            )
        except XmlRpcError as error:
            raise MisconductError(Reason.CRASH, f"{self.name}, asked at ply {state.ply}, {error}") from error
        except TimeoutError as error:
            detail = f"{self.name} had no move after {time.perf_counter() - began:.3f} s at ply {state.ply}"
            if not is_timed:
                raise MisconductError(Reason.STALLED, detail) from error
            raise MisconductError(Reason.TIME, f"{detail}, with {limit_s:.3f} s left, margin included") from error
        time_s = time.perf_counter() - began
        try:
            return Answer(self._course.move(state, action), time_s)
        except IllegalMoveError as error:
            raise MisconductError(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from error
