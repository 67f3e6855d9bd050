"""Time management: a plan gives the time, and optionally the depth, for each move.

A plan is made for one clock and scales to any other, because its times are shares of the nominal clock: the clock's
time at the start of the game. It is a table of turns, or windows of the game, or both:

    TimePlan(table=(0.01, 0.05, 0.10))                     1%, 5%, then 10% of the nominal clock for each turn
    TimePlan(windows=(Window(share=0.15),))                15% of the remaining time
    TimePlan(windows=(Window(until_ply=10, share=Split.MOVES, cap=1 / 15), Window(share=0.15)), game_plies=40)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from joute.agents.clock import Clock

# Share of the remaining time for a move, for a game of unknown length.
_PLAIN_SHARE = 1 / 30

# Margin for an answer to reach the referee, in seconds: a busy machine wakes a process late.
_LATENCY_S = 0.02


class Split(Enum):
    """How the remaining time is divided into equal parts."""

    MOVES = "half of the plies left, rounded down: one less than the own moves left of the second player"
    OWN_MOVES = "own moves left"
    PLIES = "plies left"


@dataclass(frozen=True)
class Window:
    """A phase of the game, and the time of a move in it. The first window that applies is used.

    It applies before `until_ply`, while more than `while_above` of the nominal clock is left. A move gets `share` of
    the remaining time (a number, or an equal part) times `factor`, at least `floor` and at most `cap`, both shares of
    the nominal clock. `depth` limits the search; 0 for no limit.
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
    """The limits of one move: infinite seconds, or depth 0, for no limit."""

    seconds: float = math.inf
    depth: int = 0


@dataclass(frozen=True)
class TimePlan:
    """Shares of the clock for each move.

    `table` gives shares of the nominal clock for the agent's turns; the last entry applies to all later turns.
    `windows` give shares of the remaining time by phases of the game. With both, the smaller time applies. `reserve`,
    a share of the nominal clock, is never used. `game_plies` is the assumed length of a game, for windows that split
    the time. A move uses at most `of_move_limit` of a time limit per move, and `of_increment` of the increment.
    """

    table: tuple[float, ...] = ()
    windows: tuple[Window, ...] = ()
    reserve: float = 0.0
    game_plies: int = 0
    of_move_limit: float = 0.9
    of_increment: float = 0.8

    def budget(self, clock: Clock, ply: int) -> Budget:
        """Return the limits of the move at a ply.

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
        """Return the time for a move on a finite clock."""
        usable_s = clock.remaining_s - self.reserve * nominal_s
        share_s = math.inf
        if window:
            share_s = window.factor * self._fraction(window.share, ply) * usable_s
            share_s = min(max(share_s, window.floor * nominal_s), window.cap * nominal_s)
        if self.table:
            share_s = min(share_s, self.table[min(ply // 2, len(self.table) - 1)] * nominal_s)
        share_s += self.of_increment * clock.increment_s
        # Leave _LATENCY_S for the answer to arrive; with very little time left, use half of it.
        return min(share_s, usable_s, max(clock.remaining_s - _LATENCY_S, clock.remaining_s / 2))

    def _fraction(self, share: float | Split, ply: int) -> float:
        plies_left = max(1, self.game_plies - ply)
        match share:
            case Split.MOVES:
                return 1 / max(1, plies_left // 2)
            case Split.OWN_MOVES:
                return 1 / ((plies_left + 1) // 2)
            case Split.PLIES:
                return 1 / plies_left
            case _:
                return share
