"""The experiments of a paper, read from one TOML file, ``experiments/GAME.toml``. docs/reproduction.md has the results.

A paper has experiments. An experiment has agents, which play games or choose moves in positions, and findings: a
published number, the claim about it, and the measurement that tests the claim.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from joute.errors import SpecError
from joute.files import user_path
from joute.plugins import Room, all_rooms
from joute.spec import look_up
from joute.toml_file import ANYTHING, NUMBER, SWITCH, TEXT, WHOLE_NUMBER, Kind, check_table, read_table

SCALES = ("quick", "full")

#: How games begin: at the start position, as in the papers, or at openings, each played twice.
START, OPENINGS = "start", "openings"
PROTOCOLS = (START, OPENINGS)

#: Kinds of experiments: games, or positions in which agents choose a move. `mistakes` counts moves that throw away a
#: win or a draw; `wins` counts positions with a win in one move in which the agent plays another move.
KINDS = ("games", "mistakes", "wins")


_NUMBER = r"\d+(?:\.\d+)?"


@dataclass(frozen=True)
class Tally:
    """A published tally of games, from the view of the first agent that the finding names."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game; a draw counts half."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True)
class Expectation:
    """The claimed range of a number: above or below a limit, or within `within` of it.

    >>> Expectation.parse("above 0.5"), Expectation.parse("about 0.5 ± 0.05")
    (Expectation(relation='above', limit=0.5, within=0.0), Expectation(relation='about', limit=0.5, within=0.05))
    """

    relation: str
    limit: float
    within: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Expectation:
        """Parse a text like ``above 0.5`` or ``about 40 ± 5``."""
        found = re.fullmatch(rf"(above|below|about) (-?{_NUMBER})(?: ± ({_NUMBER}))?", text)
        if not found or (found[1] == "about") != bool(found[3]):
            raise SpecError(f"'{text}' is not an expectation such as above 0.5, below 2, about 0.5 ± 0.05")
        return cls(found[1], float(found[2]), float(found[3] or 0))

    def __str__(self) -> str:
        return f"{self.relation} {self.limit:g}" + (f" ± {self.within:g}" if self.within else "")


@dataclass(frozen=True)
class Finding:
    """A published number, or a number that decides about a claim of the paper."""

    #: The name of the measure in `measures.MEASURES`.
    measure: str = "score"
    #: The agents: the first is measured, the others are its comparison.
    of: tuple[str, ...] = ()
    #: The published tally, number or words; None if the paper gives nothing.
    published: Tally | float | str | None = None
    #: The claimed range; None if there is no claim and the number is only reported.
    expects: Expectation | None = None
    #: The deciding rule of the counted games (measure ``decided_by``).
    by: str = ""
    #: The least margin of the counted games (measure ``won_by``).
    margin: int = 0
    #: The first and the last ply of the counted moves (measures of depth); empty for all.
    plies: tuple[int, ...] = ()
    #: The number of games behind a published mean or share; 0 if unknown.
    games: int = 0
    #: A remark for the table.
    note: str = ""
    #: Whether the claim is ours.
    ours: bool = False


@dataclass(frozen=True)
class Contestant:
    """An agent of an experiment: its name in tables, its spec, and its clock if it differs from the experiment's."""

    name: str
    spec: str
    clock: str = ""
    #: Its x value in the figure `curve`, such as its simulations; None if it has none.
    x: float | None = None


@dataclass(frozen=True)
class Experiment:
    """The agents, pairings and conditions of an experiment, and the published numbers."""

    name: str
    title: str
    #: The claim in a sentence: the paper's, or ours if `ours`.
    claim: str
    agents: tuple[Contestant, ...]
    findings: tuple[Finding, ...] = ()
    kind: str = "games"
    #: The game's spec; the paper's game unless given.
    game: str = ""
    #: `pairs` (first against second, third against fourth, ...), or another schedule of `joute tournament`.
    schedule: str = "pairs"
    #: Games per pairing from openings, or positions, at each scale.
    games: Mapping[str, int] = field(default_factory=dict)
    #: Games per pairing from the start position, as in the paper; none unless given.
    start_games: Mapping[str, int] = field(default_factory=dict)
    #: The openings, as in a tournament; empty for the game's set of balanced ones, or random ones if it has no set.
    openings: str = ""
    #: The published clock; its seconds are multiplied by `time_scale`.
    clock: str = "none"
    time_scale: Mapping[str, float] = field(default_factory=dict)
    #: Points for a win, a draw and a loss.
    points: tuple[float, float, float] = (1.0, 0.5, 0.0)
    #: No agent uses random numbers, so games from the start position repeat.
    deterministic: bool = False
    #: The plies that positions come from (kind `mistakes`).
    plies: tuple[int, int] = (4, 35)
    #: Approximate core-seconds per game or position at each scale, to estimate the time left.
    cost_s: Mapping[str, float] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    #: The meaning of the agents' `x`, written under the figure `curve`.
    x_label: str = "budget"
    #: Whether the claim is ours, for example about the cost of an error in the paper.
    ours: bool = False
    #: The experiment of which this one is a variant; published numbers count only there.
    variant_of: str = ""
    #: Differences from the paper, scaling, interpretation.
    about: str = ""

    @property
    def said(self) -> str:
        """The claim, marked if it is ours."""
        return f"Ours: {self.claim}" if self.ours else self.claim

    def games_of(self, protocol: str, scale: str) -> int:
        """Games per pairing; 0 if the protocol is not played at this scale."""
        return (self.start_games if protocol == START else self.games).get(scale, 0)

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols with games; an experiment on positions has one."""
        if self.kind != "games":
            return (OPENINGS,)
        return tuple(protocol for protocol in PROTOCOLS if any(self.games_of(protocol, scale) for scale in SCALES))

    def agent(self, name: str) -> Contestant:
        """The agent of a name."""
        return look_up(f"agent of experiment {self.name}", name, {agent.name: agent for agent in self.agents})


@dataclass(frozen=True)
class Omitted:
    """A claim of a paper that no experiment tests, and why."""

    claim: str
    reason: str


@dataclass(frozen=True)
class Paper:
    """A student paper as a list of experiments."""

    #: The file's name without ``.toml``.
    name: str
    #: Title, authors and date.
    title: str
    experiments: tuple[Experiment, ...]
    #: The game of experiments that name none; the file's name unless given.
    game: str = ""
    #: Discussion of the committed results at full scale; ``{experiment.finding}`` is replaced by a measured number.
    discussion: str = ""
    #: Claims that are not reproduced.
    omitted: tuple[Omitted, ...] = ()
    #: The folder of the file; paths of agents and openings are relative to it.
    folder: Path = Path()


def experiments_folder() -> Path:
    """The folder of Joute's own files: in the installed package, or in the source tree."""
    installed = Path(__file__).parents[1] / "experiments"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "experiments"


