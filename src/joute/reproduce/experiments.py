"""The experiments of a report as one TOML file, ``experiments/GAME.toml``: docs/reproduction.md shows what they give.

A report has experiments; an experiment has agents who play (or are asked about positions), and findings: what was
published, what was claimed, and what is measured to see whether it holds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from joute.errors import SpecError
from joute.spec import look_up

SCALES = ("quick", "full")

#: How games may begin: at the start position, as the reports had it, or at openings, each played twice.
START, OPENINGS = "start", "openings"
PROTOCOLS = (START, OPENINGS)

#: What an experiment may be: games, or positions in which agents are asked for a move. `mistakes` counts moves that
#: throw a win or a draw away, `wins` positions that are won in one move where that move was not played.
KINDS = ("games", "mistakes", "wins")


@dataclass(frozen=True)
class Tally:
    """Games as a report counts them, from the view of whoever a finding names first."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """A draw counts half."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Expectation:
    """What a claim says of a number: that it is above or below a limit, or about so much, give or take `within`.

    >>> Expectation.parse("above 0.5"), Expectation.parse("about 0.5 ± 0.05")
    (Expectation(relation='above', limit=0.5, within=0.0), Expectation(relation='about', limit=0.5, within=0.05))
    """

    relation: str
    limit: float
    within: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Expectation:
        """The expectation that a text like ``above 0.5`` or ``about 40 ± 5`` says."""
        found = re.fullmatch(r"(above|below|about) (-?[\d.]+)(?: ± ([\d.]+))?", text)
        if not found or (found[1] == "about") != bool(found[3]):
            raise SpecError(f"'{text}' is not an expectation such as above 0.5, below 2, about 0.5 ± 0.05")
        return cls(found[1], float(found[2]), float(found[3] or 0))

    def __str__(self) -> str:
        return f"{self.relation} {self.limit:g}" + (f" ± {self.within:g}" if self.within else "")


@dataclass(frozen=True)
class Finding:
    """One number of a report, or one that decides about a claim of it."""

    #: What it is a number of, as `measures.MEASURES` names it.
    measure: str = "score"
    #: The agents it is about: the first, and whom it is compared with.
    of: tuple[str, ...] = ()
    #: What was published: games, a number, or a few words; None where the report says nothing.
    published: Tally | float | str | None = None
    #: What the claim says of it; None where there is only something to report.
    expects: Expectation | None = None
    #: What decided the games that are meant (measure ``decided_by``).
    by: str = ""
    #: What there is to say about it.
    note: str = ""


@dataclass(frozen=True)
class Contestant:
    """An agent of an experiment: its name in tables, its spec, its clock if it has one of its own."""

    name: str
    spec: str
    clock: str = ""
    #: Where it stands in a figure whose points are pairings, such as its simulations; None for nowhere.
    x: float | None = None


@dataclass(frozen=True)
class Experiment:
    """Who plays whom under which conditions, and what was published about it."""

    name: str
    title: str
    #: What the report says, in a sentence.
    claim: str
    agents: tuple[Contestant, ...]
    findings: tuple[Finding, ...] = ()
    kind: str = "games"
    #: The game's spec; the report's game unless given.
    game: str = ""
    #: Who meets: `pairs` (the first the second, the third the fourth, ...), or what `joute tournament` knows.
    schedule: str = "pairs"
    #: Games a pairing from openings, or positions, at each scale.
    games: Mapping[str, int] = field(default_factory=dict)
    #: Games a pairing from the start position, as the report played; none unless given.
    start_games: Mapping[str, int] = field(default_factory=dict)
    openings: str = "random"
    #: What each side gets, as published; seconds are multiplied by `time_scale`.
    clock: str = "none"
    time_scale: Mapping[str, float] = field(default_factory=dict)
    #: Points for a win, a draw and a loss.
    points: tuple[float, float, float] = (1.0, 0.5, 0.0)
    #: Nobody draws lots, so games from the start position repeat themselves.
    deterministic: bool = False
    #: The plies that positions come from (kinds `mistakes` and `wins`).
    plies: tuple[int, int] = (4, 35)
    #: About how many seconds of one core a game or a position takes, at each scale: for the time left.
    cost_s: Mapping[str, float] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    #: What differs from the report, what is scaled, what it means.
    about: str = ""

    def games_of(self, protocol: str, scale: str) -> int:
        """How many games a pairing has; 0 where there are none."""
        return (self.start_games if protocol == START else self.games).get(scale, 0)

    @property
    def protocols(self) -> tuple[str, ...]:
        """How its games begin; positions are asked about once."""
        if self.kind != "games":
            return (OPENINGS,)
        return tuple(protocol for protocol in PROTOCOLS if any(self.games_of(protocol, scale) for scale in SCALES))

    def agent(self, name: str) -> Contestant:
        """The agent of a name."""
        return look_up(f"agent of experiment {self.name}", name, {agent.name: agent for agent in self.agents})


