"""Alpha-beta search as an agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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


# Node limit of a search that has no other limit.
_FALLBACK = 100_000


@dataclass(frozen=True)
class AlphaBetaParameters(SearchParameters):
    """Parameters of alpha-beta. Without all refinements, it is plain minimax with cut-offs; pruning=no has none."""

    nodes: int = vary(
        SearchParameters,
        "nodes",
        help=f"positions entered by a move; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source=f"about 10 ms in {TITLE}",
    )
    depth: int = parameter(
        0, help="most plies; 0 for no limit", source="other limits and proven results stop it", low=0, high=200
    )
    table: str = parameter(
        "full",
        help="transposition table: none, for move ordering only, or for values too",
        source="with a path-dependent evaluation, full acts as ordering",
        choices=_CHOICES["table"],
    )
    table_depth: int = parameter(
        2, help="least depth stored in the table", source=f"takes 0.7 of the time of 1 in {TITLE}", low=1, high=200
    )
    accept_deeper: bool = parameter(
        True, help="accept table entries of deeper searches", source="no: the value is that of plain minimax"
    )
    pruning: bool = parameter(
        True,
        help="alpha-beta pruning; no: plain minimax, which enters every position (no pvs, aspiration, reductions or "
        "chance pruning)",
        source="Knuth & Moore 1975",
    )
    pvs: bool = parameter(True, help="null windows after the first move", source="Marsland & Campbell 1982")
    killers: bool = parameter(
        True,
        help="try killer moves early: those that last cut off a node at the same level",
        source="Akl & Newborn 1977",
    )
    history: bool = parameter(
        True, help="history heuristic: then moves that caused many cut-offs", source="Schaeffer 1983"
    )
    hints: float = parameter(
        0.0,
        help="move ordering by the game's hints, in games that have some: a hint of 1 is worth as much as so many "
        "doublings of a move's cut-offs in the history; 0 for none",
        source="off: few games have hints",
        low=0,
        high=100,
    )
    deepening: bool = parameter(
        True, help="iterative deepening: depth 1, 2, 3, …; no: the full depth at once", source="Slate & Atkin 1977"
    )
    aspiration: bool = parameter(
        False, help="aspiration window around the last depth's value", source="off: PVS gives most of the gain"
    )
    aspiration_window: float = parameter(
        1.0,
        help="half the width of the aspiration window, in the evaluation's unit",
        source="the evaluation",
        low=0,
        high=1e12,
    )
    order_by_evaluation: bool = parameter(
        False,
        help="order the other moves by the evaluation of the position after each",
        source="pays where evaluation is cheap",
    )
    quiescence: int = parameter(
        0,
        help="search noisy moves up to this many plies beyond the horizon",
        source="off: few games have any",
        low=0,
        high=200,
    )
    extend: int = parameter(
        0,
        help="extend positions with at most this many legal moves beyond the horizon, up to 64 plies; 0 for none",
        source="off: it changes the value",
        low=0,
        high=10**6,
    )
    reductions: float = parameter(
        0.0,
        help="late-move reductions: search late moves first this times log(depth) log(move number) plies less deep "
        "(pvs)",
        source="off: the value is that of plain minimax",
        low=0,
        high=10,
    )
    reduce_root: bool = parameter(
        False, help="reduce late root moves too, by one ply less than others (reductions)", source="off, as reductions"
    )
    late_moves: int = parameter(
        0,
        help="late-move pruning: with a null window and at most 6 plies left, search only the first this times "
        "(1 + depth²/4) moves (pvs); 0 for all",
        source="off: the value is that of plain minimax",
        low=0,
        high=1000,
    )
    null_depth: int = parameter(
        0,
        help="null-move pruning, in games that support it: with a null window and at least this many plies left, cut "
        "off a position that fails high even after passing the turn (pvs); 0 for none",
        source="off: errs where every move is worse than passing",
        low=0,
        high=200,
    )
    ends: str = parameter(
        "outcome",
        help="value of a finished game: the outcome; or score, margin or points (the margin, or the tie-break) on the "
        "evaluation's scale; or the evaluation of the final position (eval)",
        source="a win is worth more than any evaluation",
        choices=_CHOICES["ends"],
    )
    win_value: float = parameter(
        0.0,
        help="value of a won game; 0 for more than any evaluation (in games with chance: the evaluation's bound, or 1)",
        source="rules",
        low=0,
        high=1e15,
    )
    chance: str = parameter(
        "star1",
        help="pruning at chance nodes; star2 probes each outcome first, which pays off with many moves",
        source="Ballard 1983; star2 needs 14 times the nodes in a game with two moves",
        choices=_CHOICES["chance"],
    )
    few_outcomes: int = parameter(
        0,
        help="merge similar outcomes of a random event until about this many of a kind remain, in games that "
        "support it; 0 for all outcomes",
        source="off: the value is that of plain expectimax",
        low=0,
        high=1000,
    )
    wide_depth: int = parameter(
        0,
        help="search all legal moves in positions with at least this many plies left, the root included, instead of "
        "those of the generator; 0 for the generator everywhere",
        source="off: for generators that leave moves out",
        low=0,
        high=200,
    )
    threads: int = parameter(1, help="threads that share the table", source="one core", low=1, high=256)


def alphabeta_settings(
    parameters: AlphaBetaParameters,
    game: type[State],
    *,
    lines: int,
    symmetries: bool = False,
    bare_table: bool = False,
    plain_root: bool = False,
    order_by_value: bool = False,
) -> dict[str, Any]:
    """Return every option of the core's alpha-beta by name, for searches that have more options besides.

    The keyword arguments are switches that only engines and paper agents set. `lines` is the number of moves that
    get an exact value; core/search/alphabeta/values.hpp describes the others.
    """
    return core_settings(parameters, game) | {
        "lines": lines,
        "symmetries": symmetries,
        "bare_table": bare_table,
        "plain_root": plain_root,
        "order_by_value": order_by_value,
    }


def alphabeta_options(
    parameters: AlphaBetaParameters, game: type[State], *, lines: int, **switches: bool
) -> AlphaBetaOptions:
    """Return the core's options for these parameters; `switches` are those of `alphabeta_settings`."""
    return AlphaBetaOptions(**alphabeta_settings(parameters, game, lines=lines, **switches))


def alphabeta_agent(
    parameters: AlphaBetaParameters, seed: int, *, weights: Sequence[float] = (), **switches: bool
) -> SearchAgent:
    """Return the agent that searches with these parameters. It is deterministic, so `seed` is unused.

    `weights` replace those of an evaluation of the core; `switches` are those of `alphabeta_settings`.
    """

    def make(game: type[State], lines: int) -> Search:
        options = alphabeta_options(parameters, game, lines=lines, **switches)
        replaced = (weights,) if weights else ()  # only searches of the core take them
        search: Callable[..., Search] = game.search
        return search(options, evaluation_of(parameters.eval, game), *replaced)

    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")}
    return SearchAgent(
        make, limits, fallback={"nodes": _FALLBACK}, plan=parameters.plan, unit="evaluation", has_lines=True
    )


def _check(parameters: AlphaBetaParameters, game: type[State]) -> None:
    check_search(parameters, game)
    if not parameters.deepening and not parameters.depth:
        raise SpecError("deepening=no needs a depth, as in depth=4")
    if parameters.threads > 1 and parameters.table == "off":
        raise SpecError("threads share their work through the table, so table=off allows only threads=1")


ALPHABETA = AgentType(
    "alphabeta", "alpha-beta search with an evaluation", AlphaBetaParameters, alphabeta_agent, check=_check
)
