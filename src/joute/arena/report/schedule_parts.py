"""What a report says about one kind of tournament alone: a Swiss ranking, a bracket, the state of a test."""

from __future__ import annotations

from dataclasses import dataclass

from joute.arena.standings import Standings
from joute.arena.store import Store


@dataclass(frozen=True)
class Part:
    """A part of a report: sentences and a table, drawn alike by the page and by the text."""

    title: str
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def schedule_parts(store: Store, standings: Standings) -> tuple[Part, ...]:
    """What the kind of the tournament adds; nothing for a round robin, whose result is the table."""
    return ()
