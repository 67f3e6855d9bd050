"""The measurements that the report's tables need, computed once from the finished games and kept in one JSON file."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joute._core import one_line
from joute.arena.measures import PlyMeasure
from joute.errors import SpecError

#: The version of the file format.
VERSION = 1


@dataclass(frozen=True)
class Mean:
    """Count, sum and sum of squares of some numbers."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def mean(self) -> float:
        """The mean; nan if the count is 0."""
        return self.total / self.count if self.count else math.nan

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite for fewer than two numbers."""
        if self.count < 2:
            return math.inf
        variance = max(0.0, self.squares - self.total * self.total / self.count) / (self.count - 1)
        return math.sqrt(variance / self.count)


@dataclass(frozen=True)
class Batch:
    """Consecutive games of a pairing: A's points, and the mean time per move of A and of B."""

    games: int
    points: float
    time_s: tuple[float, float]


@dataclass(frozen=True)
class PairingResult:
    """The games of two agents, from the view of A."""

    a: str
    b: str
    #: Wins, draws and losses of A in games where it moved first, and where it moved second.
    as_first: tuple[int, int, int]
    as_second: tuple[int, int, int]
    #: A's score with its 95% interval, which accounts for pairs and repeated games.
    score: float
    low: float
    high: float
    #: The number of independent win-or-loss trials with the same information.
    trials: float
    #: Distinct games; the same moves by the same agents with the same colours count once.
    distinct: int
    plies: Mean
    #: A's margin in the game's unit, over games that ended by the rules.
    margin: Mean
    #: A's wins, draws and losses in games that ended by the rules, by the deciding rule in the game's words.
    decided_by: Mapping[str, tuple[int, int, int]]
    #: Counts of the other games, by the reason of their end.
    reasons: Mapping[str, int] = field(default_factory=dict)
    #: The games in order, in batches, if the experiment needs them.
    batches: tuple[Batch, ...] = ()
    #: Distinct move sequences, regardless of colours: when a deterministic agent plays itself, every game occurs twice,
    #: with colours swapped. 0 if not counted.
    lines: int = 0
    #: The games that ended by the rules by A's margin, if the experiment needs them.
    margins: Mapping[str, int] = field(default_factory=dict)

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
    """The results of one agent in all its games or positions."""

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
    #: Elo with its 95% interval, if there are more than two agents; None stands for unknown or infinite.
    elo: tuple[float | None, float | None, float | None] | None = None
    moves: int = 0
    time_s: float = 0.0
    #: The mean nodes of its searches, over its moves; None if the agent gave no search info.
    nodes: float | None = None
    #: The mean nodes of each of its games, as a mean over games.
    nodes_a_move: Mean = field(default_factory=Mean)
    #: The mean completed depth of each of its games, as a mean over games: by the plies that findings name, such as
    #: "20-30", and "" for all plies.
    depths: Mapping[str, Mean] = field(default_factory=dict)
    lost_turns: int = 0
    forfeits: int = 0
    #: Measurements by ply of the game, if the experiment needs them.
    plies: tuple[PlyMeasure, ...] = ()
    #: Failed positions (kinds `mistakes` and `wins`), and positions asked and failed by ply.
    failures: int = 0
    failures_by_ply: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses


def plies_key(plies: Sequence[int]) -> str:
    """The key of a range of plies in `AgentResult.depths`."""
    return "-".join(map(str, plies))


@dataclass(frozen=True)
class RowResult:
    """The results of an experiment by one protocol."""

    protocol: str
    games: int
    agents: tuple[AgentResult, ...]
    pairings: tuple[PairingResult, ...] = ()
    #: A remark on how it was played, such as openings used in turn.
    note: str = ""

    def agent(self, name: str) -> AgentResult:
        """The agent of a name."""
        found = next((agent for agent in self.agents if agent.name == name), None)
        if found is None:
            raise SpecError(f"the results have no agent '{name}': they are of other experiments")
        return found


