"""Time plans of Divercité's agents: the engine's, and those of the paper's versions."""

from __future__ import annotations

from joute.agents.time_plan import Split, TimePlan, Window
from joute.agents.time_plans import SourcedPlan

# The paper, 15 minutes for 40 plies: at least half a second, at most one minute early and two minutes late in the game.
_CLOCK_S = 900
_PLIES = 40
_HALF_SECOND, _ONE_MINUTE, _TWO_MINUTES = (seconds / _CLOCK_S for seconds in (0.5, 60, 120))


def _paper(split: Split, *, middle: float, late_factor: float = 1.0) -> TimePlan:
    early = Window(until_ply=10, share=split, floor=_HALF_SECOND, cap=_ONE_MINUTE)
    late = Window(share=split, factor=late_factor, floor=_HALF_SECOND, cap=_TWO_MINUTES)
    windows = (early, Window(until_ply=25, share=middle), late) if middle else (early, late)
    return TimePlan(windows=windows, game_plies=_PLIES)


# From about ply 25 the solver is fast; before ply 4 many moves are equivalent. The shares are not tuned.
ENGINE = SourcedPlan(
    TimePlan(windows=(Window(until_ply=4, share=0.03), Window(until_ply=26, share=0.13), Window(share=0.25))),
    "Joute's Divercité engine: most of the clock from ply 4 to 26",
)
V1 = SourcedPlan(_paper(Split.PLIES, middle=0.20), "Divercité paper, V1")
V2 = SourcedPlan(_paper(Split.MOVES, middle=0.0), "Divercité paper, V2")
V3 = SourcedPlan(_paper(Split.MOVES, middle=0.15, late_factor=0.98), "Divercité paper, V3")
# The program divides Black's time by one move less than Black has left; its text says the moves that are left.
V2_TEXT = SourcedPlan(_paper(Split.OWN_MOVES, middle=0.0), "Divercité paper, V2, Black's moves counted as in the text")
V3_TEXT = SourcedPlan(
    _paper(Split.OWN_MOVES, middle=0.15, late_factor=0.98), "Divercité paper, V3, Black's moves counted as in the text"
)
