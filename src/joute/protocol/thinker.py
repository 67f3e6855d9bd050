"""Runs an agent in its own thread, while another thread watches the clock and reads the network."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from joute.agents import Agent, Clock, SearchInfo
from joute.games import Move, State


class Thought:
    """A request for a move in `state`, with a deadline `until` on the clock of time.monotonic."""

    def __init__(self, state: State, until: float) -> None:
        self.state = state
        self.until = until
        #: The agent's answer; None if it is not done, had no time left, or failed.
        self.answer: Any = None
        self.error: BaseException | None = None
        #: The first move of the latest principal variation from the agent's `on_info`.
        self.best_so_far: Move | None = None
        self.is_done = False
        self.shall_stop = False


class Thinker:
    """One agent in a thread that processes thoughts one after another. Its exceptions are kept in the thought.

    The socket `signal` becomes readable whenever a thought is done.
    """

    def __init__(self, agent: Agent) -> None:
        self.signal, self._waker = socket.socketpair()
        self._agent = agent
        self._tasks: queue.SimpleQueue[Thought | Callable[[], Agent] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # guards `_current`, so that `stop` never stops a later thought
        self._current: Thought | None = None
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
        self._thread.start()

    @property
    def can_be_stopped(self) -> bool:
        """Whether the agent has a method `stop`."""
        return callable(_attribute(self._agent, "stop"))

    @property
    def is_stopping(self) -> bool:
        """Whether a stop was requested and the thought is not done. `stop` may have come before `choose` began."""
        current = self._current
        return current is not None and current.shall_stop

    def think(self, state: State, until: float) -> Thought:
        """Queue a thought."""
        thought = Thought(state, until)
        self._tasks.put(thought)
        return thought

    def renew(self, make_agent: Callable[[], Agent]) -> None:
        """Replace the agent for all thoughts queued after this call."""
        self._tasks.put(make_agent)

    def stop(self, thought: Thought | None = None) -> None:
        """Ask for an answer at once; without a thought, repeat the request for the thought in progress."""
        if thought is not None:
            thought.shall_stop = True
        with self._lock:
            if self.is_stopping:
                with contextlib.suppress(Exception):
                    self._agent.stop()  # type: ignore[attr-defined]

    def heard(self) -> None:
        """Reset `signal`."""
        self.signal.recv(1 << 10)

    def end(self, patience_s: float) -> None:
        """End the thread. An agent that does not stop within `patience_s` keeps running."""
        self._tasks.put(None)
        deadline = time.monotonic() + patience_s
        while self._thread.is_alive() and time.monotonic() < deadline:
            self.stop(self._current)
            self._thread.join(0.01)
        if not self._thread.is_alive():
            self.signal.close()
            self._waker.close()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            if isinstance(task, Thought):
                self._think(task)
                continue
            try:
                self._agent = task()
            except BaseException as error:
                self._agent = _Broken(error)

    def _think(self, thought: Thought) -> None:
        with self._lock:
            self._current = thought
        try:
            left_s = thought.until - time.monotonic()
            if left_s > 0 and not thought.shall_stop:
                self._follow(thought)
                thought.answer = self._agent.choose(thought.state, Clock(move_limit_s=left_s))
        except BaseException as error:  # an agent may raise anything, SystemExit included
            thought.error = error
        with self._lock:
            self._current = None
        thought.is_done = True
        with contextlib.suppress(OSError):  # the reader may be gone
            self._waker.send(b"!")

    def _follow(self, thought: Thought) -> None:
        def on_info(info: SearchInfo) -> None:
            if info.pv:
                thought.best_so_far = info.pv[0]

        if hasattr(self._agent, "on_info"):
            with contextlib.suppress(Exception):
                self._agent.on_info = on_info


class _Broken:
    """A placeholder for an agent that could not be created."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def choose(self, state: State, clock: Clock) -> Any:
        """Raise the error of the creation."""
        raise self._error


def _attribute(agent: Agent, name: str) -> Any:
    try:
        return getattr(agent, name, None)
    except Exception:
        return None
