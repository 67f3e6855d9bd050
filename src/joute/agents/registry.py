"""Which agents there are, and how a spec becomes an agent.

Agents are found through the entry point group ``joute.agents``, the built-in ones included; each entry
is an AgentType.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute.agents.agent import Agent
from joute.errors import SpecError
from joute.games import State, find_game
from joute.plugins import Registry
from joute.spec import Parameter, parameters_of, parse_spec, read_settings


@dataclass(frozen=True)
class AgentType:
    """A kind of agent: its name, its parameters (a frozen dataclass), and how to make one."""

    name: str
    summary: str
    parameters: type
    create: Callable[[Any, int], Agent]  # (an instance of `parameters`, seed) -> agent
    games: tuple[str, ...] = ()  # the games it plays; empty for every game
    check: Callable[[Any, type[State]], None] | None = None  # raises SpecError if they do not suit a game

    exact: bool = False  # whether it analyzes positions, and its analysis is the truth
    strongest: bool = False  # whether it is the one to ask about its games

    def plays(self, game: str) -> bool:
        """Whether it plays the game of that name."""
        return not self.games or game in self.games

    @property
    def described_parameters(self) -> tuple[Parameter, ...]:
        """The parameters, with default, range and source."""
        return parameters_of(self.parameters)


def _checked(name: str, entry: object) -> AgentType:
    if not isinstance(entry, AgentType):
        raise TypeError(f"{entry!r} is not a joute.agents.AgentType")
    if entry.name != name:
        raise TypeError(f"the agent calls itself '{entry.name}'")
    return entry


_agents: Registry[AgentType] = Registry("agent", "joute.agents", _checked)


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
    """The kind of agent that a spec names, and its parameters; checked, but not made yet.

    `check=False` leaves out whether the parameters suit the game, which may import a stranger's evaluation.
    """
    name, pairs = parse_spec(spec)
    agent_type = _agents.find(name)
    if game is not None:
        game, _ = parse_spec(game)  # its rules do not matter
    if game is not None and not agent_type.plays(game):
        raise SpecError(f"agent '{name}' does not play {game}; it plays {', '.join(agent_type.games)}")
    parameters = agent_type.parameters(**read_settings(name, pairs, agent_type.described_parameters))
    if check and game is not None and agent_type.check is not None:
        agent_type.check(parameters, find_game(game))
    return agent_type, parameters


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
