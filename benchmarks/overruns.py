"""``python -m benchmarks.overruns``: by how much agents exceed their time for a move, in processor time.

Every agent of every game plays whole games, with 0.05 s, 0.2 s and 1 s for a move, given as its parameter `seconds` or
as its clock, alone on a core and beside a process that keeps the core busy. Exact agents are left out: they take the
time that they need. A job is one agent, one budget and one load. It runs in a process of its own, pinned to one core,
so that the first move of the agent counts too; `--jobs` runs as many at once. The agent object is kept for a game, as
in a match. Its opponent plays the reply that the agent expects, or a random move.

Overruns are processor time beyond the budget. Beside a busy process an agent gets about half of the core, and exceeds
its budget in processor time only if it works on long after its time is over. The third load, `counted`, replaces the
clock of the process by its own processor time (which needs a C compiler): the overruns are then exact on any machine,
however busy.

With `--out FILE` each result is written at once, and jobs that FILE contains are skipped: after `--minutes`, or an
interruption, the same command goes on.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any

BUDGETS = "0.05:1000,0.2:200,1:50"
LOADS = ("quiet", "busy")

# Preloaded, it makes the clock of the process its own processor time.
_COUNTED = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* now) {
    return syscall(SYS_clock_gettime, clock == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : clock, now);
}
"""
GOAL_MS = 10.0
RANDOM_PLIES = 3  # at most, before the agent's first move, so that games differ


@dataclass(frozen=True)
class Job:
    """One agent with one budget under one load."""

    game: str
    agent: str
    seconds: float
    moves: int
    load: str

    @property
    def key(self) -> tuple[Any, ...]:
        """The identity of a job in a file of results."""
        return self.game, self.agent, self.seconds, self.load


def run(repeats: int) -> None:
    """Run the whole programme on all cores; it takes hours of processor time."""
    main([])


