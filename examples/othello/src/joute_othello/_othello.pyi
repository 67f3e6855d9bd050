# What the drawing asks of the extension; NativeState describes the rest.

class Othello:
    def disc_at(self, row: int, column: int) -> int: ...
