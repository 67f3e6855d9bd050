"""Divercité: cities among resources."""

from joute.games.divercite.state import Divercite

__all__ = ["Divercite"]
