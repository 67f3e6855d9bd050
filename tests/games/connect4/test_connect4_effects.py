"""What a move of Connect Four does, in words, against a scan of all 69 lines of four."""

from __future__ import annotations

import re

import pytest

from joute import Random, new
from joute.games import State
from joute.games.effects import find_effects

TELL = find_effects("connect4")
Grid = dict[tuple[int, int], int]

LINES = [
    [(column + step * right, row + step * up) for step in range(4)]
    for column in range(7)
    for row in range(6)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if 0 <= column + 3 * right < 7 and 0 <= row + 3 * up < 6
]


def told(position: str, move: str) -> list[str]:
    state = new("connect4", position)
    return [effect.told() for effect in TELL(state, move)]


@pytest.mark.parametrize(
    ("position", "move", "words"),
    [
        # X X X .  on the bottom row, O on top of them
        ("112233", "4", ["makes four in a row at column 4"]),
        # O must stop X X X . on the bottom row
        ("11223", "4", ["blocks four in a row at column 4"]),
        # . X X . . with both ends open: three in a row win next turn
        ("4151", "3", ["makes three in a row: wins next turn"]),
        # X X . X: one hole, which O can fill
        ("1122", "4", ["threatens four in a row at column 3"]),
        # three in a column
        ("4141", "4", ["threatens four in a row at column 4"]),
        # X X X . on the second row, with nothing on column 4 yet
        ("71122763", "3", ["makes a threat of four at column 4, row 2"]),
        ("44", "1", []),
    ],
)
def test_drawn_positions_of_connect4_have_their_words(position: str, move: str, words: list[str]) -> None:
    assert told(position, move) == words


def test_what_connect4_says_holds_in_random_games() -> None:
    rng = Random(5)
    seen = dict.fromkeys(("makes four", "blocks", "threatens", "wins next turn", "threat of four"), 0)
    for _ in range(12):
        state = new("connect4")
        while not state.is_terminal:
            for move in state.legal_moves:
                words = " | ".join(effect.told() for effect in TELL(state, move))
                check(state, str(move), words)
                for part in seen:
                    seen[part] += part in words
            state = state.play(state.random_move(rng))
    assert min(seen.values()) >= 5, seen


def check(state: State, move: str, words: str) -> None:
    """Compare the words of a move with the rules."""
    player, column = state.to_move, int(move) - 1
    grid, after = grid_of(state), state.play(move)
    cell = (column, height(grid, column))
    wins = after.result is not None and after.result.winner == player
    assert ("makes four" in words) == wins, (state, move, words)
    if wins:
        return
    assert (f"blocks four in a row at column {move}" in words) == has_four(grid | {cell: 1 - player}, 1 - player)
    if "wins next turn" in words:
        replies = [after.play(reply) for reply in after.legal_moves]
        assert replies
        assert all(not replied.is_terminal and replied.winning_moves for replied in replies), (state, move, words)
    later = grid_of(after)
    for named in re.findall(r"threatens four in a row at columns? ([\d, and]+)", words):
        for number in re.findall(r"\d", named):
            goal = (int(number) - 1, height(later, int(number) - 1))
            assert has_four(later | {goal: player}, player), (state, move, words)
    for first, second in re.findall(r"a threat of four at column (\d), row (\d)", words):
        goal = (int(first) - 1, int(second) - 1)
        assert goal not in later
        assert has_four(later | {goal: player}, player)
        assert not has_four({**grid, goal: player}, player)


def grid_of(state: State) -> Grid:
    cells = state.cells  # type: ignore[attr-defined]
    return {(column, row): cells[column][row] for column in range(7) for row in range(6) if cells[column][row] >= 0}


def height(grid: Grid, column: int) -> int:
    return sum(place[0] == column for place in grid)


def has_four(grid: Grid, player: int) -> bool:
    return any(all(grid.get(place) == player for place in line) for line in LINES)