def main(words: Sequence[str] | None = None) -> None:
    """Run the jobs that the command line selects, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default="", help="names joined by commas; all of Joute's own without")
    parser.add_argument("--agents", default="", help="names joined by commas; all without")
    parser.add_argument("--budgets", default=BUDGETS, metavar="S:MOVES,…", help=f"seconds and moves; {BUDGETS}")
    parser.add_argument("--loads", default=",".join(LOADS), help="of quiet, busy, counted; quiet,busy without")
    parser.add_argument(
        "--jobs", type=int, default=0, help="jobs at once, each on a core of its own; all cores without"
    )
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no job after so many minutes")
    parser.add_argument("--out", type=Path, metavar="FILE", help="file of results, one JSON object a line")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.job:
        print(json.dumps(_measure(Job(**json.loads(arguments.job)))))
        return
    jobs = list(_jobs(arguments))
    done = _read(arguments.out)
    cores = sorted(os.sched_getaffinity(0))[: arguments.jobs or None]
    until = time.monotonic() + 60 * arguments.minutes
    writing = Lock()
    free: SimpleQueue[int] = SimpleQueue()
    for core in cores:
        free.put(core)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(cores)) as pool:
        counted = _counted_clock(Path(folder)) if "counted" in arguments.loads else None

        def do(job: Job) -> None:
            if job.key in done or time.monotonic() > until:
                return
            result = _start(job, free, counted)
            with writing:
                done[job.key] = result
                if arguments.out:
                    with arguments.out.open("a") as file:
                        file.write(json.dumps(result) + "\n")

        list(pool.map(do, jobs))
    results = [done[job.key] for job in jobs if job.key in done]
    _print(results)
    if len(results) < len(jobs):
        print(f"{len(jobs) - len(results)} of {len(jobs)} jobs are left")


def _jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    budgets = [part.split(":") for part in arguments.budgets.split(",")]
    for game, agent in _agents(arguments.games, arguments.agents):
        for seconds, moves in budgets:
            for load in arguments.loads.split(","):
                yield Job(game, agent, float(seconds), int(moves), load)


def _agents(games: str, names: str) -> Iterator[tuple[str, str]]:
    """Every chosen game, and every chosen agent that plays it as it is named."""
    from joute.agents.registry import agent_types, caveat_of
    from joute.plugins import all_rooms

    chosen = games.split(",") if games else [name for name, room in sorted(all_rooms().items()) if room.is_ours]
    for game in chosen:
        for agent_type in agent_types(game):
            is_chosen = agent_type.name in names.split(",") if names else not agent_type.exact
            if is_chosen and not caveat_of(agent_type.name, game):
                yield game, agent_type.name


def _read(path: Path | None) -> dict[tuple[Any, ...], dict[str, Any]]:
    if path is None or not path.exists():
        return {}
    results = [json.loads(line) for line in path.read_text().splitlines()]
    return {(each["game"], each["agent"], each["seconds"], each["load"]): each for each in results}


def _counted_clock(folder: Path) -> Path:
    """A library to preload, by which a process counts its processor time as its clock."""
    source, library = folder / "counted.c", folder / "counted.so"
    source.write_text(_COUNTED)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    return library


def _start(job: Job, free: SimpleQueue[int], counted: Path | None) -> dict[str, Any]:
    """The result of a job, run in a process of its own on a core of its own."""
    core = free.get()
    busy = None
    try:
        if job.load == "busy":
            code = f"import os; os.sched_setaffinity(0, [{core}])\nwhile True: pass"
            busy = subprocess.Popen([sys.executable, "-c", code])
        command = [sys.executable, "-m", "benchmarks.overruns", "--job", json.dumps(dataclasses.asdict(job))]
        process = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            check=False,
            env=os.environ | ({"LD_PRELOAD": str(counted)} if job.load == "counted" else {}),
            preexec_fn=lambda: os.sched_setaffinity(0, [core]),
        )
    finally:
        if busy:
            busy.kill()
            busy.wait()
        free.put(core)
    if process.returncode:
        return dataclasses.asdict(job) | {"error": f"exit status {process.returncode}"}
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def _measure(job: Job) -> dict[str, Any]:
    """Play games until the agent has made the job's moves."""
    from joute import Clock
    from joute._core import Random
    from joute.agents.registry import find_agent
    from joute.games import new
    from joute.match.player import LocalPlayer

    warnings.simplefilter("ignore")
    agent_type, _ = find_agent(job.agent, job.game)
    has_seconds = "seconds" in {each.name for each in agent_type.described_parameters}
    spec = f"{job.agent}:seconds={job.seconds}" if has_seconds else job.agent
    clock = Clock() if has_seconds else Clock(move_limit_s=job.seconds)
    rng = Random(1)
    overruns: list[float] = []  # in processor time, beyond the budget; negative if the agent needed less
    walls: list[float] = []
    worst: dict[str, Any] = {}
    game = 0
    while len(overruns) < job.moves:
        player = LocalPlayer(spec)
        state = new(job.game)
        seat = game % 2
        player.begin(state, seat, seed=game)
        for _ in range(rng.below(RANDOM_PLIES) + seat):
            state = state.play(state.random_move(rng), rng)
        line: list[Any] = []
        while not state.is_terminal and len(overruns) < job.moves:
            if state.to_move == seat:
                began, began_wall = time.process_time(), time.perf_counter()
                answer = player.ask(state, (), clock, float("inf"))
                overruns.append(time.process_time() - began - job.seconds)
                walls.append(time.perf_counter() - began_wall - job.seconds)
                move = answer.move
                line = list(answer.info.pv[1:]) if answer.info else []
                if overruns[-1] == max(overruns):
                    worst = {"game_number": game, "position": state.position, "ms": 1000 * overruns[-1]}
            else:
                expected = line.pop(0) if line else None
                is_sensible = expected is not None and state.is_legal(expected)
                move = expected if is_sensible else state.random_move(rng)
            state = state.play(move, rng)
        player.end()
        game += 1
    return dataclasses.asdict(job) | {
        "games": game,
        "overrun_ms": _summary(overruns),
        "wall_overrun_ms": _summary(walls),
        "worst": worst,
    }


def _summary(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(1000 * max(0.0, each) for each in seconds)
    return {
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))],
        "max": ordered[-1],
    }


def _print(results: Sequence[dict[str, Any]]) -> None:
    print("Overruns in ms of processor time beyond the budget")
    print(f"{'game':<10} {'agent':<24} {'budget':>7} {'load':<6} {'moves':>6} {'p50':>7} {'p99':>7} {'max':>7}")
    too_long = 0
    for each in results:
        start = f"{each['game']:<10} {each['agent']:<24} {each['seconds']:>5g} s {each['load']:<6} {each['moves']:>6}"
        if "error" in each:
            print(start, each["error"])
            continue
        found = each["overrun_ms"]
        is_too_long = found["max"] > GOAL_MS
        too_long += is_too_long
        figures = " ".join(f"{found[name]:>7.2f}" for name in ("p50", "p99", "max"))
        print(start, figures + ("  over" if is_too_long else ""))
    print(f"{len(results) - too_long} of {len(results)} jobs stay within {GOAL_MS:g} ms")


if __name__ == "__main__":
    main()
