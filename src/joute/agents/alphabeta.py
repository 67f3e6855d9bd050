"""Alpha-beta search as an agent."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import AlphaBetaOptions, Search
from joute.agents.registry import AgentType
from joute.agents.search import (
    SearchAgent,
    SearchParameters,
    check_search,
    core_settings,
    evaluation_of,
)
from joute.errors import SpecError
from joute.example import TITLE
from joute.games import State
from joute.spec import parameter, vary

_CHOICES = AlphaBetaOptions.choices


# Nodes, where nothing else limits a search.
_FALLBACK = 100_000


@dataclass(frozen=True)
class AlphaBetaParameters(SearchParameters):
    """Every refinement can be switched off: what is left is plain minimax with cut-offs."""

    nodes: int = vary(
        SearchParameters,
        "nodes",
        help=f"positions entered by a move; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source=f"about 10 ms in {TITLE}",
    )
    depth: int = parameter(0, help="most plies; 0 for no limit", source="deepening stops by itself", low=0, high=200)
    table: str = parameter(
        "full",
        help="transposition table: none, for the order of moves, or for values too",
        source="an evaluation that depends on the path makes full act as ordering",
        choices=_CHOICES["table"],
    )
    table_depth: int = parameter(
        2, help="least depth that goes into the table", source=f"0.7 of the time of 1 in {TITLE}", low=1, high=200
    )
    accept_deeper: bool = parameter(
        True, help="use what a deeper search left in the table", source="no: the value is that of plain minimax"
    )
    pvs: bool = parameter(True, help="null windows after the first move", source="Marsland & Campbell 1982")
    killers: bool = parameter(True, help="try early what refuted a sibling", source="Akl & Newborn 1977")
    history: bool = parameter(True, help="then what refuted much elsewhere", source="Schaeffer 1983")
    deepening: bool = parameter(True, help="depth 1, 2, 3, …; no: the depth at once", source="Slate & Atkin 1977")
    aspiration: bool = parameter(False, help="a window around the last depth's value", source="off: PVS has most of it")
    aspiration_window: float = parameter(
        1.0, help="half its width, in the evaluation's unit", source="the evaluation", low=0, high=1e12
    )
    order_by_evaluation: bool = parameter(
        False, help="order the other moves by the evaluation after them", source="pays where evaluation is cheap"
    )
    quiescence: int = parameter(
        0, help="most plies of loud moves beyond the horizon", source="off: few games have any", low=0, high=200
    )
    extend: int = parameter(
        0,
        help="positions with at most so many moves are searched on beyond the horizon, up to 64 plies; 0 for none",
        source="off: it changes the value",
        low=0,
        high=10**6,
    )
    reductions: float = parameter(
        0.0,
        help="search late moves less deeply at first, by this times log(depth) log(place in the order) plies (pvs)",
        source="off: the value is that of plain minimax",
        low=0,
        high=10,
    )
    ends: str = parameter(
        "outcome",
        help="what a finished game is worth: the outcome, or score, margin or points (the margin, or what breaks "
        "the tie) on the evaluation's scale, or what the evaluation says of it (eval)",
        source="a win is worth more than any evaluation",
        choices=_CHOICES["ends"],
    )
    win_value: float = parameter(
        0.0, help="value of a won game; 0 for more than any evaluation (chance: its bound, or 1)", source="rules",
        low=0, high=1e15,
    )  # fmt: skip
    chance: str = parameter(
        "star1",
        help="pruning through random events; star2 probes first, which pays where there are many moves",
        source="Ballard 1983; star2 costs 14 times the nodes in a game of two moves",
        choices=_CHOICES["chance"],
    )
    few_outcomes: int = parameter(
        0,
        help="take outcomes of a random event together until about so many of a kind are left, in games that know how; "
        "0 for all outcomes",
        source="off: the value is that of plain expectimax",
        low=0,
        high=1000,
    )
    threads: int = parameter(1, help="threads that share the table", source="one core", low=1, high=256)


def alphabeta_options(
    parameters: AlphaBetaParameters,
    game: type[State],
    *,
    lines: int,
    symmetries: bool = False,
    bare_table: bool = False,
    plain_root: bool = False,
) -> AlphaBetaOptions:
    """The core's options for these parameters; those that are no parameters are switches of engines and papers.

    `lines` is how many moves get an exact value; core/search/alphabeta/values.hpp describes the others.
    """
    settings = core_settings(parameters, game)
    return AlphaBetaOptions(
        **settings, lines=lines, symmetries=symmetries, bare_table=bare_table, plain_root=plain_root
    )


def alphabeta_agent(
    parameters: AlphaBetaParameters, seed: int, *, bare_table: bool = False, plain_root: bool = False
) -> SearchAgent:
    """The agent that searches with these parameters; nothing in it is random."""

    def make(game: type[State], lines: int) -> Search:
        options = alphabeta_options(parameters, game, lines=lines, bare_table=bare_table, plain_root=plain_root)
        return game.search(options, evaluation_of(parameters.eval, game))

    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")}
    return SearchAgent(
        make, limits, fallback={"nodes": _FALLBACK}, plan=parameters.plan, unit="evaluation", has_lines=True
    )


def _check(parameters: AlphaBetaParameters, game: type[State]) -> None:
    check_search(parameters, game)
    if not parameters.deepening and not parameters.depth:
        raise SpecError("deepening=no searches one depth at once; say which: depth=4")
    if parameters.threads > 1 and parameters.table == "off":
        raise SpecError("threads share the table, so table=off leaves them nothing to do")


ALPHABETA = AgentType(
    "alphabeta", "alpha-beta search with an evaluation", AlphaBetaParameters, alphabeta_agent, check=_check
)
