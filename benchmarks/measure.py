"""Measuring side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def rates(
    repeats: int,
    contenders: Mapping[str, Callable[[], int]],
    *,
    before: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The median rate of each contender, in units of work a second.

    A contender does a piece of work and returns how many units it was. Contenders take turns; `before` is
    called ahead of each, and not timed. Where all work is done by one thread of this process, its processor time
    (`time.process_time`) is a clock that other programs on the machine do not disturb.
    """
    measured: dict[str, list[float]] = {name: [] for name in contenders}
    for work in contenders.values():
        before()
        work()  # warm up
    for _ in range(repeats):
        for name, work in contenders.items():
            before()
            began = clock()
            units = work()
            measured[name].append(units / (clock() - began))
    return {name: statistics.median(values) for name, values in measured.items()}


def show(
    title: str, unit: str, medians: Mapping[str, float], *, goal: float | None = None, with_ratio: bool = False
) -> None:
    """Print rates; with a goal, or if asked, also the ratio of the first to the second."""
    print(f"\n{title}")
    for name, rate in medians.items():
        print(f"  {name:<44} {_short(rate):>9} {unit}/s")
    if goal is None and not with_ratio:
        return
    first, second = list(medians.values())[:2]
    ratio = first / second
    digits = 2 if ratio < 10 else 1
    verdict = "" if goal is None else f" (goal {goal:g}×: {'reached' if ratio >= goal else 'MISSED'})"
    print(f"  ratio {ratio:.{digits}f}×{verdict}")


def _short(rate: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.2f} {letter}"
    return f"{rate:.2f}"
