"""Requirements on the operating system, and the messages for systems that do not meet them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PLATFORM = sys.platform


def check_system() -> None:
    """Raise ImportError on systems where Joute cannot run at all."""
    if _PLATFORM == "win32":
        raise ImportError("Joute does not run on Windows itself: install it in the Windows Subsystem for Linux")


def isolation_problem() -> str:
    """Return why this system cannot run agents in their own processes; empty if it can.

    An agent's supervisor is a child subreaper and reads /proc, and workers end with their parent. Only Linux has these.
    """
    if _PLATFORM == "linux":
        return ""
    return (
        f"tournaments and agents in processes of their own need Linux, and this is {_PLATFORM}; "
        "joute.play_match plays games inside one process"
    )


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def used_mb() -> int:
    """The memory of this process in megabytes; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def memory_kills() -> int:
    """The number of processes that the kernel has killed for lack of memory since boot; 0 if unknown."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


check_system()
