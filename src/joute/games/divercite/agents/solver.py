"""The exact solver of Divercité's endgames, as an agent and as the `Endgame` of other agents."""

from joute._core import DiverciteSolverOptions
from joute.agents.solve_first import Endgame, SolverCost
from joute.agents.solver import solver_type


def solver_options(*, memory_mb: int, lines: int, outcome_only: bool = False) -> DiverciteSolverOptions:
    """Return the core's options."""
    return DiverciteSolverOptions(memory_mb=memory_mb, lines=lines, outcome_only=outcome_only)


ENDGAME = Endgame(
    solver_options,
    # The solver's nodes grow with the number of plies left (66 positions of the engine's own games, plies 24 to 34; the
    # speed on one core of an AMD EPYC).
    SolverCost(nodes=lambda state: 10 ** (5.2 + 0.57 * (28 - state.ply)), nodes_s=3.4e6),
)

DIVERCITE_SOLVER = solver_type(
    "divercite-solver", "solves late positions of Divercité exactly", "divercite", solver_options, unit="points"
)
