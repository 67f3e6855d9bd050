"""Exceptions for users' mistakes; each message is a sentence that the user can act on."""

from __future__ import annotations

from pathlib import Path

from joute._core import IllegalMoveError, JouteError, NotationError, class_name, one_line

__all__ = ["IllegalMoveError", "JouteError", "NotationError", "SpecError", "described", "unreadable"]

# Tracebacks and pickles name an exception as users import it.
JouteError.__module__ = IllegalMoveError.__module__ = "joute"
NotationError.__module__ = __name__


def unreadable(path: Path, error: OSError) -> JouteError:
    """Return the error for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return JouteError(f"there is no file {path}")
    if isinstance(error, IsADirectoryError):
        return JouteError(f"{path} is a folder, not a file")
    return JouteError(f"{path} cannot be read: {error.strerror}")


class SpecError(JouteError):
    """A spec string with an unknown name, an unknown parameter or an invalid value."""


def described(error: BaseException) -> str:
    """Return an exception's class and message in one line, even if its `__str__` raises."""
    return f"{class_name(error)}: {one_line(error)}"
