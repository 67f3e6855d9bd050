"""The sandbox (bubblewrap): its command line, its environment, and a test whether it works on this machine.

Bubblewrap makes the namespaces and mounts. The first program inside, the door (jail_door.py), gives up all rights and
executes the agent's program. If Joute runs as root, bubblewrap makes no user namespace, because root inside one is root
outside as well; the door changes to a user id without rights.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joute.arena.players.kernel as kernel
import joute.arena.players.launch as launch
import joute.arena.players.privileges as privileges
import joute.arena.players.seccomp as seccomp
from joute.arena.players.mounts import private_mb
from joute.arena.players.own_files import shown_parts
from joute.arena.players.supervise import AGENT_ID
from joute.errors import JouteError
from joute.system import isolation_problem

# The parts of a Linux system that programs need.
_SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")))

# /etc may hold secrets: of it the sandbox shows only what loading a program needs, to programs other than Python also
# what starting their languages needs.
_LOADER_FILES = ("/etc/ld.so.*", "/etc/localtime")
_LANGUAGE_FILES = ("/etc/alternatives", "/etc/dotnet", "/etc/java*", "/etc/julia", "/etc/mono", "/etc/R")

# Files of /etc that programs ask about their user and this machine. They name no other user and no real host.
_MADE_FILES = {
    "/etc/group": f"agent:x:{AGENT_ID}:\n".encode(),
    "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    "/etc/passwd": f"agent:x:{AGENT_ID}:{AGENT_ID}:agent:/tmp:/bin/sh\n".encode(),
}

_ABOUT_USER = {"HOME": "/tmp", "TMPDIR": "/tmp", "USER": "agent", "LOGNAME": "agent"}

# Files and folders of /proc that are about the machine, its kernel and its keys, and no process.
_HIDDEN_FOLDERS = ("acpi", "asound", "bus", "driver", "fs", "irq", "scsi", "sys")
_HIDDEN_FILES = (
    "cmdline", "config.gz", "iomem", "ioports", "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup",
    "kpagecount", "kpageflags", "latency_stats", "modules", "sched_debug", "slabinfo", "sysrq-trigger", "timer_list",
    "timer_stats", "vmallocinfo",
)  # fmt: skip

#: The largest size of the agent's private /tmp, and of its /dev/shm.
PRIVATE_MB = 256

_INSTALL = "install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)"

# The first version with --disable-userns.
_DISABLES_NAMESPACES = (0, 8)


@dataclass(frozen=True)
class View:
    """The files that a sandboxed agent sees beside the system, Python and Joute, read-only."""

    #: The current directory of the agent; it is empty unless `readable` contains it.
    folder: Path
    readable: Sequence[Path] = ()
    #: Files and folders in `readable` that are other agents' or the tournament's.
    hidden: Sequence[Path] = ()

    def tops(self, program: str) -> list[Path]:
        """The paths to show to a program, without those inside another one or in the system's folders."""
        return _outermost([*python_paths(), *_program_paths(program), *map(Path.absolute, self.readable)])

    def mounts(self, program: str) -> list[str]:
        """Bubblewrap's options that show these files. Python and Joute come last: they may be in the agent's folder."""
        # Bubblewrap would give these folders the rights of the user's, which another user id may lack.
        shown = (*_SYSTEM, *self.tops(program), self.folder / "any")
        around = {parent for path in shown for parent in path.parents if len(parent.parts) > 1}
        words = [word for path in sorted(around) for word in ("--perms", "0755", "--dir", str(path))]
        divided: list[Path] = []
        hidden = [path.absolute() for path in self.hidden]
        always = [*_SYSTEM, *_outermost([*python_paths(), *_program_paths(program)])]
        own = _outermost(map(Path.absolute, self.readable), always)
        for top in own:
            parts = list(shown_parts(top, hidden))
            if parts == [top]:
                words += _shown(top)
                continue
            words += ["--size", "1048576", "--perms", "0755", "--tmpfs", str(top)]  # for links and folders around parts
            for path in parts:
                # Bubblewrap follows links, and what a link in the folder leads to may be secret.
                words += ["--symlink", os.readlink(path), str(path)] if path.is_symlink() else _shown(path)
            divided.append(top)
        for path in always:
            if path.exists():
                words += _shown(path)
        for path in hidden:
            if path.is_file() and any(path.is_relative_to(outer) for outer in always):
                words += ["--ro-bind", os.devnull, str(path)]  # bubblewrap mounts with nodev: opening it fails
        for top in divided:  # last: Python may be in it
            words += ["--remount-ro", str(top)]
        return words


