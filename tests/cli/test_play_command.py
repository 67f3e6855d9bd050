"""``joute play`` as its users type it."""

from __future__ import annotations

from commands import ok


def test_play_a_game_with_undo_hint_and_an_illegal_move() -> None:
    text = ok(
        "play",
        "connect4",
        "--against",
        "random",
        "--seed",
        "1",
        "--no-save",
        input="hint\n9\n4\nundo\n1\nmoves\nquit\n",
    )
    assert "hint: 4" in text
    assert "illegal move 9 at ply 0 of connect4; legal moves: 1 2 3 4 5 6 7" in text
    assert "To go on: joute play connect4 --against random --hints perfect --seed 1 --position 1" in text


def test_play_to_a_win_and_resign() -> None:
    assert "You win!" in ok("play", "connect4", "--position", "112233", input="4\n")
    assert "You resign; greedy wins." in ok("play", "connect4", input="resign\n")
    assert "greedy wins." in ok("play", "connect4", "--second", "--position", "112233")
    assert "You have no move to take back" in ok("play", "connect4", input="undo\n")


def test_play_shows_the_last_board_once() -> None:
    for words in (("--position", "112233"), ("--second", "--position", "112233"), ("--position", "1122334")):
        text = ok("play", "connect4", *words, input="4\n")
        assert text.count("ply 7: first (X) wins (four in a row)") == 1


def test_play_lists_the_moves_that_are_asked_for_and_reads_every_notation() -> None:
    words = ("moves c1", "moves a1", "c1c3", "(0, 2, 0, 3)", "undo", "quit")
    text = ok("play", "avalam", "--against", "random", "--no-save", input="\n".join(words))
    assert "your move: c1d1 c1b2 c1c2 c1d2 d1c1 b2c1 c2c1 d2c1\n" in text
    assert "No legal move contains a1." in text
    assert (
        "illegal move c1c3 at ply 0 of avalam: 'c1c3' is not an avalam move: the two cells are not neighbours" in text
    )
    assert "1        . Y2" in text
    assert "--position Aa/AaAa/" in text


def test_play_takes_stray_bytes_for_an_illegal_move() -> None:
    text = ok("play", "connect4", input="\udcff\n4\x00\nquit\n")
    assert "illegal move \\xff at ply 0" in text
    assert "illegal move 4\\x00 at ply 0" in text


def test_play_ends_quietly_when_the_input_ends() -> None:
    assert "To go on: joute play " in ok("play", "connect4", input="4\n")


def test_hints_in_play_come_from_the_solver() -> None:
    # The greedy agent would play the centre; column 2 alone wins.
    assert "hint: 2" in ok("play", "connect4", "--position", "44444222", input="hint\nquit\n")
