"""What a move of Avalam does: towers won for good, and towers taken.

A tower without a neighbour that it can merge with never changes again: it is won for the player of its colour.
"""

from __future__ import annotations

from joute import _core
from joute.games.avalam.state import Avalam
from joute.games.effects import Effect, listed

_FULL = 5
_SIZE = 9


def effects(state: Avalam, move: _core.AvalamMove) -> list[Effect]:
    """Return the effects of a move."""
    after = state.play(move)
    sign = 1 if state.to_move == 0 else -1
    source, target = move.source, move.target
    found = []
    tower = sign * after.tower_at(*target)
    if tower > 0 and not after.partners[target[0]][target[1]]:
        what = "the tower of five at" if tower == _FULL else "the tower"
        words = f"{what} {_name(target)}"
        found.append(_kept("wins", "winning", words, target))
    for cell in _frozen(state, after):
        owned = sign * after.tower_at(*cell) > 0
        if owned and cell != target:
            found.append(_kept("secures", "securing", f"the tower {_name(cell)}", cell))
    if sign * state.tower_at(*source) > 0 > sign * state.tower_at(*target):
        found.append(Effect(f"takes {{their}} tower {_name(target)}", "taking a tower", kind=f"takes {_name(target)}"))
    elif sign * state.tower_at(*source) < 0 and sign * state.tower_at(*target) < 0:
        names = listed([_name(source), _name(target)])
        found.append(Effect(f"merges {{their}} towers {names} into one", "merging towers", kind=f"merges {names}"))
    return found


def _kept(does: str, doing: str, words: str, cell: tuple[int, int]) -> Effect:
    """The effect that a tower is the player's for good."""
    name = _name(cell)
    return Effect(f"{does} {words}", f"{doing} {words}", kind=f"tower {name}", place=name, is_threat=True)


def _frozen(state: Avalam, after: Avalam) -> list[tuple[int, int]]:
    """The cells of towers that can no longer merge, and could before the move."""
    old, new = state.partners, after.partners
    return [
        (row, column)
        for row in range(_SIZE)
        for column in range(_SIZE)
        if old[row][column] and not new[row][column] and after.tower_at(row, column)
    ]


def _name(cell: tuple[int, int]) -> str:
    return f"{'abcdefghi'[cell[1]]}{cell[0] + 1}"
