"""Waits until a process has worked for some time: a wait by the clock is too short on a busy machine, or too long."""

from __future__ import annotations

import os
import time
from pathlib import Path

# A test that waits longer has failed.
_PATIENCE_S = 120.0
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def wait_for_work(pid: int, processor_s: float) -> None:
    """Return when the process has used this much processor time, or has ended."""
    deadline = time.monotonic() + _PATIENCE_S
    while (used_s := _used_s(pid)) is not None and used_s < processor_s:
        assert time.monotonic() < deadline, f"the process used only {used_s} s of processor time"
        time.sleep(0.02)


def _used_s(pid: int) -> float | None:
    """User and system time, None if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name before may contain spaces
    return None if state == "Z" else (int(fields[10]) + int(fields[11])) / _TICKS_A_SECOND
