"""The jail of bubblewrap: what an agent sees there, and whether it works on this machine."""

from __future__ import annotations

import functools
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from joute.errors import JouteError
from joute.system import isolation_problem

# Enough of a Linux system to run programs. Of /etc only what loading them needs: the rest may hold secrets.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
_SYSTEM_FILES = (
    "/etc/alternatives",
    "/etc/group",
    "/etc/hosts",
    "/etc/java*",
    "/etc/ld.so.*",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
)

#: How much an agent may write in all, to its private /tmp and to shared memory each.
PRIVATE_BYTES = 256 << 20

_INSTALL = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)"


def sandbox_command(
    command: Sequence[str], folder: Path, readable_paths: Iterable[Path] = (), hidden_paths: Iterable[Path] = ()
) -> list[str]:
    """The command in a jail: no network, processes of its own, a read-only system and a private /tmp.

    Of the rest of the disk it sees Python, Joute and `readable_paths`, all read-only, and of these not the files
    `hidden_paths`. It runs in `folder`, which exists there but is empty unless it is readable.
    """
    jail = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent"]
    # No --new-session: the supervisor has made one without a terminal, and stops agents by their process group.
    jail += ["--cap-drop", "ALL"]  # for root, which keeps them otherwise
    for system in (*_SYSTEM, *(found for pattern in _SYSTEM_FILES for found in sorted(glob.glob(pattern)))):
        if os.path.exists(system):
            jail += ["--ro-bind", system, system]
    size = ["--size", str(PRIVATE_BYTES)]
    # What bubblewrap makes itself lies in memory and could be filled: read-only too, /tmp and /dev/shm apart.
    jail += ["--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    jail += [*size, "--tmpfs", "/tmp", "--dir", str(folder)]
    readable = list(readable_paths)
    for path in _outermost([*python_paths(), *readable]):
        jail += ["--ro-bind", str(path), str(path)]
    for path in hidden_paths:
        if path.is_file() and any(path.is_relative_to(folder) for folder in readable):
            jail += ["--ro-bind", os.devnull, str(path)]  # a device in a jail: it cannot even be opened
    return [*jail, "--remount-ro", "/", "--chdir", str(folder), "--", *command]


def sandbox_environment() -> dict[str, str]:
    """The environment of an agent in the jail: nothing of the user's but the language and where Python looks."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH") if name in os.environ}
    bin_folders = [os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"]
    return {"LANG": "C.UTF-8", **kept, "PATH": ":".join(bin_folders), "HOME": "/tmp", "TMPDIR": "/tmp"}


def python_paths() -> list[Path]:
    """Where this Python, Joute and what is installed beside them lie; not the folder that we run in."""
    named = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]
    named += map(os.path.realpath, named[:3])
    here = os.getcwd()
    entries = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    return [Path(path).absolute() for path in (*named, *entries, *_editable_folders()) if os.path.exists(path)]


def check_sandbox() -> None:
    """JouteError if agents cannot be jailed here: bubblewrap is missing, too old, or not allowed to work."""
    if problem := _problem():
        raise JouteError(f"the sandbox is not available: {problem}; agents can run without it, in plain processes")


@functools.cache
def _problem() -> str:
    """Why there is no sandbox, found by trying; nothing if there is."""
    if problem := isolation_problem():
        return problem
    if not shutil.which("bwrap"):
        return f"the program bwrap is missing; {_INSTALL}"
    command = sandbox_command([sys.executable, "-I", "-S", "-c", ""], Path("/tmp"))
    try:
        tried = subprocess.run(command, env=sandbox_environment(), capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work here ({error})"
    if tried.returncode == 0:
        return ""
    said = (tried.stderr or tried.stdout).decode(errors="replace").strip().partition("\n")[0]
    if "--size" in said:
        return "this bubblewrap is too old; it must be 0.7 or newer"
    return f'bwrap does not work here and says "{said or f"exit status {tried.returncode}"}"'


def _editable_folders() -> list[str]:
    """Where packages lie that are used in place, as far as their import hooks tell."""
    folders = list(sys.modules[__name__.partition(".")[0]].__path__)
    for finder in sys.meta_path:
        told: Any = getattr(finder, "submodule_search_locations", {})  # scikit-build-core: name -> folders
        if isinstance(told, dict):
            folders += [folder for found in told.values() for folder in found]
        told = getattr(sys.modules.get(getattr(finder, "__module__", "")), "MAPPING", {})  # setuptools: name -> folder
        if isinstance(told, dict):
            folders += map(str, told.values())
    return folders


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths without those that lie in another one, or in what every jail has."""
    kept: list[Path] = []
    system = [Path(path) for path in _SYSTEM]
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(outer) for outer in (*system, *kept)):
            kept.append(path)
    return kept
