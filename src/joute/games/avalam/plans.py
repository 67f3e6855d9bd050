"""Time plans of Avalam's agents: the engine's, the paper's, and that of the paper's program."""

from __future__ import annotations

from joute.agents.time_plan import TimePlan, Window
from joute.agents.time_plans import SourcedPlan

# The paper, for 15 minutes: seconds for turns 1 to 20, most of them in the middle of the game. The program subtracts
# one second from each, which leaves about 20 s; the paper says 30.
_TURNS_S = (5, 35, 120, 100, 100, 100, 100, 75, 75, 60, 30, 30, 30, 15, 10, 5, 3, 3, 2, 2)
_CLOCK_S = 900
_RESERVE_S = 30
_UNRESERVED = 1 - _RESERVE_S / _CLOCK_S
# The paper's alpha-beta: the depth up to each step (the first ply is step 1), and the depth after the last step. It
# ignores the clock; a tenth of the remaining time per move lasts for the at most 19 turns of a game.
_DEPTHS = {8: 1, 20: 2, 30: 3, 36: 4}
_LAST_DEPTH = 5
_TENTH = 0.1

# Before ply 4 a search finds little, and from about ply 20 the solver is fast: most time goes to the plies between.
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
    "the paper's program: no reserve, a second less each turn",
)
# PAPER's table spends 900 of 900 s, so with its reserve turns 15 to 20 get no time.
CORRECTED = SourcedPlan(
    TimePlan(table=tuple(_UNRESERVED * seconds / _CLOCK_S for seconds in _TURNS_S)),
    "the paper's table scaled to 870 of 900 s, which leaves a reserve of 30 s",
)
SIX_SECONDS = SourcedPlan(TimePlan(table=(6 / _CLOCK_S,)), "the paper's first version: 6 s a move in 900")
MINIMAX = SourcedPlan(
    TimePlan(
        windows=(
            *(Window(until_ply=step, share=_TENTH, depth=depth) for step, depth in _DEPTHS.items()),
            Window(share=_TENTH, depth=_LAST_DEPTH),
        )
    ),
    "the paper's alpha-beta: depth 1 to 5 by the step, at most a tenth of the remaining time",
)
