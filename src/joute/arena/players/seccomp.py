"""The system calls that agents are refused, and the seccomp filter that refuses them (seccomp(2)), for two processors.

The list names what is refused, not what is allowed: agents are written in any language, and a virtual machine or a C
library uses more calls each year, most of them harmless. Calls that are newer than this list are refused as well, so
that a new kernel does not open the jail. A refused call fails with EPERM, or with ENOSYS where programs then use
something else; programs for another processor mode (32-bit code, x32) are killed by SIGSYS in the jail.

This module imports nothing of Joute but its neighbour kernel.py: the supervisor and the jail's door use it (launch.py).
"""

from __future__ import annotations

import ctypes
import errno
import struct

import joute.arena.players.kernel as kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NO = None  # in the table: the architecture lacks the call

#: Refused calls that pass the counted memory limit, with their numbers on x86-64 and aarch64 (asm/unistd.h). Memory
#: that belongs to no process, such as a memfd in flight between sockets, cannot be counted. All fail with ENOSYS:
#: programs fall back to files in /dev/shm or /tmp, which are counted.
UNCOUNTED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}

#: Refused with ENOSYS: C libraries and runtimes then use clone, epoll and threads. The filter cannot read the flags of
#: clone3, which are in memory; it does not see the calls that io_uring makes; the machine has a total for io_setup.
REPLACED = {
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
}

#: Refused with EPERM: namespaces, in which a process has rights that it lacks outside (`clone` depends on its flags).
NAMESPACES = {"unshare": (272, 97), "setns": (308, 268)}

#: Refused with EPERM: no program that plays a game needs them, and most have had faults that led out of containers.
REFUSED = {
    # mounts
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "open_tree_attr": (467, 467), "statmount": (457, 457),
    "listmount": (458, 458), "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "nfsservctl": (180, 42),
    # keys of the user and of other processes
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    # parts of the kernel in which faults are found often
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "vmsplice": (278, 75),
    "modify_ldt": (154, _NO), "remap_file_pages": (216, 234),
    # files without a path, outside every mount and Landlock rule
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "lookup_dcookie": (212, 18),
    # the machine as a whole
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "syslog": (103, 116), "acct": (163, 89),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, _NO), "ioperm": (173, _NO),
    "vhangup": (153, 58), "uselib": (134, _NO), "sysfs": (139, _NO), "ustat": (136, _NO),
    # placement of memory on other processors' nodes
    "mbind": (237, 235), "set_mempolicy": (238, 237), "get_mempolicy": (239, 236), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "set_mempolicy_home_node": (450, 450),
}  # fmt: skip

#: Calls that are refused for some values of their arguments (`_rules_for_arguments`).
BY_ARGUMENT = {
    "clone": (56, 220),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "personality": (135, 92),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "socket": (41, 198),
    "socketpair": (53, 199),
}

#: The last call of Linux 6.18, file_setattr. Later calls have the same numbers on all architectures.
LAST_KNOWN = 469

#: AUDIT_ARCH_… of <linux/audit.h>, and the column in the tables above.
ARCHITECTURES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}

# <linux/sched.h>: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
_NEW_NAMESPACES = 0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK, _IPPROTO_UDP, _NETLINK_ROUTE = 1, 2, 10, 16, 17, 0
# Input faked on a terminal, the console's commands, line disciplines: <asm-generic/ioctls.h>.
_TERMINAL_REQUESTS = (0x5412, 0x541C, 0x5423)
_F_SETPIPE_SZ, _PR_SET_DUMPABLE, _PERSONALITY_QUERY = 1031, 4, 0xFFFF_FFFF

# Codes of <linux/bpf_common.h> and <linux/seccomp.h>.
_LOAD, _RETURN, _EQUAL, _ABOVE, _ANY_BIT = 0x20, 0x06, 0x15, 0x25, 0x45
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

# An instruction: code, instructions to skip if the test is true, if it is false, operand.
_Instruction = tuple[int, int, int, int]


