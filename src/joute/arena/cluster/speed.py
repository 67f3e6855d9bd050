"""The speed of a machine: iterations per second of a search, with all workers at once, as fishtest measures it.

A machine may be twice as fast with one core busy as with all of them, so the measurement loads as many cores as the
games will. ``python -m joute.arena.cluster.speed GAME SECONDS CORE...`` measures one of them.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time

from joute._core import Random, one_line
from joute.agents import Clock, agent
from joute.arena.pool.cores import core_shares
from joute.errors import JouteError
from joute.games import new
from joute.match.game import settle

# The search is repeated, always the same; a game in Python takes about 0.1 s for it.
_ITERATIONS = 200
# Starting the processes and importing Joute takes at most this long.
_START_S = 120.0


def measured_speed(game: str, workers: int, seconds: float) -> float:
    """The median speed of this many processes at once; JouteError if a process fails."""
    command = [sys.executable, "-P", "-m", "joute.arena.cluster.speed", game, str(seconds)]
    processes = [
        subprocess.Popen([*command, *map(str, cores)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for cores in core_shares(workers)
    ]
    speeds = []
    try:
        for process in processes:
            output, errors = process.communicate(timeout=seconds + _START_S)
            if process.returncode:
                raise JouteError(f"its speed cannot be measured: {one_line(errors[-300:].strip())}")
            speeds.append(float(json.loads(output)))
    except subprocess.TimeoutExpired as error:
        raise JouteError("its speed cannot be measured: it takes too long") from error
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return statistics.median(speeds)


def main() -> None:
    """Measure this process on its cores and print the speed."""
    game, seconds, *cores = sys.argv[1:]
    os.sched_setaffinity(0, map(int, cores))
    state, _ = settle(new(game), Random(0))
    search = agent(f"mcts:iterations={_ITERATIONS}", game=state.spec, seed=0)
    search.choose(state, Clock())  # not measured: memory is allocated
    searches, began_s = 0, time.perf_counter()
    while (took_s := time.perf_counter() - began_s) < float(seconds):
        search.choose(state, Clock())
        searches += 1
    print(json.dumps(searches * _ITERATIONS / took_s))


if __name__ == "__main__":
    main()
