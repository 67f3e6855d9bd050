"""How Avalam's agents spend their clock: the engine's plan, and those of the paper and its program."""

from __future__ import annotations

from joute.agents.time_plan import TimePlan, Window
from joute.agents.time_plans import SourcedPlan

# The paper, 15 minutes: seconds for turns 1 to 20, most of them for the middle of the game. Their program takes one
# second off each, so that about 20 s are left where the paper speaks of 30.
_TURNS_S = (5, 35, 120, 100, 100, 100, 100, 75, 75, 60, 30, 30, 30, 15, 10, 5, 3, 3, 2, 2)
_CLOCK_S = 900
_RESERVE_S = 30
_UNRESERVED = 1 - _RESERVE_S / _CLOCK_S
# Its alpha-beta: the deepest cutoff up to each step (the first ply is step 1), and from there on. It keeps no eye on
# the clock; a tenth of what is left lasts longer than the 19 turns that a game has at most.
_DEPTHS = {8: 1, 20: 2, 30: 3, 36: 4}
_LAST_DEPTH = 5
_TENTH = 0.1

# Until ply 4 a search sees little, and from about ply 20 on the solver answers soon: the time is for between.
ENGINE = SourcedPlan(
    TimePlan(windows=(Window(until_ply=4, share=0.04), Window(until_ply=20, share=0.15), Window(share=0.3))),
    "Joute's Avalam engine: most of the clock from ply 4 to 20",
)
PAPER = SourcedPlan(
    TimePlan(table=tuple(seconds / _CLOCK_S for seconds in _TURNS_S), reserve=_RESERVE_S / _CLOCK_S),
    "Avalam paper: a table of turns and a reserve of 30 s in 900",
)
PROGRAM = SourcedPlan(
    TimePlan(table=tuple((seconds - 1) / _CLOCK_S for seconds in _TURNS_S)),
    "its program: no reserve, a second less each turn",
)
# A reserve that is never touched leaves turns 15 to 20 without a second: the table spends 900 of 900.
CORRECTED = SourcedPlan(
    TimePlan(table=tuple(_UNRESERVED * seconds / _CLOCK_S for seconds in _TURNS_S)),
    "its table cut to 870 of 900 s, so that 30 s are left for precaution",
)
SIX_SECONDS = SourcedPlan(TimePlan(table=(6 / _CLOCK_S,)), "its first version: 6 s a move in 900")
MINIMAX = SourcedPlan(
    TimePlan(
        windows=(
            *(Window(until_ply=step, share=_TENTH, depth=depth) for step, depth in _DEPTHS.items()),
            Window(share=_TENTH, depth=_LAST_DEPTH),
        )
    ),
    "its alpha-beta: depth 1 to 5 by the step, at most a tenth of what is left",
)
