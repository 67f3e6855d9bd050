"""Quoridor: pawns and walls."""

from typing import TYPE_CHECKING

from joute.plugins import lazily

if TYPE_CHECKING:
    from joute.games.quoridor.state import Quoridor

__all__ = ["Quoridor"]

__getattr__ = lazily("joute.games.quoridor.state", __all__)
