"""The agents of the Divercité paper (Lambert & Rosselet, INF8175, Polytechnique Montréal, 2025).

All are alpha-beta for the player at the root, and a finished game is worth its difference of points:

- V0: four plies, moves as they are generated, points at the horizon. The file that was published as V0 adds crude
  terms for one's own pieces, and that of V1 a tenth of some; here both are what the paper says.
- V1: deepening within a share of the clock, by the plan `divercite-v1`.
- V2: the plan `divercite-v2`, and the heuristic `report` (core/games/divercite/paper.hpp).
- V3: the plan `divercite-v3`, moves ordered by the points after them (not where the next ply is the horizon), and a
  transposition table. `faithful` has the table of the paper's program: it keeps what was cut off as if it were the
  value, so the value of the root may be wrong. `corrected` keeps bounds, and so finds what minimax does. V0 to V2 have
  no error that is known.

The program plays what the last depth that it finished found, of equals the first that it tried; so do these. Its
table tells who placed each resource. Ours does so only as far as the heuristic depends on it, in the opening: else
board and hands are all that counts, so ours meets a position again more often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_agent
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters
from joute.spec import parameter, vary


def _plan_parameter(default: str, source: str) -> Any:
    return vary(SearchParameters, "plan", default=default, help="how a clock is spent", source=source)


@dataclass(frozen=True)
class _Limits:
    seconds: float = vary(SearchParameters, "seconds", source="a clock limits it too, by its plan")
    nodes: int = vary(
        SearchParameters,
        "nodes",
        help="positions entered by a move; 0 for no limit, or 100,000 where nothing else limits the search",
    )


@dataclass(frozen=True)
class _Deepening(_Limits):
    depth: int = vary(AlphaBetaParameters, "depth", source="the paper's stop by the clock alone", high=40)


@dataclass(frozen=True)
class DiverciteV0Parameters(_Limits):
    """A fixed depth."""

    depth: int = vary(AlphaBetaParameters, "depth", default=4, help="plies", source="the paper", low=1, high=40)
    plan: str = _plan_parameter(
        "steady", "not in the paper: V0 looks at no clock; on a short one, it plays what fewer plies tell"
    )


@dataclass(frozen=True)
class DiverciteV1Parameters(_Deepening):
    """Iterative deepening."""

    plan: str = _plan_parameter("divercite-v1", "the paper")


@dataclass(frozen=True)
class DiverciteV2Parameters(_Deepening):
    """The heuristic."""

    plan: str = _plan_parameter("divercite-v2", "the paper")
    bonus: str = parameter(
        "program",
        help="what a resource gets for variety around a city: 0.1 and nothing from two of the city's colour on "
        "(program), or 0.1 for each colour there (text)",
        source="its program, which played; the paper's text reads otherwise",
        choices=("program", "text"),
    )


@dataclass(frozen=True)
class DiverciteV3Parameters(DiverciteV2Parameters, PaperVersion):
    """The table and the order of moves."""

    plan: str = _plan_parameter("divercite-v3", "the paper, and 0.98 of the last window, from its program")
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        help="most memory of the table, in megabytes",
        source="fits any machine; the course allows 4 GB",
    )


_HEURISTICS = {"program": "report", "text": "report-text"}


def _search(parameters: _Limits, evaluation: str, *, bare_table: bool = False, **settings: Any) -> SearchAgent:
    """Alpha-beta and nothing else but what the settings add."""
    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth", "plan")}
    plain = {"table": "off", "pvs": False, "killers": False, "history": False, "ends": "points"}
    return alphabeta_agent(
        AlphaBetaParameters(eval=evaluation, **limits | plain | settings),
        seed=0,
        plain_root=True,
        bare_table=bare_table,
    )


def _v0_or_v1(parameters: DiverciteV0Parameters | DiverciteV1Parameters, seed: int) -> SearchAgent:
    return _search(parameters, "score")


def _v2(parameters: DiverciteV2Parameters, seed: int) -> SearchAgent:
    return _search(parameters, _HEURISTICS[parameters.bonus])


def _v3(parameters: DiverciteV3Parameters, seed: int) -> SearchAgent:
    return _search(
        parameters,
        _HEURISTICS[parameters.bonus],
        bare_table=parameters.is_faithful,
        table="full",
        table_depth=1,
        accept_deeper=False,
        order_by_evaluation=True,
        memory_mb=parameters.memory_mb,
    )


_GAMES = ("divercite",)
DIVERCITE_V0 = AgentType(
    "divercite-v0", "V0 of the Divercité paper: four plies, by points", DiverciteV0Parameters, _v0_or_v1, _GAMES
)
DIVERCITE_V1 = AgentType("divercite-v1", "V1: deepening within the clock", DiverciteV1Parameters, _v0_or_v1, _GAMES)
DIVERCITE_V2 = AgentType("divercite-v2", "V2: a heuristic of pieces", DiverciteV2Parameters, _v2, _GAMES)
DIVERCITE_V3 = AgentType(
    "divercite-v3", "V3, its final agent: a table, and ordered moves", DiverciteV3Parameters, _v3, _GAMES
)
