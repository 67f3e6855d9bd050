"""Positions and agents under the types that tests need: `joute.new` and `joute.agent` promise State and Agent alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, cast, runtime_checkable

from joute import Agent, State, agent, new
from joute._core import BatchSearch, NetworkSearchOptions, ReplayWindow, Search, SelfPlay, SelfPlayOptions
from joute.agents import Analyst, SearchInfo
from joute.games import find_game

S = TypeVar("S", bound=State)
T = TypeVar("T")


class New(Generic[S]):
    """`joute.new` for one game: ``new = New(Quoridor)``."""

    def __init__(self, game: type[S]) -> None:
        self._game = game

    def __call__(self, spec: str, position: str | None = None) -> S:
        """The start position of a game, or the given position of it."""
        state = new(spec, position)
        assert isinstance(state, self._game)
        return state


class NetworkState(State):
    """The members of a position that networks need. No class derives from it; encodable native games have them."""

    if TYPE_CHECKING:
        symmetry_count: int
        input_shape: tuple[int, int, int]
        policy_size: int
        knows_late_outcomes: ClassVar[bool]

        @staticmethod
        def self_play(options: SelfPlayOptions, rules: str = "") -> SelfPlay: ...
        @staticmethod
        def batch_search(options: SelfPlayOptions, rules: str = "") -> BatchSearch: ...
        @staticmethod
        def replay_window(capacity: int, rules: str = "", generator: int = 0, threads: int = 1) -> ReplayWindow: ...
        @staticmethod
        def network_search(options: NetworkSearchOptions, evaluate: Callable[[Any, Any, Any, Any], None]) -> Search: ...
        def encode(self) -> bytes: ...
        def policy_indices(self, move: Any) -> list[int]: ...
        def input_map(self, g: int) -> list[int]: ...
        def policy_map(self, g: int) -> list[int]: ...
        def transformed(self, g: int) -> Self: ...
        def transformed_move(self, move: Any, g: int) -> Any: ...


def network_state(state: State) -> NetworkState:
    """A position that networks can play from."""
    assert hasattr(state, "encode")
    return cast(NetworkState, state)


def network_game(name: str) -> type[NetworkState]:
    """A game that networks can play."""
    game = find_game(name)
    assert hasattr(game, "encode")
    return cast(type[NetworkState], game)


def new_for_network(spec: str, position: str | None = None) -> NetworkState:
    """`joute.new` for a game that networks can play."""
    return network_state(new(spec, position))


@runtime_checkable
class AnalyzingAgent(Agent, Analyst, Protocol):
    """An agent that says what it thinks of a position."""


@runtime_checkable
class SearchingAgent(AnalyzingAgent, Protocol):
    """An agent that also tells of its search, and can be stopped."""

    info: SearchInfo | None
    on_info: Callable[[SearchInfo], None] | None

    def stop(self) -> None: ...


def analyst(spec: str, *, game: str | None = None, seed: int = 0) -> AnalyzingAgent:
    """`joute.agent` for one that analyzes positions."""
    made = agent(spec, game=game, seed=seed)
    assert isinstance(made, AnalyzingAgent)
    return made


def searcher(spec: str, *, game: str | None = None, seed: int = 0) -> SearchingAgent:
    """`joute.agent` for one that searches."""
    made = agent(spec, game=game, seed=seed)
    assert isinstance(made, SearchingAgent)
    return made


def info_of(player: Agent) -> SearchInfo:
    """The search information of an agent's last choice."""
    info = getattr(player, "info", None)
    assert isinstance(info, SearchInfo)
    return info


def as_a(kind: type[T], value: object) -> T:
    """An object of whose class a test is sure."""
    assert isinstance(value, kind)
    return value


def known(value: T | None) -> T:
    """A value that must not be None, such as the result of a finished game."""
    assert value is not None
    return value
