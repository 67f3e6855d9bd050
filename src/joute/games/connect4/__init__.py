"""Connect Four, which is solved."""

from joute.games.connect4.state import Connect4, Solver, score_in_words

__all__ = ["Connect4", "Solver", "score_in_words"]
