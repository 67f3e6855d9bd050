"""A review as data for programs; docs/review.md describes every key."""

from __future__ import annotations

import dataclasses
from typing import Any

from joute.reviews.classes import MoveClass
from joute.reviews.review import Review, ReviewedMove, phase_accuracies
from joute.version import __version__

#: The version of the data: keys may be added without a change, but none changes its meaning or goes.
SCHEMA = 1

# Probabilities have this many decimals, so that data of the same review are the same on every machine.
_DECIMALS = 6


def review_data(review: Review, *, number: int | None = None) -> dict[str, Any]:
    """The review as JSON-compatible data; `number` is that of the game in its file."""
    record = review.record
    return {
        "kind": "joute review",
        "schema": SCHEMA,
        "made_by": f"joute {__version__}",
        "number": number,
        "game": record.game,
        "start": record.start,
        "players": list(record.players),
        "outcome": record.result.outcome,
        "reason": record.reason.value,
        "decided_by": record.result.decided_by,
        "agent": review.agent,
        "parameters": dataclasses.asdict(review.parameters),
        "complete": review.is_complete,
        "chances": [_rounded(chance) for chance in review.chances],
        "accuracy": [{name: _percent(both[player]) for name, *both in phase_accuracies(review)} for player in (0, 1)],
        "counts": [{kind.value: review.count(player, kind) for kind in MoveClass} for player in (0, 1)],
        "moments": list(review.moments),
        "moves": [_move_data(review, judged) for judged in review.moves],
    }


def _move_data(review: Review, judged: ReviewedMove) -> dict[str, Any]:
    return {
        "ply": judged.ply,
        "player": judged.player,
        "move": judged.move,
        "before": _rounded(judged.before),
        "after": _rounded(judged.after),
        "luck": _rounded(judged.luck),
        "loss": _rounded(judged.loss),
        "class": judged.kind.value,
        "best": judged.best,
        "line": list(judged.line),
        "proven": judged.is_proven,
        "forced": judged.is_forced,
        "counts": judged.counts,
        "phase": review.phase(judged),
    }


def _rounded(share: float) -> float:
    return round(share, _DECIMALS) + 0.0  # no -0.0


def _percent(accuracy: float | None) -> float | None:
    return None if accuracy is None else round(accuracy, 2)
