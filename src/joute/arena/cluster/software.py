"""The software of a machine.

Only machines with the same Joute, Python, plug-ins and level of the processor play the same games.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from joute._core import build_stamp, one_line
from joute.version import __version__

# The flags of each level of x86-64 beyond the one before, as /proc/cpuinfo names them (System V ABI, chapter 3.1.1).
_LEVELS = (
    ("x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}),
    ("x86-64-v3", {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}),
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
)


@dataclass(frozen=True)
class Software:
    """The software of a machine, and the level of its processor."""

    joute: str
    #: A hash of Joute's Python files and of how its core was built.
    build: str
    python: str
    #: Networks compute in another order, and so to other last digits, on another level.
    processor: str
    #: The packages that add something to Joute, with their versions.
    plugins: tuple[str, ...]

    def difference(self, other: Software) -> str:
        """A clause that says how `other` differs, such as "it has Python 3.12.1, and this machine 3.11.7"; or ""."""
        for what, theirs, ours in (
            ("Joute", other.joute, self.joute),
            ("Python", other.python, self.python),
            ("a processor of level", other.processor, self.processor),
            ("the plug-ins", _listed(other.plugins), _listed(self.plugins)),
        ):
            if theirs != ours:
                return f"it has {what} {one_line(theirs)}, and this machine {ours}"
        if other.build != self.build:
            return f"its Joute {self.joute} was not made from the same files as the one of this machine"
        return ""


@functools.cache
def software() -> Software:
    """The software of this machine."""
    return Software(
        joute=__version__,
        build=_build(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        processor=processor_level(),
        plugins=_plugins(),
    )


def processor_level(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The level of the processor, such as ``x86-64-v3``; of other architectures their name."""
    machine = platform.machine()
    if machine != "x86_64":
        return machine
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return machine
    flags = set(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())
    level = "x86-64-v1"
    for name, needed in _LEVELS:
        if not needed <= flags:
            break
        level = name
    return level


def _build() -> str:
    """A hash of the Python files of Joute and the stamp of its core."""
    folder = Path(__file__).parents[2]
    digest = hashlib.sha256(repr(build_stamp()).encode())
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _plugins() -> tuple[str, ...]:
    groups = {group for group in metadata.entry_points().groups if group.startswith("joute.")}
    found = {
        f"{entry.dist.name} {entry.dist.version}"
        for group in groups
        for entry in metadata.entry_points(group=group)
        if entry.dist and entry.dist.name != "joute"
    }
    return tuple(sorted(found))


def _listed(plugins: tuple[str, ...]) -> str:
    return ", ".join(plugins) or "none"
