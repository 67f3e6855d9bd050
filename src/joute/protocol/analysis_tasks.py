"""The work of the analysis service: tasks, their queue, and the agents of a worker."""

from __future__ import annotations

import contextlib
import heapq
import itertools
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from joute.games import State
from joute.protocol.analysis_request import Order, Recipe

# The agents that a worker keeps; each may have a table of `memory_mb`.
_AGENTS_KEPT = 2


@dataclass(eq=False)
class Task:
    """One position of a request. The service's lock guards `is_answered` and `agent`."""

    order: Order
    ply: int | None
    state: State
    is_answered: bool = False
    agent: Any = None  # while it analyzes the position


@dataclass
class Queue:
    """Tasks by falling priority, and by arrival among equals. The service's lock guards it."""

    _heap: list[tuple[int, int, Task]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def put(self, task: Task) -> None:
        """Add a task."""
        heapq.heappush(self._heap, (-task.order.priority, next(self._numbers), task))

    def first(self) -> Task | None:
        """Return the next task, which stays in the queue. Drops tasks that were cancelled while they waited."""
        while self._heap and self._heap[0][2].is_answered:
            heapq.heappop(self._heap)
        return self._heap[0][2] if self._heap else None

    def take(self) -> Task:
        """Remove the task that `first` returns."""
        return heapq.heappop(self._heap)[2]

    def __len__(self) -> int:
        return len(self._heap)


class Agents:
    """The agents of one worker: those of its last requests, by what makes two agents the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, int], Any] = OrderedDict()

    @contextlib.contextmanager
    def agent(self, recipe: Recipe) -> Iterator[Any]:
        """An agent that analyzes as a new one does. It is kept if it can forget, and if nothing is raised."""
        agent = self._kept.pop(recipe.key, None)
        if agent is None:
            while len(self._kept) >= _AGENTS_KEPT:  # before the new one takes its memory
                self._kept.popitem(last=False)
            agent = recipe.make()
        else:
            agent.forget()
        yield agent
        if callable(getattr(agent, "forget", None)):
            self._kept[recipe.key] = agent