@dataclass(frozen=True)
class Results:
    """All measurements at a scale, by the names of papers and experiments."""

    scale: str
    seed: int
    #: The version of Joute, the machine in a few words, the command.
    joute: str
    machine: str
    command: str
    #: ``rows[paper][experiment]``, in the order of the report.
    rows: Mapping[str, Mapping[str, tuple[RowResult, ...]]]

    def row(self, paper: str, experiment: str, protocol: str) -> RowResult | None:
        """The results of an experiment by a protocol; None if it was not played."""
        found = self.rows.get(paper, {}).get(experiment, ())
        return next((row for row in found if row.protocol == protocol), None)


def to_json(results: Results) -> str:
    """The text of the file, with one line per experiment and protocol, so that diffs are readable."""
    data = dataclasses.asdict(results)
    rows = data.pop("rows")
    lines = [
        f"{json.dumps(paper)}: {{\n"
        + ",\n".join(
            f"{json.dumps(experiment)}: [\n" + ",\n".join(_line(row) for row in of_protocols) + "\n]"
            for experiment, of_protocols in experiments.items()
        )
        + "\n}"
        for paper, experiments in rows.items()
    ]
    head = json.dumps({"version": VERSION} | data, ensure_ascii=False, indent=1)
    return f'{head[:-2]},\n "rows": {{\n' + ",\n".join(lines) + "\n}}\n"


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(_rounded(row), ensure_ascii=False, separators=(",", ":"))


def _rounded(value: Any) -> Any:
    """Round all floats to seven significant digits, more than any measurement has."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def read_results(path: Path) -> Results:
    """Read the results of a file; SpecError if it is not a file of results."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{path} is not a file of results: {one_line(error)}") from error
    try:
        if data.pop("version") != VERSION:
            raise SpecError(f"{path} holds results of another version of Joute")
        rows = {
            paper: {experiment: tuple(map(_row, of_protocols)) for experiment, of_protocols in experiments.items()}
            for paper, experiments in data.pop("rows").items()
        }
        return Results(**data, rows=rows)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SpecError(f"{path} is not a file of results: {one_line(error)}") from error


def _row(data: dict[str, Any]) -> RowResult:
    return RowResult(
        **data | {"agents": tuple(map(_agent, data["agents"])), "pairings": tuple(map(_pairing, data["pairings"]))}
    )


def _current_name(name: str) -> str:
    """The name of an agent in today's experiments: files of 0.1 call the papers reports."""
    return name.replace("the report's", "the paper's")


def _agent(data: dict[str, Any]) -> AgentResult:
    if (depth := data.pop("depth", None)) is not None:  # files of 0.1 have one mean over all moves
        data["depths"] = {"": {"count": 1, "total": depth, "squares": depth**2}}
    changed: dict[str, Any] = {
        "name": _current_name(data["name"]),
        "elo": tuple(data["elo"]) if data["elo"] else None,
        "plies": tuple(PlyMeasure(**ply) for ply in data["plies"]),
        "nodes_a_move": Mean(**data.get("nodes_a_move", {})),
        "depths": {plies: Mean(**mean) for plies, mean in data.get("depths", {}).items()},
        "failures_by_ply": {ply: tuple(counts) for ply, counts in data["failures_by_ply"].items()},
    }
    return AgentResult(**data | changed)


def _pairing(data: dict[str, Any]) -> PairingResult:
    changed: dict[str, Any] = {
        "a": _current_name(data["a"]),
        "b": _current_name(data["b"]),
        "as_first": tuple(data["as_first"]),
        "as_second": tuple(data["as_second"]),
        "plies": Mean(**data["plies"]),
        "margin": Mean(**data["margin"]),
        "decided_by": {what: tuple(counts) for what, counts in data["decided_by"].items()},
        "batches": tuple(Batch(**batch | {"time_s": tuple(batch["time_s"])}) for batch in data["batches"]),
    }
    return PairingResult(**data | changed)
