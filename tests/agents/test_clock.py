"""Clocks and time plans: the referee's clock decides, and a plan never promises what the clock does not have."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugin_packages import plugin
from typed import info_of

from joute import Clock, State, agent, new, play_game
from joute.agents import SearchInfo
from joute.agents.time_plan import Split, TimePlan, Window
from joute.agents.time_plans import PLANS
from joute.errors import SpecError
from joute.match import Reason, TimeControl
from joute.match.clock import GameClock


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("300", TimeControl(total_s=300)),
        ("60+0.5", TimeControl(total_s=60, increment_s=0.5)),
        ("2/move", TimeControl(move_s=2)),
        ("900,60/move", TimeControl(total_s=900, move_s=60)),
        ("nodes=1000", TimeControl(nodes=1000)),
        ("iterations=50,depth=3", TimeControl(iterations=50, depth=3)),
        ("none", TimeControl()),
        ("", TimeControl()),
    ],
)
def test_a_time_control_is_read_and_written(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize("text", ["fast", "60+", "-1", "0", "1/turn", "nodes=0", "60,30", "nodes=1.5", "1e3", "nan"])
def test_what_is_no_time_control_gives_one_clear_error(text: str) -> None:
    with pytest.raises(SpecError, match="is not a clock such as 300"):
        TimeControl.parse(text)


def test_the_clock_adds_increments_and_tells_both_sides() -> None:
    clock = GameClock((TimeControl.parse("10+1"), TimeControl.parse("20,3/move,nodes=7")), margin_s=0.5)
    assert clock.charge(0, 4.0)
    assert clock.told(0) == Clock(7.0, 1.0, math.inf, 10.0, 20.0)
    assert clock.told(1) == Clock(20.0, 0.0, 3.0, 20.0, 7.0, 1.0, nodes=7)
    assert clock.limit_s(0) == 7.5
    assert clock.limit_s(1) == 3.5
    assert clock.charge(1, 3.5)
    assert not clock.charge(1, 3.51)


def test_the_margin_can_be_used_once_and_is_not_told() -> None:
    clock = GameClock((TimeControl(total_s=1), TimeControl(total_s=1)), margin_s=0.2)
    assert clock.charge(0, 1.15)
    assert clock.told(0).remaining_s == 0
    assert clock.limit_s(0) == pytest.approx(0.05)
    assert not clock.charge(0, 0.06)


class Slow:
    """Takes what it is told to take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, state: State, clock: Clock) -> Any:
        time.sleep(self.seconds)
        return state.legal_moves[0]


def test_an_agent_that_exceeds_the_clock_loses_and_the_record_shows_by_how_much() -> None:
    record = play_game("connect4", "random", Slow(0.05), clock="0.01/move", margin_s=0.01)
    assert (record.winner, record.reason) == (0, Reason.TIME)
    assert record.detail.startswith("Slow took 0.0")
    assert "with 0.020 s left, margin included" in record.detail
    assert record.clocks == ("0.01/move", "0.01/move")


def test_sides_may_have_different_clocks() -> None:
    controls = (TimeControl.parse("none"), TimeControl.parse("0.01"))
    assert play_game("connect4", Slow(0.02), "random", clock=controls).reason is Reason.NORMAL
    assert play_game("connect4", "random", Slow(0.02), clock=controls, margin_s=0).reason is Reason.TIME


def test_the_overhead_of_the_referee_is_measured_apart_from_thinking() -> None:
    record = play_game("connect4", Slow(0.005), "random", clock="60")
    thought = sum(played.time_s for played in record.moves)
    assert 0 < record.overhead_s < thought


def test_an_agent_may_resign() -> None:
    class Resigns:
        def choose(self, state: State, clock: Clock) -> Any:
            return "resign" if state.ply >= 4 else state.legal_moves[0]

    record = play_game("connect4", Resigns(), "random")
    assert (record.winner, record.reason) == (1, Reason.RESIGNATION)
    assert record.detail == "Resigns resigned at ply 4"
    assert len(record.moves) == 4


