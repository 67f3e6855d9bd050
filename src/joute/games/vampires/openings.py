"""How the balanced openings of Vampires vs Werewolves are made."""

from pathlib import Path

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="vampires:nodes=1000000,memory_mb=64",
    tolerance=0.03,
    source="win share; keeps about half of the random maps",
    plies=(0,),  # games differ by their maps
    sieve="vampires:nodes=50000,memory_mb=8",
    file=Path(__file__).with_name("data") / "openings.txt",
)
