"""Counts the memory, processes and threads of an agent, where no cgroup limits them.

It counts memory that no process maps too: files in the agent's own tmpfs mounts, memfds, and what pipes and sockets may
hold. The agent may exceed the limit by what it takes between two counts.

This module imports nothing of Joute but its neighbours: the supervisor uses it (launch.py).
"""

from __future__ import annotations

import os
import stat

from joute.arena.players.mounts import SHARED_MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

# The tmpfs mounts that an agent may have: both in the sandbox, the second one outside it.
_PRIVATE_MOUNTS = ("/tmp", SHARED_MEMORY)

# The most that a pipe (64 kB by default; the filter refuses more) and a socket hold (net.core.wmem_max, 208 kB by
# default). Their real contents cannot be read from outside.
_PIPE_KB, _SOCKET_KB = 64, 208

# Kernel memory of an inode in a tmpfs: the unit in which tmpfs itself counts them (mm/shmem.c, BOGO_INODE_SIZE).
_INODE_KB = 1

# Files up to this size make no difference worth a look at every mapping.
_MANY_FILES_KB = 1024

# Memory in /proc/PID/status: pages of its own, shared with others, swapped, and page tables, which can grow to many
# times the pages of a process that only reads empty memory.
_MEMORY_FIELDS = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")


class Tolerance:
    """A context that suppresses OSError and IndexError, for processes that end while they are inspected.

    It replaces contextlib.suppress, because contextlib takes 6 ms to import.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> bool:
        return error_type is not None and issubclass(error_type, (OSError, IndexError))


tolerance = Tolerance()


class Count:
    """The limits of an agent and its use of them."""

    def __init__(self, memory_mb: int, processes: int) -> None:
        self._memory_kb, self._processes = 1024 * memory_mb, processes
        self._own_devices = [_device(mount) for mount in _PRIVATE_MOUNTS]
        #: The user id whose files in /dev/shm count; 0 if the agent has one of its own, or no id of its own.
        self.owner = 0
        #: The largest share of a limit in use at the last look; 1 is the limit.
        self.load = 0.0

    def excess(self, pids: set[int]) -> str:
        """The limit that these processes exceed, ``memory`` or ``processes``, or an empty text."""
        found = [_status_fields(pid) for pid in pids]
        mounts = self._private_mounts(pids)
        files_kb = sum(_mount_kb(path) for path in mounts.values())
        files_kb += sum(file.st_blocks // 2 for _, file in _files_of(self.owner)) if self.owner else 0
        unmapped_kb = files_kb + _open_files_kb(pids)
        used_kb = unmapped_kb + sum(each.get(name, 0) for each in found for name in _MEMORY_FIELDS)
        if used_kb > self._memory_kb:
            # The sum counts a page once per process that maps it: measure exactly, which is slower.
            used_kb = unmapped_kb + sum(each.get(b"VmPTE", 0) for each in found) + sum(map(_share_kb, pids))
        if used_kb > self._memory_kb and files_kb > _MANY_FILES_KB:
            # It counts mapped pages of files also with their file.
            used_kb -= sum(_share_of_files_kb(pid, mounts.keys()) for pid in pids)
        threads = sum(each.get(b"Threads", 0) for each in found)
        self.load = max(used_kb / self._memory_kb, threads / self._processes)
        if used_kb > self._memory_kb:
            return "memory"
        return "processes" if threads > self._processes else ""

    def _private_mounts(self, pids: set[int]) -> dict[int, str]:
        """The tmpfs mounts that the agent has and the supervisor has not: device and path.

        All processes of an agent have the same mounts, because they may not make namespaces.
        """
        for pid in pids:
            paths = [f"/proc/{pid}/root{mount}" for mount in _PRIVATE_MOUNTS]
            devices = [_device(path) for path in paths]
            triples = zip(devices, self._own_devices, paths, strict=True)
            if found := {device: path for device, own, path in triples if device not in (own, 0)}:
                return found
        return {}


def remove_files_of(owner: int) -> None:
    """Remove the files and folders of a user id in /dev/shm."""
    for path, file in _files_of(owner):
        with tolerance:
            os.rmdir(path) if stat.S_ISDIR(file.st_mode) else os.unlink(path)


def _files_of(owner: int) -> list[tuple[str, os.stat_result]]:
    """The files and folders of a user id in /dev/shm, the innermost first."""
    found = []
    for folder, folders, files in os.walk(SHARED_MEMORY, topdown=False):
        for name in (*files, *folders):
            with tolerance:
                path = os.path.join(folder, name)
                file = os.lstat(path)
                if file.st_uid == owner:
                    found.append((path, file))
    return found


def content(path: str) -> bytes:
    """The content of a file in /proc."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _status_fields(pid: int) -> dict[bytes, int]:
    """The memory in kB and the number of threads of a process; empty if it is gone."""
    fields: dict[bytes, int] = {}
    with tolerance:
        for line in content(f"/proc/{pid}/status").split(b"\n"):
            name, _, rest = line.partition(b":")
            if name in _MEMORY_FIELDS or name == b"Threads":
                fields[name] = int(rest.split()[0])
    return fields


