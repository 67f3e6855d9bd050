"""A board, on the installed seahorse."""

from __future__ import annotations

import json
from typing import Any

from seahorse.game.game_layout.board import Board, Piece

CELLS = [(i, j) for i in range(9) for j in range(9) if abs(i - 4) + abs(j - 4) <= 4]


class BoardDivercite(Board):
    def get_neighbours(self, i: int, j: int) -> dict[str, Any]:
        around = {"top_right": (i - 1, j), "top_left": (i, j - 1), "bot_left": (i, j + 1), "bot_right": (i + 1, j)}
        return {
            name: (self.env.get(cell, "EMPTY" if cell in CELLS else "OUTSIDE"), cell) for name, cell in around.items()
        }

    def __str__(self) -> str:  # that of seahorse 1.2.6 compares a piece with a number, and raises
        return " ".join(f"{cell}: {piece.get_type()}" for cell, piece in self.env.items())

    def to_json(self) -> dict[str, Any]:
        env = {str(cell): piece.to_json() for cell, piece in self.env.items()}
        return {"env": env, "dim": self.dimensions}

    @classmethod
    def from_json(cls, data: Any, **kwargs: Any) -> BoardDivercite:
        read = json.loads(data) if isinstance(data, str) else data
        env = {(int(key[1]), int(key[4])): Piece(**piece) for key, piece in read["env"].items()}
        return cls(env, read["dim"])
