#!/usr/bin/env python3
"""A complete UGI agent for Connect Four in plain Python: takes a win, blocks one, else plays near the centre."""

import random
import sys


def has_four(stones):
    """Whether cells, as (column, row), hold four in a row."""
    lines = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(all((x + i * a, y + i * b) in stones for i in range(4)) for x, y in stones for a, b in lines)


def choose(moves):
    """A column for the player whose turn it is after these moves."""
    cells = [(int(move), moves[:ply].count(move)) for ply, move in enumerate(moves)]
    mine, theirs = set(cells[len(cells) % 2 :: 2]), set(cells[1 - len(cells) % 2 :: 2])
    free = [(column, moves.count(str(column))) for column in range(1, 8) if moves.count(str(column)) < 6]
    wins = [cell for stones in (mine, theirs) for cell in free if has_four(stones | {cell})]
    return wins[0][0] if wins else min(free, key=lambda cell: abs(cell[0] - 4) + random.random())[0]


moves, held = [], ""
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ugi"]:
        print("id name plain\nid author you\nugiok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:  # the notation of a position is its moves, so: position fen 44 moves 3
        moves = [move for word in words[2:] for move in word if move in "1234567"]
    elif words[:1] == ["go"]:
        held = f"bestmove {choose(moves)}"
        if "infinite" not in words:  # else the answer waits for stop
            words = ["stop"]
    elif words[:1] == ["quit"]:
        break
    if words[:1] == ["stop"] and held:
        print(held, flush=True)
        held = ""
