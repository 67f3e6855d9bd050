"""Computes forever."""


class Burner:
    def choose(self, state, clock):
        while True:
            pass
