"""Training of networks for Quoridor: default settings and sets of start positions.

Untrained networks walk to and fro, and nearly all of their games are drawn by repetition: there is nothing to learn
from. So most games begin with random walls, and many of them near the goals, where even a random player finishes; what
a win is spreads from there to the start position. The rules stay those of the game. The search alone dislikes to repeat
a position at first, which changes no result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from joute._core import Random
from joute.errors import NotationError
from joute.spec import Value

if TYPE_CHECKING:
    from joute.games.quoridor.state import Quoridor

#: Training parameters that differ from the general defaults; docs/training.md gives the reasons.
TRAINING: Mapping[str, Value] = {
    # 131 moves at the start: weaker values leave the targets nearly uniform, and fewer simulations see too few moves.
    "c_scale": 1.0,
    "simulations": 64,
    "early_simulations": 32,
    "early_share": 0.3,
    "considered": 32,
    "margin_scale": 5.0,  # steps that the loser still had to go
    "starts": "curriculum",
    "random_share": 0.0,  # the starts differ
    "repetition_penalty": 0.2,
    "penalty_share": 0.6,
    "stagger": 60,  # about the plies of a game
    "games": 4096,  # trees of games of a hundred plies
    "references": "quoridor-greedy quoridor:nodes=2000,book=no",
    "match_simulations": 128,
}

#: The sets of start positions.
STARTS: Mapping[str, str] = {
    "curriculum": "the start position, random walls with the pawns at home, and random walls with the pawns anywhere",
}

# The number of positions, and how many of 100 have the pawns at home, or no walls either.
_COUNT, _HOME, _PLAIN = 8_192, 55, 25
# The latest ply of a start: the network must learn what the ply limit means.
_LATEST = 240
_SIDE, _WALLS = 9, 10


def start_texts(kind: str, rng: Random, start: Quoridor) -> Sequence[str]:
    """The positions of a set of `STARTS`, as texts, under the rules of `start`."""
    assert kind in STARTS
    return [_drawn(rng, start) for _ in range(_COUNT)]


def _drawn(rng: Random, start: Quoridor) -> str:
    drawn = rng.below(100)
    if drawn < _PLAIN:
        return start.position
    text = _with_walls(rng, start)
    if drawn < _HOME:
        return text
    while True:
        placed = _with_pawns_anywhere(text, rng)
        with contextlib.suppress(NotationError):  # walls enclose a pawn
            state = type(start).new(placed, start.rules)
            if not state.is_terminal and state.legal_moves:
                return placed


def _with_walls(rng: Random, start: Quoridor) -> str:
    """A position after random walls of both players, each of which leaves ways to the goals."""
    state = start
    for _ in range(2 * rng.below(_WALLS + 1)):
        walls = [move for move in state.legal_moves if move.is_wall]
        state = state.play(rng.choice(walls))
    return state.position


def _with_pawns_anywhere(text: str, rng: Random) -> str:
    """The position with the pawns on random cells off their goals, at some ply of the same or the other player."""
    horizontal, vertical, _, hands, ply = text.split("/")
    while True:
        white, black = (rng.below(_SIDE - 1), rng.below(_SIDE)), (1 + rng.below(_SIDE - 1), rng.below(_SIDE))
        if white != black:
            break
    pawns = "".join(f"{chr(ord('a') + column)}{row + 1}" for row, column in (white, black))
    later = int(ply) + rng.below(20)
    if rng.below(10) == 0:
        later = max(later, rng.below(_LATEST))
    return "/".join((horizontal, vertical, pawns, hands, str(later)))
