"""``joute play --resume``: a game that was left goes on with its opponent, its times and its history."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commands import joute, ok

from joute import play_game
from joute.cli.play_files import SavedGame
from joute.cli.play_resume import left_game
from joute.errors import JouteError
from joute.games import new
from joute.match.clock import controls_of
from joute.match.game import GameInProgress
from joute.match.record_reader import read_records
from joute.match.record_text import write_record


def saved(folder: Path, game: GameInProgress, opponent: str = "greedy", human: int = 0) -> Path:  # type: ignore[type-arg]
    names = ("player", opponent) if human == 0 else (opponent, "player")
    file = SavedGame(folder, names)
    file.write(game)
    assert file.path is not None
    return file.path


def begun(spec: str, *moves: str, seed: int = 0) -> GameInProgress:  # type: ignore[type-arg]
    """A game with these first moves, then the first legal ones until a random event is over."""
    game = GameInProgress(new(spec), seed=seed, draws_at_once=False)
    while game.state.is_chance:
        game.resolve()
    for move in moves:
        game.play(move)
        while game.state.is_chance:
            game.resolve()
    return game


def test_a_game_that_was_left_goes_on_in_its_file(tmp_path: Path) -> None:
    folder = ("--save", str(tmp_path))
    text = ok("play", "connect4", "--against", "level:3", "--second", "--seed", "5", *folder, input="4\nquit\n")
    (file,) = tmp_path.iterdir()
    assert text.endswith(f"To go on: joute play {file} --resume\n")
    before = read_records(file)[0]
    text = ok("play", str(file), "--resume", input="4\nresign\n")
    assert f"review: joute review {file}\n" in text
    (after,) = read_records(file)
    assert list(tmp_path.iterdir()) == [file]
    assert after.moves[: len(before.moves)] == before.moves
    assert len(after.moves) > len(before.moves)
    assert (after.players, after.seed, after.winner) == (("level:3", "player"), 5, 0)


def test_without_a_file_the_last_game_that_was_left_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUTE_GAMES", str(tmp_path))
    first, second = saved(tmp_path, begun("connect4", "4")), saved(tmp_path, begun("avalam", "c1d1"))
    finished = begun("connect4", "4")
    finished.resign(0)
    last = saved(tmp_path, finished)
    (tmp_path / "notes.txt").write_text("not a game")
    for number, file in enumerate((first, second, last, tmp_path / "notes.txt")):
        os.utime(file, ns=(number, number))
    assert left_game(None, tmp_path).file == second
    assert left_game("connect4", tmp_path).file == first
    assert f"To go on: joute play {second} --resume" in ok("play", "--resume", input="quit\n")
    done = joute("play", "quoridor", "--resume")
    assert (done.returncode, done.stderr) == (2, f"joute: there is no unfinished game of quoridor in {tmp_path}\n")


def test_history_clock_and_random_events_are_those_of_the_saved_game(tmp_path: Path) -> None:
    game = GameInProgress(new("quoridor"), seed=3, draws_at_once=False, controls=controls_of("60+1"))
    for move in ("e2", "e8", "e1", "e9", "e2"):
        game.charge(2.0)
        game.play(move)
    again = left_game(str(saved(tmp_path, game)), tmp_path).game()
    assert again.state == game.state
    assert again.state.past == game.state.past
    assert again.clock.reading == game.clock.reading
    assert again.moves == game.moves
    again.undo(2)
    assert again.line == ["e2", "e8", "e1"]


def test_random_events_stay_as_they_fell(tmp_path: Path) -> None:
    game = begun("dice", "roll", "roll", "step", seed=3)
    assert any(played.outcomes for played in game.moves)
    again = left_game(str(saved(tmp_path, game)), tmp_path).game()
    assert (again.state, again.line) == (game.state, game.line)


def test_a_game_is_saved_without_a_random_event_that_is_pending(tmp_path: Path) -> None:
    """No record can have a move whose event has no outcome yet: the file could not be read."""
    game = begun("dice", "roll", seed=3)
    file = SavedGame(tmp_path, ("player", "greedy"))
    file.write(game)
    before = game.line.copy()
    game.play("roll")
    assert game.state.is_chance
    file.write(game)
    assert left_game(None, tmp_path).game().line == before


def test_a_file_that_cannot_go_on_is_told_in_a_sentence(tmp_path: Path) -> None:
    over = begun("connect4", "4")
    over.resign(0)
    file = saved(tmp_path, over)
    with pytest.raises(JouteError, match=r"the game in .* is over; 'joute review' tells what decided it"):
        left_game(str(file), tmp_path)
    other = tmp_path / "other.txt"
    other.write_text(write_record(play_game("connect4", "random", "random", seed=1)))
    with pytest.raises(JouteError, match="no person plays in"):
        left_game(str(other), tmp_path)
    other.write_text(f"{file.read_text()}\n{file.read_text()}")
    with pytest.raises(JouteError, match="has 2 games; a saved game is alone in its file"):
        left_game(str(other), tmp_path)
    with pytest.raises(JouteError, match=r"there is no file gone\.txt with a saved game"):
        left_game("gone.txt", tmp_path)
    done = joute("play", str(file), "--resume", "--level", "3")
    assert done.stderr == "joute: --resume takes opponent, side, clock and seed from the saved game; leave them out\n"
