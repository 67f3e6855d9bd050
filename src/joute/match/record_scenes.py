"""The drawn positions of a recorded game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from joute.games import State
from joute.games.scene import Scene

if TYPE_CHECKING:
    from joute.match.record import GameRecord


def scenes_of(record: GameRecord) -> Iterator[Scene]:
    """The drawn positions of a game, up to the first that cannot be replayed or drawn."""
    states = record.states()
    before: State | None = None
    for text in (None, *(played.move for played in record.moves)):
        try:
            state = next(states)
            scene = state.scene(_last_move(before, text))
        except Exception:  # code of a plug-in may raise anything
            return
        yield scene
        before = state


def _last_move(before: State | None, text: str | None) -> Any:
    """The move that led to a position; None at the start and after a lost turn."""
    from joute.match.record import is_lost_turn  # imported here: that module uses this one

    if before is None or text is None or is_lost_turn(before, text):
        return None
    return before.parse_move(text)
