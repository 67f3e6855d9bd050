"""The agent that plays with a neural network: AlphaZero's tree search, plus the game's exact solver near the end.

`joute train` writes the network file, and ONNX Runtime runs it. If the network cannot be used, `mcts` plays instead and
gives the reason: as a warning in Python and in commands, a note in a tournament, an ``info string`` in UGI.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from joute._core import MoveResult, NetworkSearchOptions, SearchResult
from joute.agents.agent import Analysis, SearchInfo
from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.clock import Clock
from joute.agents.mcts import MctsParameters, mcts_agent
from joute.agents.net_file import NetworkFileError
from joute.agents.network import Network, find_network
from joute.agents.registry import AgentType, say_caveat
from joute.agents.search import (
    SearchAgent,
    Searcher,
    SearchParameters,
    doubt_limits,
    generator_of,
    plan_parameter,
)
from joute.agents.solve_first import SolveFirst, find_endgame
from joute.errors import SpecError
from joute.example import TITLE
from joute.games import Move, State
from joute.spec import parameter, vary

# Simulations of a search that has no other limit.
_FALLBACK = 600
# Most of a move's time that the solver may use.
_SOLVE_SHARE = 0.5
# Positions in one evaluation for `policy_only`: per position, 64 take 0.6 of the time of 1, and more gain nothing.
_MOST_TOGETHER = 64


@dataclass(frozen=True)
class AlphaZeroParameters:
    """The network file, the limits of the search, and its parameters."""

    net: str = parameter(
        "", help="the network file; empty for the one that comes with Joute", source="joute train", is_file=True
    )
    iterations: int = vary(
        MctsParameters,
        "iterations",
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source=f"AlphaZero.jl in {TITLE}",
    )
    seconds: float = vary(SearchParameters, "seconds")
    nodes: int = vary(SearchParameters, "nodes")
    policy_only: bool = parameter(
        False,
        help="play the move with the highest prior, without search or solver",
        source="yes measures the network alone",
    )
    solve: bool = parameter(
        True, help="run the game's exact solver first if it is likely to finish in time", source="exact play is best"
    )
    batch: int = parameter(
        8, help="positions that the network evaluates at once", source="docs/searches.md", low=1, high=4096
    )
    c_puct: float = parameter(
        1.25,
        help="weight of the network's priors relative to values in [0, 1]",
        source="Silver et al. 2018, there relative to values in [-1, 1]; not tuned",
        low=0,
        high=1e6,
    )
    fpu_reduction: float = parameter(
        0.25,
        help="first-play urgency: most that an untried move's value lies below its parent's, for values in [0, 1]",
        source="not tuned",
        low=0,
        high=1,
    )
    threads: int = vary(
        MctsParameters, "threads", help="threads that evaluate the network", source="one core per agent"
    )
    memory_mb: int = vary(SearchParameters, "memory_mb", help="most memory of tree and of solver, in megabytes each")
    remembered_mb: int = parameter(
        32,
        help="most memory of the network's answers, which are used again where a position returns; 0 remembers none",
        source="a tenth of a megabyte holds a hundred positions of many moves",
        low=0,
        high=2**16,
    )
    doubt: float = parameter(
        0.0,
        help="on a clock for the whole game: share of a move's time that it may take longer if another move has nearly "
        "as many visits or a higher value, while certain moves end early; 0 for neither",
        source="off: 0.5 scored 46.7% (42.3 to 51.1): docs/searches.md",
        low=0,
        high=4,
    )
    generator: str = vary(SearchParameters, "generator")
    few_outcomes: int = vary(
        AlphaBetaParameters,
        "few_outcomes",
        default=3,
        help="merge similar outcomes of a random event; the smaller, the fewer; 0 for all outcomes",
        source="few outcomes suffice: more take longer and gain little",
    )
    symmetry: str = parameter(
        "none",
        help="show each leaf to the network under a random symmetry of the board, and undo it in the policy; scrambled "
        "does not undo it",
        source="AlphaGo Zero undid it; a student's paper forgot to",
        choices=NetworkSearchOptions.choices["symmetry"],
    )
    plan: str = plan_parameter()
    fallback: str = parameter(
        "mcts",
        help="if the network is missing, damaged, or for another game: mcts plays with a warning, or none: an error",
        source="the game can go on",
        choices=("mcts", "none"),
    )


class AlphaZero:
    """Plays with a network, or as `mcts` if there is none; decided when a position of another game or rules comes."""

    info: SearchInfo | None = None
    on_info: Callable[[SearchInfo], None] | None = None

    def __init__(self, parameters: AlphaZeroParameters, seed: int) -> None:
        self._parameters = parameters
        self._seed = seed
        self._player: SearchAgent | None = None
        self._played: tuple[type[State], str] | None = None

    def prepare_game(self, start: State) -> None:
        """Load the network and evaluate something: the first evaluation takes longer than the others."""
        self._player_of(start).prepare_game(start)
        with contextlib.suppress(NetworkFileError):  # then mcts plays
            find_network(self._parameters.net, start, self._parameters.threads).warm_up(self._parameters.batch)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the best move that the search finds within the limits and the clock."""
        player = self._player_of(state)
        player.on_info = self.on_info
        move = player.choose(state, clock)
        self.info = player.info
        return move

    def stop(self) -> None:
        """Make a search that runs in another thread return its best move so far."""
        if self._player is not None:
            self._player.stop()

    def analyze(self, state: State, **options: Any) -> Analysis:
        """Return the search's analysis of a position."""
        return self._player_of(state).analyze(state, **options)

    def forget(self) -> None:
        """Discard what earlier searches left."""
        if self._player is not None:
            self._player.forget()

    @property
    def most_together(self) -> int:
        """The most positions that pay off in one evaluation. A search evaluates its own positions in batches."""
        return _MOST_TOGETHER if self._parameters.policy_only else 1

    def analyze_together(self, states: Sequence[State], *, lines: int | None = None) -> list[Analysis]:
        """Return the analysis of each position; with `policy_only`, the network evaluates all of them at once."""
        player = self._player_of(states[0])
        if isinstance(player, _PolicyPlayer):
            player.look_at(states)
        return [player.analyze(state, lines=lines) for state in states]

    def _player_of(self, state: State) -> SearchAgent:
        """Return the agent for the game and rules of a position. Only the last one is kept, to bound memory."""
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
        network = find_network(parameters.net, state, parameters.threads, batch=parameters.batch)
    except NetworkFileError as error:
        say_caveat(_caveat(parameters, error))
        shared = {name: getattr(parameters, name) for name in ("plan", "generator", "memory_mb", "threads")}
        return mcts_agent(MctsParameters(**limits, **shared), seed)
    if parameters.policy_only:
        return _PolicyPlayer(network, limits, parameters.plan, parameters.generator)
    return SearchAgent(
        lambda game, lines: _search(parameters, network, game, lines, seed),
        limits,
        fallback={"iterations": _FALLBACK},
        plan=parameters.plan,
        unit="win share",
        has_lines=parameters.solve,  # the solver computes `lines` exact values
        shown_as=_win_share,
        on_clock=lambda clock, seconds: doubt_limits(parameters, clock, seconds),
    )


