"""The progress of a run: a line of text every few seconds, and the same data as JSON in its folder.

The speed of self-play is given relative to the bare rate: the rate at which the same network evaluates batches of the
same size with nothing else to do. The ratio shows how well CPU and GPU overlap.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.errors import JouteError
from joute.files import whole_file
from joute.match.ratings import Rating
from joute.numbers import count_of, elo_interval, elo_text, percent
from joute.train.ladder import MatchCounts, rating_data
from joute.train.matches import Verdict

#: The name of the file in the folder of a run.
PROGRESS = "progress.jsonl"


@dataclass(frozen=True)
class Counters:
    """Counters since the beginning of a run."""

    #: Learner steps.
    steps: int = 0
    #: Positions sampled by the learner, with repetitions.
    samples: int = 0
    #: Finished games, their plies, and their positions to learn from.
    games: int = 0
    plies: int = 0
    positions: int = 0
    #: Of self-play: positions evaluated by the network, and simulations of the search.
    evaluations: int = 0
    simulations: int = 0

    def as_data(self) -> dict[str, int]:
        """The counters as JSON."""
        return dataclasses.asdict(self)

    @staticmethod
    def from_data(data: Mapping[str, int]) -> Counters:
        """The inverse of `as_data`."""
        return Counters(**data)

    def __add__(self, other: Counters) -> Counters:
        """The sums of two parts of a run."""
        more = other.as_data()
        return Counters(**{name: count + more[name] for name, count in self.as_data().items()})

    def __sub__(self, other: Counters) -> Counters:
        """The counts since `other`."""
        less = other.as_data()
        return Counters(**{name: count - less[name] for name, count in self.as_data().items()})


#: Counters whose rates are recorded.
RATES = ("games", "positions", "evaluations", "simulations", "samples")


class Progress:
    """Collects the progress of a run, prints it every few seconds, and appends it to a file.

    Times are seconds of training since the beginning of the run, interruptions left out.
    """

    def __init__(self, folder: Path, *, say: Callable[[str], None], every_s: float = 5.0) -> None:
        self._path = folder / PROGRESS
        self._say, self._every_s = say, every_s
        self._losses: dict[str, list[float]] = {}
        self._last = Counters()
        self._last_s = 0.0
        self._rating: Rating | None = None
        #: The bare rate of the network, in evaluations per second; 0 if not measured.
        self.bare_per_s = 0.0

    def start(self, counters: Counters, elapsed_s: float) -> None:
        """Begin or resume a run. Lines of the file after the checkpoint are dropped, as that time is run again."""
        kept = [row for row in read_progress(self._path) if _is_before(row, counters.steps, elapsed_s)]
        with whole_file(self._path) as text:
            text.writelines(json.dumps(row) + "\n" for row in kept)
        self._last, self._last_s = counters, elapsed_s

    def learned(self, losses: Mapping[str, float]) -> None:
        """Add the losses of learner steps; a line shows their means."""
        for name, loss in losses.items():
            self._losses.setdefault(name, []).append(loss)

    def is_due(self, elapsed_s: float) -> bool:
        """Whether it is time for another line."""
        return elapsed_s - self._last_s >= self._every_s

    def tell(
        self,
        counters: Counters,
        elapsed_s: float,
        *,
        learning_rate: float,
        window: int,
        full: int,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Print and record the progress; `full` is the current number of simulations of a full search.

        `more`: facts about the actors of a cluster.
        """
        seconds = max(1e-9, elapsed_s - self._last_s)
        now, before = counters.as_data(), self._last.as_data()
        rates = {f"{name}_per_s": (now[name] - before[name]) / seconds for name in RATES}
        row = {
            "kind": "progress",
            "elapsed_s": round(elapsed_s, 3),
            **now,
            **{name: round(rate, 1) for name, rate in rates.items()},
            "bare_per_s": round(self.bare_per_s, 1),
            "losses": {name: sum(all_) / len(all_) for name, all_ in self._losses.items()},
            "learning_rate": learning_rate,
            "window": window,
            "full_simulations": full,
            **(more or {}),
        }
        self._append(row)
        self._say(line_of(row, self._rating))
        self._losses, self._last, self._last_s = {}, counters, elapsed_s

    def rated(
        self, name: str, rating: Rating, matches: Mapping[str, MatchCounts], *, steps: int, elapsed_s: float
    ) -> None:
        """Print and record the rating of the network after so many steps, with its matches by opponent."""
        self._rating = rating
        self._append(
            {
                "kind": "rating",
                "elapsed_s": round(elapsed_s, 3),
                "steps": steps,
                "name": name,
                **rating_data(rating),
                "matches": {opponent: [match.score, match.games] for opponent, match in matches.items()},
            }
        )
        scores = ", ".join(f"{percent(match.score)} against {opponent}" for opponent, match in matches.items())
        self._say(f"{name}: {elo_text(rating.elo)} Elo ({elo_interval(rating.low, rating.high)}); {scores}")

    def gated(self, verdict: Verdict, *, steps: int, elapsed_s: float) -> None:
        """Print and record the verdict of the gate."""
        row = {"kind": "gate", "elapsed_s": round(elapsed_s, 3), "steps": steps, **dataclasses.asdict(verdict)}
        self._append(row)
        self._say(f"gate: {'accepted' if verdict.accepted else 'refused'}; {verdict.sentence}")

    def _append(self, row: Mapping[str, Any]) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, allow_nan=False) + "\n")
        except OSError as error:
            raise JouteError(f"{self._path} cannot be written: {error.strerror}") from error


