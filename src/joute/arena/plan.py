"""What a tournament is: everything that its games depend on, fixed before the first is played."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.agents import find_agent
from joute.agents.loading import Source, find_source, is_spec
from joute.arena.players.isolation import Isolation
from joute.errors import SpecError
from joute.games import new
from joute.match.clock import MARGIN_S, TimeControl
from joute.match.referee import MAX_PLIES

if TYPE_CHECKING:
    from joute.arena.schedules.schedule import Schedule


@dataclass(frozen=True)
class Entrant:
    """Who takes part: a name for tables, the agent as `find_source` names it, and its clock if it has its own."""

    name: str
    agent: str
    clock: str = ""


@dataclass(frozen=True)
class Plan:
    """A tournament before it is played. With limits by iterations or nodes, it determines every game."""

    game: str
    entrants: tuple[Entrant, ...]
    #: Who plays whom, as `make_schedule` names it.
    schedule: str = "round-robin"
    #: Games a pairing; in a sequential test, at most.
    games: int = 2
    seed: int = 0
    #: What every side gets that has no clock of its own.
    clock: str = "none"
    #: How late a move may come before it costs the game.
    margin_s: float = MARGIN_S
    openings: str = "random"
    #: Games at once; 0 for as many as there are cores for the agents' threads.
    concurrency: int = 0
    max_plies: int = MAX_PLIES
    isolation: Isolation = field(default_factory=Isolation)
    #: The folder in which agents given by class path are looked for.
    folder: str = "."
    #: Whether the tournament keeps copies of the agents and plays with these.
    frozen: bool = False

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON."""
        return dataclasses.asdict(self) | {"entrants": [dataclasses.asdict(entrant) for entrant in self.entrants]}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Plan:
        """The plan that `as_data` gave."""
        entrants = tuple(Entrant(**entrant) for entrant in data["entrants"])
        return Plan(**{**data, "entrants": entrants, "isolation": Isolation(**data["isolation"])})

    def check(self) -> None:
        """Raise SpecError if a number or a clock cannot be meant."""
        for name, low in (("games", 1), ("concurrency", 0), ("max_plies", 1), ("margin_s", 0), ("seed", 0)):
            if not getattr(self, name) >= low:
                raise SpecError(f"{name} must be at least {low}, not {getattr(self, name)}")
        if self.seed >= 2**64:
            raise SpecError(f"seed must be less than 2**64, not {self.seed}")
        for index in range(len(self.entrants)):
            self.control(index)
        self.make_schedule()

    def make_schedule(self) -> Schedule:
        """Who plays whom; SpecError if these agents cannot play so."""
        from joute.arena.schedules.registry import make_schedule  # here: workers have plans, and no use for schedules

        return make_schedule(self.schedule, len(self.entrants), self.games)

    def control(self, entrant: int) -> TimeControl:
        """What an entrant gets for a game."""
        return TimeControl.parse(self.entrants[entrant].clock or self.clock)

    def sources(self) -> tuple[Source, ...]:
        """Where the agents come from, looked up once; SpecError if one is not there, also if it went away since."""
        if self._found and all(file.is_file() for source in self._found for file in source.files):
            return tuple(self._found)
        with in_folder(self.folder):
            game = new(self.game).spec
            self._found[:] = [find_source(entrant.agent, game) for entrant in self.entrants]
        return tuple(self._found)

    @functools.cached_property
    def _found(self) -> list[Source]:
        """The sources that are known already. No field: a plan is the same plan before and after the look-up."""
        return []


def make_plan(
    game: str,
    agents: Sequence[str | tuple[str, str, str]],
    *,
    folder: Path | None = None,
    **settings: Any,
) -> Plan:
    """The plan for agents given as text, or as (text, name, clock) with an empty name or clock for the default.

    Everything is checked here, so that nothing is created for a tournament that cannot be played. Paths are
    relative to `folder`, the current one unless given. How many games there are depends on the schedule, unless given.

    >>> [entrant.name for entrant in make_plan("connect4", ["greedy", "greedy", "random"]).entrants]
    ['greedy', 'greedy #2', 'random']
    """
    from joute.arena.schedules.registry import default_games

    folder = (folder or Path.cwd()).absolute()
    entries = [(entry, "", "") if isinstance(entry, str) else entry for entry in agents]
    if len(entries) < 2:
        raise SpecError(f"a tournament needs at least two agents, not {len(entries)}")
    with in_folder(str(folder)):
        start = new(game)
        sources = [find_source(text, start.spec) for text, _, _ in entries]
    names = _names(entries, sources)
    entrants = tuple(
        Entrant(name, source.text, clock) for name, source, (_, _, clock) in zip(names, sources, entries, strict=True)
    )
    settings.setdefault("games", default_games(settings.get("schedule", Plan.schedule)))
    plan = Plan(game=start.spec, entrants=entrants, folder=str(folder), **settings)
    plan._found[:] = sources
    plan.check()
    return plan


def threads_of(source: Source) -> int:
    """How many threads an agent of ours thinks with; 1 for a stranger's, of which nothing is known."""
    if source.resolved is None and not is_spec(source.text):
        return 1
    _, parameters = source.resolved or find_agent(source.text)
    return int(getattr(parameters, "threads", 1))


def caveat_of(source: Source, game: str) -> str:
    """What must be said with the games of an agent of ours that does not play as its spec has it; mostly nothing."""
    agent_type, parameters = source.resolved or find_agent(source.text, game, check=False)
    return agent_type.caveat_for(parameters, game)


@contextlib.contextmanager
def in_folder(folder: str) -> Iterator[None]:
    """Work in another folder for a moment."""
    before = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as error:
        raise SpecError(f"the folder of the tournament cannot be entered: {error}") from error
    try:
        yield
    finally:
        os.chdir(before)


def _names(entries: Sequence[tuple[str, str, str]], sources: Sequence[Source]) -> list[str]:
    """The names of entrants: those given, which must differ, and the agents' own, numbered where they do not."""
    given = [name for _, name, _ in entries if name]
    for name, count in Counter(given).items():
        if count > 1:
            raise SpecError(f"{count} agents are named '{name}'; names must differ")
    taken = set(given)
    names = []
    for (text, name, _), source in zip(entries, sources, strict=True):
        base = name or _own_name(text, source)
        number, unique = 1, base
        while not name and unique in taken:
            number += 1
            unique = f"{base} #{number}"
        taken.add(unique)
        names.append(unique)
    return names


def _own_name(text: str, source: Source) -> str:
    """A spec or class path as it is; a file by its stem, and the class in it."""
    if (
        source.file is None
        or source.kind == "built-in"
        or (source.kind == "python" and source.text == source.with_file(Path()))
    ):
        return text
    name = source.name_in_file
    return f"{source.file.stem}:{name}" if name else source.file.stem
