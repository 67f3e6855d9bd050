"""The time plans there are: a plain one, and those of the reports, for the clocks they were made for."""

from __future__ import annotations

from joute.agents.time_plan import Split, TimePlan, Window

# Avalam, 15 minutes: seconds for turns 1 to 20, most of them for the middle of the game. Their program takes one
# second off each, so that about 20 s are left where the report speaks of 30.
_AVALAM_S = (5, 35, 120, 100, 100, 100, 100, 75, 75, 60, 30, 30, 30, 15, 10, 5, 3, 3, 2, 2)
_AVALAM_CLOCK_S = 900
_AVALAM_RESERVE_S = 30
_AVALAM_UNRESERVED = 1 - _AVALAM_RESERVE_S / _AVALAM_CLOCK_S
# Its alpha-beta: the deepest cutoff up to each step (the first ply is step 1), and from there on. It keeps no eye on
# the clock; a tenth of what is left lasts longer than the 19 turns that a game has at most.
_AVALAM_DEPTHS = {8: 1, 20: 2, 30: 3, 36: 4}
_AVALAM_LAST_DEPTH = 5
_TENTH = 0.1

# Divercité, 15 minutes for 40 plies: at least half a second, at most one minute early and two minutes late.
_DIVERCITE_CLOCK_S = 900
_DIVERCITE_PLIES = 40
_HALF_SECOND, _ONE_MINUTE, _TWO_MINUTES = (seconds / _DIVERCITE_CLOCK_S for seconds in (0.5, 60, 120))


def _divercite(split: Split, *, middle: float, late_factor: float = 1.0) -> TimePlan:
    early = Window(until_ply=10, share=split, floor=_HALF_SECOND, cap=_ONE_MINUTE)
    late = Window(share=split, factor=late_factor, floor=_HALF_SECOND, cap=_TWO_MINUTES)
    windows = (early, Window(until_ply=25, share=middle), late) if middle else (early, late)
    return TimePlan(windows=windows, game_plies=_DIVERCITE_PLIES)


#: Name, plan and where it comes from. A plan works for every game; its shares were chosen for its own.
PLANS: dict[str, tuple[TimePlan, str]] = {
    "steady": (TimePlan(), "a thirtieth of what is left"),
    # Until ply 4 a search sees little, and from about ply 20 on the solver answers soon: the time is for between.
    "avalam": (
        TimePlan(windows=(Window(until_ply=4, share=0.04), Window(until_ply=20, share=0.15), Window(share=0.3))),
        "Joute's Avalam engine: most of the clock from ply 4 to 20",
    ),
    "avalam-report": (
        TimePlan(
            table=tuple(seconds / _AVALAM_CLOCK_S for seconds in _AVALAM_S),
            reserve=_AVALAM_RESERVE_S / _AVALAM_CLOCK_S,
        ),
        "Avalam report: a table of turns and a reserve of 30 s in 900",
    ),
    "avalam-program": (
        TimePlan(table=tuple((seconds - 1) / _AVALAM_CLOCK_S for seconds in _AVALAM_S)),
        "its program: no reserve, a second less each turn",
    ),
    # A reserve that is never touched leaves turns 15 to 20 without a second: the table spends 900 of 900.
    "avalam-corrected": (
        TimePlan(table=tuple(_AVALAM_UNRESERVED * seconds / _AVALAM_CLOCK_S for seconds in _AVALAM_S)),
        "its table cut to 870 of 900 s, so that 30 s are left for precaution",
    ),
    "avalam-6s": (TimePlan(table=(6 / _AVALAM_CLOCK_S,)), "its first version: 6 s a move in 900"),
    "avalam-minimax": (
        TimePlan(
            windows=(
                *(Window(until_ply=step, share=_TENTH, depth=depth) for step, depth in _AVALAM_DEPTHS.items()),
                Window(share=_TENTH, depth=_AVALAM_LAST_DEPTH),
            )
        ),
        "its alpha-beta: depth 1 to 5 by the step, at most a tenth of what is left",
    ),
    # From about ply 25 on the solver answers soon; until ply 4 much is alike. The shares are not tuned.
    "divercite": (
        TimePlan(windows=(Window(until_ply=4, share=0.03), Window(until_ply=26, share=0.13), Window(share=0.25))),
        "Joute's Divercité engine: most of the clock from ply 4 to 26",
    ),
    "divercite-v1": (_divercite(Split.PLIES, middle=0.20), "Divercité report, V1"),
    "divercite-v2": (_divercite(Split.MOVES, middle=0.0), "Divercité report, V2"),
    "divercite-v3": (_divercite(Split.MOVES, middle=0.15, late_factor=0.98), "Divercité report, V3"),
    # Walls decide from about ply 6 to 40; games between good players have about 65 plies. The shares are not tuned.
    "quoridor": (
        TimePlan(windows=(Window(until_ply=6, share=0.02), Window(until_ply=40, share=0.06), Window(share=0.08))),
        "Joute's Quoridor engine: most of the clock from ply 6 to 40",
    ),
    "quoridor-report": (
        TimePlan(windows=(Window(until_ply=10, depth=1), Window(while_above=60 / 300, depth=2), Window(depth=1))),
        "Quoridor report: depth 2 after ten plies while 60 of 300 s are left, else 1",
    ),
    "langorou": (TimePlan(of_move_limit=0.8), "Vampires report: 1.6 of 2 s a turn"),
}
