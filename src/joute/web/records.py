"""The record of a game of the page."""

from __future__ import annotations

import copy

from joute._core import Result
from joute.match.record import GameRecord, Reason
from joute.match.record_text import write_record
from joute.web.live import LiveGame

# A person without a name.
_PERSON = "player"


def record_of(live: LiveGame) -> GameRecord:
    """The record of a game, which may be in progress: then nobody has won."""
    game = live.game
    if not game.is_over:
        game = copy.copy(game)
        game.end(Result(0, decided_by="unfinished"), Reason.ADJUDICATED, "not finished")
    first, second = (seat.agent or seat.name or _PERSON for seat in live.row.seats)
    return game.record((first, second))


def record_text(live: LiveGame) -> str:
    """The record as text."""
    return write_record(record_of(live))
