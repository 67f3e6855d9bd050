"""A Connect Four agent that looks two plies ahead, with weights that `joute tune` finds: docs/tuning.md."""

import random

PARAMETERS = {"centre": 0.1, "danger": 0.1, "threats": 0.1}
RANGES = {"centre": (-1, 1), "danger": (0, 5), "threats": (0, 5)}


def choose(state, clock):
    """The move with the highest score."""
    return max(state.legal_moves, key=lambda move: score(state, move))


def score(state, move):
    """How good a move is, with a little chance: near the centre, few wins for the opponent, many for us."""
    after = state.play(move)
    if after.is_terminal:
        return 100
    replies = [after.play(reply) for reply in after.legal_moves]
    threats = sum(len(reply.winning_moves) for reply in replies if not reply.is_terminal) / len(replies)
    return (
        PARAMETERS["centre"] * (3 - abs(move.column - 3))
        - PARAMETERS["danger"] * len(after.winning_moves)
        + PARAMETERS["threats"] * threats
        + random.random()
    )
