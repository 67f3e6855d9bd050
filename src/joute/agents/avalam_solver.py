"""Avalam's endgames solved exactly, as an agent."""

from joute._core import AvalamSolverOptions
from joute.agents.solver import solver_type

AVALAM_SOLVER = solver_type(
    "avalam-solver", "solves late positions of Avalam exactly", "avalam", AvalamSolverOptions, unit="score"
)
