"""Avalam's endgames solved exactly, as an agent and for others."""

from joute._core import AvalamSolverOptions
from joute.agents.solve_first import Endgame, SolverCost
from joute.agents.solver import solver_type


def solver_options(*, memory_mb: int, lines: int, outcome_only: bool = False, tower: float = 16) -> AvalamSolverOptions:
    """The core's options; a tower of the margin counts 16 in scores, so that fives can break ties."""
    return AvalamSolverOptions(memory_mb=memory_mb, lines=lines, outcome_only=outcome_only, tower=tower)


ENDGAME = Endgame(
    solver_options,
    # What the solver needs grows with the legal moves (48 positions of the engine's own games, plies 19 to 26, on one
    # core of an AMD EPYC).
    SolverCost(nodes=lambda state: 10 ** (1.3 + 0.064 * len(state.legal_moves)), nodes_s=2.2e6),
)

AVALAM_SOLVER = solver_type(
    "avalam-solver", "solves late positions of Avalam exactly", "avalam", solver_options, unit="score"
)
