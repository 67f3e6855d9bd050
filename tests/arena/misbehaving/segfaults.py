"""Reads memory that it does not have."""

import ctypes


class Careless:
    def choose(self, state, clock):
        return ctypes.string_at(0)