def _search(parameters: AlphaZeroParameters, network: Network, game: Any, lines: int, seed: int) -> Searcher:
    options = NetworkSearchOptions(
        batch=parameters.batch,
        c_puct=parameters.c_puct,
        fpu_reduction=parameters.fpu_reduction,
        reuse=True,
        generator=generator_of(parameters.generator or game.network_generator, game),
        few_outcomes=parameters.few_outcomes,
        encoding=network.file.encoding_index(game),
        frame_rows=network.file.frame_size[0],
        frame_columns=network.file.frame_size[1],
        symmetry=parameters.symmetry,
        seed=seed,
        memory_mb=parameters.memory_mb,
        remembered_mb=parameters.remembered_mb,
    )
    search: Searcher = game.network_search(options, network.logits)
    endgame = find_endgame(game.game) if parameters.solve else None
    if endgame is None:
        return search
    solver = game.search(endgame.options(memory_mb=parameters.memory_mb, lines=lines))
    return SolveFirst(solver, search, share=_SOLVE_SHARE, cost=endgame.cost)


def _win_share(found: MoveResult) -> float:
    """Return the win share; a proven outcome is converted, since solvers return values in points of the game."""
    return (1 + found.lower) / 2 if found.lower == found.upper else found.value


@dataclass(frozen=True)
class _Favourite:
    """A move with its prior as value; stands in for a MoveResult."""

    move: Move
    value: float
    is_exact: bool = True
    visits: int = 0
    lower: int = -1
    upper: int = 1
    end_in: int = -1

    @property
    def line(self) -> list[Move]:
        """The move alone, since there is no search."""
        return [self.move]


