"""Converts stored games to the form that schedules read, and selects the games that count."""

from __future__ import annotations

from collections.abc import Iterator

from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.store.store import Store, StoredGame
from joute.match.record import GameRecord, Reason

# The reasons that count as such a failure. Others, such as an illegal first move, show that the agent runs.
_FAILURES = (Reason.CRASH, Reason.MEMORY, Reason.STALLED, Reason.ADJUDICATED)


def failed_without_move(record: GameRecord) -> tuple[int, ...]:
    """The players (0, 1) who failed before any move of the game was made; empty if none did.

    A player failed to get ready, or the first player crashed, stalled or ran out of memory in its first turn.
    """
    return record.at_fault if not record.moves and record.reason in _FAILURES else ()


def as_played(pairing: Pairing, record: GameRecord) -> FinishedGame:
    """A finished game in the form that schedules read."""
    return FinishedGame(
        players=pairing.players,
        outcome=record.result.outcome,
        margin=record.result.margin,
        failed_without_move=frozenset(pairing.players[player] for player in failed_without_move(record)),
        at_fault=frozenset(pairing.players[player] for player in record.at_fault),
        opening=pairing.opening,
        line=record.line,
        settings=pairing.settings,
    )


def counted_games(store: Store) -> Iterator[StoredGame]:
    """The stored games that count, by number: those with numbers below `Schedule.length`.

    In a sequential test, the games after the pair that decides do not count, even if they ended earlier.
    """
    length = store.schedule.length(
        {stored.pairing.number: as_played(stored.pairing, stored.record) for stored in store.games()}
    )
    return (stored for stored in store.games() if length is None or stored.pairing.number < length)
