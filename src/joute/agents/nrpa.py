"""Searches without a tree as agents: `nrpa` (nested rollout policy adaptation) and `nested` (nested Monte Carlo)."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import NestedOptions, NrpaOptions, Search
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters, plan_parameter
from joute.games import State
from joute.spec import parameter, vary

_CHOICES = NrpaOptions.choices


@dataclass(frozen=True)
class NrpaParameters:
    """Nested rollout policy adaptation."""

    level: int = parameter(2, help="levels of nested adaptation", source="Rosin 2011 uses 3 to 5", low=1, high=8)
    iterations: int = parameter(
        100,
        help="calls of the level below; level ℓ runs iterations^ℓ playouts",
        source="Rosin 2011",
        low=1,
        high=10**6,
    )
    lower_iterations: int = parameter(
        0,
        help="the same for all levels but the highest; 0 for as many as iterations",
        source="Rosin 2011 has one number for all levels",
        low=0,
        high=10**6,
    )
    alpha: float = parameter(1.0, help="step size of an adaptation", source="Rosin 2011", low=1e-9, high=100)
    key: str = parameter(
        "state",
        help="key of a policy weight: a move in one position, or a move code in any position",
        source="a student's paper",
        choices=_CHOICES["key"],
    )
    corrected: bool = parameter(
        True,
        help="each side adapts to its own results; no: both adapt to the root player's best sequence",
        source="with no, the opponent learns to help the root player",
    )
    playout_plies: int = parameter(
        1000,
        help="most plies of a playout; then the game is scored as if stopped there",
        source="no limit",
        low=1,
        high=10**6,
    )
    seconds: float = vary(SearchParameters, "seconds")
    plan: str = plan_parameter()
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        default=64,
        help="most memory of policies and sequences, in megabytes",
        source="enough for level 3",
    )


def nrpa_options(parameters: NrpaParameters, *, seed: int) -> NrpaOptions:
    """Return the core's options for these parameters."""
    return NrpaOptions(
        level=parameters.level,
        iterations=parameters.iterations,
        lower_iterations=parameters.lower_iterations,
        alpha=parameters.alpha,
        key=parameters.key,
        corrected=parameters.corrected,
        max_plies=parameters.playout_plies,
        memory_mb=parameters.memory_mb,
        seed=seed,
    )


def nrpa_agent(parameters: NrpaParameters, seed: int) -> SearchAgent:
    """Return the agent that searches with these parameters."""
    options = nrpa_options(parameters, seed=seed)

    def make(game: type[State], lines: int) -> Search:
        return game.search(options)

    # NRPA ends after a fixed number of playouts, so it always has a limit; the core calls playouts `iterations`.
    lower = parameters.lower_iterations or parameters.iterations
    playouts = min(parameters.iterations * lower ** (parameters.level - 1), 2**62)
    limits = {"seconds": parameters.seconds, "nodes": 0, "iterations": 0}
    return SearchAgent(make, limits, fallback={"iterations": playouts}, plan=parameters.plan, unit="win share")


# Playouts of a nested search that has no other limit.
_FALLBACK = 10_000


@dataclass(frozen=True)
class NestedParameters:
    """Nested Monte Carlo search for two players."""

    level: int = vary(
        NrpaParameters, "level", help="nesting level; 1 is flat Monte Carlo", source="docs/searches.md", high=4
    )
    iterations: int = parameter(
        0,
        help=f"random playouts; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source="as mcts",
        low=0,
        high=2**62,
    )
    discount: float = parameter(
        0.99,
        help="factor by which a win's value falls with each ply",
        source="fewest errors: core/search/nested.hpp",
        low=0.01,
        high=1,
    )
    cut_on_win: bool = parameter(
        False, help="stop at the first move that wins", source="Cazenave et al. 2016; off: it makes more errors"
    )
    playout_plies: int = vary(NrpaParameters, "playout_plies")
    seconds: float = vary(SearchParameters, "seconds")
    plan: str = plan_parameter()


def nested_agent(parameters: NestedParameters, seed: int) -> SearchAgent:
    """Return the agent that searches with these parameters."""
    options = NestedOptions(
        level=parameters.level,
        discount=parameters.discount,
        cut_on_win=parameters.cut_on_win,
        max_plies=parameters.playout_plies,
        seed=seed,
    )

    def make(game: type[State], lines: int) -> Search:
        return game.search(options)

    limits = {"seconds": parameters.seconds, "nodes": 0, "iterations": parameters.iterations}
    return SearchAgent(make, limits, fallback={"iterations": _FALLBACK}, plan=parameters.plan, unit="win share")


NRPA = AgentType("nrpa", "playouts whose policy adapts to the best sequence", NrpaParameters, nrpa_agent)
NESTED = AgentType("nested", "nested Monte Carlo search", NestedParameters, nested_agent)
