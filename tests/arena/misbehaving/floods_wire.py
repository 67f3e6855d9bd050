"""Says nothing but noise when it is asked for a move, in lines or without an end of line."""

import os
import sys

from wire import serve

# Lines of ordinary length: millions of shorter ones prove the same and keep the referee busy for seconds.
NOISE = (b"noise " * 20 + (b"\n" if sys.argv[1:] == ["lines"] else b"")) * 500


def flood(moves: list[str]) -> None:
    while True:
        os.write(1, NOISE)


serve(flood)
