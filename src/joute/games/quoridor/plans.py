"""Time plans of Quoridor's agents: the engine's and the paper's."""

from __future__ import annotations

from joute.agents.time_plan import TimePlan, Window
from joute.agents.time_plans import SourcedPlan

# Walls decide the game from about ply 6 to 40; games of strong players have about 65 plies. The shares are not tuned.
ENGINE = SourcedPlan(
    TimePlan(windows=(Window(until_ply=6, share=0.02), Window(until_ply=40, share=0.06), Window(share=0.08))),
    "Joute's Quoridor engine: most of the clock from ply 6 to 40",
)
PAPER = SourcedPlan(
    TimePlan(windows=(Window(until_ply=10, depth=1), Window(while_above=60 / 300, depth=2), Window(depth=1))),
    "Quoridor paper: depth 2 after ten plies while 60 of 300 s are left, else 1",
)
