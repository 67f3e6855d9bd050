"""``make fuzz [SECONDS=…] [TARGETS=…]``: hostile input for every parser, and a table of what happened.

SECONDS are shared by all targets. A finding is minimised and written to the corpus, where every later run tries it
first. The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from harness import Outcome, fuzz, keep  # noqa: E402
from targets import all_targets  # noqa: E402


def main() -> int:
    """Fuzz and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor seconds of all targets together")
    parser.add_argument("--targets", default="", help="words; only targets whose names contain one of them")
    parser.add_argument("--seed", type=int, default=None, help="the same seed gives the same inputs")
    parser.add_argument("--jobs", type=int, default=2, help="targets that run at the same time")
    given = parser.parse_args()
    seed = int(time.time()) if given.seed is None else given.seed
    words = given.targets.replace(",", " ").split()
    chosen = [target for target in all_targets() if not words or any(word in target.name for word in words)]
    if not chosen:
        print(f"there is no target with {given.targets!r} in its name")
        return 2
    print(f"{len(chosen)} targets, {given.seconds:.0f} s together, seed {seed}", flush=True)
    share = given.seconds / len(chosen)
    # Forked, so that a process need not import everything again; each has one thread, so that it may fork further.
    with get_context("fork").Pool(given.jobs) as pool:
        names = [each.name for each in chosen]
        outcomes = []
        for outcome in pool.imap_unordered(partial(fuzz_named, seconds=share, seed=seed), names):
            outcomes.append(outcome)
            for finding in outcome.findings:
                print(f"{finding.target}: {finding.kind}: {finding.detail}\n  {keep(finding)}", flush=True)
    show(outcomes)
    return int(any(outcome.findings for outcome in outcomes))


def fuzz_named(name: str, *, seconds: float, seed: int) -> Outcome:
    """Fuzz the target of that name."""
    return fuzz(next(target for target in all_targets() if target.name == name), seconds, seed)


def show(outcomes: list[Outcome]) -> None:
    """Print inputs and findings by target."""
    width = max(len(outcome.target) for outcome in outcomes)
    print(f"{'target':{width}} {'inputs':>12} {'tracebacks':>11} {'memory':>7} {'hangs':>6} {'crashes':>8}")
    total = Outcome("all")
    for outcome in (*sorted(outcomes, key=lambda each: each.target), total):
        counts = [outcome.count(kind) for kind in ("traceback", "memory", "hang", "crash")]
        total.inputs += outcome.inputs if outcome is not total else 0
        total.findings += outcome.findings if outcome is not total else []
        print(f"{outcome.target:{width}} {outcome.inputs:12,} {counts[0]:11} {counts[1]:7} {counts[2]:6} {counts[3]:8}")


if __name__ == "__main__":
    sys.exit(main())
