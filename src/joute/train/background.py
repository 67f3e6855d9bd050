"""A task in a thread beside the training loop, one at a time: to write a checkpoint, or to play a match."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Runs tasks in a thread, one after another; the loop receives each result when it asks for it.

    A task gets a function that says whether it should stop early; its result is then dropped.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._results: list[T] = []
        self._errors: list[BaseException] = []

    @property
    def is_busy(self) -> bool:
        """Whether a task runs, or its result has not been taken."""
        return self._thread is not None

    def start(self, task: Callable[[Callable[[], bool]], T]) -> None:
        """Start a task. The result of the one before must have been taken."""
        assert self._thread is None
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(task,), name=self._name, daemon=True)
        self._thread.start()

    def take(self, *, wait: bool = False) -> list[T]:
        """Return the result of the task in a list, empty if it still runs and `wait` is false; raises its exception."""
        if self._thread is None or (self._thread.is_alive() and not wait):
            return []
        self._thread.join()
        self._thread = None
        results, self._results = self._results, []
        errors, self._errors = self._errors, []
        if errors:
            raise errors[0]
        return results

    def stop(self) -> None:
        """Stop the task as soon as it looks, wait for its end, and drop its result."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread, self._results, self._errors = None, [], []

    def _run(self, task: Callable[[Callable[[], bool]], T]) -> None:
        try:
            self._results.append(task(self._stop.is_set))
        except BaseException as error:  # raised again by `take`
            self._errors.append(error)
