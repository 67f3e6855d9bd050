"""The isolation settings: the sandbox and the limits of agents."""

from __future__ import annotations

from dataclasses import dataclass

from joute.arena.players.cgroup import can_limit
from joute.spec import parameter


@dataclass(frozen=True)
class Isolation:
    """The sandbox switch and the limits of agents.

    `start_s` and `stall_s` apply to all agents; for built-in ones they set the driver's deadline (pool/blame.py). The
    other limits and the sandbox apply to agents in their own process.
    """

    sandbox: bool = parameter(
        False,
        help="run in a sandbox: no network, read-only system, private /tmp, own process space",
        source="needs bubblewrap",
    )
    memory_mb: int = parameter(
        2048,
        help="most memory of an agent, all its processes together, in megabytes",
        source="fits two agents on a small machine",
        low=16,
        high=2**20,
    )
    cpu_s: int = parameter(
        0,
        help="most CPU seconds of each of its processes in a game; 0 for no limit",
        source="the clock already limits the time",
        low=0,
    )
    file_mb: int = parameter(64, help="largest file it may write, in megabytes", source="enough for logs", low=0)
    processes: int = parameter(64, help="most processes and threads of an agent", source="thread pools fit", low=1)
    start_s: float = parameter(
        60.0, help="most seconds to get ready before a game", source="loading a network may take long", low=0.1
    )
    stall_s: float = parameter(
        600.0, help="most seconds for a move where no clock runs", source="nothing may hang", low=0.1
    )

    @property
    def level(self) -> str:
        """``process`` or ``sandbox``, the isolation level in records."""
        return "sandbox" if self.sandbox else "process"


def limits_kind() -> str:
    """``cgroup`` if the kernel limits the memory and processes of agents on this machine, else ``counted``."""
    return "cgroup" if can_limit() else "counted"


def limits_in_words(kind: str) -> str:
    """A kind of limits as the clause of a sentence for people."""
    if kind == "cgroup":
        return "the kernel limits agents' memory and processes (cgroup)"
    return "agents' memory and processes are counted, because no cgroup of version 2 can be made here"
