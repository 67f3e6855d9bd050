"""Hears `stop`, says so to its author, and thinks on."""

import sys

from wire import serve


def think(moves: list[str]) -> None:
    for line in sys.stdin:
        print("heard", line.strip(), file=sys.stderr, flush=True)


serve(think)