def test_counts_on_the_clock_limit_a_search_and_repeat_exactly() -> None:
    records = [play_game("connect4", "mcts", "alphabeta", clock="iterations=50,nodes=300", seed=3) for _ in range(2)]
    assert [m.move for m in records[0].moves] == [m.move for m in records[1].moves]
    told = [played.info for played in records[0].moves]
    assert all(isinstance(info, SearchInfo) and info.nodes is not None for info in told)
    assert max(info.nodes for info in told[1::2] if info and info.nodes) <= 330


def test_searches_finish_a_game_on_very_little_time() -> None:
    for spec in ("alphabeta", "mcts", "nrpa", "nested"):
        record = play_game("connect4", spec, "random", clock="0.3", seed=2, margin_s=0.1)
        assert record.reason is Reason.NORMAL, record


clocks = st.builds(
    Clock,
    remaining_s=st.one_of(st.floats(0, 1e4), st.just(math.inf)),
    increment_s=st.floats(0, 100),
    move_limit_s=st.one_of(st.floats(0.001, 1e4), st.just(math.inf)),
    nominal_s=st.one_of(st.floats(0.001, 1e4), st.just(math.inf)),
)


@given(clocks, st.integers(0, 500), st.sampled_from(sorted(PLANS)))
def test_no_plan_spends_more_than_the_clock_has(clock: Clock, ply: int, name: str) -> None:
    seconds = PLANS[name][0].budget(clock, ply).seconds
    is_timed = math.isfinite(clock.remaining_s) or math.isfinite(clock.move_limit_s)
    assert 0 <= seconds <= clock.move_limit_s
    assert seconds < clock.remaining_s or seconds == clock.remaining_s == 0 or not is_timed
    assert math.isfinite(seconds) == is_timed


@given(st.sampled_from(sorted(PLANS)), st.floats(0.1, 10), st.integers(0, 60))
def test_plans_scale_with_the_nominal_clock(name: str, factor: float, ply: int) -> None:
    # Long enough that the latency, which does not scale, does not matter.
    plan = PLANS[name][0]
    usual = plan.budget(Clock(remaining_s=500, nominal_s=900), ply)
    scaled = plan.budget(Clock(remaining_s=500 * factor, nominal_s=900 * factor), ply)
    assert scaled.seconds == pytest.approx(usual.seconds * factor)
    assert scaled.depth == usual.depth


def spent(name: str, plies: int, nominal_s: float = 900) -> list[float]:
    """What the first player's moves get if each takes its whole budget."""
    remaining, seconds = nominal_s, []
    for ply in range(0, plies, 2):
        seconds.append(PLANS[name][0].budget(Clock(remaining_s=remaining, nominal_s=nominal_s), ply).seconds)
        remaining -= seconds[-1]
    assert remaining >= 0
    return seconds


def test_the_avalam_plans_are_the_papers_table() -> None:
    table = [5, 35, 120, 100, 100, 100, 100, 75, 75, 60, 30, 30, 30, 15, 10, 5, 3, 3, 2, 2]
    seconds = spent("avalam-report", 40)
    # The reserve of 30 s stops the table where 870 s are spent: in the middle of turn 14.
    assert seconds[:13] == pytest.approx(table[:13])
    assert sum(seconds) == pytest.approx(870)
    assert seconds[14:] == [0] * 6
    assert spent("avalam-corrected", 40) == pytest.approx([slot * 870 / 900 for slot in table])
    assert spent("avalam-program", 40) == pytest.approx([slot - 1 for slot in table])
    assert spent("avalam-6s", 40) == pytest.approx([6] * 20)


def test_the_depth_of_the_avalam_alphabeta_grows_with_the_step_whatever_the_clock() -> None:
    plan = PLANS["avalam-minimax"][0]
    # Up to step 8, where the first ply is step 1, and so on.
    depths = [1] * 8 + [2] * 12 + [3] * 10 + [4] * 6 + [5] * 4
    for clock in (Clock(), Clock(move_limit_s=1), Clock(remaining_s=700, nominal_s=900), Clock(0.01, nominal_s=900)):
        assert [plan.budget(clock, ply).depth for ply in range(40)] == depths
    assert min(spent("avalam-minimax", 40)) > 0
    assert sum(spent("avalam-minimax", 40)) < 900


