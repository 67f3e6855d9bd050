"""How the balanced openings of Divercité are made."""

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="divercite:nodes=2000000,memory_mb=64",
    tolerance=0.2,
    source="a fifth of the smallest difference that decides a game",
    plies=(4, 5, 6),
    sieve="divercite:nodes=10000,memory_mb=4",
    games=("divercite", "divercite:rules=framework", "divercite:rules=official"),
)
