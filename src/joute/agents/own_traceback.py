"""The traceback of an agent's exception as its author needs it: only the lines of the author's own files."""

from __future__ import annotations

import os
import sys
import traceback  # imported early: the agent's folder may contain a file of that name
from pathlib import Path
from typing import Any

_HEADING = "Traceback (most recent call last):"
_JOUTE = str(Path(__file__).parents[1])


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an exception without the frames of Joute and Python; files are named from this folder.

    If no other frame is left, the frames of libraries are kept, then those of Joute. The error in a file that cannot be
    compiled names the line by itself and needs no frame.
    """
    summary = traceback.TracebackException.from_exception(error)
    for each in _chain(summary):
        _keep_own_frames(each)
    text = "".join(summary.format())
    # Some versions of Python leave out the heading if there is no frame.
    return text if _HEADING in text else f"{_HEADING}\n{text}"


def _chain(summary: traceback.TracebackException) -> list[traceback.TracebackException]:
    """The exception, those that led to it, and those in a group."""
    linked = (summary.__cause__, summary.__context__, *(getattr(summary, "exceptions", None) or ()))
    return [summary, *(each for link in linked if link for each in _chain(link))]


def _keep_own_frames(summary: traceback.TracebackException) -> None:
    changed: Any = summary
    foreign = [
        frame for frame in summary.stack if not _is_in(frame.filename, _JOUTE) and "<frozen " not in frame.filename
    ]
    own = [frame for frame in foreign if not _is_in(frame.filename, sys.prefix, sys.base_prefix)]
    # A SyntaxError has a `text`; Python 3.13 defines the attribute for no other exception.
    is_syntax_error = getattr(summary, "text", None) is not None
    kept = own or foreign or ([] if is_syntax_error else list(summary.stack))
    for frame in kept:
        frame.filename = _from_here(frame.filename)
    if is_syntax_error and changed.filename:
        changed.filename = _from_here(changed.filename)
    changed.stack = traceback.StackSummary.from_list(kept)


def _is_in(file: str, *folders: str) -> bool:
    return file.startswith(tuple(os.path.join(folder, "") for folder in folders))


def _from_here(file: str) -> str:
    here = os.path.join(os.getcwd(), "")
    return file.removeprefix(here)
