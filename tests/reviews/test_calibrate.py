"""Calibration: a known logistic is found again, held-out games tell the truth, an interrupted run goes on."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from commands import joute

from joute import Random
from joute.agents.win_probability import calibration_of, read_calibration
from joute.errors import JouteError, SpecError
from joute.plugins import all_rooms
from joute.reviews.calibrate import Sample, calibrate, calibration_text, default_agent, fit, reliability

OURS = [name for name, room in all_rooms().items() if room.is_ours and room.calibration]


def samples_of(slope: float, shift: float, games: int, unit: str = "points", bend: float = 0.0) -> list[Sample]:
    """Games whose results follow a logistic; a share s has the log-odds of its value."""
    rng = Random(1)
    found = []
    for game in range(games):
        value = 8 * rng.uniform() - 4
        chance = 1 / (1 + math.exp(-(slope * value + shift + bend * value * abs(value))))
        told = 1 / (1 + math.exp(-value)) if unit == "win share" else value
        found.append(Sample(game, game % 30, told, float(rng.uniform() < chance)))
    return found


@pytest.mark.parametrize(("slope", "shift", "unit"), [(0.6, -0.4, "points"), (1.5, 0.0, "win share")])
def test_a_known_logistic_is_found_again(slope: float, shift: float, unit: str) -> None:
    found = fit(samples_of(slope, shift, 20_000, unit), agent="mine", unit=unit, games=20_000)
    for knot in found.calibration.knots:
        assert knot.slope == pytest.approx(slope, abs=0.12)
        assert knot.shift == pytest.approx(shift, abs=0.15)
    assert all(abs(decile.predicted - decile.observed) < 0.12 for decile in found.deciles if decile.is_enough)
    assert sum(decile.positions for decile in found.deciles) == 20_000
    assert sum(decile.positions for decile in found.as_told) == (20_000 if unit == "win share" else 0)
    if found.as_told:  # with a slope above 1, a share as it is told says too little
        assert found.as_told[1].observed < found.as_told[1].predicted < 0.5
        assert found.as_told[8].observed > found.as_told[8].predicted > 0.5


@pytest.mark.parametrize(("shift", "unit"), [(-0.4, "points"), (0.0, "win share")])
def test_a_bend_that_no_slope_can_follow_is_found_again(shift: float, unit: str) -> None:
    samples = samples_of(0.3, shift, 20_000, unit, bend=0.4)
    found = fit(samples, agent="mine", unit=unit, games=20_000, bend=True)
    (knot,) = found.calibration.knots
    assert (knot.slope, knot.shift, knot.bend) == pytest.approx((0.3, shift, 0.4), abs=0.08)
    assert all(abs(decile.predicted - decile.observed) < 0.05 for decile in found.deciles if decile.is_enough)
    text = calibration_text(found, game="chess", command="joute calibrate chess --bend", spec="mine:nodes=5")
    assert read_calibration(text) == found.calibration
    assert text.startswith("# Win probabilities of chess: slope, shift and bend of the logistic ")
    straight = fit(samples, agent="mine", unit=unit, games=20_000)
    assert any(abs(decile.predicted - decile.observed) > 0.05 for decile in straight.deciles if decile.is_enough)


def test_a_curve_that_is_steeper_in_the_middle_is_refused() -> None:
    with pytest.raises(JouteError, match="steeper in the middle; fit them without --bend"):
        fit(samples_of(3.0, 0.0, 3_000, bend=-0.6), agent="mine", unit="points", games=3_000, bend=True)


def test_reliability_shows_what_does_not_hold() -> None:
    lost = [(0.75, Sample(game, 3, 1.0, 0.0)) for game in range(150)]
    drawn = [(0.42, Sample(game, 3, 1.0, 0.5)) for game in range(20)]
    few, many = reliability(lost + drawn)
    assert (few.low, few.positions, few.games, few.observed, few.is_enough) == (0.4, 20, 20, 0.5, False)
    assert (many.low, many.predicted, many.observed, many.is_enough) == (0.7, 0.75, 0.0, True)


def test_too_few_games_are_refused() -> None:
    with pytest.raises(JouteError, match="open positions are too few to fit win probabilities; play more games"):
        fit(samples_of(1, 0, 2), agent="a", unit="u", games=2)


def test_the_file_reads_back_and_says_how_it_was_made() -> None:
    found = fit(samples_of(0.6, -0.4, 900), agent="mine", unit="points", games=900)
    text = calibration_text(found, game="chess", command="joute calibrate chess", spec="mine:nodes=5")
    assert read_calibration(text) == found.calibration
    assert text.startswith("# Win probabilities of chess: ")
    assert "# joute calibrate chess\n# 900 games of mine:nodes=5 against itself" in text


def test_the_games_depend_on_the_seed_and_not_on_the_jobs() -> None:
    spec = "avalam:nodes=100,memory_mb=1"
    assert calibrate("avalam", spec, games=12, seed=3) == calibrate("avalam", spec, games=12, seed=3, jobs=3)
    assert calibrate("avalam", spec, games=12, seed=3) != calibrate("avalam", spec, games=12, seed=4)


def test_an_interrupted_calibration_goes_on_where_it_stopped(tmp_path: Path) -> None:
    spec, journal = "divercite:nodes=100,memory_mb=1", tmp_path / "made.games"

    def interrupt(done: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate("divercite", spec, games=12, journal=journal, on_game=interrupt)
    kept = journal.read_text().splitlines()
    assert len(kept) == 6
    journal.write_text("\n".join(kept) + "\n[7,")  # killed while it wrote
    seen: list[int] = []
    found = calibrate("divercite", spec, games=12, journal=journal, on_game=seen.append)
    assert seen == list(range(6, 13))
    assert found == calibrate("divercite", spec, games=12)


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    journal = tmp_path / "made.games"
    journal.write_text("no JSON\n")
    with pytest.raises(JouteError, match=r"made\.games is damaged"):
        calibrate("divercite", "divercite:nodes=100", games=3, journal=journal)


def test_a_solver_needs_no_calibration() -> None:
    with pytest.raises(SpecError, match="agent 'perfect' solves connect4"):
        calibrate("connect4", "perfect", games=3)


def test_a_game_without_an_engine_needs_the_name_of_an_agent() -> None:
    with pytest.raises(SpecError, match="noughts has no engine of its own; name an agent with --agent"):
        default_agent("noughts", 5)


def test_the_command_writes_the_file_and_replaces_no_other(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    words = ("calibrate", "avalam", "--nodes", "100", "--games", "60", "--out", str(made))
    done = joute(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "60 games" in done.stdout
    assert read_calibration(made.read_text()).agent == "avalam"
    assert [path.name for path in tmp_path.iterdir()] == ["made.txt"]
    assert joute(*words).returncode == 0
    made.write_text("mine")
    refused = joute(*words)
    assert refused.returncode != 0
    assert "is not a file of win probabilities" in refused.stderr
    assert made.read_text() == "mine"


@pytest.mark.parametrize("name", OURS)
def test_a_shipped_calibration_is_reliable_in_held_out_games(name: str) -> None:
    """The table in the header of the file: every decile with enough games is within five points."""
    room = all_rooms()[name]
    rows = [
        line.split() for line in room.file(room.calibration).read_text("utf-8").splitlines() if line.startswith("#   ")
    ]
    enough = [row for row in rows[1:] if row[-1] != "games"]
    assert calibration_of(name) is not None
    assert len(enough) >= 6
    assert all(abs(float(row[-1])) <= 5 for row in enough)
