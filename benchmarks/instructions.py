"""``python -m benchmarks.instructions``: how many instructions the core takes, counted by callgrind.

A count does not depend on how busy the machine is, so it shows a change of 1% that no clock shows. Every job below runs
once, with a fixed seed and a fixed limit, in one process under valgrind. Given the interpreter of another tree
(``--base ../before/.venv/bin/python``), the same jobs run there too, and the table compares both. Needs valgrind with
its headers, and a C compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PERFT = {"connect4": 8, "quoridor": 3}
PLAYOUTS = {"connect4": 100_000, "avalam": 20_000, "divercite": 15_000, "quoridor": 3000, "vampires": 300}
AGENTS = {
    "connect4": ("alphabeta:depth=14", "mcts:iterations=30000,amaf=false", "mcts:iterations=15000,amaf=true"),
    "avalam": ("alphabeta:depth=4", "mcts:iterations=10000,amaf=false", "mcts:iterations=5000,amaf=true"),
    "divercite": ("alphabeta:depth=4", "mcts:iterations=10000,amaf=false", "mcts:iterations=5000,amaf=true"),
    "quoridor": ("alphabeta:depth=3", "mcts:iterations=3000,amaf=false", "mcts:iterations=3000,amaf=true"),
    "vampires": ("alphabeta:depth=8", "mcts:iterations=500,amaf=false", "alphabeta:depth=6,chance=none"),
}
# Small searches, dominated by the conversion of the result to Python objects.
SMALL = {"quoridor": ("mcts:iterations=10", "alphabeta:depth=1")}

# Client requests of callgrind, which cost nothing outside of it.
_MARKS = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(const char* name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
"""


def main() -> None:
    """Count the instructions of this tree, and of another one if it is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="PYTHON", help="the interpreter of a tree to compare with")
    parser.add_argument("--only", metavar="TEXT", default="", help="the jobs whose names contain this")
    parser.add_argument("--do", metavar="LIBRARY", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.do:
        _do(ctypes.CDLL(arguments.do), arguments.only)
        return
    counts = _count(sys.executable, arguments.only)
    base = _count(arguments.base, arguments.only) if arguments.base else {}
    print(f"{'job':<52} {'instructions':>14}" + (f" {'base':>14} {'ratio':>8}" if base else ""))
    for name, count in counts.items():
        compared = f" {base[name]:>14,} {count / base[name]:>8.4f}" if name in base else ""
        print(f"{name:<52} {count:>14,}{compared}")


def _jobs() -> dict[str, Callable[[], Callable[[], object]]]:
    """Each job by name: a function that prepares it, and returns what is to be counted."""
    import joute

    def perft(game: str, depth: int) -> Callable[[], object]:
        state = joute.new(game)
        return lambda: state.perft(depth)

    def playouts(game: str, count: int) -> Callable[[], object]:
        state = joute.new(game)
        return lambda: state.playouts(count, 1)

    def choose(game: str, spec: str) -> Callable[[], object]:
        state = joute.new(game)
        player = joute.agent(spec, game=game)
        return lambda: player.choose(state, joute.Clock())

    jobs: dict[str, Callable[[], Callable[[], object]]] = {}
    for game, depth in PERFT.items():
        jobs[f"{game} perft {depth}"] = lambda game=game, depth=depth: perft(game, depth)  # type: ignore[misc]
    for game, count in PLAYOUTS.items():
        jobs[f"{game} playouts {count}"] = lambda game=game, count=count: playouts(game, count)  # type: ignore[misc]
    for game, specs in [*AGENTS.items(), *SMALL.items()]:
        for spec in specs:
            jobs[f"{game} {spec}"] = lambda game=game, spec=spec: choose(game, spec)  # type: ignore[misc]
    return jobs


def _do(marks: ctypes.CDLL, only: str) -> None:
    gc.disable()
    for name, prepare in _jobs().items():
        if only not in name:
            continue
        work = prepare()
        marks.begin()
        work()
        marks.end(name.encode())


def _count(python: str, only: str) -> dict[str, int]:
    """The instructions of each job, run by an interpreter that has Joute."""
    with tempfile.TemporaryDirectory() as folder:
        source, library, out = Path(folder, "marks.c"), Path(folder, "marks.so"), Path(folder, "out")
        source.write_text(_MARKS)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
        subprocess.run(
            [
                "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", "-q",
                python, __file__, "--do", str(library), "--only", only,
            ],
            check=True,
            env=os.environ | {"PYTHONHASHSEED": "0"},
        )  # fmt: skip
        counts: dict[str, int] = {}
        for part in sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:])):
            text = part.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:summary|totals): (\d+)$", text, re.MULTILINE)
            if name and total:
                counts[name[1]] = int(total[1])
        return counts


if __name__ == "__main__":
    main()
