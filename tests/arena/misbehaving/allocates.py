"""Wants 8 GB: in its own process, in memory that is shared, or in children."""

import mmap
import os
import time

PIECE_BYTES, PIECES = 64 << 20, 128


class Greedy:
    def choose(self, state, clock):
        self.pieces = [b"x" * PIECE_BYTES for _ in range(PIECES)]
        return state.legal_moves[0]


class Sharing:
    def choose(self, state, clock):
        self.pieces = []
        for _ in range(PIECES):
            self.pieces.append(mmap.mmap(-1, PIECE_BYTES))
            self.pieces[-1].write(b"x" * PIECE_BYTES)
        return state.legal_moves[0]


class Parent:
    def choose(self, state, clock):
        for _ in range(8):
            if os.fork() == 0:
                piece = b"x" * PIECE_BYTES
                time.sleep(3600 + len(piece))
        time.sleep(3600)


class Told:
    """Asks for more than any machine has; Python says no."""

    def choose(self, state, clock):
        return b"x" * (1 << 60)


class Frugal:
    """Its children share what it has: that is no more memory."""

    def __init__(self):
        self.piece = b"x" * (150 << 20)

    def choose(self, state, clock):
        if state.ply < 2:
            for _ in range(4):
                if os.fork() == 0:
                    time.sleep(3600)
        time.sleep(0.2)
        return state.legal_moves[0]


class Hoarder:
    """Fills files in memory that no process maps."""

    def choose(self, state, clock):
        self.files = [os.memfd_create(f"hoard{number}") for number in range(20)]
        for file in self.files:
            for _ in range(60):
                os.write(file, bytes(1 << 20))
        return state.legal_moves[0]
