"""The greedy agent: looks one move ahead, takes a win, blocks a loss, else plays the move that looks best.

The game's `greedy` evaluation ranks the moves: in Connect Four, it prefers the centre.
"""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import Random
from joute.agents.agent import SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.spec import look_up, parameter


@dataclass(frozen=True)
class GreedyParameters:
    """Parameters of the greedy agent."""

    block: bool = parameter(
        True, help="avoid moves after which the opponent wins at once", source="the usual beginner's rule"
    )
    eval: str = parameter(
        "", help="the evaluation that ranks the other moves; empty for the game's first", source="the game"
    )


class GreedyAgent:
    """Takes a win; else avoids a loss; else plays the move with the best evaluation. Ties are broken at random."""

    info: SearchInfo | None = None

    def __init__(self, parameters: GreedyParameters, seed: int) -> None:
        self._parameters = parameters
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the winning move or the move with the best evaluation."""
        best_value = float("inf")
        best_moves = state.winning_moves
        if not best_moves:
            values = [(self._value(state, move), move) for move in state.legal_moves]
            best_value = max(value for value, _ in values)
            best_moves = [move for value, move in values if value == best_value]
        move: Move = self._rng.choice(best_moves)
        self.info = SearchInfo(value_for_mover=best_value, depth=2 if self._parameters.block else 1)
        return move

    def _value(self, state: State, move: Move) -> float:
        """Return the evaluation after the move, for the mover; -inf if the move loses at once."""
        after = state.play(move)
        result = after.result
        if result is not None:
            return float("-inf") if result.outcome_for(state.to_move) < 0 else 0.0
        if self._parameters.block and after.to_move != state.to_move and after.winning_moves:
            return float("-inf")
        return after.evaluate(state.to_move, self._parameters.eval or after.evaluation_for("greedy"))


def _check(parameters: GreedyParameters, game: type[State]) -> None:
    if parameters.eval:
        look_up(f"evaluation of {game.game}", parameters.eval, dict(game.evaluations))


GREEDY = AgentType(
    "greedy",
    "takes a win, blocks a loss, else plays what looks best",
    GreedyParameters,
    GreedyAgent,
    check=_check,
)
