"""The fit of levels: a known slope is found again, a small ladder is fitted and goes on, the ladder's numbers hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from commands import joute

from joute import Random
from joute.agents.level_sets import Level, Levels, LevelSet, Measured, Stage, level_set, levels_text, read_levels
from joute.arena.opening_sets import shipped_set
from joute.fits.games import Game, opening, play_here, playing
from joute.fits.ladder import settings_in_words, steps
from joute.fits.levels import Arena, FitParameters, Pair, expected_temperature, fit_levels, measured

QUICK = FitParameters(batch=4, batches=3, measured=6, last=3)
PLAN = LevelSet(
    stages=(
        Stage("alphabeta:depth=1,memory_mb=1", overlooks=0.2),
        Stage("alphabeta:depth=2,memory_mb=1", overlooks=0.1, most_loss=0.4),
    ),
    full="alphabeta:depth=6,memory_mb=1",
    first_temperature=10.0,
    source="a test",
    file=Path("levels.toml"),
)


@pytest.mark.parametrize(("slope", "wanted"), [(1.0, 0.6), (4.0, 0.6), (2.0, 3.0)])
def test_the_temperature_of_a_known_slope_is_found_again(slope: float, wanted: float) -> None:
    """Scores are 75% at the wanted temperature; batches are played at the expected one, as in a fit."""
    rng = Random(5)
    tried: list[tuple[float, float]] = []
    temperature = 1.0
    for _ in range(400):
        log_odds = math.log(3) - slope * math.log(temperature / wanted)
        chance = 1 / (1 + math.exp(-log_odds))
        tried.append((temperature, ((rng.uniform() < chance) + (rng.uniform() < chance)) / 2))
        temperature = min(2 * temperature, max(temperature / 2, expected_temperature(tried, 0.75, 1.0)))
    assert temperature == pytest.approx(wanted, rel=0.25)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_games_that_are_all_won_or_lost_move_the_temperature_by_a_finite_step(score: float) -> None:
    expected = expected_temperature([(1.0, score)] * 50, 0.75, 1.0)
    assert (expected > 1) == (score == 1)
    assert 0 < expected < math.inf


def test_pairs_are_counted_by_their_points() -> None:
    assert measured([Pair(0.0), Pair(2.0), Pair(1.5), Pair(2.0)]) == Measured((1, 0, 0, 1, 2))


def test_a_ladder_is_fitted_from_the_first_level_to_full_strength() -> None:
    ladders = list(fit_levels("connect4", PLAN, seed=1, parameters=QUICK))
    assert ladders[0] == (Level(PLAN.stages[0], 10.0),)
    made = ladders[-1]
    assert made[-1].stage.agent == PLAN.full
    assert len(made) >= 3
    assert made[1].stage == PLAN.stages[0]
    assert all(level.stage == PLAN.stages[1] for level in made[2:-1])
    assert all(level.measured and sum(level.measured.pairs) in (3, 6) for level in made[1:])
    again = fit_levels("connect4", PLAN, seed=1, parameters=QUICK)
    assert [next(again), next(again)] == ladders[:2]


def test_a_highest_level_that_does_not_win_replaces_the_one_below() -> None:
    """The plan's full strength is as strong as the sharp level 2, which it replaces."""
    plan = replace(PLAN, stages=PLAN.stages[:1], full=PLAN.stages[0].agent)
    known = (Level(PLAN.stages[0], 10.0), Level(replace(PLAN.stages[0], overlooks=0.0), 0.01))
    made = list(fit_levels("connect4", replace(plan, stages=(known[1].stage,)), known=known, parameters=QUICK))[-1]
    assert [level.temperature for level in made] == [10.0, 0.0]


def test_games_between_levels_start_as_their_game_says_else_from_a_balanced_opening() -> None:
    assert opening("avalam", Random(1)).position in shipped_set("avalam")
    start = opening("vampires", Random(1))
    assert (start.ply, start.position) == (0, opening("vampires", Random(1)).position)
    assert start.position not in shipped_set("vampires")
    assert start.position.count("h") == 12  # houses, as on the default map


def test_games_have_the_same_results_in_one_process_and_in_two() -> None:
    higher, lower = (2, Level(PLAN.stages[1], 1.0)), (1, Level(PLAN.stages[0], 2.0))
    games = [Game("connect4", seed, swapped, higher, lower, 100) for seed in (5, 6, 7) for swapped in (False, True)]
    with playing(2) as play:
        apart = play(games)
    assert apart == play_here(games)
    assert len(set(apart)) > 1


def test_the_highest_level_is_fitted_anew_after_an_interruption() -> None:
    """The file of an interrupted fit may have it already."""
    plan = replace(PLAN, stages=PLAN.stages[:1])
    quick = replace(QUICK, least=11.0)  # so that no further level fits
    whole = list(fit_levels("connect4", plan, seed=1, parameters=quick))[-1]
    assert list(fit_levels("connect4", plan, seed=1, known=whole, parameters=quick))[-1] == whole


def test_no_two_pairs_of_an_arena_are_alike() -> None:
    arena = Arena("connect4", seed=1, max_plies=100)
    level = (1, Level(PLAN.stages[0], 10.0))
    assert len({pair.points for pair in arena.pairs(level, level, 12)}) > 1
    assert arena.played == 12


