"""The shield of the referee: what keeps agents in processes of their own from its processes.

An agent that could kill, stop or change the worker could prevent the loss of a game. Signals are prevented by another
user id, if Joute runs as root, or by Landlock's scope of signals (Linux 6.12); in the sandbox, by its process space.
The memory and the descriptors of driver, workers and supervisors are closed to other processes of the same user by the
kernel's flag *dumpable* (prctl(2), ptrace(2)).
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator

import joute.arena.players.kernel as kernel
import joute.arena.players.landlock as landlock
import joute.arena.players.privileges as privileges
from joute.arena.players.isolation import Isolation


def is_shielded(isolation: Isolation) -> bool:
    """Whether agents that run with this isolation cannot signal the processes of the referee."""
    return isolation.sandbox or _processes_are_shielded()


@functools.cache
def _processes_are_shielded() -> bool:
    return bool(privileges.agent_id(os.getpid())) or landlock.can_scope_signals()


def keep_memory_private() -> None:
    """Prevent other processes of the user from reading or changing this process, also through /proc.

    Debuggers cannot attach, and no core is dumped. A program that this process executes is readable again.
    """
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


@contextlib.contextmanager
def private_memory() -> Iterator[None]:
    """A context in which the memory of this process is private (`keep_memory_private`)."""
    before = kernel.prctl(kernel.PR_GET_DUMPABLE)
    keep_memory_private()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # 2, set by an administrator for programs with other rights, is final
            kernel.prctl(kernel.PR_SET_DUMPABLE, before)
