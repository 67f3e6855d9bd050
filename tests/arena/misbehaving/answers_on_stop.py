"""Thinks until it is told to stop, then answers."""

import sys

from wire import first_free_column, say, serve


def think(moves: list[str]) -> None:
    assert sys.stdin.readline() == "stop\n"
    say(f"bestmove {first_free_column(moves)}")


serve(think)
