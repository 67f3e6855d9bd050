"""Converts stored games to the form that schedules read, and selects the games that count."""

from __future__ import annotations

from collections.abc import Iterator

from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.store.store import Store, StoredGame
from joute.match.record import GameRecord, Reason

# The reasons by which an agent can lose before its first turn.
_WHILE_STARTING = (Reason.CRASH, Reason.MEMORY, Reason.STALLED, Reason.ADJUDICATED)


def absent_players(record: GameRecord) -> tuple[int, ...]:
    """The players (0, 1) who failed before the first move of the game; empty if none did."""
    return record.at_fault if not record.moves and record.reason in _WHILE_STARTING else ()


def as_played(pairing: Pairing, record: GameRecord) -> FinishedGame:
    """A finished game in the form that schedules read."""
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
    """The stored games that count, by number. Games that end after a sequential test is decided do not count."""
    length = store.schedule.length(
        {stored.pairing.number: as_played(stored.pairing, stored.record) for stored in store.games()}
    )
    return (stored for stored in store.games() if length is None or stored.pairing.number < length)
