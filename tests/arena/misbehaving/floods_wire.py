"""Says nothing but noise when it is asked for a move, in lines or without an end of line."""

import os
import sys

from wire import serve

NOISE = (b"noise\n" if sys.argv[1:] == ["lines"] else b"noise ") * 10_000


def flood(moves: list[str]) -> None:
    while True:
        os.write(1, NOISE)


serve(flood)
