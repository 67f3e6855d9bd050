"""The sandbox (bubblewrap): its command line, its environment, and a test whether it works on this machine."""

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

# The parts of a Linux system that programs need. /etc may hold secrets, so only the files for loading programs.
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

#: The size of the agent's private /tmp, and of its /dev/shm.
PRIVATE_BYTES = 256 << 20

_INSTALL = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)"


def sandbox_command(
    command: Sequence[str], folder: Path, readable_paths: Iterable[Path] = (), hidden_paths: Iterable[Path] = ()
) -> list[str]:
    """The command that runs `command` in a sandbox: no network, own process space, read-only system, private /tmp.

    Of the rest of the disk the sandbox shows Python, Joute and `readable_paths`, all read-only, without the files in
    `hidden_paths`. The command runs in `folder`, which is empty there unless it is in `readable_paths`.
    """
    jail = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent"]
    # No --new-session: the supervisor has already made one without a terminal, and it stops agents by process group.
    jail += ["--cap-drop", "ALL"]  # root would keep its capabilities otherwise
    for system in (*_SYSTEM, *(found for pattern in _SYSTEM_FILES for found in sorted(glob.glob(pattern)))):
        if os.path.exists(system):
            jail += ["--ro-bind", system, system]
    size = ["--size", str(PRIVATE_BYTES)]
    # The folders that bubblewrap creates are in memory, which an agent could fill: all but /tmp and /dev/shm are
    # remounted read-only.
    jail += ["--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    jail += [*size, "--tmpfs", "/tmp", "--dir", str(folder)]
    readable = list(readable_paths)
    for path in _outermost([*python_paths(), *readable]):
        jail += ["--ro-bind", str(path), str(path)]
    for path in hidden_paths:
        if path.is_file() and any(path.is_relative_to(folder) for folder in readable):
            jail += ["--ro-bind", os.devnull, str(path)]  # bubblewrap mounts with nodev: opening it fails
    return [*jail, "--remount-ro", "/", "--chdir", str(folder), "--", *command]


def sandbox_environment() -> dict[str, str]:
    """The environment variables of an agent in the sandbox; of the user's, only the language and PYTHONPATH."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH") if name in os.environ}
    bin_folders = [os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"]
    return {"LANG": "C.UTF-8", **kept, "PATH": ":".join(bin_folders), "HOME": "/tmp", "TMPDIR": "/tmp"}


def python_paths() -> list[Path]:
    """The folders of this Python, Joute and the installed packages, without the current folder."""
    named = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]
    named += map(os.path.realpath, named[:3])
    here = os.getcwd()
    entries = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    return [Path(path).absolute() for path in (*named, *entries, *_editable_folders()) if os.path.exists(path)]


def check_sandbox() -> None:
    """JouteError if the sandbox does not work here: bubblewrap is missing, too old or not permitted."""
    if problem := _problem():
        raise JouteError(f"the sandbox is not available: {problem}; agents can run without it, in plain processes")


@functools.cache
def _problem() -> str:
    """Why the sandbox does not work, found by running an empty program in it; empty if it works."""
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
    """The folders of Joute and of packages in editable installs, as far as their import hooks state them."""
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
    """The paths without those inside another path or inside the system folders of every sandbox."""
    kept: list[Path] = []
    system = [Path(path) for path in _SYSTEM]
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(outer) for outer in (*system, *kept)):
            kept.append(path)
    return kept
