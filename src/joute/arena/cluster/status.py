"""Which machines of a cluster can play, and why the others cannot."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from joute.arena.cluster.machines import Machine, Machines, sentence_of
from joute.arena.cluster.parameters import ClusterParameters
from joute.arena.cluster.software import software


@dataclass
class MachineStatus:
    """A machine of a cluster, and whether it can play."""

    machine: Machine
    #: Why it cannot play; "" if it can.
    problem: str = ""
    #: Why it has no sandbox; "" if it has one.
    sandbox_problem: str = ""
    #: Iterations per second of a search with all cores busy; None if not measured.
    speed: float | None = None


def status(
    machines: Machines,
    *,
    game: str | None = None,
    parameters: ClusterParameters | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[MachineStatus]:
    """The status of every machine. With a `game`, the speed of each is measured by a search in it.

    The hosts reserve no cores, so that machines answer that play at the moment.
    """
    parameters = parameters or ClusterParameters()
    found = {machine.id: MachineStatus(machine, problem="it does not answer") for machine in machines.present()}
    waiting = set()
    for each in found.values():
        machines.open(each.machine, 0)
        for method in ("software", "sandbox_problem"):
            machines.call(each.machine.id, method)
            waiting.add((each.machine.id, method))
    until_s = clock() + parameters.start_s
    while waiting and clock() < until_s:
        for reply in machines.replies(min(1.0, parameters.look_s)):
            waiting.discard((reply.host, reply.method))
            each = found[reply.host]
            if reply.error is not None:
                each.problem = sentence_of(reply.error)
            elif reply.method == "software":
                each.problem = software().difference(reply.value)
                if game and not each.problem:
                    machines.call(reply.host, "speed", game, each.machine.cores, parameters.measure_s)
                    waiting.add((reply.host, "speed"))
            elif reply.method == "sandbox_problem":
                each.sandbox_problem = reply.value
            else:
                each.speed = float(reply.value)
    machines.end()
    return list(found.values())
