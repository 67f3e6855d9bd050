"""Which agents there are, and how a spec becomes an agent.

Agents are found through the entry point group ``joute.agents``, the built-in ones included; each entry
is an AgentType.
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
from joute.plugins import Registry, instance_of
from joute.spec import Parameter, parameters_of, parse_spec, read_settings


class CaveatWarning(UserWarning):
    """Said once, when an agent does not play as its spec has it: results would be about another one."""


@dataclass(frozen=True)
class AgentType:
    """A kind of agent: its name, its parameters (a frozen dataclass), and how to make one."""

    name: str
    summary: str
    parameters: type
    create: Callable[[Any, int], Agent]  # (an instance of `parameters`, seed) -> agent
    games: tuple[str, ...] = ()  # the games it plays; empty for every game
    check: Callable[[Any, type[State]], None] | None = None  # raises SpecError if they do not suit a game
    objection: Callable[[type[State]], str] | None = None  # why it does not play a game; empty if it does
    #: What must be said with its games from a start, if anything; or SpecError, if it cannot play them.
    caveat: Callable[[Any, State], str] | None = None

    exact: bool = False  # whether it analyzes positions, and its analysis is the truth
    strongest: bool = False  # whether it is the one to ask about its games

    def plays(self, game: str) -> bool:
        """Whether it plays the game of that name."""
        return not self.why_not(game)

    def why_not(self, game: str) -> str:
        """Why it does not play the game of that name; empty if it does."""
        if self.games and game not in self.games:
            return f"; it plays {', '.join(self.games)}"
        why = self.objection(find_game(game)) if self.objection else ""
        return f": {why}" if why else ""

    def check_for(self, parameters: Any, game: str) -> None:
        """Raise SpecError if parameters do not suit the game of that spec, and say what must be said with its games."""
        if self.check is not None:
            self.check(parameters, find_game(parse_spec(game)[0]))
        if (plan := getattr(parameters, "plan", "")) in PLANS:
            PLANS[plan]  # loads it: SpecError if it is a plug-in's and broken
        if sentence := self.caveat_for(parameters, game):
            say_caveat(sentence)

    def caveat_for(self, parameters: Any, game: str) -> str:
        """What must be said with its games; empty where it plays as its spec has it."""
        return self.caveat(parameters, new(game)) if self.caveat is not None else ""

    @property
    def described_parameters(self) -> tuple[Parameter, ...]:
        """The parameters, with default, range and source."""
        return parameters_of(self.parameters)


_agents: Registry[AgentType] = Registry(
    "agent", "joute.agents", instance_of(AgentType, "joute.agents.AgentType", named_by="name")
)


def register_agent(agent_type: AgentType) -> AgentType:
    """Make a kind of agent known to this process."""
    _agents.register(agent_type.name, agent_type)
    return agent_type


def agent_types(game: str | None = None) -> list[AgentType]:
    """All kinds of agents that load, or those that play a game, sorted by name."""
    found, _ = all_agents()
    return [agent_type for agent_type in found if game is None or agent_type.plays(game)]


def all_agents() -> tuple[list[AgentType], dict[str, str]]:
    """All kinds of agents, sorted by name; and why those that could not be loaded could not."""
    return _agents.find_all()


def find_agent(spec: str, game: str | None = None, *, check: bool = True) -> tuple[AgentType, Any]:
    """The kind of agent that a spec names, and its parameters; checked for a game's spec, but not made yet.

    `check=False` leaves out whether the parameters suit the game, which may import a stranger's evaluation.
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
    """What must be said with the games of an agent, because it does not play as its spec has it; mostly nothing."""
    agent_type, parameters = find_agent(spec, game, check=False)
    return agent_type.caveat_for(parameters, game)


@functools.cache
def say_caveat(sentence: str) -> None:
    """Warn of an agent that does not play as its spec has it, once a process."""
    warnings.warn(sentence, CaveatWarning, stacklevel=3)


def is_built_in(spec: str) -> bool:
    """Whether a spec names an agent of Joute's own that runs no stranger's code, such as an evaluation in Python."""
    name, pairs = parse_spec(spec)
    return _agents.is_ours(name) and ":" not in pairs.get("eval", "")


def is_agent_name(name: str) -> bool:
    """Whether there is a kind of agent of that name."""
    return name in _agents.names()


def exact_agent(game: str) -> str | None:
    """The name of the agent that knows the truth about a game, if there is one."""
    return next((known.name for known in agent_types(game) if known.exact), None)


def adviser(game: str) -> str | None:
    """The name of the agent to ask about a game: the one that knows the truth, or the strongest; none if neither is."""
    return exact_agent(game) or next((known.name for known in agent_types(game) if known.strongest), None)


def agent(spec: str, *, game: str | None = None, seed: int = 0) -> Agent:
    """The agent that a spec names. `seed` feeds whatever randomness it uses.

    >>> import joute
    >>> str(agent("greedy").choose(joute.new("connect4"), joute.Clock()))
    '4'
    """
    agent_type, parameters = find_agent(spec, game)
    return agent_type.create(parameters, seed)
