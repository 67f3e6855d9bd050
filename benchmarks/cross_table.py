"""A tournament as the papers print one: who won as first (rows) against whom as second (columns).

    python -m benchmarks.cross_table divercite.db

Each cell is the score of the row's agent in percent, with its 95% interval and the number of games; a draw is half a
win.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from joute.arena.store.store import Store
from joute.match.statistics import wilson_interval


def main(path: Path) -> None:
    points: dict[tuple[int, int], list[float]] = defaultdict(list)
    with Store.read(path) as store:
        names = [entrant.name for entrant in store.plan.entrants]
        for game in store.games():
            points[game.pairing.players].append((game.record.result.outcome + 1) / 2)
    print("| first \\ second | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for first, name in enumerate(names):
        cells = [cell(points[first, second]) for second in range(len(names))]
        print(f"| {name} | " + " | ".join(cells) + " |")
    everything = [point for of in points.values() for point in of]
    print(f"\nFirst player, all games: {cell(everything)}")


def cell(points: list[float]) -> str:
    if not points:
        return "–"
    score = sum(points) / len(points)
    low, high = wilson_interval(score, len(points))
    return f"{score:.0%} ({low:.0%}–{high:.0%}, {len(points)})"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
