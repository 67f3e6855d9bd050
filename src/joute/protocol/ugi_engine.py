"""Serves an agent over UGI: ``python -m joute.protocol.ugi_engine GAME AGENT``. docs/ugi.md is the protocol.

The main thread runs the agent, so that Ctrl-C interrupts it; a listener thread answers `stop`, `isready` and `quit`
meanwhile. The engine starts once per game, so it imports little.

The agent's prints do not mix with the protocol: before any of its code runs, the real streams move to new descriptors,
standard output is redirected to standard error, and standard input is empty.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from joute._core import one_line
from joute.agents import Agent, Clock, SearchInfo
from joute.agents.agent import prepare_game
from joute.agents.loading import seed_generators
from joute.agents.own_traceback import own_traceback
from joute.errors import JouteError, SpecError, described
from joute.failure import end_after
from joute.games import State, new
from joute.protocol.streams import take_streams
from joute.protocol.ugi import (
    KEEP_AGENT,
    NO_MOVE,
    Go,
    ProtocolError,
    follow,
    info_line,
    move_token,
    parse_go,
    parse_position,
)
from joute.protocol.ugi_listener import GRACE_S, Listener, Output
from joute.protocol.ugi_options import AgentOptions

# The minimum time between two info lines during a search.
_INFO_S = 0.1
# The limit for `go infinite`; without a limit, agents would use their default one.
_ENDLESS_NODES = 2**62


class _EndError(Exception):
    """Ends the engine with an exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Engine:
    """Serves one agent of one game through two file descriptors until `quit` or the end of the input.

    `abandon` ends the process if the agent does not stop; it must not return. With `keep_agent` one agent plays all
    games. Python's global random generators are seeded for every game even then.
    """

    def __init__(
        self,
        game: str,
        agent: str,
        *,
        seed: int,
        input_fd: int,
        output_fd: int,
        abandon: Callable[[], NoReturn],
        keep_agent: bool = False,
    ) -> None:
        self._start = new(game)
        self._options = AgentOptions(agent, self._start.spec, seed)
        self._output = Output(output_fd)
        self._listener = Listener(input_fd, self._output, self._stop_agent, abandon)
        self._keep_agent = keep_agent
        self._agent: Agent | None = None
        self._is_prepared = False
        self._caveat = ""
        self._state: State | None = self._start
        self._position: tuple[str | None, list[str]] = (None, [])
        self._nominal_s = -math.inf
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "ugi": self._introduce,
            "setoption": self._set_option,
            "isready": self._get_ready,
            "uginewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "query": self._query,
            "d": self._display,
            "display": self._display,
        }

    def run(self) -> int:
        """Serve until the end. Returns the exit status."""
        self._listener.start()
        try:
            while not self._output.is_closed and (words := self._listener.next_command()):
                self._handle(words)
        except _EndError as end:
            return end.status
        finally:
            self._listener.main_has_ended.set()
        return 0

    def _handle(self, words: list[str]) -> None:
        command = self._commands.get(words[0])
        try:
            if command:
                command(words[1:])
            elif words[0] != "stop":  # a late stop: the search has already ended
                self._output.tell(f"unknown command {words[0]}")
        except JouteError as error:
            self._output.tell(str(error))

    def _introduce(self, words: list[str]) -> None:
        from joute.version import __version__

        author = "the Joute developers" if self._options.is_ours else "unknown"
        name = one_line(self._options.text)
        head = [f"id name {name} (Joute {__version__}, {self._start.spec})", f"id author {author}"]
        self._output.write(*head, *self._options.lines(), "ugiok")

    def _set_option(self, words: list[str]) -> None:
        value = words.index("value") if "value" in words else len(words)
        if words[:1] != ["name"] or value < 2:
            raise SpecError("setoption needs a name: setoption name Seed value 1")
        self._options.set(" ".join(words[1:value]), " ".join(words[value + 1 :]))
        if not self._keep_agent:
            self._agent = None

    def _new_game(self, words: list[str]) -> None:
        self._nominal_s = -math.inf
        self._is_prepared = False
        if not self._keep_agent:
            self._agent = None
        elif self._agent is not None:
            self._state, self._position = self._start, (None, [])
            seed_generators(self._options.seed)

    def _get_ready(self, words: list[str]) -> None:
        agent = self._seated_agent()
        if not self._is_prepared:
            self._is_prepared = True
            try:
                prepare_game(agent, self._state or self._start)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(error)
        self._output.write("readyok")

    def _seated_agent(self) -> Agent:
        if self._agent is None:
            try:
                self._say_caveat()
                self._agent = self._options.make()
                self._is_prepared = False
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(error)
        return self._agent

    def _say_caveat(self) -> None:
        """Send the agent's warning once, as a protocol line, because the other side may not see standard error."""
        if (caveat := self._options.caveat) != self._caveat:
            self._caveat = caveat
            self._output.tell(*filter(None, [caveat]))

    def _stop_agent(self) -> None:
        """Call the agent's `stop`. The listener thread calls this at any time."""
        with contextlib.suppress(Exception):
            stop: Any = getattr(self._agent, "stop", None)
            if callable(stop):
                stop()

    def _set_position(self, words: list[str]) -> None:
        """Set the position. If the line continues the last one, only its new moves are played, to save time."""
        start, line = parse_position(words)
        last_start, last_line = self._position
        last, self._state = self._state, None  # after an invalid line there is no position, not the old one
        if last is not None and start == last_start and line[: len(last_line)] == last_line:
            self._state = follow(last, line[len(last_line) :])
        else:
            self._state = follow(self._start if start is None else self._read(start), line)
        self._position = (start, line)

    def _read(self, position: str) -> State:
        try:
            return new(self._start.spec, position)
        except JouteError:
            raise
        except Exception as error:  # a plug-in may raise anything for an invalid position
            raise ProtocolError(f"'{position}' is not a position of {self._start.game}: {described(error)}") from error

    def _go(self, words: list[str]) -> None:
        try:
            go = parse_go(words)
            self._listener.begin_thinking()
            self._think(go)
        except JouteError as error:
            self._output.tell(str(error))
            self._output.write(f"bestmove {NO_MOVE}")
        finally:
            self._listener.end_thinking()

    def _think(self, go: Go) -> None:
        state = self._state
        if state is None:
            raise SpecError("there is no position: the last position command was wrong")
        if state.is_terminal or state.is_chance:
            raise SpecError("the game is over" if state.is_terminal else "a random event is pending")
        agent = self._seated_agent()
        clock = self._clock(go, state.to_move)
        began = time.perf_counter()
        self._follow_thoughts(agent, state, began)
        try:
            chosen = agent.choose(state, clock)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._fail(error)
        told = [line] if (line := self._told(agent, state, time.perf_counter() - began)) else []
        if go.infinite:
            self._listener.wait_for_stop()
        self._output.write(*told, f"bestmove {move_token(chosen, state)}")

    def _clock(self, go: Go, player: int) -> Clock:
        if go.infinite:
            return Clock(nodes=_ENDLESS_NODES)
        remaining_s = go.time_s[player]
        if math.isfinite(remaining_s):
            self._nominal_s = self._nominal_s if self._nominal_s > 0 else remaining_s
        return Clock(
            remaining_s=remaining_s,
            increment_s=go.increment_s[player],
            move_limit_s=go.move_s,
            nominal_s=self._nominal_s if math.isfinite(remaining_s) else math.inf,
            opponent_remaining_s=go.time_s[1 - player],
            opponent_increment_s=go.increment_s[1 - player],
            nodes=go.nodes,
            iterations=go.iterations,
            depth=go.depth,
        )

    def _follow_thoughts(self, agent: Any, state: State, began: float) -> None:
        if not hasattr(agent, "on_info"):
            return
        last = began

        def on_info(info: SearchInfo) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last >= _INFO_S and (line := self._line_of(agent, info, state, now - began)):
                last = now
                self._output.write(line)

        with contextlib.suppress(Exception):
            agent.on_info = on_info

    def _told(self, agent: Any, state: State, time_s: float) -> str | None:
        """The `info` line of the agent's last search; None if it has none or fails to give it."""
        try:
            return self._line_of(agent, agent.info, state, time_s)
        except Exception:
            return None

    def _line_of(self, agent: Any, info: object, state: State, time_s: float) -> str | None:
        try:
            if not isinstance(info, SearchInfo):
                return None
            return info_line(info, time_s, self._share(agent, info, state))
        except Exception:
            return None

    def _share(self, agent: Any, info: SearchInfo, state: State) -> float | None:
        """The expected result of the player to move; None if the unit of the value is unknown."""
        unit = getattr(agent, "unit", None)
        if info.value_for_mover is None or not isinstance(unit, str):
            return None
        from joute.agents.win_probability import win_probability

        first = win_probability(state, info.value_for_mover, unit=unit, agent=self._options.text)
        return first if state.to_move == 0 else 1 - first

    def _fail(self, error: BaseException) -> NoReturn:
        """End the engine because of an agent's exception: one protocol line, and `own_traceback` on standard error."""
        try:
            text = described(error)
        except BaseException:  # e.g. no memory is left for the message
            text = type(error).__name__
        self._output.write(f"info string error {text}")
        if not isinstance(error, SpecError):
            with contextlib.suppress(BaseException):
                print(own_traceback(error), end="", file=sys.stderr)
        raise _EndError(1)

    def _query(self, words: list[str]) -> None:
        state = self._state
        if state is None:
            raise SpecError("there is no position: the last position command was wrong")
        question, *rest = words or [""]
        match question:
            case "p1turn":
                answer = _yes_or_no(state.to_move == 0)
            case "gameover":
                answer = _yes_or_no(state.is_terminal)
            case "result":
                result = state.result
                answer = "none" if result is None else {0: "p1win", 1: "p2win", None: "draw"}[result.winner]
            case "score":
                answer = str(state.result_if_stopped.score)
            case "fen":
                answer = state.position
            case "legalmoves":
                answer = " ".join(map(str, state.legal_moves))
            case "islegal":
                answer = _yes_or_no(len(rest) == 1 and state.is_legal(rest[0]))
            case _:
                raise SpecError("query needs one of p1turn, gameover, result, score, fen, legalmoves, islegal MOVE")
        self._output.write(f"response {answer}".rstrip())

    def _display(self, words: list[str]) -> None:
        shown = str(self._state) if self._state else "there is no position"
        self._output.tell(*shown.splitlines())


