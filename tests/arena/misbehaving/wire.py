"""The well-behaved part of the programs here: UGI in plain Python, for Connect Four from its start."""

from __future__ import annotations

import sys
from collections.abc import Callable


def say(text: str) -> None:
    print(text, flush=True)


def first_free_column(moves: list[str]) -> str:
    return next(column for column in "1234567" if moves.count(column) < 6)


def serve(on_go: Callable[[list[str]], None], *, ready: bool = True) -> None:
    """Answer the referee; `on_go` is called with the moves played so far and says the rest."""
    moves: list[str] = []
    while command := sys.stdin.readline().split():
        if command[0] == "ugi":
            say("ugiok")
        elif command[0] == "isready" and ready:
            say("readyok")
        elif command[0] == "position":
            moves = command[command.index("moves") + 1 :] if "moves" in command else []
        elif command[0] == "go":
            on_go(moves)
        elif command[0] == "quit":
            return
