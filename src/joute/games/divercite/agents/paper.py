"""The agents of the Divercité paper (Lambert & Rosselet, INF8175, Polytechnique Montréal, 2025).

All use alpha-beta with values for the root player; the value of a finished game is the difference of points:

- V0: four plies, moves in generation order, points at the horizon. The published file of V0 adds crude terms for own
  pieces, and that of V1 a tenth of some of them; here both follow the paper's text.
- V1: iterative deepening within a share of the clock, by the plan `divercite-v1`.
- V2: the plan `divercite-v2`, and the heuristic `report` (core/games/divercite/paper.hpp).
- V3: the plan `divercite-v3`, moves ordered by the points after them (except at the last ply before the horizon; the
  text says by the heuristic, `order=text`), and a transposition table. `faithful` has the table of the paper's
  program, which stores the bounds of cut-off nodes as exact values, so the value of the root may be wrong.
  `corrected` stores them as bounds and finds the minimax value.
  V0 to V2 have no known error.

Two of the paper's ideas for later are options of V3: fixed first moves (`opening`), and a term for the pieces in hand
(`hands`). The paper gives neither moves nor weights; both are ours.

The program plays the best move of the last completed depth, and among equal moves the first that it searched; these
agents do the same. The keys of the program's table include who placed each resource. Joute's keys include it only where
the heuristic depends on it, in the opening; otherwise only board and hands count, so Joute's table has more hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_agent
from joute.agents.clock import Clock
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters, SearchWrapper
from joute.errors import SpecError
from joute.games import Move, State
from joute.spec import parameter, vary


def _plan_parameter(default: str, source: str) -> Any:
    return vary(SearchParameters, "plan", default=default, help="time plan", source=source)


@dataclass(frozen=True)
class _Limits:
    seconds: float = vary(SearchParameters, "seconds", source="a clock limits it too, by its plan")
    nodes: int = vary(
        SearchParameters,
        "nodes",
        help="positions entered by a move; 0 for no limit, or 100,000 if the search has no other limit",
    )


@dataclass(frozen=True)
class _Deepening(_Limits):
    depth: int = vary(AlphaBetaParameters, "depth", source="the paper's have only the clock as limit", high=40)


@dataclass(frozen=True)
class DiverciteV0Parameters(_Limits):
    """V0: a fixed depth."""

    depth: int = vary(AlphaBetaParameters, "depth", default=4, help="plies", source="the paper", low=1, high=40)
    plan: str = _plan_parameter(
        "steady", "not in the paper, whose V0 ignores the clock; here a short clock stops at a lower depth"
    )


@dataclass(frozen=True)
class DiverciteV1Parameters(_Deepening):
    """V1: iterative deepening."""

    plan: str = _plan_parameter("divercite-v1", "the paper")


def _weight(default: float, help: str, *, source: str = "the paper") -> Any:
    return parameter(default, help=f"{help}, in points", source=source, low=-100, high=100)


@dataclass(frozen=True)
class DiverciteV2Parameters(_Deepening):
    """V2: adds the heuristic."""

    divercite: float = _weight(5.0, "worth of a city with four colours around it")
    match: float = _weight(1.0, "worth of a resource of its city's colour, for the city and for the resource")
    spoilt: float = _weight(-0.5, "worth of a city, or a resource, where two share a colour that is not the city's")
    variety: float = _weight(0.1, "worth of a colour around a city that is not spoilt (bonus)")
    centre: float = _weight(0.5, "worth of a cell closer to the centre for an own piece, on the first four plies")
    plan: str = _plan_parameter("divercite-v2", "the paper")
    bonus: str = parameter(
        "program",
        help="bonus of a resource for variety around a city: 0.1, and none from two of the city's colour on "
        "(program), or 0.1 for each colour there (text)",
        source="the program, which played the paper's games; the text differs",
        choices=("program", "text"),
    )


@dataclass(frozen=True)
class DiverciteV3Parameters(DiverciteV2Parameters, PaperVersion):
    """V3: adds the transposition table and move ordering."""

    plan: str = _plan_parameter("divercite-v3", "the paper, and 0.98 of the last window, from its program")
    order: str = parameter(
        "program",
        help="moves are ordered by the points after them (program), or by the heuristic (text)",
        source="the program, which played the paper's games; the text differs",
        choices=("program", "text"),
    )
    hands: bool = parameter(
        False, help="the heuristic also counts pieces in hand", source="the paper's idea, not tried there"
    )
    hand: float = _weight(0.5, "worth of a colour in hand (hands)", source="a guess: the paper gives none")
    opening: bool = parameter(
        False,
        help="play the first two moves from a fixed list, without a search",
        source="the paper's idea to save time, not tried there",
    )
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        help="most memory of the table, in megabytes",
        source="fits any machine; the course allows 4 GB",
    )


_HEURISTICS = {"program": "report", "text": "report-text"}


# The fixed opening, ours: cities on the four cells of the centre, which V3's bias for the centre values most. Joute's
# engine begins with the first move and answers it with the second (divercite:nodes=3000000).
_OPENING_MOVES = ("Re4", "Ge6", "Bd5", "Yf5")
# The plies of V3's bias for the centre, two moves for each player.
_OPENING_PLIES = 4


def _weights_of(parameters: DiverciteV2Parameters) -> list[float]:
    """The weights of the heuristic in the order of the core (core/games/divercite/paper.hpp)."""
    hand = DiverciteV3Parameters.hand if not isinstance(parameters, DiverciteV3Parameters) else parameters.hand
    return [parameters.divercite, parameters.match, parameters.spoilt, parameters.variety, parameters.centre, hand]


def _search(
    parameters: _Limits,
    evaluation: str,
    *,
    weights: Sequence[float] = (),
    switches: dict[str, bool] | None = None,
    **settings: Any,
) -> SearchAgent:
    """Return plain alpha-beta with the given settings."""
    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth", "plan")}
    plain = {"table": "off", "pvs": False, "killers": False, "history": False, "ends": "points"}
    return alphabeta_agent(
        AlphaBetaParameters(eval=evaluation, **limits | plain | settings),
        seed=0,
        weights=weights,
        plain_root=True,
        **switches or {},
    )


def _v0_or_v1(parameters: DiverciteV0Parameters | DiverciteV1Parameters, seed: int) -> SearchAgent:
    return _search(parameters, "score")


def _v2(parameters: DiverciteV2Parameters, seed: int) -> SearchAgent:
    return _search(parameters, _HEURISTICS[parameters.bonus], weights=_weights_of(parameters))


class _FixedOpening(SearchWrapper):
    """Plays the first legal move of a fixed list in the opening, and the moves of a search afterwards."""

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the move; `info` is None if there was no search."""
        self.info = None
        if state.ply < _OPENING_PLIES:
            for text in _OPENING_MOVES:
                if state.is_legal(text):
                    fixed: Move = state.legal_move(text)
                    return fixed
        move = self._search.choose(state, clock)
        self.info = self._search.info
        return move


