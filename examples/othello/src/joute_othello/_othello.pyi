# The attributes that the drawing uses; NativeState describes the rest.

class Othello:
    def disc_at(self, row: int, column: int) -> int: ...