def _open_files_kb(pids: set[int]) -> int:
    """The most memory in open memfds, pipes and sockets. Mapped pages of a memfd count twice."""
    sizes: dict[str, int] = {}
    for pid in pids:
        with tolerance:
            for name in os.listdir(f"/proc/{pid}/fd"):
                with tolerance:
                    path = f"/proc/{pid}/fd/{name}"
                    link = os.readlink(path)
                    if link.startswith("pipe:"):
                        sizes[link] = _PIPE_KB
                    elif link.startswith("socket:"):
                        sizes[link] = _SOCKET_KB
                    elif link.startswith("/memfd:"):
                        found = os.stat(path)
                        sizes[f"memfd:{found.st_ino}"] = found.st_blocks // 2
    return sum(sizes.values())


def _mount_kb(path: str) -> int:
    """The memory in use by a tmpfs: blocks and inodes."""
    with tolerance:
        found = os.statvfs(path)
        used_kb = (found.f_blocks - found.f_bfree) * found.f_frsize // 1024
        return used_kb + _INODE_KB * (found.f_files - found.f_ffree)
    return 0


def _device(path: str) -> int:
    with tolerance:
        return os.stat(path).st_dev
    return 0


def _share_kb(pid: int) -> int:
    """The proportional memory of a process: each shared page is divided by the number of processes that share it.

    If the kernel does not state it, the resident memory.
    """
    with tolerance:
        shares = [int(line.split()[1]) for line in content(f"/proc/{pid}/smaps_rollup").split(b"\n") if _is_share(line)]
        if shares:
            return sum(shares)
    fields = _status_fields(pid)
    return fields.get(b"RssAnon", 0) + fields.get(b"RssShmem", 0) + fields.get(b"VmSwap", 0)


def _is_share(line: bytes) -> bool:
    return line.startswith((b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))


def _share_of_files_kb(pid: int, devices: Set[int]) -> int:
    """The part of a process's share that is files on these devices, without its private copies of their pages."""
    total, share_kb, is_counted = 0, 0, False
    lines: list[bytes] = []
    with tolerance:
        lines = content(f"/proc/{pid}/smaps").split(b"\n")
    for line in lines:
        name, *rest = line.split(None, 5) or [b""]
        if name == b"Pss:":
            share_kb = int(rest[0])
        elif name == b"Anonymous:" and is_counted:
            total += max(0, share_kb - int(rest[0]))
        elif b"-" in name and not name.endswith(b":"):  # the first line of a mapping: range, rights, offset, device
            major, _, minor = rest[2].partition(b":")
            is_counted = os.makedev(int(major, 16), int(minor, 16)) in devices
    return total
