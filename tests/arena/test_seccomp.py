"""The filter of system calls, interpreted call by call for both architectures, and its numbers."""

from __future__ import annotations

import errno
import re
import struct
import subprocess

import pytest

from joute.arena.players.seccomp import (
    ARCHITECTURES,
    BY_ARGUMENT,
    LAST_KNOWN,
    NAMESPACES,
    REFUSED,
    REPLACED,
    UNCOUNTED,
    jail_filter,
    limits_filter,
)  # fmt: skip

ALLOW, KILL = "allow", "kill"

#: Calls that every program makes, by their numbers on x86-64 and aarch64.
HARMLESS = {
    "read": (0, 63), "write": (1, 64), "openat": (257, 56), "mmap": (9, 222), "futex": (202, 98), "execve": (59, 221),
    "wait4": (61, 260), "kill": (62, 129), "epoll_pwait": (281, 22), "getrandom": (318, 278), "exit_group": (231, 94),
    "rseq": (334, 293), "sched_setaffinity": (203, 122), "pidfd_open": (434, 434), "landlock_restrict_self": (446, 446),
    "futex_wait": (455, 455),
}  # fmt: skip


def answer(program: bytes, number: int, *arguments: int, audit: int = ARCHITECTURES["x86_64"][0]) -> str | int:
    """What a filter says to a call: allow, kill, or an errno. Interprets the instructions that the filters use."""
    code = [struct.unpack_from("=HBBI", program, offset) for offset in range(0, len(program), 8)]
    data = struct.pack("=IIQ6Q", number, audit, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    accumulator = place = 0
    while True:
        kind, if_true, if_false, operand = code[place]
        place += 1
        if kind == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif kind == 0x06:
            answers: dict[int, str | int] = {0x7FFF_0000: ALLOW, 0x8000_0000: KILL}
            return answers.get(operand, int(operand) & 0xFFFF)
        else:
            tests = {0x15: accumulator == operand, 0x25: accumulator > operand, 0x45: bool(accumulator & operand)}
            place += if_true if tests[kind] else if_false


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_jail_refuses_each_call_of_the_list_and_allows_what_programs_need(machine: str) -> None:
    audit, column = ARCHITECTURES[machine]
    program = jail_filter(machine)
    for calls, error in ((UNCOUNTED | REPLACED, errno.ENOSYS), (NAMESPACES | REFUSED, errno.EPERM)):
        for name, numbers in calls.items():
            number = numbers[column]
            if number is not None:
                assert answer(program, number, audit=audit) == error, name
    for name, both in HARMLESS.items():
        assert answer(program, both[column], audit=audit) == ALLOW, name
        assert answer(limits_filter(machine), both[column], audit=audit) == ALLOW, name
    assert answer(program, LAST_KNOWN + 1, audit=audit) == errno.ENOSYS
    assert answer(program, 0x4000_0000, audit=audit) == errno.ENOSYS
    assert answer(program, HARMLESS["read"][column], audit=0x4000_0003) == KILL  # AUDIT_ARCH_I386


CASES = [
    ("clone", (0x11,), ALLOW),
    ("clone", (0x003D_0F00,), ALLOW),  # a thread
    ("clone", (0x1000_0011,), errno.EPERM),
    ("clone", (0x2000_0000,), errno.EPERM),
    ("clone", (0x0002_0000,), errno.EPERM),
    ("socket", (1, 1, 0), ALLOW),
    ("socket", (2, 1, 6), ALLOW),
    ("socket", (10, 2, 17), ALLOW),
    ("socket", (2, 1, 262), errno.EPROTONOSUPPORT),
    ("socket", (16, 3, 0), ALLOW),
    ("socket", (16, 3, 9), errno.EPROTONOSUPPORT),
    ("socket", (17, 3, 0), errno.EAFNOSUPPORT),
    ("socket", (40, 1, 0), errno.EAFNOSUPPORT),
    ("socketpair", (1, 1, 0), ALLOW),
    ("socketpair", (30, 1, 0), errno.EAFNOSUPPORT),
    ("ioctl", (0, 0x5401), ALLOW),
    ("ioctl", (0, 0x5412), errno.EPERM),
    ("ioctl", (0, 0x1_0000_5412), errno.EPERM),  # the kernel ignores the upper half
    ("prctl", (4, 1), ALLOW),
    ("prctl", (4, 0), errno.EPERM),
    ("prctl", (15, 0), ALLOW),
    ("fcntl", (0, 1), ALLOW),
    ("fcntl", (0, 1031), errno.EPERM),
    ("personality", (0xFFFF_FFFF,), ALLOW),
    ("personality", (0,), ALLOW),
    ("personality", (0x0040_0000,), errno.EPERM),
]


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_some_calls_depend_on_their_arguments(
    machine: str, name: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    audit, column = ARCHITECTURES[machine]
    assert answer(jail_filter(machine), BY_ARGUMENT[name][column], *arguments, audit=audit) == expected


def test_outside_the_jail_only_what_passes_the_memory_limit_is_refused() -> None:
    program = limits_filter("x86_64")
    assert answer(program, UNCOUNTED["memfd_create"][0]) == errno.ENOSYS
    assert answer(program, REPLACED["clone3"][0]) == errno.ENOSYS
    assert answer(program, NAMESPACES["unshare"][0]) == errno.EPERM
    assert answer(program, BY_ARGUMENT["clone"][0], 0x1000_0011) == errno.EPERM
    assert answer(program, BY_ARGUMENT["socket"][0], 40, 1, 0) == ALLOW
    assert answer(program, REFUSED["ptrace"][0] or 0) == ALLOW
    assert answer(program, 20, audit=0x4000_0003) == ALLOW


@pytest.mark.parametrize(
    ("column", "header", "settings"),
    [
        (0, "asm/unistd_64.h", ""),
        (1, "asm-generic/unistd.h", "-D__BITS_PER_LONG=64 -D__ARCH_WANT_SYS_CLONE3 -D__ARCH_WANT_MEMFD_SECRET"),
    ],
    ids=ARCHITECTURES,
)
def test_the_numbers_are_those_of_the_kernel_s_headers(column: int, header: str, settings: str) -> None:
    command = ["c++", "-E", "-dM", *settings.split(), "-include", header, "-x", "c", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"no {header} here")
    defined: dict[str, str] = dict(re.findall(r"#define (__NR\w*) (\w+)", run.stdout))
    resolved: dict[str, str] = {name: defined.get(value, value) for name, value in defined.items()}
    known = {name.removeprefix("__NR_"): int(value) for name, value in resolved.items() if value.isdecimal()}
    newest = max(number for number in known.values() if number < 1000)
    ours = UNCOUNTED | REPLACED | NAMESPACES | REFUSED | BY_ARGUMENT
    checked = 0
    for name, numbers in ours.items():
        number = numbers[column]
        if number is None:
            assert name not in known, name
        elif number <= newest:
            assert known.get(name) == number, name
            checked += 1
    assert checked > 60
    assert newest <= LAST_KNOWN, "look at the calls that are new, and raise LAST_KNOWN"
