"""Quoridor's moves as other programs write them, and lines of play that lead to a position."""

from __future__ import annotations

import itertools
import re

import pytest

from joute import new
from joute._core import Random
from joute.errors import JouteError, NotationError
from joute.games import State
from joute.games.quoridor.line import line_to
from joute.games.quoridor.notation import NOTATIONS, find_notation
from joute.games.quoridor.state import Quoridor

START = new("quoridor")
MOVES = [f"{letter}{row}" for letter, row in itertools.product("abcdefghi", range(1, 10))] + [
    f"{letter}{row}{orientation}" for letter, row, orientation in itertools.product("abcdefgh", range(1, 9), "hv")
]


@pytest.mark.parametrize("name", NOTATIONS)
def test_every_move_is_read_back_in_its_own_notation_and_no_two_are_written_alike(name: str) -> None:
    notation = find_notation(name)
    written = [notation.write(move) for move in MOVES]
    assert len(set(written)) == len(MOVES) == 209
    assert [notation.read(text) for text in written] == MOVES
    assert [notation.read(text.swapcase()) for text in written] == MOVES


def test_corners_of_the_board_are_where_each_notation_has_them() -> None:
    # Who begins starts in the middle of the row 1 of the first column; a1h lies in front of that player's left corner.
    corners = {"e1": "start", "a1h": "left", "h8v": "far right"}
    found = {name: [find_notation(name).write(move) for move in corners] for name in NOTATIONS}
    assert found == {
        "athens": ["E9", "A9 horizontal", "H2 vertical"],
        "kata": ["e9", "a8h", "h1v"],
        "modern": ["e1", "a1h", "h8v"],
    }


def test_kata_is_what_the_rules_read_as_kata() -> None:
    for move in MOVES:
        assert str(START.parse_move(f"kata:{find_notation('kata').write(move)}")) == move


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("athens", "e3h"),
        ("athens", "e1 horizontal"),
        ("athens", "i5 vertical"),
        ("athens", "e3 diagonal"),
        ("athens", "e3 h h"),
        ("kata", "e3 horizontal"),
        ("kata", "e9h"),
        ("modern", "e3 h"),
        ("modern", "i3h"),
        *((name, text) for name in NOTATIONS for text in ("", "e", "j1", "e0", "e10", "e3x", "pass", "é3")),
    ],
)
def test_what_is_written_otherwise_is_not_guessed(name: str, text: str) -> None:
    with pytest.raises(NotationError, match="moves are cells, such as"):
        find_notation(name).read(text)


def test_a_drawing_has_the_rows_of_its_notation_and_no_empty_line() -> None:
    state = START
    for move in ("e2", "a8h", "h8v"):
        state = state.play(move)
    assert isinstance(state, Quoridor)
    for name, row, wall in (("athens", "8  .   .   .   .   B", 15), ("modern", "2  .   .   .   .   W", 1)):
        lines = find_notation(name).draw(state).splitlines()
        assert all(lines)
        assert [line.startswith(row) for line in lines].count(True) == 1
        assert [number for number, line in enumerate(lines) if "---+---" in line] == [wall]
        assert [line[0] for line in lines if line.endswith("| .")] == (["2", "1"] if name == "athens" else ["9", "8"])
    assert find_notation("kata").draw(state) == find_notation("athens").draw(state)


def test_a_line_is_found_to_positions_of_the_first_sixty_plies() -> None:
    for seed in range(60):
        goal = state_after_at_most(START, 1 + seed, seed)
        shown = new("quoridor", goal.position)
        assert isinstance(shown, Quoridor)
        state = START
        for move in line_to(shown):
            state = state.play(move).with_past(())
        assert state.position == goal.position


def state_after_at_most(state: State, plies: int, seed: int) -> State:
    """Random plies, the last one before the game ends."""
    dice = Random(seed)
    for _ in range(plies):
        after = state.play(state.random_move(dice))
        if after.is_terminal:
            return state
        state = after
    return state


@pytest.mark.parametrize("position", ["//e1e9/10-10/1", "//e4e9/10-10/2", "a1//e1e9/9-10/0"])
def test_a_position_that_no_play_leads_to_gives_one_clear_error(position: str) -> None:
    goal = new("quoridor", position)
    assert isinstance(goal, Quoridor)
    with pytest.raises(JouteError, match=f"found no line of play from the start to {re.escape(position)}"):
        line_to(goal)
