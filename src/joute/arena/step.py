"""A step of a tournament that grows: who plays from then on, and how many games."""

from __future__ import annotations

from dataclasses import dataclass

#: The seat of an agent that was withdrawn.
EMPTY = -1


@dataclass(frozen=True)
class Step:
    """A step of a tournament that grows: who plays, and how many games.

    A seat holds the index of an entrant, or -1 if its agent was withdrawn. A new version of an agent takes its seat.
    """

    seats: tuple[int, ...] = ()
    #: Games per pair of agents.
    games: int = 2

    @property
    def playing(self) -> tuple[int, ...]:
        """The entrants in the order of their seats."""
        return tuple(seat for seat in self.seats if seat != EMPTY)
