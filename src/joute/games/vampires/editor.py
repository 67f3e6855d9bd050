"""Edits positions of Vampires vs Werewolves. Every change leads to a legal position, so drafts are positions' texts."""

from __future__ import annotations

from collections.abc import Mapping

from joute.games.editor import Brush, EditError, Editor, Field, grid, spots
from joute.games.scene import Area
from joute.games.state import State
from joute.games.vampires.state import SPECIES, Vampires

_MOST_SIDE = 30  # larger boards are legal, but a list of their places takes megabytes
_MOST_CELLS = 255
_MOST_UNITS = 255
_MOST_PLIES = 100_000

Place = tuple[int, int]
_Group = tuple[str, int]


def _text(rows: int, columns: int, groups: Mapping[Place, _Group], ply: int) -> str:
    """The text of a position; groups by (x, y)."""
    cells = "+".join(f"{count}{species}{x}.{y}" for (x, y), (species, count) in groups.items())
    return f"{rows}x{columns}/{cells}/{ply}"


class VampiresEditor(Editor):
    """Brushes for the species, which paint a number; fields for the size of the grid and the plies."""

    def draft(self, state: State) -> str:
        """A position without attackers, whose battle is not fought yet."""
        assert isinstance(state, Vampires)
        _check_size(state)
        return self._position(state.rows, state.columns, _groups(state), state.ply)

    def empty(self) -> str:
        """The grid without units."""
        assert isinstance(self.start, Vampires)
        return self._position(self.start.rows, self.start.columns, {}, 0)

    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """The three species, and one that takes units away."""
        state = self._state(draft)
        areas = _areas(state.rows, state.columns)
        places = spots(areas.items())
        amounts = (1, _MOST_UNITS)
        return (
            *(Brush(letter, name, places, "0.0", amounts) for letter, name in SPECIES.items()),
            Brush("remove", "remove", spots((name, areas[name]) for name in (f"{x}.{y}" for x, y in _groups(state)))),
        )

    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """Put units on a cell, or take them away."""
        state = self._state(draft)
        groups = _groups(state)
        x, y = map(int, spot.split("."))
        groups.pop((x, y), None)
        if brush != "remove":
            if len(groups) == _MOST_CELLS:
                raise EditError(f"at most {_MOST_CELLS} cells are occupied")
            groups[x, y] = (brush, amount)
        return self._position(state.rows, state.columns, groups, state.ply)

    def fields(self, draft: str) -> tuple[Field, ...]:
        """The player to move, the size of the grid and the plies."""
        state = self._state(draft)
        return (
            Field("to_move", "to move", state.to_move, 0, 1, state.players),
            Field("rows", "rows", state.rows, 1, _MOST_SIDE),
            Field("columns", "columns", state.columns, 1, _MOST_SIDE),
            Field("ply", "plies played", state.ply, 0, _MOST_PLIES),
        )

    def set(self, draft: str, field: str, value: int) -> str:
        """The draft with another size, without the units that then stand outside, or with other plies."""
        state = self._state(draft)
        rows, columns, ply = state.rows, state.columns, state.ply
        match field:
            case "rows":
                rows = value
            case "columns":
                columns = value
            case "to_move":
                ply += value - state.to_move
            case _:
                ply = value
        kept = {(x, y): group for (x, y), group in _groups(state).items() if x < columns and y < rows}
        return self._position(rows, columns, kept, ply)

    def _position(self, rows: int, columns: int, groups: Mapping[Place, _Group], ply: int) -> str:
        text = _text(rows, columns, groups, ply)
        state = type(self.start).new(text, self.start.rules)
        return state.position if groups else text  # the text of an empty grid needs its ply

    def _state(self, draft: str) -> Vampires:
        self.legal(draft)
        state = self.state(draft)
        assert isinstance(state, Vampires)
        _check_size(state)
        return state


def _check_size(state: Vampires) -> None:
    if max(state.rows, state.columns) > _MOST_SIDE:
        raise EditError(f"boards of more than {_MOST_SIDE} rows or columns are too large for the editor")


def _groups(state: Vampires) -> dict[Place, _Group]:
    return {(x, y): (species, count) for x, y, species, count in state.cells}


def _areas(rows: int, columns: int) -> dict[str, Area]:
    """The areas of the cells, from where a group in the corner of such a grid is and can go."""
    tall, wide = max(rows, 2), max(columns, 2)
    targets = Vampires.new(f"{tall}x{wide}/1v0.0+1w{wide - 1}.{tall - 1}").scene().targets
    known = {_place(target.move): Area(target.x, target.y, target.width, target.height) for target in targets}
    cell = grid(known)
    return {f"{x}.{y}": cell(y, x) for y in range(rows) for x in range(columns)}


def _place(move: str) -> Place:
    """The (row, column) that a single order enters, as in ``0.0-1.0x1``."""
    x, y = move.partition("-")[2].partition("x")[0].split(".")
    return int(y), int(x)