def read_progress(path: Path) -> list[dict[str, Any]]:
    """The valid lines of a file; a killed run may leave an incomplete last line, which is skipped."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and {"kind", "elapsed_s", "steps"} <= row.keys():
            rows.append(row)
    return rows


def line_of(row: Mapping[str, Any], rating: Rating | None = None) -> str:
    """The progress as a line of text.

    >>> row = {"elapsed_s": 90, "steps": 12, "games": 3456, "games_per_s": 412.3, "positions_per_s": 9800.0,
    ...        "evaluations_per_s": 350_000.0, "bare_per_s": 500_000.0, "simulations_per_s": 1.2e6, "losses": {},
    ...        "learning_rate": 0.002, "window": 250_000}
    >>> line_of(row).partition(" · ")[2].partition(" · simulations")[0]
    '3,456 games, 412/s · positions 9.8k/s · evaluations 350k/s, 70% of bare 500k/s'
    """
    bare = row["bare_per_s"]
    share = f", {row['evaluations_per_s'] / bare:.0%} of bare {short(bare)}/s" if bare else ""
    losses = row["losses"]
    parts = [
        f"{row['elapsed_s'] / 60:6.2f} min, step {row['steps']:,}",
        f"{count_of(row['games'], 'game')}, {short(row['games_per_s'])}/s",
        f"positions {short(row['positions_per_s'])}/s",
        f"evaluations {short(row['evaluations_per_s'])}/s{share}",
        f"simulations {short(row['simulations_per_s'])}/s",
        *(["loss " + ", ".join(f"{name} {loss:.4f}" for name, loss in losses.items())] if losses else []),
        *([_actors_of(row)] if "actors" in row else []),
        f"rate {row['learning_rate']:.2g}",
        f"window {short(row['window'])}",
        *([f"Elo {elo_text(rating.elo)}"] if rating else []),
    ]
    return " · ".join(parts)


def _actors_of(row: Mapping[str, Any]) -> str:
    """The actors of a cluster, and how old the networks of their games were."""
    refused = f", {count_of(row['refused'], 'older game')} refused" if row["refused"] else ""
    age = f", games {row['age']:.0f} steps old, at most {row['oldest']:,}" if row["age"] is not None else ""
    return f"{count_of(row['actors'], 'actor')}{age}{refused}"


def short(number: float) -> str:
    """A number in few characters.

    >>> short(0.25), short(412.3), short(9_800), short(350_000), short(1.2e6)
    ('0.25', '412', '9.8k', '350k', '1.2M')
    """
    if not math.isfinite(number):
        return str(number)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}"


class Stopwatch:
    """Seconds of training since the beginning of the run, interruptions left out."""

    def __init__(self, before_s: float = 0.0) -> None:
        self._begin = time.monotonic() - before_s

    @property
    def elapsed_s(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._begin


def _is_before(row: Mapping[str, Any], steps: int, elapsed_s: float) -> bool:
    return bool(row["steps"] <= steps and row["elapsed_s"] <= elapsed_s + 1e-3)
