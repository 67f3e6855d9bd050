"""Win probabilities: proven results are certain, estimates rise with the value, calibrations are what files say."""

from __future__ import annotations

import math

import pytest

from joute import new
from joute.agents import Analysis, MoveValue, agent
from joute.agents.win_probability import (
    Calibration,
    Knot,
    analysis_probability,
    calibration_of,
    hat_weights,
    move_probability,
    proven_outcome,
    read_calibration,
    win_probability,
)
from joute.errors import JouteError
from joute.plugins import all_rooms

CALIBRATED = [name for name, room in all_rooms().items() if room.is_ours and room.calibration]
TEXT = "# a comment\nagent mine\nunit points\n 4  0.5  0.1\n 20 1.5 -0.1\n"


def test_a_calibration_is_read_from_its_text() -> None:
    assert read_calibration(TEXT) == Calibration("mine", "points", (Knot(4, 0.5, 0.1), Knot(20, 1.5, -0.1)))


def test_a_row_may_have_a_bend() -> None:
    known = read_calibration("agent mine\nunit points\n 4 0.5 0\n 8 0.5 0 0.25\n")
    assert known.knots == (Knot(4, 0.5, 0.0), Knot(8, 0.5, 0.0, bend=0.25))
    assert known.probability(2.0, 4) == pytest.approx(1 / (1 + math.exp(-1)))
    assert known.probability(2.0, 8) == pytest.approx(1 / (1 + math.exp(-2)))
    assert known.probability(-2.0, 6) == pytest.approx(1 / (1 + math.exp(1.5)))


def test_the_text_of_a_calibration_tells_every_number_and_no_bend_of_0() -> None:
    """The fingerprints of levels depend on it."""
    assert repr(Knot(4, 0.5, 0.1)) == "Knot(ply=4, slope=0.5, shift=0.1)"
    assert repr(Knot(4, 0.5, 0.1, 0.2)) == "Knot(ply=4, slope=0.5, shift=0.1, bend=0.2)"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "agent mine\nunit points\n",
        "agent mine\n4 0.5 0.1\n",
        "agent mine\nunit points\n4 0.5\n",
        "agent mine\nunit points\n4 -0.5 0\n",
        "agent mine\nunit points\n4 0.5 0 -0.1\n",
        "agent mine\nunit points\n4 0.5 0 inf\n",
        "agent mine\nunit points\n4 0.5 0 0 0\n",
        "agent mine\nunit points\n4 0.5 nan\n",
        "agent mine\nunit points\n8 0.5 0\n4 0.5 0\n",
        "agent mine\nunit points\nfour 0.5 0\n",
    ],
)
def test_a_damaged_calibration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must|no row"):
        read_calibration(text)


def test_a_room_with_a_damaged_calibration_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from joute.agents import win_probability as module

    room = replace(all_rooms()["connect4"], calibration="data/openings.txt")
    monkeypatch.setattr(module, "all_rooms", lambda: {"damaged": room})
    with pytest.raises(
        JouteError, match=r"the calibration data/openings.txt of damaged cannot be read: '.*' is no row"
    ):
        calibration_of("damaged")


def test_weights_of_an_interpolation_add_up_to_one_and_move_evenly() -> None:
    for ply in range(40):
        assert sum(hat_weights(ply, [4, 8, 20, 21])) == pytest.approx(1)
    assert hat_weights(14, [4, 8, 20]) == [0, 0.5, 0.5]
    assert hat_weights(99, [4, 8, 20]) == [0, 0, 1]


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_better_value_is_a_better_chance_at_every_ply(name: str) -> None:
    known = calibration_of(name)
    assert known is not None
    values = [0.02, 0.2, 0.4, 0.5, 0.6, 0.98] if known.unit == "win share" else [-6, -2, -0.5, 0, 0.5, 2, 6]
    for ply in range(0, 80, 5):
        chances = [known.probability(value, ply) for value in values]
        assert chances == sorted(chances)
        assert len(set(chances)) == len(chances)
        assert 0 < chances[0] < 0.25
        assert 0.75 < chances[-1] < 1


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_calibration_is_that_of_the_engine_and_of_its_unit(name: str) -> None:
    known = calibration_of(name)
    assert known is not None
    found: object = agent(f"{known.agent}:nodes=200", game=name).analyze(new(name), lines=1)  # type: ignore[attr-defined]
    assert isinstance(found, Analysis)
    assert found.unit == known.unit


def test_a_value_for_the_second_player_counts_against_the_first() -> None:
    assert win_probability(new("connect4", "4"), 0.7, unit="win share") == pytest.approx(0.3)
    assert win_probability(new("connect4", "4"), 1.0, unit="evaluation") == pytest.approx(0.2689, abs=1e-3)


def test_without_a_calibration_a_share_is_itself_and_another_value_is_log_odds() -> None:
    assert win_probability(new("connect4"), 0.25, unit="win share") == 0.25
    assert win_probability(new("connect4"), 0.0, unit="evaluation") == 0.5
    assert win_probability(new("connect4"), 1e15 - 3, unit="evaluation") == 1.0


@pytest.mark.parametrize("name", CALIBRATED)
def test_values_of_another_agent_are_not_calibrated(name: str) -> None:
    known = calibration_of(name)
    assert known is not None
    start = new(name)
    assert win_probability(start, 0.3, unit="win share", agent="mcts:iterations=9") == 0.3
    mine = win_probability(start, 0.7, unit=known.unit, agent=f"{known.agent}:nodes=9")
    assert mine == known.probability(0.7, start.ply) == win_probability(start, 0.7, unit=known.unit)


@pytest.mark.parametrize(("outcome", "chance"), [(1, 0.0), (0, 0.5), (-1, 1.0)])
def test_a_proven_result_is_certain(outcome: int, chance: float) -> None:
    proven = MoveValue("4", None, "", outcome=outcome)
    found = Analysis(None, "", (proven,), (), exact=False)
    second_to_move = new("connect4", "4")
    assert analysis_probability(second_to_move, found) == chance
    assert move_probability(second_to_move, found, proven) == chance


def test_an_exact_score_is_certain_and_an_analysis_without_a_value_tells_nothing() -> None:
    exact = Analysis(-3, "", (), (), exact=True)
    assert (proven_outcome(exact), analysis_probability(new("connect4"), exact)) == (-1, 0.0)
    assert analysis_probability(new("connect4"), Analysis(None, "", (), (), exact=False)) is None


def test_a_finished_game_is_certain_whoever_would_be_to_move() -> None:
    won = new("connect4", "1212121")
    assert won.is_terminal
    assert analysis_probability(won, Analysis(None, "", (), (), exact=True)) == 1.0
