"""What a move of Connect Four does: fours made and blocked, and threats of four."""

from __future__ import annotations

from collections.abc import Iterator

from joute import _core
from joute.games.connect4.state import Connect4
from joute.games.effects import Effect, listed

_COLUMNS, _ROWS = 7, 6
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))

# The owners of the cells by (column, row) from 0; empty cells are missing.
Discs = dict[tuple[int, int], int]


def effects(state: Connect4, move: _core.Connect4Move) -> list[Effect]:
    """Return the effects of a move."""
    player, column = state.to_move, move.column
    before = _discs(state)
    row = state.heights[column]
    if _longest(before, column, row, player) >= 4:
        return [_four("makes", column)]
    found = []
    if _longest(before, column, row, 1 - player) >= 4:
        found.append(Effect(f"blocks four in a row at column {column + 1}", "blocking", kind="block", is_guard=True))
    after = before | {(column, row): player}
    old, new = set(_threats(before, player)), set(_threats(after, player))
    playable = [cell for cell in sorted(new) if _is_playable(after, cell)]
    fresh = [cell for cell in playable if cell not in old]
    if _wins_next_turn(after, player, playable):
        found.append(_win(after, player, (column, row), playable))
    elif fresh:
        found.append(_threat(fresh))
    waiting = [cell for cell in sorted(new - old) if cell not in playable]
    found += [_waiting(cell) for cell in waiting]
    return found


def _four(verb: str, column: int) -> Effect:
    where = f"four in a row at column {column + 1}"
    return Effect(f"{verb} {where}", f"making {where}", kind="four", is_threat=True)


def _win(after: Discs, player: int, cell: tuple[int, int], playable: list[tuple[int, int]]) -> Effect:
    """The effect of a move after which no reply prevents four."""
    if _longest(after, *cell, player) >= 3:
        how = "makes three in a row"
    elif len(playable) > 1:
        how = f"threatens four in a row at columns {listed([str(column + 1) for column, _ in playable])}"
    else:
        how = f"threatens four in a row twice at column {playable[0][0] + 1}"
    return Effect(f"{how}: wins next turn", "making two threats at once", kind="win next turn", is_threat=True)


def _threat(cells: list[tuple[int, int]]) -> Effect:
    columns = listed([str(column + 1) for column, _ in cells])
    where = f"four in a row at column {columns}"
    return Effect(f"threatens {where}", f"threatening {where}", kind=f"threat {columns}")


def _waiting(cell: tuple[int, int]) -> Effect:
    where = f"a threat of four at column {cell[0] + 1}, row {cell[1] + 1}"
    return Effect(f"makes {where}", f"making {where}", kind=f"waiting {cell}", is_threat=True)


def _discs(state: Connect4) -> Discs:
    cells = state.cells
    return {
        (column, row): cells[column][row]
        for column in range(_COLUMNS)
        for row in range(_ROWS)
        if cells[column][row] >= 0
    }


def _longest(discs: Discs, column: int, row: int, player: int) -> int:
    """The length of the longest row through a cell if the player has a disc there."""
    longest = 1
    for right, up in _DIRECTIONS:
        length = 1
        for sign in (1, -1):
            steps = 1
            while discs.get((column + sign * steps * right, row + sign * steps * up)) == player:
                steps += 1
            length += steps - 1
        longest = max(longest, length)
    return longest


def _threats(discs: Discs, player: int) -> Iterator[tuple[int, int]]:
    """Yield the empty cells where a disc of the player makes four."""
    for column in range(_COLUMNS):
        for row in range(_ROWS):
            if (column, row) not in discs and _longest(discs, column, row, player) >= 4:
                yield column, row


def _is_playable(discs: Discs, cell: tuple[int, int]) -> bool:
    column, row = cell
    return cell not in discs and (row == 0 or (column, row - 1) in discs)


def _wins_next_turn(discs: Discs, player: int, playable: list[tuple[int, int]]) -> bool:
    """Whether the player makes four after every reply; `playable` are the cells where it makes four now."""
    if not playable or any(_is_playable(discs, cell) for cell in _threats(discs, 1 - player)):
        return False
    if len(playable) > 1:
        return True
    (column, row) = playable[0]  # the reply must be here, and frees the cell above
    return row + 1 < _ROWS and _longest(discs, column, row + 1, player) >= 4
