"""How the balanced openings of Divercité are made."""

from pathlib import Path

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="divercite:nodes=1000000,memory_mb=64",
    tolerance=0.2,
    source="a fifth of the smallest difference that decides a game",
    even=0.8,
    even_source="where equal agents score one half: +0.76 points (95% interval 0.58 to 1.00), by a logistic fit over "
    "800 games from 200 random openings and 200 with a value near 0",
    plies=(4, 5, 6),
    sieve="divercite:nodes=10000,memory_mb=4",
    file=Path(__file__).with_name("data") / "openings.txt",
    # On 120 openings with 100,000 nodes, values differ by 0.04 and 0.05 points (standard deviation): ties are rare.
    also=("rules=framework", "rules=official"),
)
