# The attributes that the drawing uses, and those of this game alone; NativeState describes the rest.

class OthelloMove:
    @property
    def cell(self) -> tuple[int, int]: ...

class Othello:
    @property
    def cells(self) -> tuple[tuple[int, ...], ...]: ...
    def disc_at(self, row: int, column: int) -> int: ...
