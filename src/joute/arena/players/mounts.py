"""Mounts of an agent's own: a private /dev/shm outside the sandbox, and folders that another user id may read.

This module imports nothing of Joute but its neighbour kernel.py: the supervisor uses it (launch.py).
"""

from __future__ import annotations

import os
import signal
import struct

import joute.arena.players.kernel as kernel

SHARED_MEMORY = "/dev/shm"

# System calls with the same number on every architecture, and numbers of <linux/mount.h> and <linux/fcntl.h>.
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_OPEN_TREE_CLONE, _MOVE_MOUNT_EMPTY_PATH, _MOUNT_ATTR_IDMAP = 1, 4, 0x0010_0000
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000


def private_mb(memory_mb: int) -> int:
    """The size of a private tmpfs for an agent with this memory limit.

    It has room beyond the limit, so that an agent that writes quickly loses by its memory. With no room, it could crash
    on a full disk before the supervisor looks.
    """
    return 2 * memory_mb


def hide_shared_memory(memory_mb: int) -> None:
    """Give this process an empty /dev/shm of its own, which vanishes with the last process that sees it.

    An ordinary user needs a user namespace for that, in which this process keeps its ids.
    """
    if not os.path.isdir(SHARED_MEMORY):
        return
    user, group = os.geteuid(), os.getegid()
    _own_mounts()
    if user != 0:
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            _write(f"/proc/self/{file}", text)
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("joute", SHARED_MEMORY, "tmpfs", flags, f"size={private_mb(memory_mb)}m,mode=1777")


def show_to(identity: int, paths: list[str]) -> None:
    """Make the owner of each path appear as `identity`, so that an agent with this id can read what its owner can.

    Root only; seen by this process and its descendants. A path stays as it is if its file system cannot map ids (Linux
    5.12 or later, most local file systems): then the agent can read what everybody can.
    """
    _own_mounts()
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    mappings: dict[tuple[int, int], int] = {}
    for path in paths:
        try:
            found = os.stat(path)
            owner = found.st_uid, found.st_gid
            if owner not in mappings:
                mappings[owner] = _mapping(*owner, identity)
            _mount_mapped(path, mappings[owner])
        except OSError:
            continue
    for mapping in mappings.values():
        os.close(mapping)


def _own_mounts() -> None:
    kernel.unshare(kernel.CLONE_NEWNS | (0 if os.geteuid() == 0 else kernel.CLONE_NEWUSER))


def _mapping(user: int, group: int, identity: int) -> int:
    """A descriptor of a user namespace that maps two ids to `identity`: the form in which mounts take a mapping."""
    ready, done = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        try:
            kernel.unshare(kernel.CLONE_NEWUSER)
            os.write(done, b"!")
            signal.pause()
        finally:
            os._exit(1)
    os.close(done)
    try:
        os.read(ready, 1)  # empty if unshare failed; then the files below cannot be written
        _write(f"/proc/{child}/uid_map", f"{user} {identity} 1")
        _write(f"/proc/{child}/gid_map", f"{group} {identity} 1")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _mount_mapped(path: str, mapping: int) -> None:
    """Mount a path over itself, with mapped ids."""
    name = os.fsencode(path)
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    tree = kernel.syscall(_OPEN_TREE, _AT_FDCWD, name, flags)
    try:
        attributes = struct.pack("4Q", _MOUNT_ATTR_IDMAP, 0, 0, mapping)
        kernel.syscall(_MOUNT_SETATTR, tree, b"", _AT_EMPTY_PATH | _AT_RECURSIVE, attributes, len(attributes))
        kernel.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, name, _MOVE_MOUNT_EMPTY_PATH)
    finally:
        os.close(tree)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
