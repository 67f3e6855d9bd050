"""Divercité's endgames solved exactly, as an agent."""

from joute._core import DiverciteSolverOptions
from joute.agents.solver import solver_type

DIVERCITE_SOLVER = solver_type(
    "divercite-solver", "solves late positions of Divercité exactly", "divercite", DiverciteSolverOptions, unit="points"
)
