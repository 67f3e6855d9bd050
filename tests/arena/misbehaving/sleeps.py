"""Sleeps instead of choosing."""

import time


class Sleeper:
    def choose(self, state, clock):
        time.sleep(3600)
