"""``make bench``: our speed beside other programs', measured in the same run.

Each figure is the median of several repeats, ours and theirs in turn, so that a busy machine slows
both alike. Ratios are what counts; absolute figures belong to the machine at hand.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from importlib import import_module

from joute import __version__

BENCHMARKS = (
    "games",
    "avalam",
    "avalam-solver",
    "divercite",
    "divercite-solver",
    "quoridor",
    "vampires",
    "vampires_layouts",
    "langorou",
    "environments",
    "searches",
    "python-search",
    "paper_avalam",
    "divercite-depth",
    "analysis",
    "arena",
    "tournament",
    "cluster",
    "training",
    "vampires_server",
    "report",
    "startup",
    "solver",
)
# These take hours, so they run only if they are named.
LONG = ("overruns",)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    told = f"which benchmarks; all but {', '.join(LONG)} if none is named"
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, *LONG, []], help=told)
    parser.add_argument("--repeats", type=int, default=7, help="repeats of each measurement (at least 5)")
    arguments = parser.parse_args()
    if arguments.repeats < 5:
        parser.error("a median of fewer than 5 repeats says little")
    print(f"joute {__version__}, Python {platform.python_version()}, {platform.machine()}, {_processor()}")
    for name in arguments.names or BENCHMARKS:
        run: Callable[[int], None] = import_module(f"benchmarks.{name.replace('-', '_')}").run
        run(arguments.repeats)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


if __name__ == "__main__":
    main()
