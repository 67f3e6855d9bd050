"""Exceptions for users' mistakes; each message is a sentence that the user can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joute._core import IllegalMoveError, JouteError, NotationError, class_name, one_line

__all__ = [
    "IllegalMoveError",
    "JouteError",
    "MissingPackageError",
    "NotationError",
    "SpecError",
    "described",
    "unreadable",
]

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


class MissingPackageError(JouteError):
    """A package that an extra of Joute installs is missing; the message says how to install it."""


def described(error: BaseException) -> str:
    """Return an exception's class and message in one line, even if its `__str__` raises.

    A mistyped attribute gets the suggestion that Python itself makes only for exceptions that nobody catches.

    >>> try:
    ...     "text".uper()
    ... except AttributeError as error:
    ...     described(error)
    "AttributeError: 'str' object has no attribute 'uper'. Did you mean: 'upper'?"
    """
    return f"{class_name(error)}: {one_line(error)}{_did_you_mean(error)}"


def _did_you_mean(error: Any) -> str:
    # Not isinstance: an agent's exception may override __class__.
    if not issubclass(type(error), AttributeError):
        return ""
    import difflib  # imported late: only errors need it

    try:
        names = [name for name in dir(error.obj) if not name.startswith("_")]
        close = difflib.get_close_matches(error.name or "", names, n=1, cutoff=0.7)
    except KeyboardInterrupt:
        raise
    except BaseException:  # an agent's object may raise anything
        return ""
    return f". Did you mean: '{one_line(close[0])}'?" if close else ""