def paper_names() -> list[str]:
    """The names of the papers of all installed games, sorted."""
    return sorted(_paper_files())


def find_paper(name: str) -> Paper:
    """The paper of a game's room by name, or the user's own experiments by the path of a TOML file."""
    if name.endswith(".toml"):
        return read_paper(user_path(name))
    return read_paper(look_up("paper", name, _paper_files()))


def _paper_files() -> dict[str, Path]:
    """The files of papers by name. Joute's own share a folder; the room of another package holds its own file."""
    rooms = sorted((room for room in all_rooms().values() if room.experiments), key=lambda room: room.is_ours)
    return {Path(room.experiments).stem: _experiments_file(room) for room in rooms}  # for equal names, Joute's own wins


def _experiments_file(room: Room) -> Path:
    if room.is_ours:
        return experiments_folder() / room.experiments
    try:
        return Path(str(room.file(room.experiments)))
    except (ImportError, TypeError):  # the plug-in's package is missing; reading the file reports it
        return Path(room.package) / room.experiments


def read_paper(path: Path) -> Paper:
    """Read the experiments of a file; SpecError if it is invalid."""
    data = read_table(path)
    entries, game = _tables(data, "experiment", path), data.setdefault("game", path.stem)
    if not entries:
        raise SpecError(f"{path} has no experiments [[experiment]]")
    experiments = tuple(
        _experiment(entry, game, f"{path}, experiment {number}") for number, entry in enumerate(entries, start=1)
    )
    names = [experiment.name for experiment in experiments]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(f"{path} has two experiments named {min(twice)}")
    omitted = tuple(_made(Omitted, entry, f"{path}, omitted") for entry in _tables(data, "omitted", path))
    made = {
        **data, "name": path.stem, "experiments": experiments, "omitted": omitted, "folder": path.absolute().parent,
    }  # fmt: skip
    paper: Paper = _made(Paper, made, str(path))
    return paper


def _tables(data: dict[str, Any], key: str, path: Path) -> list[Any]:
    """Remove and return the tables ``[[key]]`` of a file."""
    found = data.pop(key, [])
    if not isinstance(found, list):
        raise SpecError(f"{path}: write {key} as tables [[{key}]]")
    return found


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
        if finding.plies and not (len(finding.plies) == 2 and finding.plies[0] <= finding.plies[1]):
            raise SpecError(f"{owner}: plies of a finding are the first and the last, such as [20, 30]")
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
    """A copy of a table with tuples instead of lists."""
    if not isinstance(data, Mapping):
        raise SpecError(f"{owner}: {data!r} is not a table")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _finding(data: Mapping[str, Any], owner: str) -> Finding:
    data = _with_tuples(data, owner)
    if "expects" in data:
        data["expects"] = Expectation.parse(str(data["expects"]))
    if isinstance(data.get("published"), dict):
        data["published"] = _made(Tally, data["published"], owner)
    finding: Finding = _made(Finding, data, owner)
    return finding


# The TOML kind of a dataclass field, by the first word of its annotation.
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
    """Make a dataclass from a table; SpecError if a key is unknown or missing, or a value has the wrong type."""
    if not isinstance(data, Mapping):
        raise SpecError(f"{owner}: {data!r} is not a table")
    known = {entry.name: entry for entry in fields(cls)}
    check_table(data, {name: _kind(str(entry.type)) for name, entry in known.items()}, owner)
    for key, entry in known.items():
        if key not in data and entry.default is MISSING and entry.default_factory is MISSING:
            raise SpecError(f"{owner} has no {key}")
    return cls(**data)
