"""The numbers of games on a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from joute.spec import parameter


@dataclass(frozen=True)
class ClusterParameters:
    """How a driver uses the nodes of a cluster."""

    ahead_s: float = parameter(
        1.0,
        help="seconds of games that wait on a node, so that its workers need not wait for the driver",
        source="ten times the longest pause between two answers of a node",
        low=0.0,
    )
    batch_s: float = parameter(
        0.1,
        help="seconds between two answers of a node whose games are short",
        source="ten answers a second and node: those of a hundred nodes take a driver 0.4 s (docs/cluster.md)",
        low=0.0,
    )
    beat_s: float = parameter(2.0, help="most seconds between two answers of a node", source="a sign of life", low=0.1)
    stall_s: float = parameter(
        30.0, help="seconds without an answer after which a node is lost", source="15 signs of life missed", low=1.0
    )
    start_s: float = parameter(
        300.0,
        help="most seconds for a node to get ready, after Ray has started its process",
        source="importing Joute from a slow network file system, unpacking 200 agents",
        low=1.0,
    )
    wait_s: float = parameter(
        120.0, help="most seconds without any node", source="a machine restarts meanwhile", low=0.0
    )
    node_failures: int = parameter(
        3,
        help="failures in a row, without a game between them, after which a node is left out",
        source="as workers that do not start (pool.py)",
        low=1,
    )
    game_losses: int = parameter(
        10,
        help="nodes that may be lost while they play a game, before it is given up",
        source="as interruptions of one machine (blame.py)",
        low=1,
    )
    look_s: float = parameter(3.0, help="seconds between two looks for new nodes", source="a tenth of stall_s", low=0.1)
    measure_s: float = parameter(
        1.0, help="seconds for which the speed of a node is measured", source="within 3% of a minute's", low=0.1
    )
    even: float = parameter(
        0.1,
        help="difference of speed up to which the clocks of a node are left alone",
        source="differences between runs on one busy machine",
        low=0.0,
        high=1.0,
    )
    most_apart: float = parameter(
        2.0,
        help="a node that is faster or slower than the others by more than this factor is left out of timed games",
        source="beyond it, overheads that do not scale with the clock matter",
        low=1.0,
    )
