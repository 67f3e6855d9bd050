"""The registry of agent types, and the creation of agents from specs.

Agent types, including the built-in ones, are found through the entry point group ``joute.agents``; each entry is an
AgentType.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute.agents.agent import Agent
from joute.agents.time_plans import PLANS
from joute.errors import SpecError
from joute.games import State, find_game, new
from joute.plugins import Registry, all_rooms, instance_of
from joute.spec import Parameter, parameters_of, parse_spec, read_settings


class CaveatWarning(UserWarning):
    """Issued once if an agent does not play as its spec says, so that results describe another agent."""


@dataclass(frozen=True)
class AgentType:
    """An agent type: its name, its parameters (a frozen dataclass), and a function that creates an agent."""

    name: str
    summary: str
    parameters: type
    create: Callable[[Any, int], Agent]  # (an instance of `parameters`, seed) -> agent
    games: tuple[str, ...] = ()  # the games it plays; empty for every game
    check: Callable[[Any, type[State]], None] | None = None  # raises SpecError if parameters do not suit a game
    objection: Callable[[type[State]], str] | None = None  # why it does not play a game; empty if it does
    #: Warning to print with results from a start position, e.g. a missing network; SpecError if it cannot play.
    caveat: Callable[[Any, State], str] | None = None

    exact: bool = False  # whether its analysis of positions is exact (a solver)
    keeps_time: bool = True  # whether it obeys the clock and stops when asked; the page offers no others
    engine: bool = False  # whether it is the engine of its games, and so their adviser

    def plays(self, game: str) -> bool:
        """Whether it plays the game of that name."""
        return not self.why_not(game)

    def why_not(self, game: str) -> str:
        """Return why it does not play the game of that name; empty if it does."""
        if self.games and game not in self.games:
            return f"; it plays {', '.join(self.games)}"
        why = self.objection(find_game(game)) if self.objection else ""
        return f": {why}" if why else ""

    def check_for(self, parameters: Any, game: str) -> None:
        """Raise SpecError if parameters do not suit the game of that spec; issue a CaveatWarning if there is one."""
        if self.check is not None:
            self.check(parameters, find_game(parse_spec(game)[0]))
        if (plan := getattr(parameters, "plan", "")) in PLANS:
            PLANS[plan]  # loads the plan; SpecError if it comes from a broken plug-in
        if sentence := self.caveat_for(parameters, game):
            say_caveat(sentence)

    def caveat_for(self, parameters: Any, game: str) -> str:
        """Return the warning to print with its results; empty if the agent plays as its spec says."""
        return self.caveat(parameters, new(game)) if self.caveat is not None else ""

    @property
    def described_parameters(self) -> tuple[Parameter, ...]:
        """The parameters, each with its default, range and source."""
        return parameters_of(self.parameters)


_agents: Registry[AgentType] = Registry(
    "agent", "joute.agents", instance_of(AgentType, "joute.agents.AgentType", named_by="name")
)


def register_agent(agent_type: AgentType) -> AgentType:
    """Add an agent type to the registry of this process."""
    _agents.register(agent_type.name, agent_type)
    return agent_type


def agent_types(game: str | None = None) -> list[AgentType]:
    """Return the agent types that load, sorted by name; with `game`, only those that play it."""
    found, _ = all_agents()
    return [agent_type for agent_type in found if game is None or agent_type.plays(game)]


def all_agents() -> tuple[list[AgentType], dict[str, str]]:
    """Return all agent types sorted by name, and the errors of those that do not load, by name."""
    return _agents.find_all()


def find_agent(spec: str, game: str | None = None, *, check: bool = True) -> tuple[AgentType, Any]:
    """Return the agent type that a spec names, and its parameters, without creating the agent.

    With a game's spec, check that the agent plays it. `check=False` skips the check of the parameters, which may
    import untrusted code: an evaluation in Python.
    """
    name, pairs = parse_spec(spec)
    agent_type = _agents.find(name)
    game_name = None if game is None else parse_spec(game)[0]
    if game_name is not None and (why := agent_type.why_not(game_name)):
        raise SpecError(f"agent '{name}' does not play {game_name}{why}")
    parameters = agent_type.parameters(**read_settings(name, pairs, agent_type.described_parameters))
    if check and game is not None:
        agent_type.check_for(parameters, game)
    return agent_type, parameters


def caveat_of(spec: str, game: str) -> str:
    """Return the warning to print with an agent's results if it does not play as its spec says; empty otherwise."""
    agent_type, parameters = find_agent(spec, game, check=False)
    return agent_type.caveat_for(parameters, game)


@functools.cache
def say_caveat(sentence: str) -> None:
    """Issue a CaveatWarning, once per process for each sentence."""
    warnings.warn(sentence, CaveatWarning, stacklevel=3)


def is_built_in(spec: str) -> bool:
    """Whether a spec names one of Joute's own agents and no user's code, such as an evaluation in Python."""
    name, pairs = parse_spec(spec)
    return _agents.is_ours(name) and ":" not in pairs.get("eval", "")


def is_agent_name(name: str) -> bool:
    """Whether there is an agent type of that name."""
    return name in _agents.names()


def exact_agent(game: str) -> str | None:
    """Return the name of a game's exact solver, or None."""
    return next((known.name for known in agent_types(game) if known.exact), None)


def adviser(game: str) -> str | None:
    """Return the name of the agent that analyzes a game by default: the exact one, else its engine, else None."""
    return exact_agent(game) or next((known.name for known in agent_types(game) if known.engine), None)


def strongest_agent(game: str) -> str | None:
    """Return the name of the agent that plays a game best: the one that its room names, else its adviser."""
    room = all_rooms().get(game)
    return (room.strongest if room else "") or adviser(game)


def agent(spec: str, *, game: str | None = None, seed: int = 0) -> Agent:
    """Create the agent that a spec names. `seed` seeds its random generator.

    >>> import joute
    >>> str(agent("greedy").choose(joute.new("connect4"), joute.Clock()))
    '4'
    """
    agent_type, parameters = find_agent(spec, game)
    return agent_type.create(parameters, seed)
