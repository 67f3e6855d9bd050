"""A wrapper that plays a random legal move instead of losing on time or by an exception in the search."""

from __future__ import annotations

import math

from joute._core import Random
from joute.agents.clock import Clock
from joute.agents.search import SearchAgent, SearchWrapper
from joute.games import Move, State


class FallbackAgent(SearchWrapper):
    """Plays the search's move, or a random legal move if little time is left or the search fails.

    The search is skipped when less than `least_clock` (a share of the nominal clock) remains.
    """

    def __init__(self, search: SearchAgent, *, least_clock: float, seed: int) -> None:
        super().__init__(search)
        self._least_clock = least_clock
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the search's move, or a random legal one."""
        self.info = None
        if not self._is_almost_out_of_time(clock):
            try:
                found = self._search.choose(state, clock)
                if state.is_legal(found):
                    self.info = self._search.info
                    return found
            except Exception:  # no error of the search may lose the game
                pass
        move: Move = state.random_move(self._rng)
        return move

    def _is_almost_out_of_time(self, clock: Clock) -> bool:
        is_timed = math.isfinite(clock.remaining_s) and math.isfinite(clock.nominal_s)
        return is_timed and clock.remaining_s < self._least_clock * clock.nominal_s
