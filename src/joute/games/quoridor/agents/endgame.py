"""Races without walls in hand, which alpha-beta solves exactly, as the `Endgame` of other agents."""

from __future__ import annotations

import math

from joute._core import AlphaBetaOptions
from joute.agents.engine import engine_settings
from joute.agents.solve_first import Endgame, SolverCost
from joute.games import State
from joute.games.quoridor.agents.engine import QuoridorEngineParameters
from joute.games.quoridor.state import Quoridor

# A search that is deep enough to ask the table of the race enters some thousand positions.
_NODES, _NODES_S = 3_000, 500_000


def _options(*, memory_mb: int, lines: int) -> AlphaBetaOptions:
    return AlphaBetaOptions(**engine_settings(QuoridorEngineParameters(memory_mb=memory_mb), Quoridor, lines))


def _nodes(state: State) -> float:
    assert isinstance(state, Quoridor)
    # With null_move=yes, a player without walls may pass, and a race is no race.
    is_race = not any(state.walls_in_hand) and "null_move" not in state.rules
    return _NODES if is_race else math.inf


ENDGAME = Endgame(_options, SolverCost(nodes=_nodes, nodes_s=_NODES_S, most_nodes=10 * _NODES))