def _v3(parameters: DiverciteV3Parameters, seed: int) -> SearchAgent | _FixedOpening:
    search = _search(
        parameters,
        "report-hands" if parameters.hands else _HEURISTICS[parameters.bonus],
        weights=_weights_of(parameters),
        switches={"bare_table": parameters.is_faithful, "order_by_value": parameters.order == "text"},
        table="full",
        table_depth=1,
        accept_deeper=False,
        order_by_evaluation=True,
        memory_mb=parameters.memory_mb,
    )
    return _FixedOpening(search) if parameters.opening else search


def _check_v3(parameters: DiverciteV3Parameters, game: type[State]) -> None:
    if parameters.hands and parameters.bonus != "program":
        raise SpecError("divercite-v3: hands=yes adds to the heuristic of the program; leave out bonus=text")


_GAMES = ("divercite",)
DIVERCITE_V0 = AgentType(
    "divercite-v0", "V0 of the Divercité paper: four plies, by points", DiverciteV0Parameters, _v0_or_v1, _GAMES
)
DIVERCITE_V1 = AgentType("divercite-v1", "V1: deepening within the clock", DiverciteV1Parameters, _v0_or_v1, _GAMES)
DIVERCITE_V2 = AgentType("divercite-v2", "V2: a heuristic of pieces", DiverciteV2Parameters, _v2, _GAMES)
DIVERCITE_V3 = AgentType(
    "divercite-v3",
    "V3, the final agent: a table, and ordered moves",
    DiverciteV3Parameters,
    _v3,
    _GAMES,
    check=_check_v3,
)
