"""The end of a command after an error: a sentence on standard error, and an exit status.

A user's mistake is one sentence and status 2. Any other exception is a bug in Joute: the sentence says so, with the
version, the command, and the file that the traceback was written to. JOUTE_DEBUG=1 shows the traceback of both.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
import traceback  # imported early: an agent's folder may contain a file of that name
from collections.abc import Sequence

from joute.errors import JouteError, described
from joute.text import message
from joute.version import __version__

#: The exit status after a user's mistake.
MISTAKE = 2
#: The exit status after a bug: EX_SOFTWARE of sysexits.h.
BUG = 70
#: The environment variable that shows tracebacks.
DEBUG = "JOUTE_DEBUG"

_NO_MEMORY = "not enough memory; set the agent's memory_mb to a smaller value"


def end_after(error: Exception, command: Sequence[str]) -> int:
    """Report on standard error why a command ends; returns its exit status. `command` is the command's words."""
    is_mistake = isinstance(error, JouteError | OSError | MemoryError)
    tell(mistake_text(error) if is_mistake else bug_text(error, command))
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        traceback.print_exception(error)
    return MISTAKE if is_mistake else BUG


def tell(sentence: str) -> None:
    """Print a sentence of Joute's on standard error, as one line of limited length."""
    sys.stderr.write(f"joute: {message(sentence)}\n")


def mistake_text(error: Exception) -> str:
    """Return the sentence for an error that a user can mend."""
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or described(error)


def bug_text(error: BaseException, command: Sequence[str]) -> str:
    """Return the sentence for an unexpected exception. Writes its traceback to a file."""
    words = shlex.join(command)
    trace = "".join(traceback.format_exception(error))
    head = f"joute {__version__}, Python {sys.version.split()[0]} on {sys.platform}\n{words}\n\n"
    place = _written(head + trace)
    where = f"the traceback is in {place}" if place else f"{DEBUG}=1 shows the traceback"
    return f"this is a bug in Joute {__version__}: {described(error)}; {where}; the command was: {words}"


def _written(text: str) -> str:
    """Write a text to a new file in the folder for temporary files; returns its path, or "" if that fails.

    The module tempfile is not used: it imports others, which an agent's folder may replace.
    """
    folder = os.environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, f"joute-bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return ""
    return path
