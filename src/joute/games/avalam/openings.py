"""How the balanced openings of Avalam are made."""

from pathlib import Path

from joute.arena.opening_sets import OpeningSet

OPENINGS = OpeningSet(
    judge="avalam:nodes=2000000,memory_mb=64",
    tolerance=0.2,
    source="the engine's own error: its values with 100,000 and a million nodes differ by 0.14 towers (rms)",
    plies=(4, 5, 6),
    sieve="avalam:nodes=10000,memory_mb=4",
    file=Path(__file__).with_name("data") / "openings.txt",
)
