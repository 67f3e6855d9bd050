"""The exact solver of Avalam's endgames, as an agent and as the `Endgame` of other agents."""

from joute._core import AvalamSolverOptions
from joute.agents.solve_first import Endgame, SolverCost
from joute.agents.solver import solver_type


def solver_options(*, memory_mb: int, lines: int, outcome_only: bool = False, tower: float = 16) -> AvalamSolverOptions:
    """Return the core's options. By default a tower counts 16 in scores, so that towers of five can break ties."""
    return AvalamSolverOptions(memory_mb=memory_mb, lines=lines, outcome_only=outcome_only, tower=tower)


ENDGAME = Endgame(
    solver_options,
    # The solver's nodes grow with the number of legal moves (48 positions of the engine's own games, plies 19 to 26,
    # on one core of an AMD EPYC).
    SolverCost(nodes=lambda state: 10 ** (1.3 + 0.064 * len(state.legal_moves)), nodes_s=2.2e6),
)

AVALAM_SOLVER = solver_type(
    "avalam-solver", "solves late positions of Avalam exactly", "avalam", solver_options, unit="score"
)
