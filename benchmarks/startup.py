"""How long it takes to start: a command line that answers at once is pleasant to use."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time


def run(repeats: int) -> None:
    print("\nStart-up, median wall time of a fresh process")
    for label, command in (
        ("python -c pass", [sys.executable, "-c", "pass"]),
        ("import joute", [sys.executable, "-c", "import joute"]),
        ("joute --help", [sys.executable, "-m", "joute", "--help"]),
    ):
        times = []
        for _ in range(repeats):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - began)
        print(f"  {label:<44} {1000 * statistics.median(times):>7.0f} ms")