@dataclass(frozen=True)
class Report:
    """What a report published, as experiments."""

    #: The file's name: the game.
    name: str
    #: What it is, who wrote it, when.
    title: str
    experiments: tuple[Experiment, ...]
    #: What the committed results at full scale say about it; ``{experiment.finding}`` stands for a measured number.
    discussion: str = ""


def experiments_folder() -> Path:
    """Where the files are: in the installed package, or in the source tree."""
    installed = Path(__file__).parents[1] / "experiments"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "experiments"


def report_names(folder: Path | None = None) -> list[str]:
    """The reports that there are."""
    return sorted(path.stem for path in (folder or experiments_folder()).glob("*.toml"))


def read_report(name: str, folder: Path | None = None) -> Report:
    """The experiments of a report; SpecError says in a sentence what is wrong with its file."""
    folder = folder or experiments_folder()
    path = look_up("report", name, {known: folder / f"{known}.toml" for known in report_names(folder)})
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # what TOML and UTF-8 complain of
        raise SpecError(f"{path} is not a TOML file: {error}") from error
    experiments = tuple(
        _experiment(entry, name, f"{path}, experiment {number}")
        for number, entry in enumerate(data.pop("experiment", []), start=1)
    )
    names = [experiment.name for experiment in experiments]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(f"{path} has two experiments named {min(twice)}")
    report: Report = _made(Report, {**data, "name": name, "experiments": experiments}, str(path))
    return report


def _experiment(data: Mapping[str, Any], game: str, owner: str) -> Experiment:
    data = dict(data)
    owner = f"{owner} ({data['name']})" if "name" in data else owner
    agents = tuple(_made(Contestant, entry, owner) for entry in data.pop("agent", []))
    findings = tuple(_finding(entry, owner) for entry in data.pop("finding", []))
    for key in ("points", "plies", "figures"):
        if key in data:
            data[key] = tuple(data[key])
    made: Experiment = _made(Experiment, {"game": game, **data, "agents": agents, "findings": findings}, owner)
    look_up("kind of experiment", made.kind, dict.fromkeys(KINDS))
    for finding in made.findings:
        for name in finding.of:
            made.agent(name)
    return made


def _finding(data: Mapping[str, Any], owner: str) -> Finding:
    data = dict(data)
    if "of" in data:
        data["of"] = tuple(data["of"])
    if "expects" in data:
        data["expects"] = Expectation.parse(data["expects"])
    if isinstance(data.get("published"), dict):
        data["published"] = _made(Tally, data["published"], owner)
    finding: Finding = _made(Finding, data, owner)
    return finding


def _made(cls: type, data: Mapping[str, Any], owner: str) -> Any:
    """A dataclass of what a table holds; SpecError if a key is unknown or missing."""
    known = {entry.name: entry for entry in fields(cls)}
    for key in data:
        look_up(f"key of {owner}", key, known)
    for key, entry in known.items():
        if key not in data and entry.default is MISSING and entry.default_factory is MISSING:
            raise SpecError(f"{owner} does not say its {key}")
    return cls(**data)
