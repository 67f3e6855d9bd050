"""The clock that an agent sees when it chooses a move."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """The time and the search limits that an agent has for a move. A time is infinite if it has no limit.

    `nominal_s` is the clock's time at the start of the game; time plans made for another clock scale with it.
    `nodes`, `iterations` and `depth` replace time in games that must be reproducible; 0 for no limit.
    """

    remaining_s: float = math.inf
    increment_s: float = 0.0
    move_limit_s: float = math.inf
    nominal_s: float = math.inf
    opponent_remaining_s: float = math.inf
    opponent_increment_s: float = 0.0
    nodes: int = 0
    iterations: int = 0
    depth: int = 0

    @property
    def share_s(self) -> float:
        """A simple time for one move: a thirtieth of the remaining time, plus most of the increment."""
        return min(0.9 * self.move_limit_s, self.remaining_s / 30 + 0.8 * self.increment_s, 0.9 * self.remaining_s)
