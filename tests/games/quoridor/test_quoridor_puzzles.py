"""Every puzzle of Quoridor has one answer, by a solver in plain Python that shares nothing with the core's search.

Puzzles have one wall in hand in all. Without it the game is a race on a fixed board, and with it the race may turn into
one of some sixty others. All positions of a race are solved backwards from the goals; what never ends is a draw.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from itertools import product

import pytest

from joute.games.quoridor.state import Quoridor
from joute.learn.puzzles import Puzzle, puzzles_of

PUZZLES = puzzles_of("quoridor")
SIZE = 9
CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE)]
GOALS = (SIZE - 1, 0)

Cell = tuple[int, int]
Wall = tuple[str, int, int]  # h or v, row and column of the cell closest to a1
Race = tuple[Cell, Cell, int]  # the pawns of the first and the second, and who is to move


class Board:
    """Walls, and where they let pawns go."""

    def __init__(self, walls: frozenset[Wall]) -> None:
        self.walls = walls
        self.open = {cell: [next_ for next_ in self._beside(cell) if self._passes(cell, next_)] for cell in CELLS}

    @staticmethod
    def _beside(cell: Cell) -> list[Cell]:
        row, column = cell
        near = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        return [(r, c) for r, c in near if 0 <= r < SIZE and 0 <= c < SIZE]

    def _passes(self, one: Cell, other: Cell) -> bool:
        (row, column), (above, _) = min(one, other), max(one, other)
        if row != above:
            return not {("h", row, column), ("h", row, column - 1)} & self.walls
        return not {("v", row, column), ("v", row - 1, column)} & self.walls

    def steps(self, own: Cell, other: Cell) -> list[Cell]:
        """Where a pawn may go."""
        if other not in self.open[own]:
            return self.open[own]
        found = []
        for cell in self.open[own]:
            if cell != other:
                found.append(cell)
                continue
            behind = (2 * other[0] - own[0], 2 * other[1] - own[1])
            found += [behind] if behind in self.open[other] else [each for each in self.open[other] if each != own]
        return found

    @cached_property
    def ways(self) -> tuple[set[Cell], set[Cell]]:
        """The cells from which the first and the second player can reach the goal."""
        found = []
        for goal in GOALS:
            seen = {(goal, column) for column in range(SIZE)}
            waiting = list(seen)
            while waiting:
                fresh = [each for each in self.open[waiting.pop()] if each not in seen]
                seen.update(fresh)
                waiting += fresh
            found.append(seen)
        return found[0], found[1]

    def with_wall(self, wall: Wall) -> Board | None:
        """The board with another wall; None if it overlaps or crosses."""
        kind, row, column = wall
        ahead = [(kind, row, column + step) if kind == "h" else (kind, row + step, column) for step in (-1, 0, 1)]
        crossed = ("v" if kind == "h" else "h", row, column)
        return None if {*ahead, crossed} & self.walls else Board(self.walls | {wall})


def solved(board: Board, options: dict[Wall, tuple[Board, dict[Race, int]]], owner: int) -> dict[Race, int]:
    """The result of every position for the player to move: 1, 0 or -1. `owner` may place one of `options`."""
    result: dict[Race, int] = {}
    before: dict[Race, list[Race]] = {}
    left: dict[Race, int] = {}
    drawn: set[Race] = set()
    waiting: deque[Race] = deque()

    def settle(race: Race, value: int) -> None:
        if race not in result:
            result[race] = value
            waiting.append(race)

    for first, second in product(CELLS, CELLS):
        if first == second:
            continue
        for mover in (0, 1):
            race = first, second, mover
            if first[0] == GOALS[0] or second[0] == GOALS[1]:
                if (second[0] == GOALS[1]) == (mover == 0) or (first[0] == GOALS[0]) == (mover == 1):
                    settle(race, -1)
                continue
            pawns = (first, second)
            after: list[Race] = []
            for cell in board.steps(pawns[mover], pawns[1 - mover]):
                after.append((cell, second, 1) if mover == 0 else (first, cell, 0))
            left[race] = len(after)
            for each in after:
                before.setdefault(each, []).append(race)
            if mover != owner:
                continue
            for walled, known in options.values():
                if first not in walled.ways[0] or second not in walled.ways[1]:
                    continue
                value = -known.get((first, second, 1 - mover), 0)
                if value > 0:
                    settle(race, 1)
                    break
                if value == 0:
                    drawn.add(race)
    while waiting:
        race = waiting.popleft()
        for earlier in before.get(race, ()):
            if result[race] == -1:
                settle(earlier, 1)
            else:
                left[earlier] -= 1
                if not left[earlier] and earlier not in drawn:
                    settle(earlier, -1)
    return result


def board_of(state: Quoridor) -> Board:
    walls = [("h", row, column) for row, column in state.horizontal_walls]
    walls += [("v", row, column) for row, column in state.vertical_walls]
    return Board(frozenset(walls))


def winning_moves(puzzle: Puzzle) -> list[str]:
    """The moves of a puzzle that win, by the solver in this file."""
    state = puzzle.state
    assert isinstance(state, Quoridor)
    assert sum(state.walls_in_hand) == 1
    owner = state.walls_in_hand.index(1)
    board = board_of(state)
    options = {}
    for kind, row, column in product("hv", range(SIZE - 1), range(SIZE - 1)):
        walled = board.with_wall((kind, row, column))
        if walled is not None:
            options[kind, row, column] = walled, solved(walled, {}, 2)
    kept = solved(board, options, owner)
    won = []
    for move in state.legal_moves:
        after = state.play(move)
        assert isinstance(after, Quoridor)
        if after.result is not None:
            won += [str(move)]
            continue
        race = (after.pawn(0), after.pawn(1), after.to_move)
        if move.is_wall:
            text = str(move)
            value = options[text[2], int(text[1]) - 1, ord(text[0]) - ord("a")][1].get(race, 0)
        else:
            value = kept.get(race, 0)
        won += [str(move)] if value == -1 else []
    return won


def test_a_race_that_is_one_step_from_the_goal_is_won() -> None:
    known = solved(Board(frozenset()), {}, 2)
    assert known[(7, 4), (4, 4), 0] == 1
    assert known[(7, 4), (1, 0), 1] == 1
    assert known[(7, 4), (4, 0), 1] == -1


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda each: each.position)
def test_one_move_wins(puzzle: Puzzle) -> None:
    assert winning_moves(puzzle) == [puzzle.answer]
