"""The heuristics of the games' guides, written with a call for each cell, as students had to before.

Each returns what the guide's heuristic returns; `python_search` checks it.
"""

from __future__ import annotations

from typing import Any

_AROUND = ((-1, 0), (0, -1), (0, 1), (1, 0))
_LINES_THROUGH = ((3, 4, 5, 5, 4, 3), (4, 6, 8, 8, 6, 4), (5, 8, 11, 11, 8, 5), (7, 10, 13, 13, 10, 7))


def connect4(state: Any, player: int) -> float:
    total = 0
    for column in range(7):
        for row in range(6):
            owner = state.disc_at(column, row)
            weight = _LINES_THROUGH[min(column, 6 - column)][row]
            if owner == player:
                total += weight
            elif owner >= 0:
                total -= weight
    return total


def avalam(state: Any, player: int) -> float:
    towers = [[state.tower_at(row, column) for column in range(9)] for row in range(9)]
    total = 0
    for row in range(9):
        for column in range(9):
            tower = towers[row][column]
            if tower:
                worth = 1 if _can_merge(towers, row, column) else 2
                total += worth if tower > 0 else -worth
    return total if player == 0 else -total


def _can_merge(towers: list[list[int]], row: int, column: int) -> bool:
    room = 5 - abs(towers[row][column])
    return any(
        0 < abs(towers[near][beside]) <= room
        for near in range(max(0, row - 1), min(9, row + 2))
        for beside in range(max(0, column - 1), min(9, column + 2))
        if (near, beside) != (row, column)
    )


def divercite(state: Any, player: int) -> float:
    total = 0.0
    for row in range(9):
        for column in range(9):
            piece = state.piece_at(row, column)
            if len(piece) != 3:  # a city is a colour, a C and its owner
                continue
            worth = float(state.points_at(row, column))
            around = [state.piece_at(row + down, column + right)[:1] for down, right in _AROUND]
            colours = [colour for colour in around if colour]
            if worth < 5 and len(set(colours)) == len(colours):
                worth += 0.5 * len(colours)
            total += worth if (piece[2] == "B") == player else -worth
    return total


def quoridor(state: Any, player: int) -> float:
    lead: float = state.distance(1 - player) - state.distance(player)
    turn = 0.5 if state.to_move == player else -0.5
    lead += turn + 0.5 * (state.walls_left(player) - state.walls_left(1 - player))
    return lead


def vampires(state: Any, player: int) -> float:
    total = 0.0
    for side, sign in ((player, 1), (1 - player, -1)):
        species = state.species(side)
        total += sign * state.units(side)
        for x, y, kind, humans in state.cells:
            if kind == "h":
                steps = [
                    max(abs(x - own_x), abs(y - own_y))
                    for own_x, own_y, own, units in state.cells
                    if own == species and units >= humans
                ]
                if steps:
                    total += sign * 0.5 * humans / min(steps)
    return total


BY_CELL = {"avalam": avalam, "connect4": connect4, "divercite": divercite, "quoridor": quoridor, "vampires": vampires}


def openspiel_connect4(state: Any, player: int) -> float:
    """The same from OpenSpiel's board as text, which is faster than its tensor."""
    mine, theirs = ("x", "o") if player == 0 else ("o", "x")
    total = 0
    for line, row in zip(str(state).split(), range(5, -1, -1), strict=True):
        for column, mark in enumerate(line):
            if mark == mine:
                total += _LINES_THROUGH[min(column, 6 - column)][row]
            elif mark == theirs:
                total -= _LINES_THROUGH[min(column, 6 - column)][row]
    return total


def openspiel_quoridor(state: Any, player: int) -> float:
    """The same with a path search in Python: OpenSpiel has no distances, and its tensor has no walls."""
    head, _, *lines = str(state).split("\n")
    walls = [int(count) for count in head.split("walls:")[1].split(",")]
    steps = [_steps(lines, "0", 0), _steps(lines, "@", 8)]
    turn = 0.5 if state.current_player() == player else -0.5
    return steps[1 - player] - steps[player] + turn + 0.5 * (walls[player] - walls[1 - player])


def _steps(lines: list[str], pawn: str, goal: int) -> int:
    """Return the steps from a pawn to its goal row; cells stand four characters apart, on every second line."""
    rows = [line.ljust(40) for line in lines[:17]]
    row = next(row for row in range(9) if pawn in rows[2 * row][3:37])
    reached = {(row, (rows[2 * row].index(pawn, 3) - 3) // 4)}
    frontier, count = list(reached), 0
    while all(row != goal for row, _ in frontier):
        count += 1
        found = []
        for row, column in frontier:
            at = 3 + 4 * column
            for target, is_open in (
                ((row - 1, column), row > 0 and rows[2 * row - 1][at] == " "),
                ((row + 1, column), row < 8 and rows[2 * row + 1][at] == " "),
                ((row, column - 1), column > 0 and rows[2 * row][at - 2] == " "),
                ((row, column + 1), column < 8 and rows[2 * row][at + 2] == " "),
            ):
                if is_open and target not in reached:
                    reached.add(target)
                    found.append(target)
        frontier = found
    return count
