"""Connect Four's exact solver without its book, as the `Endgame` of other agents."""

from joute._core import Connect4EndingsOptions
from joute.agents.solve_first import Endgame, SolverCost

ENDGAME = Endgame(
    Connect4EndingsOptions,
    # Fitted to the median number of nodes by ply for the scores of all moves (60 games of mcts:iterations=1000 against
    # itself, after two random plies, plies 8 to 20, on one core of a shared AMD EPYC). One in ten took four times as
    # many, the worst 25 times; a share of the clock limits it in any case.
    SolverCost(nodes=lambda state: 10 ** (6.95 - 0.27 * (state.ply - 8)), nodes_s=2e7),
)
