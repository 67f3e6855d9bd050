"""V3 of the Divercité paper with other first moves, for experiments of divercite.toml.

The paper (Lambert & Rosselet, 2025) estimates that its first five moves have no great effect on the result, and that
the first two are better near the centre.
"""

from __future__ import annotations

from joute import Clock, agent
from joute.games import Move
from joute.games.divercite.state import Divercite

_GAME = "divercite:rules=framework"

# About what the paper's program searched in 45 s, its time for a move at the start.
_V3 = "divercite-v3:nodes=50000"


class FirstMovesAtOnePly:
    """Plays its first five moves after a search of one ply, and the others as V3."""

    def __init__(self) -> None:
        self._quick = agent("divercite-v3:depth=1", game=_GAME)
        self._full = agent(_V3, game=_GAME)

    def choose(self, state: Divercite, clock: Clock) -> Move:
        """Return the move."""
        move: Move = (self._quick if state.ply < 10 else self._full).choose(state, clock)
        return move


class CornersFirst:
    """Plays cities in the corners for its first two moves, and the others as V3."""

    def __init__(self) -> None:
        self._full = agent(_V3, game=_GAME)

    def choose(self, state: Divercite, clock: Clock) -> Move:
        """Return the move."""
        corners = [text for text in ("Re2", "Ge8", "Bb5", "Yh5") if state.is_legal(text)]
        if state.ply < 4 and corners:
            return state.legal_move(corners[0])
        move: Move = self._full.choose(state, clock)
        return move