def test_a_fit_writes_its_file_after_every_level_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from joute.agents import level_sets
    from joute.fits import levels as fits

    out = tmp_path / "levels.toml"
    monkeypatch.setattr(level_sets, "level_set", lambda game: PLAN)
    monkeypatch.setattr(fits, "FitParameters", lambda: QUICK)
    real, calls = fits.fit_levels, []

    def stopped(game: str, plan: LevelSet, **options: object) -> object:
        calls.append(options["known"])
        ladder = real(game, plan, **options)  # type: ignore[arg-type]
        yield next(ladder)
        yield next(ladder)
        if len(calls) == 1:
            raise KeyboardInterrupt
        yield from ladder

    monkeypatch.setattr(fits, "fit_levels", stopped)
    run = joute("levels", "connect4", "--seed", "3", "--pairs", "2", "--fit", str(out))
    assert "stopped after level 2" in run.stdout
    assert f"joute levels connect4 --seed 3 --pairs 2 --fit {out}" in run.stdout
    assert len(read_levels(out).levels) == 2
    run = joute("levels", "connect4", "--seed", "3", "--pairs", "2", "--fit", str(out))
    assert "going on after level 2" in run.stdout
    assert len(calls[1]) == 2  # type: ignore[arg-type]
    found = read_levels(out)
    assert found.levels[-1].stage.agent == PLAN.full
    assert len(found.fingerprint) == 8
    assert "unfinished" not in out.read_text()


def test_a_fit_does_not_replace_another_file(tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("my notes")
    run = joute("levels", "connect4", "--fit", str(out))
    assert (
        run.stderr
        == f"joute: {out} exists and is not a file of levels; choose another file, or replace it with --force\n"
    )


# --- The ladder ---


def test_elo_adds_up_and_its_interval_widens() -> None:
    half = Level(Stage("a:depth=2"), 1.0, Measured((5, 0, 20, 0, 35)))
    ladder = steps([replace(half, measured=None), half, half])
    assert [step.games for step in ladder] == [0, 120, 120]
    assert ladder[1].score == 0.75
    assert ladder[1].low < 0.75 < ladder[1].high
    assert (ladder[0].elo, ladder[1].elo, ladder[2].elo) == pytest.approx((0, 190.8, 381.7), abs=0.1)
    widths = [step.elo_high - step.elo_low for step in ladder]
    assert widths[0] == 0
    assert widths[2] == pytest.approx(widths[1] * math.sqrt(2))


def test_a_match_won_throughout_has_a_finite_elo() -> None:
    won = Level(Stage("a"), 0.0, Measured((0, 0, 0, 0, 10)))
    step = steps([replace(won, measured=None), won])[1]
    assert step.score == 1
    assert 100 < step.elo < 1000


def test_a_level_without_a_match_has_no_elo() -> None:
    level = Level(Stage("a"), 1.0, Measured((1, 0, 2, 0, 3)))
    ladder = steps([replace(level, measured=None), level, replace(level, measured=None), level])
    assert [math.isnan(step.elo) for step in ladder] == [False, False, True, True]
    assert [step.games for step in ladder] == [0, 12, 0, 12]


def test_settings_are_told_in_words() -> None:
    assert settings_in_words(1, Level(Stage("x:depth=1,memory_mb=1", overlooks=0.2), 3.0)) == (
        "1 ply, overlooks 20%, temperature 3"
    )
    assert settings_in_words(9, Level(Stage("x:nodes=20000", lines=6, most_loss=0.2), 0.1)) == (
        "20,000 nodes, the 6 best moves, temperature 0.1, loses at most 20%"
    )
    assert settings_in_words(10, Level(Stage("perfect"), 0.0)) == "the agent perfect, the best move"


def test_the_levels_of_a_game_are_listed() -> None:
    import json

    text = joute("levels", "connect4").stdout
    assert "joute play connect4 --against level:1" in text
    data = json.loads(joute("levels", "connect4", "--json").stdout)
    assert [level["level"] for level in data["levels"]] == list(range(1, len(data["levels"]) + 1))
    assert data["levels"][0]["score"] is None
    assert data["levels"][-1]["agent"] == level_set("connect4").full


def test_a_game_without_levels_is_told_in_a_sentence() -> None:
    run = joute("levels", "dice")
    assert run.stderr.startswith("joute: dice has no levels; avalam, connect4")


def test_more_games_add_to_those_that_are_measured(tmp_path: Path) -> None:
    file = tmp_path / "levels.toml"
    first, second, full = Level(PLAN.stages[0], 10.0), Level(PLAN.stages[1], 0.1), Level(Stage(PLAN.full), 0.0)
    file.write_text(levels_text(Levels("connect4", (first, second, full)), ("Levels of connect4", "by hand")))
    words = ("levels", "connect4", "--seed", "2", "--pairs", "3", "--measure", str(file))
    assert "level 2 scores" in joute(*words).stdout
    once = read_levels(file).levels[1].measured
    assert "against level 1 in 12 games" in joute(*words).stdout
    twice, last = (level.measured for level in read_levels(file).levels[1:])
    assert last is not None
    assert sum(last.pairs) == 6
    assert once is not None
    assert twice is not None
    assert (sum(once.pairs), sum(twice.pairs)) == (3, 6)
    assert all(more >= less for less, more in zip(once.pairs, twice.pairs, strict=True))
    assert file.read_text().startswith("# Levels of connect4\n# by hand\ngame")
    assert len(read_levels(file).fingerprint) == 8


def test_the_levels_of_another_game_are_not_measured(tmp_path: Path) -> None:
    file = tmp_path / "levels.toml"
    file.write_text(levels_text(Levels("chess", (Level(PLAN.stages[0], 10.0),)), ()))
    run = joute("levels", "connect4", "--measure", str(file))
    assert run.stderr == f"joute: {file} has the levels of chess, not of connect4\n"
    assert run.returncode == 2
