"""The mistakes a user can make; each message is a sentence to act on."""

from __future__ import annotations

from pathlib import Path

from joute._core import IllegalMoveError, JouteError, NotationError, class_name, one_line

__all__ = ["IllegalMoveError", "JouteError", "NotationError", "SpecError", "described", "unreadable"]

# Tracebacks and pickles name an exception as users import it.
JouteError.__module__ = IllegalMoveError.__module__ = "joute"
NotationError.__module__ = __name__


def unreadable(path: Path, error: OSError) -> JouteError:
    """What to say about a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return JouteError(f"there is no file {path}")
    if isinstance(error, IsADirectoryError):
        return JouteError(f"{path} is a folder, not a file")
    return JouteError(f"{path} cannot be read: {error.strerror}")


class SpecError(JouteError):
    """A spec string that names nothing, or sets what cannot be set."""


def described(error: BaseException) -> str:
    """An exception in one line, also where printing it would raise another."""
    return f"{class_name(error)}: {one_line(error)}"
