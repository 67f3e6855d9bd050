"""The cheat sheet of OpenSpiel's games for authors of agents."""

from joute.games.guide import Guide, playout_heuristic

GUIDE = Guide(
    rules="A game of OpenSpiel, which the option game names: openspiel:game=hex,board_size=7 is Hex. The rules are "
    "those of OpenSpiel. The player who moves first is 0, whatever OpenSpiel calls them.",
    notation="A move is OpenSpiel's text of an action, without blanks; two actions with the same text are written as "
    "numbers. A position is the history of actions as numbers. state.spiel is OpenSpiel's own state.",
    heuristic=playout_heuristic,
)
