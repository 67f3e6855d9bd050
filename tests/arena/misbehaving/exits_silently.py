"""Ends without a word."""

import os


class Ghost:
    def choose(self, state, clock):
        os._exit(0)
