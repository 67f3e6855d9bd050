"""An agent that searches two plies deep by alpha-beta.

Change it, and measure whether it plays better.
"""

import math
import time

from joute.agents.clock import Clock
from joute.games import Move, State
from joute.games.guide import playout_heuristic as heuristic

# The value of a win, larger than any value of the heuristic.
WIN = 1_000_000.0

# The deepest search, in plies. A deeper one needs a faster heuristic, or fewer moves to look at.
MAX_DEPTH = 2


class OutOfTimeError(Exception):
    """The time for this move is used up."""


class MyAgent:
    """Joute makes a new instance for every game and calls `choose` for every move."""

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the best move that was found in this move's share of the clock."""
        self.player = state.to_move
        self.deadline = time.perf_counter() + clock.share_s
        moves = list(state.legal_moves)
        best: Move = moves[0]
        try:
            # Iterative deepening: the result of a depth is kept if the time ends during the next one.
            for depth in range(1, MAX_DEPTH + 1):
                alpha = -math.inf
                for move in moves:
                    value = self.value(state.play(move), depth - 1, alpha, math.inf)
                    if value > alpha:
                        alpha, best = value, move
                # The next depth starts with the best move so far, which makes it cut off more. Idea: sort all moves.
                moves.remove(best)
                moves.insert(0, best)
        except OutOfTimeError:
            pass
        return best

    def value(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """Return the value of a position for this agent. Values outside alpha to beta may be bounds."""
        if time.perf_counter() > self.deadline:
            raise OutOfTimeError
        result = state.result
        if result is not None:
            return result.outcome_for(self.player) * (WIN - state.ply)  # an early win is better than a late one
        if state.is_chance:  # a random event: the mean over its outcomes
            outcomes = enumerate(state.outcomes)
            return sum(p * self.value(state.resolve(i), depth, -math.inf, math.inf) for i, p in outcomes if p > 0)
        if depth == 0:
            return heuristic(state, self.player)
        # Compare players instead of flipping a sign: in some games a player moves twice in a row.
        is_mine = state.to_move == self.player
        best = -math.inf if is_mine else math.inf
        for move in state.legal_moves:
            value = self.value(state.play(move), depth - 1, alpha, beta)
            if is_mine:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:  # the other player has a better choice before this position
                break
        return best
