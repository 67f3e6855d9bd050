"""How the balanced openings of Connect Four are made."""

from pathlib import Path

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="perfect",
    tolerance=0,
    source="the game is solved: perfect play draws",
    plies=(6, 7, 8, 9, 10),
    file=Path(__file__).with_name("data") / "openings.txt",
)
