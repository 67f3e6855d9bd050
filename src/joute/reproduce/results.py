"""What was measured, as the reports' tables need it: read from finished games once, and kept as one JSON file."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joute.arena.measures import PlyMeasure
from joute.errors import SpecError

#: The form of the file; another form is another number.
VERSION = 1


@dataclass(frozen=True)
class Mean:
    """So many numbers, their sum and the sum of their squares."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def mean(self) -> float:
        """Nothing at all has no mean: nan."""
        return self.total / self.count if self.count else math.nan

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        if self.count < 2:
            return math.inf
        variance = max(0.0, self.squares - self.total * self.total / self.count) / (self.count - 1)
        return math.sqrt(variance / self.count)


@dataclass(frozen=True)
class Batch:
    """Some of a pairing's games that were numbered in a row: A's points, and what a move took each side."""

    games: int
    points: float
    time_s: tuple[float, float]


@dataclass(frozen=True)
class PairingResult:
    """The games of two agents, from the view of A."""

    a: str
    b: str
    #: Wins, draws and losses of A where it moved first, and where it moved second.
    as_first: tuple[int, int, int]
    as_second: tuple[int, int, int]
    #: A's score with its 95% interval, which knows of pairs and repeated games.
    score: float
    low: float
    high: float
    #: As many coin flips tell as much.
    trials: float
    #: How many games are no repetition of another, by the same agents with the same colours.
    distinct: int
    plies: Mean
    #: By how much A won, in the game's own unit; of games that ended by its rules.
    margin: Mean
    #: What decided the games that ended by the rules, in the game's own words; A's wins, draws and losses.
    decided_by: Mapping[str, tuple[int, int, int]]
    #: Why others ended.
    reasons: Mapping[str, int] = field(default_factory=dict)
    #: The games in their order, in parts, where an experiment has a figure of that.
    batches: tuple[Batch, ...] = ()
    #: How many games differ in their moves, whoever played them: where an agent without lots plays itself, every game
    #: is there twice, colours swapped. 0 where that was not counted.
    lines: int = 0

    @property
    def games(self) -> int:
        """Games played."""
        return sum(self.as_first) + sum(self.as_second)

    @property
    def tally(self) -> tuple[int, int, int]:
        """Wins, draws and losses of A."""
        wins, draws, losses = (one + other for one, other in zip(self.as_first, self.as_second, strict=True))
        return wins, draws, losses


@dataclass(frozen=True)
class AgentResult:
    """One agent in all its games, or positions."""

    name: str
    spec: str
    clock: str = "none"
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: Its score with its 95% interval.
    score: float = 0.5
    low: float = 0.0
    high: float = 1.0
    #: Elo with its 95% interval, where there are more than two agents; None is unknown or without end.
    elo: tuple[float | None, float | None, float | None] | None = None
    moves: int = 0
    time_s: float = 0.0
    #: Completed plies and positions entered by its searches, means over its moves; None where it told nothing.
    depth: float | None = None
    nodes: float | None = None
    lost_turns: int = 0
    forfeits: int = 0
    #: By ply of the game, where an experiment has a figure of that.
    plies: tuple[PlyMeasure, ...] = ()
    #: Positions in which it failed (kinds `mistakes` and `wins`), and by ply: asked, failed.
    failures: int = 0
    failures_by_ply: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class RowResult:
    """An experiment by one protocol."""

    protocol: str
    games: int
    agents: tuple[AgentResult, ...]
    pairings: tuple[PairingResult, ...] = ()
    #: What there is to say about how it was played, such as openings used in turn.
    note: str = ""

    def agent(self, name: str) -> AgentResult:
        """The agent of a name."""
        found = next((agent for agent in self.agents if agent.name == name), None)
        if found is None:
            raise SpecError(f"the results know no agent '{name}': they are of other experiments")
        return found


@dataclass(frozen=True)
class Results:
    """Everything that was measured at a scale, by the names of reports and experiments."""

    scale: str
    seed: int
    #: The version of Joute, the machine in a few words, the command.
    joute: str
    machine: str
    command: str
    #: ``rows[report][experiment]``, in the order in which they are shown.
    rows: Mapping[str, Mapping[str, tuple[RowResult, ...]]]

    def row(self, report: str, experiment: str, protocol: str) -> RowResult | None:
        """An experiment by a protocol; None where it was not played."""
        found = self.rows.get(report, {}).get(experiment, ())
        return next((row for row in found if row.protocol == protocol), None)


def to_json(results: Results) -> str:
    """The file, with a line for each experiment by each protocol, so that changes can be read."""
    data = dataclasses.asdict(results)
    rows = data.pop("rows")
    lines = [
        f"{json.dumps(report)}: {{\n"
        + ",\n".join(
            f"{json.dumps(experiment)}: [\n" + ",\n".join(_line(row) for row in of_protocols) + "\n]"
            for experiment, of_protocols in experiments.items()
        )
        + "\n}"
        for report, experiments in rows.items()
    ]
    head = json.dumps({"version": VERSION} | data, ensure_ascii=False, indent=1)
    return f'{head[:-2]},\n "rows": {{\n' + ",\n".join(lines) + "\n}}\n"


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(_rounded(row), ensure_ascii=False, separators=(",", ":"))


def _rounded(value: Any) -> Any:
    """Seven digits are more than any measurement has."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def read_results(path: Path) -> Results:
    """The results that a file holds; SpecError if it holds none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SpecError(f"{path} is not a file of results: {error}") from error
    try:
        if data.pop("version") != VERSION:
            raise SpecError(f"{path} holds results of another version of Joute")
        rows = {
            report: {experiment: tuple(map(_row, of_protocols)) for experiment, of_protocols in experiments.items()}
            for report, experiments in data.pop("rows").items()
        }
        return Results(**data, rows=rows)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SpecError(f"{path} is not a file of results: {error}") from error


def _row(data: dict[str, Any]) -> RowResult:
    return RowResult(
        **data | {"agents": tuple(map(_agent, data["agents"])), "pairings": tuple(map(_pairing, data["pairings"]))}
    )


def _agent(data: dict[str, Any]) -> AgentResult:
    changed: dict[str, Any] = {
        "elo": tuple(data["elo"]) if data["elo"] else None,
        "plies": tuple(PlyMeasure(**ply) for ply in data["plies"]),
        "failures_by_ply": {ply: tuple(counts) for ply, counts in data["failures_by_ply"].items()},
    }
    return AgentResult(**data | changed)


def _pairing(data: dict[str, Any]) -> PairingResult:
    changed: dict[str, Any] = {
        "as_first": tuple(data["as_first"]),
        "as_second": tuple(data["as_second"]),
        "plies": Mean(**data["plies"]),
        "margin": Mean(**data["margin"]),
        "decided_by": {what: tuple(counts) for what, counts in data["decided_by"].items()},
        "batches": tuple(Batch(**batch | {"time_s": tuple(batch["time_s"])}) for batch in data["batches"]),
    }
    return PairingResult(**data | changed)
