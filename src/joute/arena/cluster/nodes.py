"""The facts about the machines of a cluster that a driver has met."""

from __future__ import annotations

from collections import Counter

from joute.arena.cluster.machines import Machine
from joute.arena.pool.node import Node


class Nodes(dict[str, Node]):
    """The facts about machines, by their ids. Machines of the same name are told apart by a number."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()

    def of(self, machine: Machine) -> Node:
        """The facts about a machine; one that failed and is tried again keeps them."""
        if machine.id not in self:
            self._names[machine.name] += 1
            number = self._names[machine.name]
            self[machine.id] = Node(machine.name if number == 1 else f"{machine.name} #{number}", machine.cores)
        return self[machine.id]
