"""What an agent is told of its time."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """What an agent is told of its time. Infinite where there is no limit.

    `nominal_s` is what the clock showed at the start: plans that were made for another clock scale with it.
    `nodes`, `iterations` and `depth` are limits that replace time where a game is to repeat exactly; 0 for none.
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
        """A plain share for one move: a thirtieth of what is left and most of the increment."""
        return min(0.9 * self.move_limit_s, self.remaining_s / 30 + 0.8 * self.increment_s, 0.9 * self.remaining_s)
