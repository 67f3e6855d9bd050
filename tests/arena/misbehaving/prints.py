"""Prints its thoughts, a megabyte a move, to standard output or standard error, also behind Python's back."""

import os
import sys


class Talker:
    def choose(self, state, clock):
        for _ in range(1000):
            print("thinking " * 100)
            os.write(1, b"bestmove 99\n")
            print("thinking " * 100, file=sys.stderr)
        return state.legal_moves[0]


class Endless:
    def choose(self, state, clock):
        while True:
            print("thinking " * 100)
