"""The games of a tournament as its schedule sees them, and which of them count."""

from __future__ import annotations

from collections.abc import Iterator

from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.store.store import Store, StoredGame
from joute.match.record import GameRecord, Reason

# What an agent can lose by before it is asked for a move.
_WHILE_STARTING = (Reason.CRASH, Reason.MEMORY, Reason.STALLED, Reason.ADJUDICATED)


def absent_players(record: GameRecord) -> tuple[int, ...]:
    """Who failed before anybody had moved: nobody, 0, 1, or both."""
    return record.at_fault if not record.moves and record.reason in _WHILE_STARTING else ()


def as_played(pairing: Pairing, record: GameRecord) -> FinishedGame:
    """A finished game as a schedule sees it."""
    return FinishedGame(
        players=pairing.players,
        outcome=record.result.outcome,
        margin=record.result.margin,
        absent=frozenset(pairing.players[player] for player in absent_players(record)),
        at_fault=frozenset(pairing.players[player] for player in record.at_fault),
        opening=pairing.opening,
        line=record.line,
    )


def counted_games(store: Store) -> Iterator[StoredGame]:
    """The finished games that count, by number: a sequential test may have been decided while others were played."""
    length = store.schedule.length(
        {stored.pairing.number: as_played(stored.pairing, stored.record) for stored in store.games()}
    )
    return (stored for stored in store.games() if length is None or stored.pairing.number < length)
