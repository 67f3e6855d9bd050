"""A cgroup of version 2 for one agent: the kernel limits its memory and processes, and kills it as a whole.

Joute uses the nearest cgroup around this process whose children have the controllers ``memory`` and ``pids`` and in
which this user may make one. That holds for root on most systems, and for a user in a delegated part of the tree, as in
``systemd-run --user --scope``. Joute enables no controller and moves no process but the agent's. See
docs.kernel.org/admin-guide/cgroup-v2.html.

This module imports nothing of Joute: the supervisor uses it (launch.py), and Joute asks whether it can.
"""

from __future__ import annotations

import os
import time

_CONTROLLERS = {"memory", "pids"}
_PREFIX = "joute-agent-"
# The longest time for killed processes to leave a cgroup before it is removed.
_LEAVING_S = 2.0


def find_parent(proc: str = "/proc/self") -> str:
    """The folder of the cgroup in which agents' cgroups can be made; empty if there is none."""
    mounted = _mount_point(f"{proc}/mountinfo")
    own = [line[3:] for line in _lines(f"{proc}/cgroup") if line.startswith("0::/")]
    if not mounted or not own or "/.." in own[0]:  # outside the part of the tree that is mounted here
        return ""
    folder = os.path.normpath(mounted + own[0])
    while folder.startswith(mounted):
        if _can_hold_agents(folder):
            return folder
        folder = os.path.dirname(folder)
    return ""


def can_limit() -> bool:
    """Whether agents get cgroups here, found by making one."""
    parent = find_parent()
    if not parent:
        return False
    try:
        group = AgentGroup(parent, memory_mb=16, processes=1)
    except OSError:
        return False
    group.remove()
    return True


class AgentGroup:
    """The cgroup of one agent, made by its supervisor."""

    def __init__(self, parent: str, memory_mb: int, processes: int) -> None:
        """OSError if the cgroup cannot be made."""
        _remove_old(parent)
        self._folder = os.path.join(parent, f"{_PREFIX}{os.getpid()}")
        os.mkdir(self._folder)
        try:
            self._set("memory.max", str(memory_mb << 20))
            self._set("pids.max", str(processes))
            if os.path.exists(self._path("memory.swap.max")):  # absent on kernels without swap
                self._set("memory.swap.max", "0")
            self._set("memory.oom.group", "1")
        except OSError:
            os.rmdir(self._folder)
            raise

    def enter(self) -> None:
        """Move this process, the agent's first, into the cgroup."""
        self._set("cgroup.procs", "0")

    def excess(self) -> str:
        """The limit that was reached, ``memory`` or ``processes``, or an empty text."""
        if self._event("memory.events", "oom_kill") or self._event("memory.events", "oom_group_kill"):
            return "memory"
        return "processes" if self._event("pids.events", "max") else ""

    def kill(self) -> None:
        """Kill every process in it. Kernels before 5.14 cannot; the supervisor kills its descendants in any case."""
        if os.path.exists(self._path("cgroup.kill")):
            self._set("cgroup.kill", "1")

    def remove(self) -> None:
        """Remove it, when all its processes are dead."""
        until = time.monotonic() + _LEAVING_S
        while True:
            try:
                os.rmdir(self._folder)
                return
            except OSError:
                if time.monotonic() > until:
                    return  # the next agent's supervisor removes it
                time.sleep(0.005)

    def _event(self, file: str, name: str) -> int:
        return next((int(line.split()[1]) for line in _lines(self._path(file)) if line.split()[0] == name), 0)

    def _set(self, file: str, value: str) -> None:
        descriptor = os.open(self._path(file), os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)

    def _path(self, file: str) -> str:
        return os.path.join(self._folder, file)


def _can_hold_agents(folder: str) -> bool:
    enabled = " ".join(_lines(f"{folder}/cgroup.subtree_control")).split()
    # Moving a process needs the right to write here too: this cgroup is around its old one and its new one.
    may_write = os.access(folder, os.W_OK | os.X_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)
    return set(enabled) >= _CONTROLLERS and may_write


def _mount_point(mountinfo: str) -> str:
    """The mount point of the cgroup tree of version 2; empty if it is not mounted."""
    for line in _lines(mountinfo):
        fields, _, kind = line.partition(" - ")
        if kind.split()[:1] == ["cgroup2"]:
            return fields.split()[4]
    return ""


def _remove_old(parent: str) -> None:
    """Remove the empty cgroups of supervisors that were killed; the kernel refuses to remove one with processes."""
    for name in os.listdir(parent):
        if name.startswith(_PREFIX) and not os.path.exists(f"/proc/{name.removeprefix(_PREFIX)}"):
            try:
                os.rmdir(os.path.join(parent, name))
            except OSError:
                continue


def _lines(path: str) -> list[str]:
    try:
        with open(path) as file:
            return file.read().splitlines()
    except OSError:
        return []
