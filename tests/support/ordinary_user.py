"""Runs a command as an ordinary user, when the tests run as root.

    python ordinary_user.py RECENT COMMAND…

Python may lie in a folder of root's that others cannot enter. The command runs in a mount namespace of its own, in
which such folders show the way to Python and to Joute and nothing else. If RECENT is 0, the kernel seems to lack
Landlock and to keep user namespaces to root.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import joute.arena.players.kernel as kernel
import joute.arena.players.seccomp as seccomp
from joute.arena.players.sandbox import python_paths

NOBODY = 65534


def as_ordinary_user(command: Sequence[str], *, is_recent: bool = True) -> list[str]:
    """The command that runs `command` as an ordinary user."""
    return [sys.executable, __file__, str(int(is_recent)), *command]


def _closed_parent(path: Path) -> Path | None:
    """The outermost folder around `path` that other users cannot enter."""
    return next((each for each in reversed(path.parents) if not each.stat().st_mode & 0o001), None)


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


def main() -> None:
    """Make the mounts, change the user and execute the command."""
    if os.geteuid() == 0:
        _become_nobody()
    if sys.argv[1] == "0":
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        seccomp.install(_older_kernel())
    os.execvp(sys.argv[2], sys.argv[2:])


def _older_kernel() -> bytes:
    """A filter under which Landlock and new namespaces fail as with a kernel that lacks them."""
    column = seccomp.ARCHITECTURES[kernel.MACHINE][1]
    code = [
        seccomp._load(seccomp._NUMBER_OFFSET),
        *seccomp._refusals({"landlock_create_ruleset": (444, 444)}, column, errno.ENOSYS),
        *seccomp._refusals(seccomp.NAMESPACES, column, errno.EPERM),
        (seccomp._RETURN, 0, 0, seccomp._ALLOW),
    ]
    return seccomp._packed(code)


def _become_nobody() -> None:
    kernel.unshare(kernel.CLONE_NEWNS)
    _mount("--make-rprivate", "/")
    closed = {path: parent for path in python_paths() if (parent := _closed_parent(path))}
    for parent in set(closed.values()):
        with tempfile.TemporaryDirectory() as folder:
            _mount("--rbind", parent, folder)
            _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", parent)
            for path in (path for path, its_parent in closed.items() if its_parent == parent):
                path.mkdir(parents=True, exist_ok=True)
                _mount("--rbind", Path(folder) / path.relative_to(parent), path)
            subprocess.run(["umount", "-l", folder], check=True)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.environ["HOME"] = tempfile.gettempdir()


if __name__ == "__main__":
    main()