@contextlib.contextmanager
def sandboxed(
    command: Sequence[str], view: View, *, memory_mb: int, port: tuple[int, str] | None = None
) -> Iterator[tuple[list[str], list[int]]]:
    """The command that runs `command` in a sandbox, and the descriptors that it must inherit, closed on exit.

    The sandbox has no network, its own process space, a read-only system and a private /tmp. `port` is the channel and
    host of a socket to open inside (jail_door.py). The supervisor replaces `AGENT_ID` in the command and in the files
    behind the descriptors.
    """
    with contextlib.ExitStack() as opened:

        def inherited(data: bytes) -> int:
            descriptor = os.memfd_create("joute-sandbox", 0)
            opened.callback(os.close, descriptor)
            os.write(descriptor, data)
            os.lseek(descriptor, 0, os.SEEK_SET)
            descriptors.append(descriptor)
            return descriptor

        descriptors: list[int] = []
        words = [*_namespaces(), *_mounts(view, command[0], min(private_mb(memory_mb), PRIVATE_MB) << 20)]
        for path, content in _MADE_FILES.items():
            words += ["--perms", "0444", "--ro-bind-data", str(inherited(content)), path]
        words += ["--seccomp", str(inherited(seccomp.jail_filter(kernel.MACHINE)))]
        words += ["--remount-ro", "/", "--chdir", str(view.folder)]
        # Through a file, because every process in the sandbox can read the command line of the first one.
        arguments = inherited(b"".join(os.fsencode(word) + b"\0" for word in words))
        channel, host = (str(port[0]), port[1]) if port else ("", "")
        door = [sys.executable, "-I", "-S", launch.__file__, "jail_door", AGENT_ID, channel, host]
        yield [_bubblewrap(), "--args", str(arguments), "--", *door, *command], descriptors


def _namespaces() -> list[str]:
    """Bubblewrap's options for namespaces and capabilities."""
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    # No --new-session: the supervisor has already made one without a terminal, and it stops agents by process group.
    words += ["--hostname", "joute", "--die-with-parent", "--cap-drop", "ALL"]
    if os.geteuid() == 0:  # the door needs these to drop all rights, and the last one to read files shown to the agent
        needed = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE")
        return [*words, *(word for name in needed for word in ("--cap-add", name))]
    return [*words, "--unshare-user", *(["--disable-userns"] if _can_disable_namespaces() else [])]


def _mounts(view: View, program: str, private_bytes: int) -> list[str]:
    """Bubblewrap's options for all that the sandbox shows, and for what it hides."""
    words = ["--perms", "0755", "--dir", "/etc"]
    patterns = _LOADER_FILES if program == sys.executable else (*_LOADER_FILES, *_LANGUAGE_FILES)
    for path in (path for pattern in patterns for path in sorted(glob.glob(pattern))):
        words += _shown(Path(path))
    words += ["--proc", "/proc"]
    for name in _HIDDEN_FOLDERS:
        if os.path.isdir(f"/proc/{name}"):
            words += ["--size", "4096", "--perms", "0555", "--tmpfs", f"/proc/{name}", "--remount-ro", f"/proc/{name}"]
    for name in _HIDDEN_FILES:
        if os.path.exists(f"/proc/{name}"):
            words += ["--ro-bind", os.devnull, f"/proc/{name}"]
    # The folders that bubblewrap creates are in memory, which an agent could fill: all but /tmp and /dev/shm are
    # remounted read-only.
    private = ["--size", str(private_bytes), "--perms", "1777", "--tmpfs"]
    words += ["--dev", "/dev", *private, "/dev/shm", "--remount-ro", "/dev", *private, "/tmp"]
    return [*words, *view.mounts(program)]


