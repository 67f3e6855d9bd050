"""``joute replay --json``: the games of a file as data, with the position after every move."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from joute.numbers import finite

if TYPE_CHECKING:
    from joute.arena.store.game_file import FiledGame
    from joute.match import MoveRecord


def game_data(game: FiledGame) -> dict[str, Any]:
    """A game as data; players are 0 and 1, and values that are unknown are None."""
    record = game.record
    states = list(record.states())
    result = record.result
    has_times = any(played.time_s for played in record.moves)
    return {
        "number": game.number,
        "date": game.started or None,
        "game": record.game,
        "players": record.players,
        "clocks": record.clocks,
        "seed": record.seed,
        "start": record.start,
        "start_outcomes": record.start_outcomes,
        "outcome": result.outcome,
        "winner": record.winner,
        "margin": result.margin,
        "decided_by": result.decided_by,
        "reason": record.reason.value,
        "detail": record.detail,
        "at_fault": record.at_fault,
        "moves": [
            _move_data(played, before.ply, after.position, has_time=has_times)
            for played, (before, after) in zip(record.moves, pairwise(states), strict=True)
        ],
    }


def _move_data(played: MoveRecord, ply: int, position: str, *, has_time: bool) -> dict[str, Any]:
    """A move, the ply at which it was played, and the position after it and its random outcomes."""
    info = played.info
    return {
        "ply": ply,
        "player": played.player,
        "move": played.move,
        "outcomes": played.outcomes,
        "position": position,
        "time_s": played.time_s if has_time else None,
        "value_for_mover": finite(info.value_for_mover) if info else None,
        "depth": info.depth if info else None,
        "nodes": info.nodes if info else None,
        "pv": [str(move) for move in info.pv] if info else [],
    }
