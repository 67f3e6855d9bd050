"""The perfect agent of Connect Four, which is a solved game.

It plays the fastest win and the slowest loss. `style` decides between equally good moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joute._core import Connect4Move, Connect4Solver, Random
from joute.agents.agent import Analysis, MoveValue, SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.agents.search import SearchParameters
from joute.errors import IllegalMoveError, SpecError
from joute.games import Move, State
from joute.games.connect4.book import shipped_book
from joute.games.connect4.state import Connect4, score_in_words
from joute.spec import parameter, vary


@dataclass(frozen=True)
class PerfectParameters:
    """The perfect agent's choice between equally good moves, and its resources."""

    style: str = parameter(
        "centre",
        help="among equally good moves: nearest the centre, a random one, or the one with the fewest best replies",
        source="centre is deterministic",
        choices=("centre", "random", "trap"),
    )
    book: bool = parameter(True, help="use the shipped opening book", source="saves seconds in the opening")
    threads: int = parameter(1, help="threads of the solver", source="one core per agent", low=1, high=1024)
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        default=128,
        help="most memory of the table, in megabytes",
        source="enough for the empty board",
    )


class PerfectAgent:
    """Plays Connect Four perfectly."""

    info: SearchInfo | None = None

    def __init__(self, parameters: PerfectParameters, seed: int) -> None:
        self._style = parameters.style
        self._rng = Random(seed)
        self._solver = Connect4Solver(
            memory_mb=parameters.memory_mb,
            threads=parameters.threads,
            book=shipped_book() if parameters.book else None,
        )

    def choose(self, state: State, clock: Clock) -> Move:
        """Return a best move. The clock is ignored: exact scores are fast enough."""
        state = _solved(state)
        if state.is_terminal:
            raise IllegalMoveError(f"there is no move to choose at ply {state.ply} of connect4: the game is over")
        nodes_before = self._solver.nodes
        scores = self._solver.move_scores(state)
        best = max(scores.values())
        move = self._pick(state, [move for move, score in scores.items() if score == best])
        self.info = SearchInfo(value_for_mover=best, nodes=self._solver.nodes - nodes_before)
        return move

    def _pick(self, state: Connect4, moves: list[Connect4Move]) -> Connect4Move:
        if self._style == "random":
            return self._rng.choice(moves)
        if self._style == "trap":
            good_replies = {move: self._good_replies(state, move) for move in moves}
            moves = [move for move in moves if good_replies[move] == min(good_replies.values())]
        return max(moves, key=lambda move: _near_centre(state, move))

    def _good_replies(self, state: Connect4, move: Connect4Move) -> int:
        scores = list(self._solver.move_scores(state.play(move)).values())
        return scores.count(max(scores)) if scores else 0

    def analyze(
        self,
        state: State,
        *,
        with_line: bool = True,
        lines: int | None = None,
        seconds: float | None = None,
        on_update: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Return the exact scores of the position and of every move; ties are sorted by closeness to the centre."""
        state = _solved(state)
        scores = self._solver.move_scores(state)
        score = max(scores.values()) if scores else self._solver.score(state)
        ranked = sorted(scores, key=lambda move: (scores[move], _near_centre(state, move)), reverse=True)
        return Analysis(
            value=score,
            verdict=score_in_words(state, score),
            moves=tuple(MoveValue(move, scores[move], score_in_words(state, scores[move])) for move in ranked),
            pv=tuple(self._solver.line(state)) if with_line else (),
            exact=True,
        )

    def forget(self) -> None:
        """Keep everything: exact scores do not depend on what was solved before, so a full table only saves time."""


def _near_centre(state: Connect4, move: Connect4Move) -> float:
    return state.play(move).evaluate(state.to_move, "centre")


def _solved(state: State) -> Connect4:
    if not isinstance(state, Connect4):
        raise SpecError(f"agent 'perfect' does not play {state.game}; it plays connect4")
    return state


PERFECT = AgentType(
    "perfect",
    "plays the fastest win and the slowest loss",
    PerfectParameters,
    PerfectAgent,
    games=("connect4",),
    exact=True,
)
