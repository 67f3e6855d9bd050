"""The nodes of a cluster as rows of a table and as JSON. A machine that played in several sessions has one row."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from joute._core import one_line
from joute.arena.pool.node import Node
from joute.numbers import NOTHING, count_of


@dataclass(frozen=True)
class NodeRow:
    """A machine of a cluster and what it did."""

    #: Its latest session.
    node: Node
    games: int
    failures: int
    games_lost: int
    core_hours: float
    #: The seconds between its first call and the last sign of it, all sessions together.
    seconds: float

    @property
    def games_per_s(self) -> float:
        """Its games per second."""
        return self.games / max(self.seconds, 1e-3)

    @property
    def cells(self) -> dict[str, str]:
        """The cells of a table, by header."""
        speed = self.node.speed
        return {
            "node": one_line(self.node.name),
            "cores": str(self.node.cores),
            "at once": str(self.node.workers),
            "games": f"{self.games:,}",
            "games/s": f"{self.games_per_s:.3g}" if self.games else NOTHING,
            "core hours": f"{self.core_hours:.2f}",
            "failures": str(self.failures),
            "played again": str(self.games_lost),
            "speed": f"{speed:,.0f}" if speed is not None else NOTHING,
            "clocks": f"× {self.node.clock_factor:g}" if self.node.clock_factor != 1 else NOTHING,
            "note": one_line(self.node.note),
        }

    @property
    def data(self) -> dict[str, Any]:
        """The same as JSON-compatible data."""
        node = self.node
        return {
            "node": node.name,
            "cores": node.cores,
            "workers": node.workers,
            "games": self.games,
            "games_per_s": self.games_per_s,
            "core_hours": self.core_hours,
            "failures": self.failures,
            "games_lost": self.games_lost,
            "speed": node.speed,
            "reference_speed": node.reference_speed,
            "clock_factor": node.clock_factor,
            "note": node.note,
        }


#: The headers of numbers.
NUMBERS = ("cores", "at once", "games", "games/s", "core hours", "failures", "played again", "speed", "clocks")


def node_rows(nodes: Iterable[Node]) -> list[NodeRow]:
    """A row for each machine, in order of first use."""
    rows: dict[str, NodeRow] = {}
    for node in nodes:
        own = NodeRow(
            node, node.games, node.failures, node.games_lost, node.core_hours, (node.seen - node.began).total_seconds()
        )
        if before := rows.get(node.name):
            sums = ("games", "failures", "games_lost", "core_hours", "seconds")
            own = dataclasses.replace(own, **{name: getattr(before, name) + getattr(own, name) for name in sums})
        rows[node.name] = own
    return list(rows.values())


def nodes_data(nodes: Iterable[Node]) -> dict[str, Any]:
    """The nodes as an entry of JSON data; no entry if games were played on one machine."""
    rows = [row.data for row in node_rows(nodes)]
    return {"nodes": rows} if rows else {}


def sentence(rows: Iterable[NodeRow]) -> str:
    """The whole cluster in a sentence, such as "2 nodes, 1.53 core hours"; empty without nodes."""
    rows = list(rows)
    if not rows:
        return ""
    parts = [count_of(len(rows), "node"), f"{sum(row.core_hours for row in rows):.2f} core hours"]
    if lost := sum(row.games_lost for row in rows):
        failures = count_of(sum(row.failures for row in rows), "failure")
        parts.append(f"{count_of(lost, 'game')} played again after {failures}")
    return ", ".join(parts)
