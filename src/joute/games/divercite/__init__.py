"""Divercité: cities among resources."""

from typing import TYPE_CHECKING

from joute.plugins import lazily

if TYPE_CHECKING:
    from joute.games.divercite.state import Divercite

__all__ = ["Divercite"]

__getattr__ = lazily("joute.games.divercite.state", __all__)
