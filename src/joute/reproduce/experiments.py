"""The experiments of a report as one TOML file, ``experiments/GAME.toml``: docs/reproduction.md shows what they give.

A report has experiments; an experiment has agents who play (or are asked about positions), and findings: what was
published, what was claimed, and what is measured to see whether it holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from joute.errors import SpecError
from joute.plugins import Room, all_rooms
from joute.spec import look_up
from joute.toml_file import ANYTHING, NUMBER, SWITCH, TEXT, WHOLE_NUMBER, Kind, check_table, read_table

SCALES = ("quick", "full")

#: How games may begin: at the start position, as the reports had it, or at openings, each played twice.
START, OPENINGS = "start", "openings"
PROTOCOLS = (START, OPENINGS)

#: What an experiment may be: games, or positions in which agents are asked for a move. `mistakes` counts moves that
#: throw a win or a draw away, `wins` positions that are won in one move where that move was not played.
KINDS = ("games", "mistakes", "wins")


_NUMBER = r"\d+(?:\.\d+)?"


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
        found = re.fullmatch(rf"(above|below|about) (-?{_NUMBER})(?: ± ({_NUMBER}))?", text)
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
    #: In how many games a published number was found, where it is a mean or a share of them; 0 where nobody knows.
    games: int = 0
    #: What there is to say about it.
    note: str = ""
    #: Whether the claim is ours.
    ours: bool = False


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
    #: What the report says, in a sentence; or what we say, where `ours`.
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
    #: The plies that positions come from (kind `mistakes`).
    plies: tuple[int, int] = (4, 35)
    #: About how many seconds of one core a game or a position takes, at each scale: for the time left.
    cost_s: Mapping[str, float] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    #: Whether the claim is ours: what an error of the report costs, say.
    ours: bool = False
    #: The experiment that this one is another reading of; what was published counts there.
    variant_of: str = ""
    #: What differs from the report, what is scaled, what it means.
    about: str = ""

    @property
    def said(self) -> str:
        """The claim, and whose it is if it is not the report's."""
        return f"Ours: {self.claim}" if self.ours else self.claim

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
class Paper:
    """What a report published, as experiments."""

    #: The file's name.
    name: str
    #: What it is, who wrote it, when.
    title: str
    experiments: tuple[Experiment, ...]
    #: The game, unless an experiment names another; the file's name unless given.
    game: str = ""
    #: What the committed results at full scale say about it; ``{experiment.finding}`` stands for a measured number.
    discussion: str = ""
    #: The folder of its file: where agents and openings that are files are looked for.
    folder: Path = Path()


def experiments_folder() -> Path:
    """Where the files are: in the installed package, or in the source tree."""
    installed = Path(__file__).parents[1] / "experiments"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "experiments"


def paper_names() -> list[str]:
    """The reports that come with the rooms of games, sorted."""
    return sorted(_paper_files())


def find_paper(name: str) -> Paper:
    """A report that comes with a game's room, or one's own experiments, by the path of a TOML file."""
    if name.endswith(".toml"):
        return read_paper(Path(name).expanduser())
    return read_paper(look_up("report", name, _paper_files()))


def _paper_files() -> dict[str, Path]:
    """The files of reports by name. Joute's own lie together; a room of another package has its file with it."""
    rooms = sorted((room for room in all_rooms().values() if room.experiments), key=lambda room: room.is_ours)
    return {Path(room.experiments).stem: _experiments_file(room) for room in rooms}  # of one name, Joute's own


def _experiments_file(room: Room) -> Path:
    if room.is_ours:
        return experiments_folder() / room.experiments
    try:
        return Path(str(room.file(room.experiments)))
    except (ImportError, TypeError):  # a plug-in's package that is none: reading the file will say so
        return Path(room.package) / room.experiments


