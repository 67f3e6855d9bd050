"""What Joute asks of the operating system; what is missing elsewhere is refused with one sentence."""

from __future__ import annotations

import os
import sys

_PLATFORM = sys.platform


def check_system() -> None:
    """ImportError where Joute cannot run at all."""
    if _PLATFORM == "win32":
        raise ImportError("Joute does not run on Windows itself: install it in the Windows Subsystem for Linux")


def isolation_problem() -> str:
    """Why agents cannot play in processes of their own on this system; empty where they can.

    The supervisor of an agent is a child subreaper and reads /proc, and workers end with their parent: Linux alone has
    this.
    """
    if _PLATFORM == "linux":
        return ""
    return (
        f"tournaments and agents in processes of their own need Linux, and this is {_PLATFORM}: "
        "joute.play_match lets agents play inside one process"
    )


def usable_cores() -> list[int]:
    """The numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


check_system()