def test_the_divercite_plans_are_the_papers_windows() -> None:
    def seconds(name: str, remaining_s: float, ply: int) -> float:
        return PLANS[name][0].budget(Clock(remaining_s=remaining_s, nominal_s=900), ply).seconds

    assert seconds("divercite-v3", 900, 0) == 900 / 20
    assert seconds("divercite-v3", 900, 8) == pytest.approx(900 / 16)
    # At Black's first move 39 plies are left, 20 of them Black's; the program divides by 19.
    assert seconds("divercite-v3", 900, 1) == seconds("divercite-v2", 900, 1) == pytest.approx(900 / 19)
    for text in ("divercite-v2-text", "divercite-v3-text"):
        assert seconds(text, 900, 0) == seconds(text, 900, 1) == pytest.approx(900 / 20)
    assert seconds("divercite-v2", 900, 9) == 60  # the cap
    assert seconds("divercite-v3", 600, 10) == pytest.approx(90)
    assert seconds("divercite-v1", 600, 10) == pytest.approx(120)
    assert seconds("divercite-v1", 600, 0) == 600 / 40
    assert seconds("divercite-v2", 600, 10) == 40
    assert seconds("divercite-v3", 70, 26) == pytest.approx(0.98 * 70 / 7)
    assert seconds("divercite-v3", 600, 38) == 120  # the cap
    assert seconds("divercite-v3", 1.0, 30) == 0.5  # the floor
    assert seconds("divercite-v3", 0.4, 30) == pytest.approx(0.38)  # never more than there is


def test_the_quoridor_plan_looks_two_plies_ahead_while_there_is_time() -> None:
    plan = PLANS["quoridor-report"][0]
    depths = {
        (ply, remaining): plan.budget(Clock(remaining_s=remaining, nominal_s=300), ply).depth
        for ply in (9, 10)
        for remaining in (60, 61)
    }
    assert depths == {(9, 60): 1, (9, 61): 1, (10, 60): 1, (10, 61): 2}
    assert plan.budget(Clock(), 10).depth == 2  # untimed, there is time


def test_langorou_takes_sixteen_tenths_of_two_seconds() -> None:
    assert PLANS["langorou"][0].budget(Clock(move_limit_s=2), 0).seconds == pytest.approx(1.6)


def test_a_plan_combines_table_window_reserve_and_increment() -> None:
    plan = TimePlan(table=(0.5, 0.1), windows=(Window(share=Split.MOVES, cap=0.2),), reserve=0.1, game_plies=8)
    assert plan.budget(Clock(remaining_s=100, nominal_s=100), 0).seconds == 20
    assert plan.budget(Clock(remaining_s=100, nominal_s=100), 2).seconds == 10
    assert plan.budget(Clock(remaining_s=22, nominal_s=100), 2).seconds == pytest.approx(4)
    assert plan.budget(Clock(remaining_s=22, nominal_s=100, increment_s=5), 2).seconds == pytest.approx(8)
    assert plan.budget(Clock(remaining_s=9, nominal_s=100), 2).seconds == 0


def test_a_search_spends_its_clock_by_its_plan() -> None:
    state = new("connect4")
    shallow = agent("alphabeta:plan=quoridor-report", game="connect4")
    shallow.choose(state, Clock())
    assert info_of(shallow).depth == 1
    with pytest.raises(SpecError, match="plan must be one of steady"):
        agent("alphabeta:plan=slow", game="connect4")


def test_a_plan_of_a_plugin_is_a_choice_like_ours_and_a_broken_one_gives_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = """
        from joute.agents.time_plan import TimePlan
        from joute.agents.time_plans import SourcedPlan

        HASTY = SourcedPlan(TimePlan(table=(0.001,)), "a plug-in's")
        NOT_ONE = TimePlan()
    """
    plugin(tmp_path, "hasty-plans", source, plans={"hasty": "HASTY", "bare": "NOT_ONE"})
    before = list(PLANS)
    monkeypatch.syspath_prepend(tmp_path)
    assert PLANS["hasty"].plan.budget(Clock(remaining_s=100, nominal_s=100), 0).seconds == pytest.approx(0.1)
    assert {*PLANS} - {*before} == {"hasty", "bare"}
    assert before[0] == "steady"
    with pytest.raises(SpecError, match="time plan 'bare' could not be loaded"):
        PLANS["bare"]
    with pytest.raises(KeyError):
        PLANS["none"]
