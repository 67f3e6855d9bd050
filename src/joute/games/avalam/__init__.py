"""Avalam: towers of at most five discs."""

from joute.games.avalam.state import Avalam

__all__ = ["Avalam"]
