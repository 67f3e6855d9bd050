"""Answers every move, after more seconds than it has."""

import sys
import time

from wire import first_free_column, say, serve


def think(moves: list[str]) -> None:
    time.sleep(float(sys.argv[1]))
    say(f"bestmove {first_free_column(moves)}")


serve(think)
