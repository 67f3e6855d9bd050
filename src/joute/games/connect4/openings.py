"""How the balanced openings of Connect Four are made."""

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="perfect",
    tolerance=0,
    source="the game is solved: perfect play draws",
    plies=(6, 7, 8, 9, 10),
    games=("connect4",),
)
