"""``level:auto``: up after wins, down after losses, from game to game, whatever happens to its file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from joute import Clock, agent, new
from joute.agents import CaveatWarning
from joute.agents.level_auto import AutoParameters, Standing, after_game, current_level, standing_in, tell_result
from joute.agents.level_sets import levels_of
from joute.agents.levels import number_of
from joute.files import data_folder

GAME = "connect4"
COUNT = len(levels_of(GAME).levels)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_a_win_raises_the_level_and_a_loss_lowers_it() -> None:
    assert current_level(GAME, COUNT) == 2
    assert tell_result("level:auto", GAME, 1.0) == 3
    assert tell_result("level:auto", GAME, 0.0) == 2
    assert standing_in(GAME).games == 2


def test_each_game_has_a_level_of_its_own() -> None:
    tell_result("level:auto", GAME, 1.0)
    assert (current_level(GAME, COUNT), current_level("avalam", COUNT)) == (3, 2)
    assert json.loads((data_folder() / "levels.json").read_text())[GAME]["games"] == 1


def test_only_games_against_auto_count() -> None:
    for spec in ("level:4", "greedy", "level", "mcts:iterations=3"):
        assert tell_result(spec, GAME, 1.0) is None
    assert not (data_folder() / "levels.json").exists()
    assert tell_result("level:number=auto", f"{GAME}:", 1.0) == 3


def test_a_player_of_a_level_is_found_and_kept() -> None:
    """A player of strength 6 scores as the ladder says; the rating settles around 6."""
    standing, ratings = Standing(AutoParameters().start), []
    surplus = 0.0
    for _ in range(300):
        level = standing.level(10)
        surplus += 1 / (1 + 3.0 ** (level - 6))
        points = float(surplus >= 1)
        surplus -= points
        standing = after_game(standing, points, 10)
        ratings.append(standing.rating)
    assert 5.5 < sum(ratings[50:]) / 250 < 6.5


def test_the_level_stays_on_the_ladder() -> None:
    top = bottom = Standing(5.0)
    for _ in range(40):
        top, bottom = after_game(top, 1, 8), after_game(bottom, 0, 8)
    assert (top.level(8), bottom.level(8)) == (8, 1)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", '{"connect4": 3}', '{"connect4": {"rating": "x", "games": 1}}', "\0",
     '{"connect4": {"rating": NaN, "games": 1}}', '{"connect4": {"rating": 3}}', "[" * 100_000],
)  # fmt: skip
def test_a_damaged_file_starts_anew_and_costs_no_game(text: str) -> None:
    data_folder().mkdir()
    (data_folder() / "levels.json").write_text(text)
    assert current_level(GAME, COUNT) == 2
    assert tell_result("level:auto", GAME, 1.0) == 3
    assert current_level(GAME, COUNT) == 3


def test_a_file_that_cannot_be_written_costs_no_game(home: Path) -> None:
    (home / "joute").write_text("a file where the folder should be")
    assert tell_result("level:auto", GAME, 1.0) == 2
    with warnings.catch_warnings():  # it says which level plays, once in a process
        warnings.simplefilter("ignore", CaveatWarning)
        player = agent("level:auto", game=GAME)
    assert player.choose(new(GAME), Clock()) in new(GAME).legal_moves


def test_the_level_that_plays_is_the_one_of_the_file() -> None:
    data_folder().mkdir()
    (data_folder() / "levels.json").write_text(json.dumps({GAME: {"rating": 4.6, "games": 9}}))
    assert number_of("auto", GAME) == 5
    (data_folder() / "levels.json").write_text(json.dumps({GAME: {"rating": 99, "games": 9}}))
    assert number_of("auto", GAME) == len(levels_of(GAME).levels)


def test_a_relative_data_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "somewhere")
    monkeypatch.setenv("HOME", "/home/anna")
    assert data_folder() == Path("/home/anna/.local/share/joute")
