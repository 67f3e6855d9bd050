"""Connect Four, a solved game."""

from typing import TYPE_CHECKING

from joute.plugins import lazily

if TYPE_CHECKING:
    from joute.games.connect4.state import Connect4, Solver, score_in_words

__all__ = ["Connect4", "Solver", "score_in_words"]

__getattr__ = lazily("joute.games.connect4.state", __all__)