def jail_filter(machine: str) -> bytes:
    """The filter of agents in the sandbox; KeyError for an architecture that is not in `ARCHITECTURES`."""
    audit, column = ARCHITECTURES[machine]
    return _packed(
        [
            _load(_ARCHITECTURE_OFFSET),
            *_unless(_EQUAL, audit, _KILL_PROCESS),
            _load(_NUMBER_OFFSET),
            *_if(_ABOVE, LAST_KNOWN, _ERRNO | errno.ENOSYS),  # x32 calls too: their numbers begin at 2^30
            *_refusals(UNCOUNTED | REPLACED, column, errno.ENOSYS),
            *_refusals(NAMESPACES | REFUSED, column, errno.EPERM),
            *_rules_for_arguments(tuple(BY_ARGUMENT), column),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )


def limits_filter(machine: str) -> bytes:
    """The filter of agents outside the sandbox: it refuses what passes the memory limit, or limits other processes.

    KeyError as above.
    """
    audit, column = ARCHITECTURES[machine]
    return _packed(
        [
            _load(_ARCHITECTURE_OFFSET),
            *_unless(_EQUAL, audit, _ALLOW),  # 32-bit programs run, although without this filter
            _load(_NUMBER_OFFSET),
            *_refusals(UNCOUNTED | {"clone3": REPLACED["clone3"]}, column, errno.ENOSYS),
            *_refusals(NAMESPACES, column, errno.EPERM),
            *_rules_for_arguments(("clone", "fcntl", "prctl", "prlimit64"), column),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )


def install(program: bytes) -> None:
    """Apply a filter to this thread and all that it starts, for good. Needs no_new_privs."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    place = ctypes.create_string_buffer(header, len(header))
    kernel.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(place))


def _rules_for_arguments(names: tuple[str, ...], column: int) -> list[_Instruction]:
    refused = _ERRNO | errno.EPERM
    no_family, no_protocol = _ERRNO | errno.EAFNOSUPPORT, _ERRNO | errno.EPROTONOSUPPORT
    socket = [
        _argument(0),
        *_if(_EQUAL, _AF_UNIX, _ALLOW),
        _argument(2),
        *_if(_ABOVE, _IPPROTO_UDP, no_protocol),
        _argument(0),
        *_if(_EQUAL, _AF_INET, _ALLOW),
        *_if(_EQUAL, _AF_INET6, _ALLOW),
        *_unless(_EQUAL, _AF_NETLINK, no_family),  # C libraries list network interfaces with it
        _argument(2),
        *_unless(_EQUAL, _NETLINK_ROUTE, no_protocol),
    ]
    rules = {
        "clone": [_argument(0), *_if(_ANY_BIT, _NEW_NAMESPACES, refused)],
        # A pipe holds 64 kB by default, which the supervisor counts, and up to 1 MB.
        "fcntl": [_argument(1), *_if(_EQUAL, _F_SETPIPE_SZ, refused)],
        "ioctl": [_argument(1), *(part for each in _TERMINAL_REQUESTS for part in _if(_EQUAL, each, refused))],
        # Emulations of other systems; some weaken the layout of memory.
        "personality": [_argument(0), *_if(_EQUAL, 0, _ALLOW), *_unless(_EQUAL, _PERSONALITY_QUERY, refused)],
        # A process that is not dumpable hides its files from a supervisor that is not root.
        "prctl": [_argument(0), *_unless(_EQUAL, _PR_SET_DUMPABLE, _ALLOW), _argument(1), *_if(_EQUAL, 0, refused)],
        # A limit of 0 s of CPU time kills another process, as a signal does.
        "prlimit64": [_argument(0), *_unless(_EQUAL, 0, refused)],
        "socket": socket,
        "socketpair": socket,
    }
    code: list[_Instruction] = []
    for name in names:
        body = [*rules[name], (_RETURN, 0, 0, _ALLOW)]
        code += [(_EQUAL, 0, len(body), BY_ARGUMENT[name][column]), *body]
    return code


def _refusals(calls: Mapping[str, tuple[int, int | None]], column: int, error: int) -> list[_Instruction]:
    numbers = [number for each in calls.values() if (number := each[column]) is not None]
    return [part for number in numbers for part in _if(_EQUAL, number, _ERRNO | error)]


def _load(offset: int) -> _Instruction:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> _Instruction:
    """Load the low half of an argument, which holds all bits that the rules test; both processors are little-endian."""
    return _load(_ARGUMENTS_OFFSET + 8 * index)


def _if(test: int, operand: int, answer: int) -> list[_Instruction]:
    return [(test, 0, 1, operand), (_RETURN, 0, 0, answer)]


def _unless(test: int, operand: int, answer: int) -> list[_Instruction]:
    return [(test, 1, 0, operand), (_RETURN, 0, 0, answer)]


def _packed(code: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
