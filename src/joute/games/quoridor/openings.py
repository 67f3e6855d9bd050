"""How the balanced openings of Quoridor are made."""

from pathlib import Path

from joute.arena.opening_sets import OpeningSet

# The openings were judged before the engine had these.
_PLAIN = "reduce_root=no,late_moves=0,null_depth=0,hints=0,wide_depth=0"

OPENINGS = OpeningSet(
    judge=f"quoridor:nodes=1000000,memory_mb=64,{_PLAIN}",
    tolerance=0.03,
    source="win share; the engine's own error: its values with 100,000 and a million nodes differ by 0.03 (rms)",
    even=0.03,
    even_source="where equal agents score one half: +0.03 (95% interval 0.01 to 0.06), by a logistic fit over 800 "
    "games from 200 random openings and 200 with a value near 0",
    plies=(4, 5, 6, 7, 8),
    sieve=f"quoridor:nodes=20000,memory_mb=4,{_PLAIN}",
    file=Path(__file__).with_name("data") / "openings.txt",
    # On 120 openings with 100,000 nodes, values differ by 0.009 (standard deviation): repetitions are rare.
    also=("rules=course",),
)
