"""The player that asks an untrusted agent of a course, an XML-RPC server."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from joute.agents import Clock
from joute.errors import IllegalMoveError
from joute.games import State
from joute.match.player import Answer, MisconductError, Player
from joute.match.record import Reason
from joute.protocol.course import ServerCourse
from joute.protocol.xml_rpc import XmlRpcError, call, check_reachable


class CoursePlayer(Player):
    """A course's agent at the URL of its server, which is started and ended by others.

    The agent gets no seed. A game is announced to it only if the course has a method for that.
    """

    isolation = "remote"

    def __init__(self, url: str, name: str, course: ServerCourse, *, start_s: float, stall_s: float) -> None:
        self.name = name
        self._url = url
        self._course = course
        self._start_s = start_s
        self._stall_s = stall_s
        self._unannounced: State | None = None  # the start of a game that is not announced yet

    def begin(self, start: State, player: int, seed: int) -> None:
        """Check that the server can be reached."""
        self._unannounced = start if self._course.announces_games else None
        try:
            check_reachable(self._url, timeout_s=self._start_s)
        except XmlRpcError as error:
            raise MisconductError(Reason.CRASH, f"{self.name} {error}") from error
        except TimeoutError as error:
            detail = f"{self.name} could not be reached within {self._start_s:g} s"
            raise MisconductError(Reason.STALLED, detail) from error

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """Call `play`, and `initialize` before the first move; the clock runs during both, as in the course.

        The connection is closed when the answer is too late.
        """
        began = time.perf_counter()
        left_s = min(clock.remaining_s, clock.move_limit_s)
        is_timed = math.isfinite(limit_s)
        timeout_s = limit_s if is_timed else self._stall_s
        asked = "told that the game begins"
        try:
            if (start := self._unannounced) is not None:
                self._unannounced = None
                numbers = self._course.numbers(state.to_move)
                self._call("initialize", self._course.percepts(start), numbers, left_s=left_s, timeout_s=timeout_s)
                spent_s = time.perf_counter() - began
                left_s, timeout_s = max(0.0, left_s - spent_s), max(0.0, timeout_s - spent_s)
            asked = f"asked at ply {state.ply}"
            percepts, number = self._course.percepts(state), self._course.number(state.to_move)
            action = self._call("play", percepts, number, state.ply + 1, left_s=left_s, timeout_s=timeout_s)
        except XmlRpcError as error:
            raise MisconductError(Reason.CRASH, f"{self.name}, {asked}, {error}") from error
        except TimeoutError as error:
            detail = f"{self.name}, {asked}, had not answered after {time.perf_counter() - began:.3f} s"
            if not is_timed:
                raise MisconductError(Reason.STALLED, detail) from error
            raise MisconductError(Reason.TIME, f"{detail}, with {limit_s:.3f} s left, margin included") from error
        time_s = time.perf_counter() - began
        try:
            return Answer(self._course.move(state, action), time_s)
        except IllegalMoveError as error:
            raise MisconductError(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from error

    def _call(self, method: str, *arguments: Any, left_s: float, timeout_s: float) -> Any:
        time_left = left_s if math.isfinite(left_s) else None
        return call(self._url, method, *arguments, time_left, timeout_s=timeout_s)