def serve(game: str, agent: str, *, seed: int = 0, keep_agent: bool = False) -> int:
    """Serve an agent over the standard streams of this process; other code can no longer use them."""
    input_fd, output_fd = take_streams()
    status = 0

    def abandon() -> NoReturn:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)

    engine = Engine(
        game, agent, seed=seed, input_fd=input_fd, output_fd=output_fd, abandon=abandon, keep_agent=keep_agent
    )
    try:
        status = engine.run()
    except KeyboardInterrupt:
        status = 130
    # Threads left by the agent would keep the process alive: end it after a while.
    end = threading.Timer(GRACE_S, abandon)
    end.daemon = True
    end.start()
    return status


def _yes_or_no(answer: bool) -> str:
    return "true" if answer else "false"


def main() -> NoReturn:
    """Start the engine without loading a command-line package, to save time."""
    if sys.argv[3:] not in ([], [KEEP_AGENT]) or len(sys.argv) < 3:
        sys.exit(f"usage: python -m joute.protocol.ugi_engine GAME AGENT [{KEEP_AGENT}]")
    try:
        status = serve(sys.argv[1], sys.argv[2], keep_agent=len(sys.argv) > 3)
    except Exception as error:
        status = end_after(error, (sys.executable, "-m", "joute.protocol.ugi_engine", *sys.argv[1:]))
    sys.exit(status)


if __name__ == "__main__":
    main()
