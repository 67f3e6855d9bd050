"""Gives up rights for good: the user id, capabilities, the session keyring. See capabilities(7) and keyrings(7).

This module imports nothing of Joute but its neighbour kernel.py: the supervisor and the jail's door use it (launch.py).
"""

from __future__ import annotations

import os
import struct

import joute.arena.players.kernel as kernel

# Capability numbers of <linux/capability.h>.
_DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER, _SETGID, _SETUID, _SETPCAP = 1, 2, 3, 6, 7, 8

#: The capabilities with which a process of another user id can use the files of root, and nothing more.
FILE_RIGHTS = (_DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER)

# First id and number of ids for agents. No distribution assigns ids of the first range (systemd.io/UIDS-GIDS); the
# second one, of systemd's transient services, is for containers that know 65,536 ids only.
_IDS = ((1_900_000_000, 1 << 22), (61_184, 4_336))

_CAPSET = {"x86_64": 126, "aarch64": 91}
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1
_CAPABILITY_VERSION_3 = 0x2008_0522


def agent_id(supervisor: int) -> int:
    """The user and group id for the agent of a supervisor, by the supervisor's process id; 0 if it keeps its user's.

    Only root can change the id. Agents that run at the same time have different ids, so that they cannot signal each
    other or read each other's memory.
    """
    if (
        os.geteuid() != 0
        or kernel.MACHINE not in _CAPSET
        or not all(_mask() >> each & 1 for each in (_SETGID, _SETUID, _SETPCAP))
    ):
        return 0
    for first, count in _IDS:
        if all(_is_mapped(file, first, count) for file in ("/proc/self/uid_map", "/proc/self/gid_map")):
            return first + supervisor % count
    return 0


def drop_to(number: int, *, kept: tuple[int, ...] = ()) -> None:
    """Change the user and group id of this process to `number`, if not 0, and drop all capabilities but those `kept`.

    Neither this process nor any program that it executes can get them back. A signal that was requested for the
    parent's death (PR_SET_PDEATHSIG) is cancelled by the kernel and must be requested again.
    """
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    wanted = sum(1 << each for each in kept)
    if number:
        os.setgroups([])
        if kept:  # inheritable capabilities must be in the bounding set, unless they are inheritable already
            _set_capabilities(_mask(), inheritable=wanted)
        _empty_bounding_set()
        kernel.prctl(kernel.PR_SET_KEEPCAPS, int(bool(kept)))
        os.setresgid(number, number, number)
        os.setresuid(number, number, number)
    if kernel.MACHINE in _CAPSET:
        _set_capabilities(wanted, inheritable=wanted)
    for each in kept:
        kernel.prctl(kernel.PR_CAP_AMBIENT, kernel.PR_CAP_AMBIENT_RAISE, each)


def leave_keyring() -> None:
    """Start a new, empty session keyring; the keys in the one inherited from the worker can no longer be reached."""
    if kernel.MACHINE in _KEYCTL:
        kernel.syscall(_KEYCTL[kernel.MACHINE], _JOIN_SESSION_KEYRING, None)


def _empty_bounding_set() -> None:
    for each in range(64):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, each)
        except OSError:  # beyond the kernel's last capability
            return


def _set_capabilities(mask: int, *, inheritable: int) -> None:
    """Set the effective and permitted capabilities, and the inheritable ones."""
    halves = [word >> shift & 0xFFFF_FFFF for shift in (0, 32) for word in (mask, mask, inheritable)]
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    kernel.syscall(_CAPSET[kernel.MACHINE], header, struct.pack("6I", *halves))


def _mask() -> int:
    """The effective capabilities of this process, a bit each."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith("CapEff:"))


def _is_mapped(file: str, first: int, count: int) -> bool:
    """Whether all ids of a range exist in this user namespace."""
    with open(file) as lines:
        ranges = [tuple(map(int, line.split())) for line in lines]
    return any(begin <= first and first + count <= begin + length for begin, _, length in ranges)