def sandbox_environment() -> dict[str, str]:
    """The environment variables of an agent in the sandbox; of the user's, only the language and PYTHONPATH."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH") if name in os.environ}
    bin_folders = [os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"]
    return {"LANG": "C.UTF-8", **kept, "PATH": ":".join(bin_folders), **_ABOUT_USER}


def python_paths() -> list[Path]:
    """The folders of this Python, Joute and the installed packages."""
    named = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]
    named += map(os.path.realpath, named[:3])
    # The current folder and the folder of the script that runs are not on the path of the agent's Python, unless the
    # environment names it.
    script = os.path.dirname(os.path.realpath(getattr(sys.modules["__main__"], "__file__", None) or ""))
    hidden = {os.getcwd(), script} - set(os.environ.get("PYTHONPATH", "").split(os.pathsep))
    entries = [entry for entry in sys.path if entry and os.path.realpath(entry) not in hidden]
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
    if kernel.MACHINE not in seccomp.ARCHITECTURES:
        return f"it filters system calls on {' and '.join(seccomp.ARCHITECTURES)} only, and this is {kernel.MACHINE}"
    if not shutil.which("bwrap"):
        return f"the program bwrap is missing; {_INSTALL}"
    identity = privileges.agent_id(os.getpid())
    if os.geteuid() == 0 and not identity:
        return "root may not change user ids here, and an agent must not run as root; start Joute as an ordinary user"
    try:
        with sandboxed([sys.executable, "-I", "-S", "-c", ""], View(Path("/tmp")), memory_mb=PRIVATE_MB) as made:
            command = [str(identity) if word == AGENT_ID else word for word in made[0]]
            tried = subprocess.run(
                command, env=sandbox_environment(), pass_fds=made[1], capture_output=True, timeout=60, check=False
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work here ({error})"
    if tried.returncode == 0:
        return ""
    said = (tried.stderr or tried.stdout).decode(errors="replace").strip().partition("\n")[0]
    if "--size" in said:
        return "this bubblewrap is too old; it must be 0.7 or newer"
    return f'bwrap does not work here and says "{said or f"exit status {tried.returncode}"}"'


def _bubblewrap() -> str:
    return shutil.which("bwrap") or "bwrap"


@functools.cache
def _can_disable_namespaces() -> bool:
    """Whether bubblewrap can forbid user namespaces inside; the filter of system calls refuses them in any case."""
    try:
        if os.stat(_bubblewrap()).st_mode & stat.S_ISUID:
            return False
        told = subprocess.run([_bubblewrap(), "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.search(r"(\d+)\.(\d+)", told.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= _DISABLES_NAMESPACES


def _program_paths(program: str) -> list[Path]:
    """The folder in /opt of a program that is installed there, such as /opt/jdk for /opt/jdk/bin/java."""
    parts = Path(os.path.realpath(shutil.which(program) or program)).parts
    return [Path(*parts[:3])] if parts[:2] == ("/", "opt") and len(parts) > 2 else []


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


def _outermost(paths: Iterable[Path], others: Iterable[Path] = _SYSTEM) -> list[Path]:
    """The paths without those inside another one, or inside one of `others`."""
    outer, kept = list(others), list[Path]()
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(each) for each in (*outer, *kept)):
            kept.append(path)
    return kept


def _shown(path: Path) -> list[str]:
    return ["--ro-bind", str(path), str(path)]
