"""The agent that plays by a network: the tree search of AlphaZero, and the game's exact solver where it has a chance.

The network is a file that `joute train` wrote, run by ONNX Runtime. Where it cannot be used, `mcts` plays instead and
says why: a warning in Python and in commands, a note of a tournament, an ``info string`` of UGI.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import MoveResult, NetworkSearchOptions, SearchResult
from joute.agents.agent import Analysis, SearchInfo
from joute.agents.clock import Clock
from joute.agents.mcts import MctsParameters, mcts_agent
from joute.agents.net_file import NetworkFileError
from joute.agents.network import Network, find_network
from joute.agents.registry import AgentType, say_caveat
from joute.agents.search import (
    SearchAgent,
    Searcher,
    SearchParameters,
    generator_of,
    plan_parameter,
)
from joute.agents.solve_first import SolveFirst, find_endgame
from joute.errors import SpecError
from joute.example import TITLE
from joute.games import Move, State
from joute.spec import parameter, vary

# Simulations, where nothing else limits a search.
_FALLBACK = 600
# What the solver may take of a move's time, where it is likely to suffice: as the engines have it.
_SOLVE_SHARE = 0.5


@dataclass(frozen=True)
class AlphaZeroParameters:
    """Which network, how long it is searched with, and how."""

    net: str = parameter(
        "", help="the network file; empty for the one that comes with Joute", source="joute train", is_file=True
    )
    iterations: int = vary(
        MctsParameters,
        "iterations",
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source=f"what AlphaZero.jl plays {TITLE} with",
    )
    seconds: float = vary(SearchParameters, "seconds")
    nodes: int = vary(SearchParameters, "nodes")
    policy_only: bool = parameter(
        False, help="play the network's favourite at first sight, without search or solver", source="to measure it"
    )
    solve: bool = parameter(
        True, help="ask the game's exact solver where it is likely to be quick enough", source="what is exact is best"
    )
    batch: int = parameter(
        8, help="positions that the network sees at once", source="docs/searches.md", low=1, high=4096
    )
    c_puct: float = parameter(
        1.25,
        help="weight of the network's priors beside values in [0, 1]",
        source="Silver et al. 2018, there beside values in [-1, 1]; not tuned",
        low=0,
        high=1e6,
    )
    fpu_reduction: float = parameter(
        0.25,
        help="how much less than its position an untried move is worth at most, for values in [0, 1]",
        source="not tuned",
        low=0,
        high=1,
    )
    threads: int = vary(
        MctsParameters, "threads", help="threads that the network thinks with", source="one core an agent"
    )
    memory_mb: int = vary(SearchParameters, "memory_mb", help="most memory of tree and of solver, in megabytes each")
    generator: str = vary(SearchParameters, "generator")
    plan: str = plan_parameter()
    fallback: str = parameter(
        "mcts",
        help="who plays where the network is missing, damaged, or for another game: mcts, which says so, or nobody",
        source="a game goes on",
        choices=("mcts", "none"),
    )


class AlphaZero:
    """Plays by a network, or as `mcts` does where there is none; which, the first position of a game decides."""

    info: SearchInfo | None = None
    on_info: Callable[[SearchInfo], None] | None = None

    def __init__(self, parameters: AlphaZeroParameters, seed: int) -> None:
        self._parameters = parameters
        self._seed = seed
        self._player: SearchAgent | None = None
        self._played: tuple[type[State], str] | None = None

    def choose(self, state: State, clock: Clock) -> Move:
        """The move that the search likes best within the limits and the clock."""
        player = self._player_of(state)
        player.on_info = self.on_info
        move = player.choose(state, clock)
        self.info = player.info
        return move

    def stop(self) -> None:
        """Make a search that runs in another thread answer with what it has found."""
        if self._player is not None:
            self._player.stop()

    def analyze(self, state: State, **options: Any) -> Analysis:
        """What the search says of a position."""
        return self._player_of(state).analyze(state, **options)

    def _player_of(self, state: State) -> SearchAgent:
        """Who plays the game of a position; one at a time, for each holds its memory."""
        played = (type(state), state.rules)
        if self._player is None or self._played != played:
            self._player = _player(self._parameters, self._seed, state)
            self._played = played
        return self._player


def _player(parameters: AlphaZeroParameters, seed: int, state: State) -> SearchAgent:
    if why := no_network_plays(type(state)):
        raise SpecError(f"agent 'alphazero' does not play {state.game}: {why}")
    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "iterations")}
    try:
        network = find_network(parameters.net, state, parameters.threads)
    except NetworkFileError as error:
        say_caveat(_caveat(parameters, error))
        shared = {name: getattr(parameters, name) for name in ("plan", "generator", "memory_mb", "threads")}
        return mcts_agent(MctsParameters(**limits, **shared), seed)
    if parameters.policy_only:
        return SearchAgent(
            lambda game, lines: _FirstSight(network),
            limits,
            fallback={"iterations": 1},
            plan=parameters.plan,
            unit="prior",
        )
    return SearchAgent(
        lambda game, lines: _search(parameters, network, game, lines),
        limits,
        fallback={"iterations": _FALLBACK},
        plan=parameters.plan,
        unit="win share",
        has_lines=parameters.solve,  # solvers are asked for so many exact values
        shown_as=_win_share,
    )


def _search(parameters: AlphaZeroParameters, network: Network, game: Any, lines: int) -> Searcher:
    options = NetworkSearchOptions(
        batch=parameters.batch,
        c_puct=parameters.c_puct,
        fpu_reduction=parameters.fpu_reduction,
        reuse=True,
        generator=generator_of(parameters.generator, game),
        memory_mb=parameters.memory_mb,
    )
    search: Searcher = game.network_search(options, network.evaluate)
    endgame = find_endgame(game.game) if parameters.solve else None
    if endgame is None:
        return search
    solver = game.search(endgame.options(memory_mb=parameters.memory_mb, lines=lines))
    return SolveFirst(solver, search, share=_SOLVE_SHARE, cost=endgame.cost)


def _win_share(found: MoveResult) -> float:
    """What is proven, as a share; solvers count in points of their game."""
    return (1 + found.lower) / 2 if found.lower == found.upper else found.value


@dataclass(frozen=True)
class _Favourite:
    """A move as the network sees it at first sight, where a search would have a MoveResult."""

    move: Move
    value: float
    is_exact: bool = True
    visits: int = 0
    lower: int = -1
    upper: int = 1
    end_in: int = -1

    @property
    def line(self) -> list[Move]:
        """The move alone."""
        return [self.move]


@dataclass(frozen=True)
class _Favourites:
    """The moves, best first, where a search would have a SearchResult."""

    moves: list[_Favourite]
    proven: bool = False
    depth: int = 0
    nodes: int = 0
    iterations: int = 0

    @property
    def best(self) -> _Favourite:
        """The first."""
        return self.moves[0]

    @property
    def value(self) -> float:
        """The share of the first."""
        return self.best.value


class _FirstSight:
    """No search: the moves in the order of the network's priors."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def run(self, state: State, **limits: Any) -> SearchResult:
        """What the network says; there is nothing to limit."""
        priors = self._network.priors_of(state)
        report: Any = _Favourites([_Favourite(move, priors[move]) for move in sorted(priors, key=lambda m: -priors[m])])
        found: SearchResult = report
        return found


def no_network_plays(game: type[State]) -> str:
    """Why no network plays a game; empty if one may."""
    if hasattr(game, "network_search"):
        return ""
    return "it does not say how networks see its positions, as games of the core do"


def _caveat(parameters: AlphaZeroParameters, error: NetworkFileError) -> str:
    """What is to be said where the network cannot be used; SpecError if nobody shall play then."""
    if parameters.fallback == "none":
        raise SpecError(f"alphazero: {error}") from error
    return f"alphazero has no network to play by, so mcts plays instead: {error}"


def caveat(parameters: AlphaZeroParameters, start: State) -> str:
    """What must be said with games from a start. The network is loaded here, before a clock runs."""
    try:
        find_network(parameters.net, start, parameters.threads)
    except NetworkFileError as error:
        return _caveat(parameters, error)
    return ""


def check(parameters: AlphaZeroParameters, game: type[State]) -> None:
    """Raise SpecError if the parameters do not suit a game."""
    generator_of(parameters.generator, game)


ALPHAZERO = AgentType(
    "alphazero",
    "tree search by a network, and exact endgames",
    AlphaZeroParameters,
    AlphaZero,
    objection=no_network_plays,
    check=check,
    caveat=caveat,
)
