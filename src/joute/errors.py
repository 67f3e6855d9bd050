"""The mistakes a user can make; each message is a sentence to act on."""

from __future__ import annotations

from joute._core import IllegalMoveError, JouteError, NotationError, class_name, one_line

__all__ = ["IllegalMoveError", "JouteError", "NotationError", "SpecError", "described"]

# Tracebacks and pickles name an exception as users import it.
JouteError.__module__ = IllegalMoveError.__module__ = "joute"
NotationError.__module__ = __name__


class SpecError(JouteError):
    """A spec string that names nothing, or sets what cannot be set."""


def described(error: BaseException) -> str:
    """An exception in one line, also where printing it would raise another."""
    return f"{class_name(error)}: {one_line(error)}"
