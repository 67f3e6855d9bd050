"""The plan of a tournament: every setting that its games depend on, fixed before the first game."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from joute._core import one_line
from joute.agents import find_agent
from joute.agents.loading import Source, find_source, is_spec
from joute.arena.entries import Entry, entry_of, expanded, in_folder
from joute.arena.players.isolation import Isolation
from joute.arena.step import EMPTY, Step
from joute.errors import SpecError
from joute.games import new
from joute.match.clock import MARGIN_S, TimeControl
from joute.match.referee import MAX_PLIES

if TYPE_CHECKING:
    from joute.arena.openings import Openings
    from joute.arena.schedules.schedule import Schedule


T = TypeVar("T", bound="Entrant | Isolation | Plan | Step")


@dataclass(frozen=True)
class Entrant:
    """A participant: its name in tables, its agent as `find_source` reads it, and its own clock (empty: the plan's)."""

    name: str
    agent: str
    clock: str = ""


@dataclass(frozen=True)
class Plan:
    """All settings of a tournament.

    The plan, the openings and the agents' files determine every game if all agents depend on their seed alone, as
    built-in agents with one thread and a limit on iterations or nodes do.
    """

    game: str
    entrants: tuple[Entrant, ...]
    #: The schedule, as `make_schedule` reads it.
    schedule: str = "round-robin"
    #: Games per pair of agents; in a sequential test, the maximum.
    games: int = 2
    seed: int = 0
    #: The clock of each entrant that has no clock of its own.
    clock: str = "none"
    #: An answer later than the clock plus this margin loses the game; in a game with lost turns, an answer that exceeds
    #: only the limit per move loses the turn.
    margin_s: float = MARGIN_S
    openings: str = "random"
    #: Games played in parallel; 0: as many as the cores allow for the agents' threads.
    concurrency: int = 0
    max_plies: int = MAX_PLIES
    isolation: Isolation = field(default_factory=Isolation)
    #: The folder in which agents given by class path are searched.
    folder: str = "."
    #: Whether the store keeps copies of the agents and the games are played with these copies.
    frozen: bool = False
    #: The steps of a tournament that has grown, from the original one to the current one; empty if it has not.
    steps: tuple[Step, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON-compatible data."""
        return dataclasses.asdict(self) | {
            "entrants": [dataclasses.asdict(entrant) for entrant in self.entrants],
            "steps": [{"seats": list(step.seats), "games": step.games} for step in self.steps],
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Plan:
        """The inverse of `as_data`; ValueError if a value is of a wrong type."""
        if not isinstance(data, Mapping):
            raise ValueError(f"its plan is {one_line(repr(data))}")
        entrants = tuple(_typed(Entrant("", ""), entrant) for entrant in data["entrants"])
        steps = tuple(_step(step, len(entrants)) for step in data.get("steps", ()))
        changes = {"entrants": entrants, "isolation": _typed(Isolation(), data["isolation"]), "steps": steps}
        return _typed(Plan("", ()), {**data, **changes})

    def check(self) -> None:
        """Raise SpecError if a number is out of range, or a clock or the schedule is invalid."""
        for name, low in (("games", 1), ("concurrency", 0), ("max_plies", 1), ("margin_s", 0), ("seed", 0)):
            if not getattr(self, name) >= low:
                raise SpecError(f"{name} must be at least {low}, not {getattr(self, name)}")
        if self.seed >= 2**64:
            raise SpecError(f"seed must be less than 2**64, not {self.seed}")
        for index in range(len(self.entrants)):
            self.control(index)
        self.make_schedule()

    def make_schedule(self) -> Schedule:
        """The schedule of the plan; SpecError if it does not fit the number of agents."""
        from joute.arena.schedules.registry import make_schedule  # imported here: workers do not need schedules

        if self.steps:
            from joute.arena.schedules.grown import grown_schedule

            return grown_schedule(self.schedule, len(self.entrants), self.steps)
        return make_schedule(self.schedule, len(self.entrants), self.games)

    def make_openings(self) -> Openings:
        """The openings of the plan; SpecError if there are none."""
        from joute.arena.openings import make_openings, opening_seed

        return make_openings(self.game, self.openings, self.make_schedule().openings, opening_seed(self.seed))

    @property
    def playing(self) -> tuple[int, ...]:
        """The entrants that still play, in the order of their seats."""
        return self.steps[-1].playing if self.steps else tuple(range(len(self.entrants)))

    @property
    def retired(self) -> frozenset[int]:
        """The entrants that play no more: withdrawn agents and old versions."""
        return frozenset(range(len(self.entrants))) - frozenset(self.playing)

    def afresh(self) -> Plan:
        """The plan of a new tournament of the agents that still play."""
        return dataclasses.replace(self, entrants=tuple(self.entrants[index] for index in self.playing), steps=())

    def control(self, entrant: int) -> TimeControl:
        """The time control of an entrant."""
        return TimeControl.parse(self.entrants[entrant].clock or self.clock)

    @property
    def working_folder(self) -> str:
        """The folder to play in: `folder`, or the current one if that is gone and all agents are named by specs.

        So a database can be continued on another machine, unless agents are files that are missing there.
        """
        is_needed = any(not is_spec(self.entrants[index].agent) for index in self.playing)
        return self.folder if is_needed or Path(self.folder).is_dir() else "."

    def sources(self) -> tuple[Source, ...]:
        """The sources of the agents, cached while their files exist; SpecError if an agent is not found.

        An agent that plays no more is not searched, and its source is of the kind `unknown`.
        """
        if self._found and all(file.is_file() for source in self._found for file in source.files):
            return tuple(self._found)
        with in_folder(self.working_folder):
            game = new(self.game).spec
            retired = self.retired
            self._found[:] = [
                Source(entrant.agent, "unknown") if index in retired else find_source(entrant.agent, game)
                for index, entrant in enumerate(self.entrants)
            ]
        return tuple(self._found)

    @functools.cached_property
    def _found(self) -> list[Source]:
        """The cached sources. Not a field, so that the cache does not affect equality of plans."""
        return []


def _typed(sample: T, values: Mapping[str, Any]) -> T:
    """A copy of a dataclass with other values; ValueError if one is of another type than the sample's value."""
    if not isinstance(values, Mapping):
        raise ValueError(f"there is {one_line(repr(values))} in place of its {type(sample).__name__.lower()}")
    for name, value in values.items():
        # JSON has no difference between 1.0 and 1.
        wanted = getattr(sample, name, None)
        if type(value) is not type(wanted) and not (type(wanted) is float and type(value) is int):
            raise ValueError(f"{name} is {one_line(repr(value))}")
    return dataclasses.replace(sample, **values)


def _step(data: Any, entrants: int) -> Step:
    """A step from its data; ValueError if a seat holds no entrant, or two seats hold the same one."""
    seats = data["seats"]
    known = range(EMPTY, entrants)
    if not (isinstance(seats, list) and all(type(seat) is int and seat in known for seat in seats)):
        raise ValueError(f"seats are {one_line(repr(seats))}")
    step = _typed(Step(), {**data, "seats": tuple(seats)})
    if len(set(step.playing)) < len(step.playing) or step.games < 1:
        raise ValueError(f"a step is {one_line(repr(data))}")
    return step


def make_plan(
    game: str,
    agents: Sequence[str | Entry],
    *,
    folder: Path | None = None,
    **settings: Any,
) -> Plan:
    """The plan for agents given as text (``my_agent.py``, ``students/*.py``, ``greedy@30``) or as entries.

    Game, agents, names, numbers, clocks and schedule are checked here; `Tournament.create` checks the openings and the
    sandbox. Both come before any file is created. Paths are relative to `folder` (default: the current
    folder). The default number of games depends on the schedule, and the default openings on the game.

    >>> [entrant.name for entrant in make_plan("connect4", ["greedy", "greedy", "random"]).entrants]
    ['greedy', 'greedy #2', 'random']
    """
    from joute.arena.openings import default_openings
    from joute.arena.schedules.registry import default_games

    folder = (folder or Path.cwd()).absolute()
    entries = expanded([entry_of(entry) if isinstance(entry, str) else entry for entry in agents], folder)
    if len(entries) < 2:
        raise SpecError(f"a tournament needs at least two agents, not {len(entries)}")
    with in_folder(str(folder)):
        start = new(game)
        sources = [find_source(text, start.spec) for text, _, _ in entries]
    names = _names(entries, sources)
    entrants = tuple(
        Entrant(name, source.text, clock) for name, source, (_, _, clock) in zip(names, sources, entries, strict=True)
    )
    settings.setdefault("openings", default_openings(start.spec))
    settings.setdefault("games", default_games(settings.get("schedule", Plan.schedule)))
    plan = Plan(game=start.spec, entrants=entrants, folder=str(folder), **settings)
    plan._found[:] = sources
    plan.check()
    return plan


def threads_of(source: Source) -> int:
    """The number of search threads of a built-in agent; 1 for other agents, whose threads are unknown."""
    if source.resolved is None and not is_spec(source.text):
        return 1
    _, parameters = source.resolved or find_agent(source.text)
    return int(getattr(parameters, "threads", 1))


def caveat_of(source: Source, game: str) -> str:
    """A warning to print with the results of a built-in agent, e.g. a missing network; empty if there is none."""
    agent_type, parameters = source.resolved or find_agent(source.text, game, check=False)
    return agent_type.caveat_for(parameters, game)


def _names(entries: Sequence[Entry], sources: Sequence[Source]) -> list[str]:
    """The names of entrants: given names, which must differ, or the agents' own names, numbered if not unique."""
    given = [name for _, name, _ in entries if name]
    for name, count in Counter(given).items():
        if count > 1:
            raise SpecError(f"{count} agents are named '{name}'; names must differ")
    taken = set(given)
    names = []
    for (text, name, _), source in zip(entries, sources, strict=True):
        base = name or own_name(text, source)
        number, unique = 1, base
        while not name and unique in taken:
            number += 1
            unique = f"{base} #{number}"
        taken.add(unique)
        names.append(unique)
    return names


def own_name(text: str, source: Source) -> str:
    """The default name of an agent: a spec or class path unchanged; for a file, its stem and the class in it."""
    if (
        source.file is None
        or source.kind == "built-in"
        or (source.kind == "python" and source.text == source.with_file(Path()))
    ):
        return text
    return ":".join(filter(None, (source.file.stem, source.name_in_file, source.settings)))
