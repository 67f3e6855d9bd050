"""How an agent spends its clock: a plan says how long to think about a move, and how deep.

A plan is made for one clock and scales to any other: its times are shares of the nominal clock, what the clock
showed at the start. It is a table of turns, or windows of the game, or both:

    TimePlan(table=(0.01, 0.05, 0.10))                     1%, 5%, then 10% of the clock for each turn
    TimePlan(windows=(Window(share=0.15),))                15% of what is left
    TimePlan(windows=(Window(until_ply=10, share=Split.MOVES, cap=1 / 15), Window(share=0.15)), game_plies=40)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from joute.agents.clock import Clock

# The share of what is left that suits a game of unknown length.
_PLAIN_SHARE = 1 / 30

# What an answer may need to get back to the referee, in seconds: a busy machine wakes a process late.
_LATENCY_S = 0.02


class Split(Enum):
    """Among what the remaining time is divided."""

    MOVES = "own moves left"
    PLIES = "plies left"


@dataclass(frozen=True)
class Window:
    """A stretch of a game, and what a move may take in it: the first that fits counts.

    It fits before `until_ply`, while more than `while_above` of the nominal clock is left. A move gets a `share` of
    what is left, a number or an equal part, times `factor`; at least `floor` and at most `cap`, both shares of the
    nominal clock. `depth` limits the search; 0 for no limit.
    """

    until_ply: float = math.inf
    while_above: float = 0.0
    share: float | Split = _PLAIN_SHARE
    factor: float = 1.0
    floor: float = 0.0
    cap: float = math.inf
    depth: int = 0


@dataclass(frozen=True)
class Budget:
    """What a move may cost: infinite seconds, or depth 0, for no limit."""

    seconds: float = math.inf
    depth: int = 0


@dataclass(frozen=True)
class TimePlan:
    """Shares of the clock for each move.

    `table` gives shares of the nominal clock for the agent's turns, the last one for all after it; `windows` shares
    of what is left, by stretches of the game. With both, the smaller counts. `reserve`, a share of the nominal
    clock, is never touched. `game_plies` is how long a game lasts, where a window splits the time. Where moves have
    a limit of their own, a move takes `of_move_limit` of it at most; an increment adds `of_increment` of itself.
    """

    table: tuple[float, ...] = ()
    windows: tuple[Window, ...] = ()
    reserve: float = 0.0
    game_plies: int = 0
    of_move_limit: float = 0.9
    of_increment: float = 0.8

    def budget(self, clock: Clock, ply: int) -> Budget:
        """What the move at a ply may cost.

        >>> plan = TimePlan(windows=(Window(until_ply=10, share=0.1), Window(share=0.2)))
        >>> plan.budget(Clock(remaining_s=50, nominal_s=100), ply=12)
        Budget(seconds=10.0, depth=0)
        """
        nominal_s = clock.nominal_s if math.isfinite(clock.nominal_s) else clock.remaining_s
        window = self._window(clock, nominal_s, ply)
        seconds = self.of_move_limit * clock.move_limit_s
        if math.isfinite(clock.remaining_s):
            seconds = min(seconds, self._share_s(clock, nominal_s, window, ply))
        return Budget(max(0.0, seconds), window.depth if window else 0)

    def _window(self, clock: Clock, nominal_s: float, ply: int) -> Window | None:
        for window in self.windows:
            is_above = math.isinf(clock.remaining_s) or clock.remaining_s > window.while_above * nominal_s
            if ply < window.until_ply and is_above:
                return window
        return None if self.table else Window()

    def _share_s(self, clock: Clock, nominal_s: float, window: Window | None, ply: int) -> float:
        """The share of a limited clock."""
        usable_s = clock.remaining_s - self.reserve * nominal_s
        share_s = math.inf
        if window:
            share_s = window.factor * self._fraction(window.share, ply) * usable_s
            share_s = min(max(share_s, window.floor * nominal_s), window.cap * nominal_s)
        if self.table:
            share_s = min(share_s, self.table[min(ply // 2, len(self.table) - 1)] * nominal_s)
        share_s += self.of_increment * clock.increment_s
        # The answer has to travel; with very little left, half of it is thought away.
        return min(share_s, usable_s, max(clock.remaining_s - _LATENCY_S, clock.remaining_s / 2))

    def _fraction(self, share: float | Split, ply: int) -> float:
        plies_left = max(1, self.game_plies - ply)
        match share:
            case Split.MOVES:
                return 1 / max(1, plies_left // 2)
            case Split.PLIES:
                return 1 / plies_left
            case _:
                return share
