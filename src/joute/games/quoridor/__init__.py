"""Quoridor: pawns and walls."""

from joute.games.quoridor.state import Quoridor

__all__ = ["Quoridor"]
