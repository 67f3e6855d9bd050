"""A machine of a cluster that plays games, as the store and the report know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(eq=False)
class Node:
    """A node of a session. The driver changes it while games are played."""

    #: The name of the machine; nodes on the same machine are numbered.
    name: str
    cores: int
    #: Games in parallel; 0 if it plays none.
    workers: int = 0
    #: Iterations per second of a search, and the speed that the clocks of the plan refer to; None if not measured.
    speed: float | None = None
    reference_speed: float | None = None
    #: The factor of the clocks on this node.
    clock_factor: float = 1.0
    #: The games that it played and that were accepted.
    games: int = 0
    #: How often the node was lost, and the games that were played again elsewhere for it.
    failures: int = 0
    games_lost: int = 0
    #: Seconds that games took, added up.
    busy_s: float = 0.0
    #: Cores of a game.
    threads: int = 1
    #: Why it plays no games, or with other clocks; else "".
    note: str = ""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    #: When the driver last heard of it.
    seen: datetime = field(default_factory=lambda: datetime.now(UTC))

    def as_data(self) -> dict[str, Any]:
        """The node as JSON."""
        return vars(self) | {"began": self.began.isoformat(), "seen": self.seen.isoformat()}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Node:
        """The inverse of `as_data`."""
        moments = {name: datetime.fromisoformat(data[name]) for name in ("began", "seen")}
        return Node(**{**data, **moments})

    @property
    def core_hours(self) -> float:
        """The core hours of its games."""
        return self.busy_s * self.threads / 3600

    @property
    def games_per_s(self) -> float:
        """Its games per second, from its first call until the driver last heard of it."""
        return self.games / max((self.seen - self.began).total_seconds(), 1e-3)
