"""Saved games of ``joute play``: where they are, what they are called, and that nothing costs a game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import joute, ok

from joute import State
from joute.agents.level_auto import current_level
from joute.cli.play_files import SavedGame, games_folder, record_of
from joute.games import new
from joute.match.game import GameInProgress
from joute.match.record import Reason
from joute.match.record_reader import read_records

PLAY = ("play", "connect4", "--against", "greedy")


def test_games_are_saved_in_the_folder_of_the_users_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert games_folder() == tmp_path / "data" / "joute" / "games"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")  # the specification says to ignore it
    monkeypatch.setenv("HOME", str(tmp_path))
    assert games_folder() == tmp_path / ".local" / "share" / "joute" / "games"
    monkeypatch.setenv("JOUTE_GAMES", "~/mine")
    assert games_folder() == tmp_path / "mine"


def test_every_game_has_a_name_of_its_own(tmp_path: Path) -> None:
    texts = [ok(*PLAY, "--save", str(tmp_path / "games"), input="4\nquit\n") for _ in range(3)]
    names = sorted(path.name for path in (tmp_path / "games").iterdir())
    assert len(names) == 3
    for number, (name, text) in enumerate(zip(names, texts, strict=True), start=1):
        assert re.fullmatch(rf"connect4-\d{{4}}-\d\d-\d\d-{number}\.txt", name)
        assert f"saved: {tmp_path / 'games' / name}\n" in text


def test_a_resigned_game_is_lost_and_its_review_is_named(tmp_path: Path) -> None:
    text = ok(*PLAY, "--save", str(tmp_path), input="4\nresign\n")
    (file,) = tmp_path.iterdir()
    (record,) = read_records(file)
    assert (record.winner, record.reason) == (1, Reason.RESIGNATION)
    assert f"review: joute review {file}\n" in text
    assert "win probability of the first player" in ok("review", str(file))


def test_a_finished_game_against_level_auto_sets_the_level_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    before = current_level("connect4", 8)
    play = ("play", "connect4", "--level", "auto", "--no-save")
    assert "next opponent" not in ok(*play, input="4\nquit\n")  # it is not over
    text = ok(*play, input="4\nresign\n")
    after = current_level("connect4", 8)
    assert after < before
    assert f"Your next opponent is level {after}.\n" in text
    assert "next opponent" not in ok("play", "connect4", "--level", "1", "--no-save", input="4\nresign\n")


def test_undone_moves_are_not_in_the_file(tmp_path: Path) -> None:
    ok(*PLAY, "--save", str(tmp_path), input="4\nundo\n3\nquit\n")
    (record,) = read_records(next(tmp_path.iterdir()))
    assert record.moves[0].move == "3"


def test_no_file_is_made_where_none_is_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUTE_GAMES", str(tmp_path / "games"))
    assert "saved" not in ok(*PLAY, "--no-save", input="4\nquit\n")
    assert "saved" not in ok(*PLAY, input="quit\n")  # no move was played
    assert not (tmp_path / "games").exists()


def test_a_folder_that_cannot_be_written_costs_a_sentence_and_no_game(tmp_path: Path) -> None:
    (tmp_path / "games").write_text("a file")
    done = joute(*PLAY, "--save", str(tmp_path / "games"), input="4\nquit\n")
    assert done.returncode == 0
    assert done.stderr == f"joute: the game could not be saved in {tmp_path / 'games'}: File exists\n"
    assert "To go on: joute play connect4 --against greedy" in done.stdout  # from the position


def test_a_game_in_progress_has_a_record_without_a_winner() -> None:
    game: GameInProgress[State] = GameInProgress(new("connect4"))
    game.play("4")
    record = record_of(game, ("player", "greedy"))
    assert (record.winner, record.result.decided_by, record.reason) == (None, "unfinished", Reason.ADJUDICATED)
    assert not game.is_over
    game.play("4")
    assert len(record.moves) == 1
    saved = SavedGame(Path("nowhere"), ("player", "greedy"))
    saved.write(GameInProgress(new("connect4")))
    assert saved.path is None