def read_paper(path: Path) -> Paper:
    """The experiments that a file holds; SpecError says in a sentence what is wrong with it."""
    data = read_table(path)
    entries, game = data.pop("experiment", []), data.setdefault("game", path.stem)
    if not isinstance(entries, list) or not entries:
        raise SpecError(f"{path} has no experiments [[experiment]]")
    experiments = tuple(
        _experiment(entry, game, f"{path}, experiment {number}") for number, entry in enumerate(entries, start=1)
    )
    names = [experiment.name for experiment in experiments]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(f"{path} has two experiments named {min(twice)}")
    made = {**data, "name": path.stem, "experiments": experiments, "folder": path.absolute().parent}
    report: Paper = _made(Paper, made, str(path))
    return report


def _experiment(data: Mapping[str, Any], game: str, owner: str) -> Experiment:
    data = _with_tuples(data, owner)
    owner = f"{owner} ({data['name']})" if "name" in data else owner
    agents = tuple(_made(Contestant, entry, owner) for entry in data.pop("agent", ()))
    findings = tuple(_finding(entry, owner) for entry in data.pop("finding", ()))
    made: Experiment = _made(Experiment, {"game": game, **data, "agents": agents, "findings": findings}, owner)
    look_up("kind of experiment", made.kind, dict.fromkeys(KINDS))
    if not re.fullmatch(r"[\w-]+", made.name):
        raise SpecError(f"{owner}: a name is made of letters, digits, - and _")
    if len({agent.name for agent in made.agents}) < len(made.agents):
        raise SpecError(f"{owner} has two agents of the same name")
    _check_numbers(made, owner)
    for finding in made.findings:
        for name in finding.of:
            made.agent(name)
        if any(one == other for one, other in zip(finding.of[::2], finding.of[1::2], strict=False)):
            raise SpecError(f"{owner}: a finding is about {finding.of[0]} against itself")
        if isinstance(finding.published, Tally) and not finding.published.games:
            raise SpecError(f"{owner}: a published result has no games")
    return made


def _check_numbers(made: Experiment, owner: str) -> None:
    for key, kind in (("games", int), ("start_games", int), ("time_scale", float), ("cost_s", float)):
        for scale, number in getattr(made, key).items():
            look_up(f"scale of {key} of {owner}", scale, dict.fromkeys(SCALES))
            if (type(number) is not kind and type(number) is not int) or number < 0:
                raise SpecError(f"{owner}: {key} cannot be {number!r}")
    if len(made.points) != 3 or len(made.plies) != 2:
        raise SpecError(f"{owner}: points are three numbers, for a win, a draw and a loss, and plies are two")


def _with_tuples(data: Any, owner: str) -> dict[str, Any]:
    """A table whose lists can no longer change."""
    if not isinstance(data, Mapping):
        raise SpecError(f"{owner}: {data!r} is no table")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _finding(data: Mapping[str, Any], owner: str) -> Finding:
    data = _with_tuples(data, owner)
    if "expects" in data:
        data["expects"] = Expectation.parse(str(data["expects"]))
    if isinstance(data.get("published"), dict):
        data["published"] = _made(Tally, data["published"], owner)
    finding: Finding = _made(Finding, data, owner)
    return finding


# What the fields of a dataclass are in TOML, by how their annotations begin.
_KINDS = {
    "str": TEXT,
    "bool": SWITCH,
    "int": WHOLE_NUMBER,
    "float": NUMBER,
    "Mapping": Kind((dict,), "a table such as { quick = 20, full = 400 }"),
    "tuple": Kind((tuple,), "a list"),
}


def _kind(annotation: str) -> Kind:
    begin = re.match(r"\w+", annotation)
    return _KINDS.get(begin[0] if begin else "", ANYTHING)


def _made(cls: type, data: Mapping[str, Any], owner: str) -> Any:
    """A dataclass of what a table holds; SpecError if a key is unknown or missing, or holds what it cannot."""
    if not isinstance(data, Mapping):
        raise SpecError(f"{owner}: {data!r} is no table")
    known = {entry.name: entry for entry in fields(cls)}
    check_table(data, {name: _kind(str(entry.type)) for name, entry in known.items()}, owner)
    for key, entry in known.items():
        if key not in data and entry.default is MISSING and entry.default_factory is MISSING:
            raise SpecError(f"{owner} does not say its {key}")
    return cls(**data)
