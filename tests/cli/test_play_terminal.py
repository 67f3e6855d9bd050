"""``joute play`` in a terminal: the picture, the keys of a player, and how a game ends."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from terminal_session import CLEAR, TerminalSession, terminal

from joute.match.record_reader import read_records

PLAY = ("play", "connect4", "--against", "greedy", "--seed", "0", "--pause", "0")
PROMPT = "your move: "


def saved_game(session: TerminalSession) -> Path:
    """The file that the session named."""
    found = re.search(r"saved: (\S+)", session.text)
    assert found
    return Path(found[1])


def test_the_picture_is_redrawn_in_place_and_marks_the_last_move() -> None:
    with terminal(*PLAY) as session:
        session.read_until(PROMPT)
        assert session.text.count(CLEAR) == 1
        session.type("4\n")
        session.read_until(PROMPT)
        picture = session.picture()
        assert any(line.endswith("1  first (X)  4") for line in picture)
        assert any("2  second (O)  4" in line for line in picture)
        assert any("▄▄" in line for line in picture)  # the mark of the last disc
        assert picture[-1] == PROMPT
        session.type("quit\n")
        assert session.end() == 0
    assert f"To go on: joute play {saved_game(session)} --resume" in session.text


def test_a_wrong_move_is_answered_by_a_sentence_and_asked_again() -> None:
    with terminal(*PLAY) as session:
        session.read_until(PROMPT)
        session.type("9\n")
        assert "illegal move 9 at ply 0 of connect4; legal moves: 1 2 3 4 5 6 7" in session.read_until("4 5 6 7")
        session.read_until(PROMPT)
        session.type("hint\n")
        assert "hint: 4, win probability 100.0%" in session.read_until("score")
        session.read_until(PROMPT)
        assert not any("illegal" in line for line in session.picture())  # said once
        session.type("quit\n")
        assert session.end() == 0
    assert "saved" not in session.text  # no move was played


def test_a_won_game_is_saved_and_reviewed() -> None:
    with terminal(*PLAY, "--position", "112233") as session:
        session.read_until(PROMPT)
        session.type("4\n")
        session.read_until("Review the game now? [y/N] ")
        assert "You win!" in session.text
        session.type("y\n")
        assert session.end() == 0
    assert "win probability of the first player" in session.text
    (game,) = read_records(saved_game(session))
    assert game.players == ("player", "greedy")
    assert [played.move for played in game.moves] == ["4"]
    assert game.winner == 0
    assert saved_game(session).name.startswith("connect4-")
    assert f"review: joute review {saved_game(session)}" in session.text


@pytest.mark.parametrize(("keys", "status"), [("\x03", 130), ("\x04", 0)])
def test_ctrl_c_and_the_end_of_the_input_keep_the_game(keys: str, status: int) -> None:
    with terminal(*PLAY) as session:
        session.read_until(PROMPT)
        session.type("4\n")
        session.read_until(PROMPT)
        session.type(keys)
        assert session.end() == status
    assert "Traceback" not in session.text
    assert f"To go on: joute play {saved_game(session)} --resume" in session.text
    (game,) = read_records(saved_game(session))
    assert [played.move for played in game.moves] == ["4", "4"]
    assert (game.winner, game.result.decided_by) == (None, "unfinished")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_a_game_whose_terminal_is_gone_is_kept(number: signal.Signals, tmp_path: Path) -> None:
    with terminal(*PLAY, "--save", str(tmp_path)) as session:
        session.read_until(PROMPT)
        session.type("4\n")
        session.read_until(PROMPT)
        session.send(number)
        session.end()
    (file,) = tmp_path.iterdir()
    (game,) = read_records(file)
    assert len(game.moves) == 2


def test_a_terminal_without_colours_gets_letters() -> None:
    with terminal(*PLAY, NO_COLOR="1") as session:
        session.read_until(PROMPT)
        session.type("4\n")
        session.read_until(PROMPT)
        assert "\x1b[" not in session.text.replace(CLEAR, "").replace("\x1b[?2004h", "").replace("\x1b[?2004l", "")
        assert any("[O]" in line for line in session.picture())
        session.type("\x04")
        assert session.end() == 0


def test_a_terminal_without_unicode_gets_ascii() -> None:
    with terminal(*PLAY, PYTHONIOENCODING="ascii") as session:
        session.read_until(PROMPT)
        assert session.text.isascii()
        assert any(r"/##\ /##\ " in line for line in session.picture())
        session.type("\x04")
        assert session.end() == 0


def test_a_dumb_terminal_gets_lines() -> None:
    with terminal(*PLAY, TERM="dumb") as session:
        session.read_until(PROMPT)
        assert CLEAR not in session.text
        assert ". . . . . . ." in session.text
        session.type("\x04", is_edited=False)
        assert session.end() == 0


def test_without_a_game_the_player_chooses_one() -> None:
    with terminal("play", "--against", "random", "--pause", "0") as session:
        listed = session.read_until("Which game? ")
        number = re.search(r"(\d+)  Quoridor \(quoridor\)", listed)
        assert number
        session.type("chess\n", is_edited=False)
        assert "unknown game 'chess'" in session.read_until("Which game? ")
        session.type(f"{number[1]}\n", is_edited=False)
        session.read_until(PROMPT)
        assert any("10 walls, 8 steps to go" in line for line in session.picture())
        session.type("e2\n")
        session.read_until(PROMPT)
        session.type("\x04")
        assert session.end() == 0
    assert read_records(saved_game(session))[0].seed > 0  # drawn by chance, and kept


def test_the_tab_key_completes_commands_and_moves() -> None:
    pytest.importorskip("readline")
    with terminal(*PLAY) as session:
        session.read_until(PROMPT)
        session.type("hel\t\n")
        session.read_until("Type a move, or: moves")
        session.read_until(PROMPT)
        session.type("quit\n")
        assert session.end() == 0


def test_keys_that_are_pressed_early_are_read_later_and_not_shown_amid_the_picture() -> None:
    with terminal("play", "connect4", "--against", "greedy", "--pause", "0.3") as session:
        session.read_until(PROMPT)
        session.type("4\n3\nmoves\nquit\n")
        assert session.end() == 0
    moves = [played.move for played in read_records(saved_game(session))[0].moves]
    assert (moves[0], moves[2], len(moves)) == ("4", "3", 4)
    for picture in session.text.split(CLEAR)[1:]:
        board = picture.split("\r\n")[:12]
        assert all(line.startswith("\x1b[48;5;") for line in board)  # nothing else is between the lines
