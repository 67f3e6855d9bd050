"""The interface of a cluster for the driver: machines, hosts on them, and replies to calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from joute.errors import JouteError, described


@dataclass(frozen=True)
class Machine:
    """A machine of a cluster. A machine that was lost and comes back is another one."""

    id: str
    name: str
    #: The cores that the cluster may use on it.
    cores: int


class LostError(Exception):
    """The host of a machine is gone: the machine was lost, or the host's process ended."""


def sentence_of(error: Exception) -> str:
    """Why a call failed, for people."""
    return str(error) if isinstance(error, JouteError | LostError) else described(error)


@dataclass(frozen=True)
class Reply:
    """The end of a call to a host: its value, or the exception that it raised."""

    #: The host's name, which is the machine's id if the machine has one host.
    host: str
    method: str
    value: Any
    error: Exception | None = None


class Machines(Protocol):
    """A cluster."""

    def present(self) -> Sequence[Machine]:
        """The machines that are in the cluster now."""

    def share(self, value: object) -> Any:
        """An argument for many calls; it travels once to each machine."""

    def open(self, machine: Machine, cores: int, host: str = "") -> None:
        """Start a host that has so many cores of a machine. The first call waits until they are free.

        `host`: its name, by default the machine's id.
        """

    def call(self, host: str, method: str, *arguments: object) -> None:
        """Call a method of a host. The result comes as a reply."""

    def replies(self, timeout_s: float) -> list[Reply]:
        """The replies that have come; waits for the first."""

    def close(self, host: str) -> None:
        """End a host at once. No reply of it comes any more."""

    def end(self) -> None:
        """End all hosts, after they have removed the agents' files."""
