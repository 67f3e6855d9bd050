"""Boards for terminals, in every game: they fit, they mark the last move, and they do without colours and Unicode."""

from __future__ import annotations

from joute import Random, State, new
from joute.games.board import ASCII, TextBoard, plain_board


def games_of(game: str, count: int = 3, most_plies: int = 60) -> list[tuple[State, object]]:
    """Positions of random games, each with the move before it."""
    found: list[tuple[State, object]] = []
    for seed in range(count):
        rng = Random(seed)
        state = new(game)
        while state.is_chance:
            state = state.resolve(state.draw_outcome(rng))
        while not state.is_terminal and len(found) < most_plies * (seed + 1):
            move = state.random_move(rng)
            state = state.play(move, rng)
            found.append((state, str(move)))
    return found


def test_every_line_of_a_board_has_characters_that_every_terminal_can_show(game: str) -> None:
    for state, last in games_of(game):
        for colour in (True, False):
            board = state.text_board(last, colour=colour)
            assert set(board.text) <= {*ASCII, "\n"} | set(map(chr, range(32, 127))), state
            assert board.in_ascii().text.isascii()
            assert board.in_ascii().width == board.width  # replacements in drawings are as wide
            assert board.width <= 80


def test_a_board_without_colours_has_none_and_differs_by_the_last_move(game: str) -> None:
    for state, last in games_of(game, count=1):
        board = state.text_board(last, colour=False)
        assert all(not ink.fill and not ink.ground for line in board.lines for _, ink in line)
        if board.text == plain_board(state.diagram()).text:
            return  # a game without a drawing
        assert board.text != state.text_board(colour=False).text, (state, last)
        assert state.text_board(last).lines != state.text_board().lines


def test_a_board_without_colours_tells_positions_apart(game: str) -> None:
    seen: dict[str, str] = {}
    for state, _ in games_of(game):
        board = state.text_board(colour=False)
        # What is not on the board, such as the player to move, is told beside it.
        known = seen.setdefault(board.text + str(board.notes), state.diagram())
        assert known == state.diagram()


def test_the_default_board_is_the_diagram() -> None:
    state = new("noughts")
    assert state.text_board().text == "\n".join(line.rstrip() for line in state.diagram().split("\n"))
    assert state.text_board().notes == ("", "")


def test_walls_of_quoridor_stand_where_their_notation_says() -> None:
    state = new("quoridor").play("e3h").play("c5v")
    lines = state.text_board("c5v", colour=False).text.split("\n")
    # e3h is above e3 and f3; column e begins at character 2 + 4 * 4, and the gap above row 3 is line 11.
    assert lines[11] == " " * 18 + "━━━━━━━"
    # c5v is to the right of c5 and c6: between the columns c and d, in rows 5 and 6 and the gap between them.
    assert [line[13] for line in lines[6:9]] == ["║"] * 3
    assert "\n".join(lines).count("║") == 3


def test_towers_of_avalam_rise_with_their_height() -> None:
    state = new("avalam").play("c1d1").play("d1d2").play("d2d3").play("d3d4")
    board = state.text_board(colour=False).text.split("\n")
    assert [board[row][15:17] for row in (6, 7)] == ["██", "Y5"]


def test_a_board_knows_its_width() -> None:
    assert TextBoard(()).width == 0
    assert plain_board("ab\nabc").width == 3