@dataclass(frozen=True)
class _Favourites:
    """The moves by falling prior; stands in for a SearchResult."""

    moves: list[_Favourite]
    proven: bool = False
    depth: int = 0
    nodes: int = 0
    iterations: int = 0

    @property
    def best(self) -> _Favourite:
        """The move with the highest prior."""
        return self.moves[0]

    @property
    def value(self) -> float:
        """The highest prior."""
        return self.best.value


class _FirstSight:
    """Ranks the moves by the network's priors, without a search."""

    def __init__(self, network: Network, generator: str) -> None:
        self._network, self._generator = network, generator
        self._seen: dict[State, dict[Move, float]] = {}

    def look_at(self, states: Sequence[State]) -> None:
        """Evaluate positions at once, in which a player is to move; the next `run` of each of them uses the result."""
        self._seen = dict(zip(states, self._priors(states), strict=True))

    def forget(self) -> None:
        """Discard what `look_at` evaluated."""
        self._seen = {}

    def run(self, state: State, **limits: Any) -> SearchResult:
        """Return the moves by falling prior; `limits` are ignored."""
        priors = self._seen.get(state) or self._priors([state])[0]
        ranked: Any = _Favourites([_Favourite(move, priors[move]) for move in sorted(priors, key=lambda m: -priors[m])])
        result: SearchResult = ranked
        return result

    def _priors(self, states: Sequence[State]) -> list[dict[Move, float]]:
        return self._network.priors_of_each(states, self._generator or states[0].network_generator)


class _PolicyPlayer(SearchAgent):
    """Plays the move with the highest prior."""

    def __init__(self, network: Network, limits: Mapping[str, float], plan: str, generator: str) -> None:
        self._first_sight = _FirstSight(network, generator)
        super().__init__(
            lambda game, lines: self._first_sight, limits, fallback={"iterations": 1}, plan=plan, unit="prior"
        )

    def look_at(self, states: Sequence[State]) -> None:
        """Evaluate positions at once; a position in which no player is to move is left out."""
        if movable := [state for state in states if not state.is_terminal and not state.is_chance]:
            self._first_sight.look_at(movable)


def no_network_plays(game: type[State]) -> str:
    """Return why no network can play a game; empty if one can."""
    if hasattr(game, "network_search"):
        return ""
    return "it does not encode its positions for networks, as games of the core do"


def _caveat(parameters: AlphaZeroParameters, error: NetworkFileError) -> str:
    """Return the warning for a network that cannot be used; SpecError with fallback=none."""
    if parameters.fallback == "none":
        raise SpecError(f"alphazero: {error}") from error
    return f"alphazero has no network to play with, so mcts plays instead: {error}"


def caveat(parameters: AlphaZeroParameters, start: State) -> str:
    """Return a warning to print with results, e.g. a missing network. Loads the network before a clock runs."""
    try:
        find_network(parameters.net, start, parameters.threads, batch=parameters.batch)
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
