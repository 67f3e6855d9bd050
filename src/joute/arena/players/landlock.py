"""Landlock, the kernel's own restrictions for processes (docs.kernel.org/userspace-api/landlock.html).

This module imports nothing of Joute but its neighbour kernel.py: the supervisor and the jail's door use it (launch.py).
"""

from __future__ import annotations

import os
import struct

import joute.arena.players.kernel as kernel

# Numbers of the system calls, the same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1

# Rights to files, from <linux/landlock.h>. `_RIGHTS[version - 1]` is the number of rights that a version knows.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_RIGHTS = (13, 14, 15, 15, 16)
_RIGHTS_TO_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

# Scopes, since version 6.
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2
_SCOPES_VERSION = 6


def version() -> int:
    """The version of Landlock in this kernel; 0 without it."""
    try:
        return kernel.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def can_scope_signals() -> bool:
    """Whether `scope_signals` works in this kernel."""
    return version() >= _SCOPES_VERSION


def scope_signals() -> None:
    """Prevent this process and its descendants from sending signals to any other process, if the kernel can.

    Needs no_new_privs. Processes outside can still send signals to them.
    """
    if can_scope_signals():
        _restrict(struct.pack("QQQ", 0, 0, _SCOPE_SIGNALS), {})


def restrict_files(writable: tuple[str, ...]) -> None:
    """Allow writing only to `writable`, files or folders; also scope signals and abstract sockets, if the kernel can.

    Needs no_new_privs. Reading and executing stay allowed. The calling process must not hold files opened for writing
    that it should not write.
    """
    known = version()
    if not known:
        return
    everything = (1 << _RIGHTS[min(known, len(_RIGHTS)) - 1]) - 1
    allowed = {"/": _EXECUTE | _READ_FILE | _READ_DIR}
    for path in writable:
        allowed[path] = everything & ~_IOCTL_DEVICE
    attributes = struct.pack("Q", everything)
    if known >= _SCOPES_VERSION:
        attributes = struct.pack("QQQ", everything, 0, _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS)
    _restrict(attributes, allowed)


def _restrict(attributes: bytes, allowed: dict[str, int]) -> None:
    ruleset = kernel.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path, rights in allowed.items():
            _allow(ruleset, path, rights)
        kernel.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _RIGHTS_TO_A_FILE
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)
