"""Monte-Carlo tree search as agents: `mcts`, `ucb1-tuned`, `rave`, `grave`.

They are one search (core/search/mcts/mcts.hpp) with other defaults; every part can be set by hand.
docs/searches.md says what each variant is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import MctsOptions, Search
from joute.agents.registry import AgentType
from joute.agents.search import (
    SearchAgent,
    SearchParameters,
    check_search,
    core_settings,
    evaluation_of,
)
from joute.errors import JouteError, SpecError
from joute.example import TITLE
from joute.games import State
from joute.spec import parameter, vary

#: What each choice may be; the core names them.
MCTS_CHOICES = MctsOptions.choices


# Simulations, where nothing else limits a search.
_FALLBACK = 10_000


@dataclass(frozen=True)
class MctsParameters(SearchParameters):
    """Every part of the search."""

    iterations: int = parameter(
        0,
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source=f"about 10 ms in {TITLE}",
        low=0,
        high=2**62,
    )
    bonus: str = parameter(
        "ucb1", help="what little-tried moves gain", source="Kocsis & Szepesvári 2006", choices=MCTS_CHOICES["bonus"]
    )
    c: float = parameter(
        0.7, help="weight of the bonus, for rewards in [0, 1]", source="docs/searches.md", low=0, high=1e6
    )
    amaf: bool = parameter(False, help="blend in the mean of later uses of the move", source="RAVE, off in UCT")
    schedule: str = parameter(
        "bias",
        help="how the weight of AMAF falls: by visits of the position, of the move, or by both and a bias",
        source="Gelly & Silver 2011",
        choices=MCTS_CHOICES["schedule"],
    )
    k: float = parameter(
        1000.0,
        help="visits at which both means weigh equally (schedules position, move)",
        source="Gelly & Silver 2007, Go",
        low=0,
        high=1e9,
    )
    bias: float = parameter(
        1e-2, help="mistrust of AMAF (schedule bias)", source="docs/searches.md; Cazenave 2015: 1e-5", low=0, high=1e6
    )
    ref: float = parameter(
        0.0,
        help="AMAF of the closest ancestor with more simulations; 0 for the position's own",
        source="0 is RAVE",
        low=0,
        high=1e9,
    )
    amaf_key: str = parameter(
        "effect",
        help="AMAF by the move's effect for each player, or by the move as written for both",
        source=f"by column {TITLE} misleads RAVE",
        choices=MCTS_CHOICES["amaf_key"],
    )
    priors: str = parameter(
        "uniform", help="where PUCT's priors come from", source="no network needed", choices=MCTS_CHOICES["priors"]
    )
    prior_temperature: float = parameter(
        1.0, help="differences of evaluation are divided by this (priors eval)", source="softmax", low=1e-9, high=1e9
    )
    untried_first: bool = parameter(True, help="try every move once before comparing; PUCT never does", source="UCB1")
    fpu: float = parameter(
        1.0, help="value of a move without a visit (untried_first no)", source="Cazenave 2015", low=-1e6, high=1e6
    )
    expand: str = parameter(
        "one",
        help="untried moves in random order one by one, or all in the order generated",
        source="UCT",
        choices=MCTS_CHOICES["expand"],
    )
    playout: str = parameter(
        "uniform", help="how a game is played to its end", source="UCT", choices=MCTS_CHOICES["playout"]
    )
    tactics: str = parameter(
        "auto",
        help="in playouts take a win, give none, make forks; auto: all of it where the game sees it fast, else none",
        source="docs/searches.md",
        choices=("auto", *MCTS_CHOICES["tactics"]),
    )
    epsilon: float = parameter(0.1, help="chance of a random move (playouts mast, eval)", source="Ludii", low=0, high=1)
    playout_plies: int = parameter(
        10_000, help="most plies of a playout; then the game counts as stopped", source="no limit", low=0, high=10**6
    )
    implicit: float = parameter(
        0.0, help="weight of the evaluation backed up by minimax", source="Lanctot et al. 2014", low=0, high=1
    )
    mix: float = parameter(
        0.0, help="weight of the evaluation beside the playout; 1 for no playout", source="AlphaGo 2016", low=0, high=1
    )
    eval_scale: float = parameter(
        1.0, help="the evaluation that means odds of e to 1 (mix, implicit)", source="log-odds", low=1e-9, high=1e12
    )
    reward: str = parameter(
        "win",
        help="win and loss, the margin scaled to [0, 1], the plain margin, or points: it, or what breaks the tie",
        source="UCT",
        choices=MCTS_CHOICES["reward"],
    )
    margin_scale: float = parameter(
        1.0, help="margin that is worth a full win (reward scaled)", source="the game", low=1e-9, high=1e9
    )
    credit: str = parameter(
        "mover",
        help="whose reward a node keeps; root is an error of a student's paper",
        source="UCT",
        choices=MCTS_CHOICES["credit"],
    )
    expand_finished: bool = parameter(
        False, help="grow the tree below finished games: an error of a student's paper", source="UCT"
    )
    solver: str = parameter(
        "prune",
        help="back up proven results: not, to choose and stop at the root, or also to prune the tree",
        source="Cazenave & Saffidine 2010; docs/searches.md",
        choices=MCTS_CHOICES["solver"],
    )
    decisive: bool = parameter(
        False, help="see moves that end the game when a position joins the tree", source="Teytaud & Teytaud 2010"
    )
    reuse: bool = parameter(True, help="keep the part of the tree that still applies", source="costs nothing")
    final_move: str = parameter(
        "visits", help="which move is played", source="robust child", choices=MCTS_CHOICES["final_move"]
    )
    threads: int = parameter(1, help="threads, each with a tree of its own", source="one core", low=1, high=256)


@dataclass(frozen=True)
class Ucb1TunedParameters(MctsParameters):
    """UCT with the bonus that looks at the variance."""

    bonus: str = vary(MctsParameters, "bonus", default="ucb1-tuned", source="Auer et al. 2002")
    c: float = vary(MctsParameters, "c", default=1.0, help="weight of the bonus", source="Auer et al. 2002")


@dataclass(frozen=True)
class RaveParameters(MctsParameters):
    """UCT guided by the mean of later uses of each move."""

    amaf: bool = vary(MctsParameters, "amaf", default=True, source="Gelly & Silver 2007")
    untried_first: bool = vary(
        MctsParameters,
        "untried_first",
        default=False,
        help="try every move once before comparing",
        source="AMAF knows better",
    )
    c: float = vary(MctsParameters, "c", default=0.4, help="weight of the bonus")


@dataclass(frozen=True)
class GraveParameters(RaveParameters):
    """RAVE with statistics of an ancestor that has seen enough."""

    ref: float = vary(
        MctsParameters,
        "ref",
        default=50.0,
        help="AMAF of the closest ancestor with more simulations",
        source="Cazenave 2015",
    )


def mcts_agent(parameters: MctsParameters, seed: int, *, fallback: int = _FALLBACK) -> SearchAgent:
    """The agent that searches with these parameters."""
    return SearchAgent(
        lambda game, lines: _search(parameters, seed, game),
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "iterations")},
        fallback={"iterations": fallback},
        plan=parameters.plan,
        unit=parameters.reward if parameters.reward in ("margin", "points") else "win share",
        # What is proven is who wins, not by how much.
        values_can_be_exact=parameters.reward == "win",
    )


def mcts_options(parameters: MctsParameters, game: type[State], *, seed: int) -> MctsOptions:
    """The core's options for these parameters."""
    settings = core_settings(parameters, game)
    if parameters.tactics == "auto":
        settings["tactics"] = "fork" if game.fast_tactics else "none"
    return MctsOptions(**settings, seed=seed)


