"""Monte-Carlo tree search as agents: `mcts`, `ucb1-tuned`, `rave`, `grave`.

They are the same search (core/search/mcts/mcts.hpp) with different defaults; every part is a parameter.
docs/searches.md compares the strength of the variants.
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
from joute.games import State
from joute.spec import parameter, vary

#: The values of each parameter with choices, as the core names them.
MCTS_CHOICES = MctsOptions.choices


# Simulations of a search that has no other limit.
_FALLBACK = 10_000


@dataclass(frozen=True)
class MctsParameters(SearchParameters):
    """Parameters of Monte-Carlo tree search."""

    iterations: int = parameter(
        0,
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source="about 10 ms on a board of 42 cells",
        low=0,
        high=2**62,
    )
    bonus: str = parameter(
        "ucb1",
        help="exploration bonus of moves with few visits",
        source="Kocsis & Szepesvári 2006",
        choices=MCTS_CHOICES["bonus"],
    )
    c: float = parameter(
        0.7, help="weight of the exploration bonus, for rewards in [0, 1]", source="docs/searches.md", low=0, high=1e6
    )
    amaf: bool = parameter(
        False, help="blend in AMAF: the mean over simulations that play the move later", source="RAVE, off in UCT"
    )
    schedule: str = parameter(
        "bias",
        help="how the weight of AMAF falls: with visits of the position, of the move, or with both and a bias",
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
        1e-2,
        help="assumed bias of AMAF; larger values trust it less (schedule bias)",
        source="docs/searches.md; Cazenave 2015: 1e-5",
        low=0,
        high=1e6,
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
        help="AMAF statistics by the move's effect, for each player, or by the move's notation, for both players",
        source="the notation misleads RAVE where one text, such as a column, places pieces on many cells",
        choices=MCTS_CHOICES["amaf_key"],
    )
    priors: str = parameter(
        "uniform", help="where PUCT's priors come from", source="no network needed", choices=MCTS_CHOICES["priors"]
    )
    prior_temperature: float = parameter(
        1.0, help="temperature of the softmax of evaluations (priors eval)", source="softmax", low=1e-9, high=1e9
    )
    untried_first: bool = parameter(True, help="try every move once before comparing; PUCT never does", source="UCB1")
    fpu: float = parameter(
        1.0,
        help="first-play urgency: value of a move without visits (untried_first no)",
        source="Cazenave 2015",
        low=-1e6,
        high=1e6,
    )
    expand: str = parameter(
        "one",
        help="order of untried moves: one for random, all for the generated order",
        source="UCT",
        choices=MCTS_CHOICES["expand"],
    )
    playout: str = parameter(
        "uniform",
        help="how playouts choose moves; lgr: last good reply; lgrf: the same, but a reply that loses is forgotten",
        source="UCT",
        choices=MCTS_CHOICES["playout"],
    )
    tactics: str = parameter(
        "auto",
        help="in playouts, take wins, avoid losses, make forks; auto: all if the game finds them fast, else none",
        source="docs/searches.md",
        choices=("auto", *MCTS_CHOICES["tactics"]),
    )
    epsilon: float = parameter(
        0.1, help="probability of a random move (playouts mast, eval)", source="Ludii", low=0, high=1
    )
    playout_plies: int = parameter(
        10_000,
        help="most plies of a playout; then the game is scored as if stopped there",
        source="no limit",
        low=0,
        high=10**6,
    )
    implicit: float = parameter(
        0.0, help="weight of the minimax-backed-up evaluation", source="Lanctot et al. 2014", low=0, high=1
    )
    mix: float = parameter(
        0.0,
        help="weight of the evaluation against the playout's result; 1 for no playout",
        source="AlphaGo 2016",
        low=0,
        high=1,
    )
    eval_scale: float = parameter(
        1.0,
        help="evaluation that corresponds to winning odds of e to 1 (mix, implicit)",
        source="log-odds",
        low=1e-9,
        high=1e12,
    )
    reward: str = parameter(
        "win",
        help="win and loss; the margin scaled to [0, 1]; the plain margin; or points: the margin, or the tie-break",
        source="UCT",
        choices=MCTS_CHOICES["reward"],
    )
    margin_scale: float = parameter(
        1.0, help="margin that is worth a full win (reward scaled)", source="the game", low=1e-9, high=1e9
    )
    credit: str = parameter(
        "mover",
        help="the player whose reward a node accumulates; root reproduces an error of a student's paper",
        source="UCT",
        choices=MCTS_CHOICES["credit"],
    )
    expand_finished: bool = parameter(
        False, help="grow the tree below finished games, an error of a student's paper", source="UCT"
    )
    solver: str = parameter(
        "prune",
        help="back up proven results: off; choose: skip refuted moves at the root; prune: skip them in the whole tree",
        source="Cazenave & Saffidine 2010; docs/searches.md",
        choices=MCTS_CHOICES["solver"],
    )
    decisive: bool = parameter(
        False,
        help="look for moves that end the game when a position enters the tree",
        source="Teytaud & Teytaud 2010",
    )
    reuse: bool = parameter(
        True, help="tree reuse: keep the subtree of the position reached", source="saves work at no cost"
    )
    final_move: str = parameter(
        "visits", help="how the move to play is chosen", source="robust child", choices=MCTS_CHOICES["final_move"]
    )
    threads: int = parameter(1, help="threads, each with its own tree", source="one core", low=1, high=256)


@dataclass(frozen=True)
class Ucb1TunedParameters(MctsParameters):
    """UCT with the UCB1-Tuned bonus, which uses the variance of rewards."""

    bonus: str = vary(MctsParameters, "bonus", default="ucb1-tuned", source="Auer et al. 2002")
    c: float = vary(MctsParameters, "c", default=1.0, help="weight of the exploration bonus", source="Auer et al. 2002")


@dataclass(frozen=True)
class RaveParameters(MctsParameters):
    """UCT blended with AMAF statistics (RAVE)."""

    amaf: bool = vary(MctsParameters, "amaf", default=True, source="Gelly & Silver 2007")
    untried_first: bool = vary(
        MctsParameters,
        "untried_first",
        default=False,
        help="try every move once before comparing",
        source="AMAF orders untried moves better",
    )
    c: float = vary(MctsParameters, "c", default=0.4, help="weight of the exploration bonus")


@dataclass(frozen=True)
class GraveParameters(RaveParameters):
    """RAVE with the AMAF statistics of the closest ancestor that has enough simulations (GRAVE)."""

    ref: float = vary(
        MctsParameters,
        "ref",
        default=50.0,
        help="AMAF of the closest ancestor with more simulations",
        source="Cazenave 2015",
    )


def mcts_agent(parameters: MctsParameters, seed: int, *, fallback: int = _FALLBACK) -> SearchAgent:
    """Return the agent that searches with these parameters."""
    return SearchAgent(
        lambda game, lines: _search(parameters, seed, game),
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "iterations")},
        fallback={"iterations": fallback},
        plan=parameters.plan,
        unit=parameters.reward if parameters.reward in ("margin", "points") else "win share",
        # The solver proves the winner, not the margin.
        values_can_be_exact=parameters.reward == "win",
    )


def mcts_options(parameters: MctsParameters, game: type[State], *, seed: int) -> MctsOptions:
    """Return the core's options for these parameters."""
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
        raise SpecError("eval is set, but unused: set mix, implicit, playout=eval, or bonus=puct,priors=eval")
    try:
        _search(parameters, 0, game)
    except JouteError as error:  # the core checks what the game supports
        raise SpecError(f"{game.game}: {error}") from error


def _evaluates(parameters: MctsParameters) -> bool:
    by_prior = parameters.bonus == "puct" and parameters.priors == "eval"
    return parameters.mix > 0 or parameters.implicit > 0 or parameters.playout == "eval" or by_prior


MCTS = AgentType(
    "mcts", "Monte-Carlo tree search (UCT)", MctsParameters, mcts_agent, check=check_mcts
)  # fmt: skip
UCB1_TUNED = AgentType(
    "ucb1-tuned", "MCTS that uses the variance of rewards", Ucb1TunedParameters, mcts_agent, check=check_mcts
)
RAVE = AgentType(
    "rave", "MCTS with AMAF statistics", RaveParameters, mcts_agent, check=check_mcts
)  # fmt: skip
GRAVE = AgentType(
    "grave", "RAVE with AMAF statistics of an ancestor", GraveParameters, mcts_agent, check=check_mcts
)  # fmt: skip
