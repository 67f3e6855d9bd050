"""Notations of Quoridor's moves in other programs. The user always names the notation; it is never guessed.

    athens   Black begins on e9. A cell is E8; a wall is its north-west cell and a word, E8 horizontal.
    kata     Black begins on e9. A cell is e8; a wall is the adjacent cell closest to a1, e7h.
    modern   White begins on e1. A cell is e2; a wall is the adjacent cell closest to a1, e2h. Joute's own.

Each line has the same two moves. The Quoridor Text Protocol uses `athens`, with the colours and corners of its authors'
referee (http://quoridor.di.uoa.gr); KataQuoridor and zquoridor use `kata`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from joute.errors import NotationError
from joute.games.quoridor.state import Quoridor
from joute.spec import look_up

_SIZE = 9
_ORIENTATIONS = {"h": "horizontal", "v": "vertical"}


@dataclass(frozen=True)
class Notation:
    """A notation of moves."""

    name: str
    colours: tuple[str, str]  # of the first and of the second player
    are_rows_turned: bool  # row 1 is the first player's goal
    is_north_west: bool  # a wall is named by its north-west cell, else by the one closest to a1
    has_words: bool  # a wall is two words, the second horizontal or vertical; else it is one word

    def player(self, colour: str) -> int | None:
        """Return the player of a colour or of its first letter; None if it is not a colour."""
        found = [player for player, name in enumerate(self.colours) if colour.lower() in (name, name[0])]
        return found[0] if found else None

    def write(self, move: str) -> str:
        """Convert a move from Joute's notation to this one.

        >>> [find_notation(name).write(move) for name in NOTATIONS for move in ("e2", "e2h")]
        ['E8', 'E8 horizontal', 'e8', 'e7h', 'e2', 'e2h']
        """
        column, row, orientation = move[0], int(move[1]) - 1, move[2:]
        cell = f"{column}{self._label(row, is_wall=bool(orientation))}"
        if not self.has_words:
            return cell + orientation
        return " ".join((cell.upper(), *(_ORIENTATIONS[letter] for letter in orientation)))

    def read(self, words: str) -> str:
        """Convert a move from this notation to Joute's; NotationError if it is not a move of this notation."""
        text = words.strip().lower()
        match = re.fullmatch(r"([a-i])([1-9])(?:\s+(h|v|horizontal|vertical)|([hv]))?", text)
        if match is None or (match[3] if not self.has_words else match[4]):
            raise NotationError(f"'{words}' is not a move: {self._examples()}")
        orientation = (match[3] or match[4] or "")[:1]
        row = self._row(int(match[2]), is_wall=bool(orientation))
        if orientation and (match[1] == "i" or not 0 <= row < _SIZE - 1):
            raise NotationError(f"'{words}' is not a wall: {self._examples()}")
        return f"{match[1]}{row + 1}{orientation}"

    def draw(self, state: Quoridor) -> str:
        """Return the board with the rows and colours of this notation, row 9 on top; no line is empty."""
        horizontal, vertical = set(state.horizontal_walls), set(state.vertical_walls)
        pawns = {state.pawn(player): colour[0].upper() for player, colour in enumerate(self.colours)}
        rows = range(_SIZE) if self.are_rows_turned else range(_SIZE - 1, -1, -1)
        lines = []
        for row in rows:
            if row != rows.start:
                between = min(row, row - rows.step)
                walls = (not horizontal.isdisjoint({(between, c), (between, c - 1)}) for c in range(_SIZE))
                lines.append(f"  {'+'.join('---' if wall else '   ' for wall in walls)}".rstrip())
            cells = (f" {pawns.get((row, c), '.')} " for c in range(_SIZE))
            walls = (not vertical.isdisjoint({(row, c), (row - 1, c)}) for c in range(_SIZE))
            line = "".join(cell + ("|" if wall else " ") for cell, wall in zip(cells, walls, strict=True))
            lines.append(f"{self._label(row, is_wall=False)} {line}".rstrip())
        lines.append(f"   {'   '.join('abcdefghi')}")
        lines += [f"{colour}: {state.walls_left(player)} walls" for player, colour in enumerate(self.colours)]
        return "\n".join(lines)

    def _label(self, row: int, *, is_wall: bool) -> int:
        """Return the number of a row; for a wall, `row` is the one nearer to the first player's start."""
        if is_wall and self.is_north_west != self.are_rows_turned:
            row += 1
        return _SIZE - row if self.are_rows_turned else row + 1

    def _row(self, label: int, *, is_wall: bool) -> int:
        row = _SIZE - label if self.are_rows_turned else label - 1
        return row - 1 if is_wall and self.is_north_west != self.are_rows_turned else row

    def _examples(self) -> str:
        cell, wall = self.write("e2"), self.write("e2h")
        lowest = 2 if self.is_north_west else 1
        rows = f"rows {lowest} to {lowest + _SIZE - 2} and columns a to h"
        return f"moves are cells, such as {cell}, and walls, such as {wall}, in {rows}"


_ALL = (
    Notation("athens", ("black", "white"), are_rows_turned=True, is_north_west=True, has_words=True),
    Notation("kata", ("black", "white"), are_rows_turned=True, is_north_west=False, has_words=False),
    Notation("modern", ("white", "black"), are_rows_turned=False, is_north_west=False, has_words=False),
)
#: The notations by name; the first one is the protocol's own.
NOTATIONS = {notation.name: notation for notation in _ALL}


def find_notation(name: str) -> Notation:
    """Return the notation of that name; SpecError if there is none."""
    return look_up("notation", name, NOTATIONS)