def _search(parameters: MctsParameters, seed: int, game: type[State]) -> Search:
    evaluation = evaluation_of(parameters.eval, game) if _evaluates(parameters) else None
    return game.search(mcts_options(parameters, game, seed=seed), evaluation)


def check_mcts(parameters: MctsParameters, game: type[State]) -> None:
    """Raise SpecError if the parameters do not suit a game or each other."""
    check_search(parameters, game)
    if parameters.eval not in ("", "none") and not _evaluates(parameters):
        raise SpecError("eval is set, but nothing asks it: set mix, implicit, playout=eval, or bonus=puct,priors=eval")
    try:
        _search(parameters, 0, game)
    except JouteError as error:  # the core knows what a game offers
        raise SpecError(f"{game.game}: {error}") from error


def _evaluates(parameters: MctsParameters) -> bool:
    by_prior = parameters.bonus == "puct" and parameters.priors == "eval"
    return parameters.mix > 0 or parameters.implicit > 0 or parameters.playout == "eval" or by_prior


MCTS = AgentType(
    "mcts", "Monte-Carlo tree search (UCT)", MctsParameters, mcts_agent, check=check_mcts
)  # fmt: skip
UCB1_TUNED = AgentType(
    "ucb1-tuned", "MCTS that looks at the variance of rewards", Ucb1TunedParameters, mcts_agent, check=check_mcts
)
RAVE = AgentType(
    "rave", "MCTS guided by later uses of a move", RaveParameters, mcts_agent, check=check_mcts
)  # fmt: skip
GRAVE = AgentType(
    "grave", "RAVE with statistics of an ancestor", GraveParameters, mcts_agent, check=check_mcts
)  # fmt: skip
