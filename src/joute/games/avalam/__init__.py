"""Avalam: towers of at most five discs."""

from typing import TYPE_CHECKING

from joute.plugins import lazily

if TYPE_CHECKING:
    from joute.games.avalam.state import Avalam

__all__ = ["Avalam"]

__getattr__ = lazily("joute.games.avalam.state", __all__)
