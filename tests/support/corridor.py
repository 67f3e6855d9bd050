"""A long game without choices, for searches that could go too deep."""

from __future__ import annotations

from joute import Result, State


class Corridor(State):
    """A game of a thousand plies in which there is nothing to choose."""

    game, title = "corridor", "Corridor"
    length = 1200

    def __init__(self, ply: int = 0) -> None:
        self._ply = ply

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Corridor:
        return cls(int(position or 0))

    position = property(lambda self: str(self._ply))
    ply = property(lambda self: self._ply)
    to_move = property(lambda self: self._ply % 2)
    legal_moves = property(lambda self: [1] if self._ply < self.length else [])
    result = property(lambda self: None if self._ply < self.length else Result(1))

    def after(self, move: int) -> Corridor:
        return Corridor(self._ply + 1)

    def diagram(self) -> str:
        return str(self._ply)
