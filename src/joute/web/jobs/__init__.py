"""Jobs that engine processes run, by their names. A job is a function of a request and a `Context`.

Requests, updates and results are JSON. A job that searches passes a function to `Context.on_stop`, which ends the
search soon; it then returns the best result so far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

#: Module and function of each job; areas of the page add theirs here.
JOBS = {
    "move": "joute.web.jobs.play:move",
    "hint": "joute.web.jobs.play:advise",
    "refute": "joute.web.jobs.learn:refute",
    "analyse": "joute.web.jobs.analyse:analyse",
    "review": "joute.web.jobs.analyse:review",
    "arena_heads": "joute.web.jobs.arena:heads",
    "arena_openings": "joute.web.jobs.arena:openings",
    "arena_report": "joute.web.jobs.arena:report",
    "arena_games": "joute.web.jobs.arena:games",
    "arena_game": "joute.web.jobs.arena:game",
    "arena_page": "joute.web.jobs.arena:page",
}


class Context:
    """The side of a job that faces the server: it reports progress, and learns that nobody waits any more."""

    def __init__(self, emit: Callable[[dict[str, Any]], None]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._stoppers: list[Callable[[], None]] = []
        self.is_stopped = False

    def emit(self, update: dict[str, Any]) -> None:
        """Send an update to the page."""
        self._emit(update)

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Call `stop` from another thread when the job shall end; at once if that was asked already."""
        with self._lock:
            self._stoppers.append(stop)
            if self.is_stopped:
                stop()

    def stop(self) -> None:
        """Ask the job to end soon."""
        with self._lock:
            self.is_stopped = True
            for stop in self._stoppers:
                stop()

    def end(self) -> None:
        """Forget the stoppers: a later `stop` must not end another search."""
        with self._lock:
            self._stoppers.clear()


Job = Callable[[dict[str, Any], Context], dict[str, Any]]


def find_job(kind: str) -> Job:
    """The function of a job."""
    module, _, name = JOBS[kind].partition(":")
    found: Job = getattr(import_module(module), name)
    return found
