"""The alpha-beta player of the paper on Vampires vs Werewolves (team Langorou, CentraleSupélec, 2019/2020).

It deepens iteratively for 1.6 of the 2 s of a turn, and plays the best turn of the last completed depth
(core/games/vampires/langorou/langorou.hpp). Nine parameters weight the terms of its heuristic (evaluate.hpp in the same
folder); their defaults are those that the paper kept after a tournament.

`faithful` has the errors of the paper's program, `corrected` has none of them. Each error has its own switch, so that
its cost can be measured: ``langorou:chance=exact``, ``langorou:version=corrected,splits=half``. Undefined behaviour of
the program is replaced: it takes groups in the random order of a hash map, this agent row by row; it recycles turns
that are still in use and may send an illegal one, this agent never does.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from joute._core import LangorouOptions, Search
from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters, plan_parameter
from joute.errors import SpecError
from joute.games import State
from joute.spec import parameter, vary

# Node limit of a search that has no other limit.
_FALLBACK = 100_000

_AS_VERSION = "version"

# The faithful and the corrected value of each switch; yes and no are booleans in the core.
_SWITCHES: dict[str, tuple[str, str]] = {
    "chance": ("rounded", "exact"),
    "windows": ("shared", "star1"),
    "scale": ("raw", "bounded"),
    "quiescence": ("none", "captures"),
    "merge": ("adjacent", "target"),
    "wrap": ("yes", "no"),
    "splits": ("half", "houses"),
    "ply_limit": ("unaware", "aware"),
    "pairs_twice": ("yes", "no"),
}


def _switch(name: str, *, help: str, source: str) -> Any:
    """Return a parameter whose default follows the version."""
    choices = LangorouOptions.choices.get(name, ("yes", "no"))
    faithful, corrected = _SWITCHES[name]
    by_version = f"; {_AS_VERSION}: {faithful} if faithful, {corrected} if corrected"
    return parameter(_AS_VERSION, help=help + by_version, source=source, choices=(_AS_VERSION, *choices))


@dataclass(frozen=True)
class LangorouParameters(PaperVersion):
    """The paper's nine parameters, and a switch for each of its errors."""

    seconds: float = vary(
        SearchParameters,
        "seconds",
        help="seconds for a turn; 0 for no limit",
        source="a clock limits it too, by its plan",
    )
    nodes: int = vary(
        SearchParameters,
        "nodes",
        help=f"positions entered by a turn; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
    )
    depth: int = vary(AlphaBetaParameters, "depth", source="the paper's agent has only the clock as limit", high=60)
    plan: str = plan_parameter("langorou")

    counts: float = parameter(1.0, help="weight of units", source="the paper", low=0, high=1e6)
    battles: float = parameter(
        0.02, help="weight of expected gains from hostile groups", source="the paper's tournament", low=0, high=1e6
    )
    neutral_battles: float = parameter(
        0.03, help="weight of expected gains from houses", source="the paper's tournament", low=0, high=1e6
    )
    cum_score: float = parameter(
        0.0001,
        help="weight of the summed leads in units along the line: early leads count more (cum_alpha)",
        source="the paper",
        low=0,
        high=1e6,
    )
    cum_alpha: float = parameter(
        0.001,
        help="the paper's α: a lead at t plies from the root counts 1 - α t times (cum_score)",
        source="its program",
        low=0,
        high=1,
    )
    win_score: float = parameter(1e10, help="value of a win (scale=raw)", source="the paper", low=0, high=1e13)
    lose_over_win_ratio: float = parameter(
        0.8,
        help="cost of a loss relative to the value of a win: 1.2 avoids risk",
        source="the paper's tournament",
        low=0.01,
        high=100,
    )
    win_threshold: float = parameter(
        0.8,
        help="win probability from which a battle counts as won; below 1 minus this, as lost (chance=rounded)",
        source="the paper's tournament",
        low=0.5,
        high=1,
    )
    max_groups: int = parameter(
        2, help="a side with fewer groups may split one", source="the paper's tournament", low=0, high=8
    )
    groups: float = parameter(
        0.0,
        help="weight of the number of groups",
        source="the paper: not kept; its readme: tried below 0",
        low=-1e6,
        high=1e6,
    )

    chance: str = _switch(
        "chance",
        help="outcomes of a battle: two with rounded survivors, or the exact distribution",
        source="docs/vampires.md",
    )
    bins: int = parameter(
        5,
        help="most outcomes of a battle, as quantiles of the distribution (chance=exact)",
        source="measured: docs/vampires.md",
        low=2,
        high=766,
    )
    windows: str = _switch(
        "windows",
        help="alpha-beta window of an outcome: that of its turn, or its own, by Star1 or Star2",
        source="Ballard 1983",
    )
    scale: str = _switch(
        "scale", help="raw values with win_score for a win, or values between -1 and 1", source="Star1 needs a bound"
    )
    softness: float = parameter(
        5.0,
        help="value that maps to half a win (scale=bounded)",
        source="measured: docs/vampires.md",
        low=0.001,
        high=1e9,
    )
    quiescence: str = _switch(
        "quiescence",
        help="at the horizon, the heuristic alone, or after both sides' certain captures",
        source="values of odd and even depths differ much",
    )
    merge: str = _switch(
        "merge",
        help="orders to the same cell fight together only if they are consecutive, or always",
        source="the rules",
    )
    wrap: str = _switch("wrap", help="whether unit counts wrap around in a byte", source="its program")
    splits: str = _switch(
        "splits", help="a group splits into halves, or also to fit houses, two at a time", source="docs/vampires.md"
    )
    ply_limit: str = _switch(
        "ply_limit", help="whether the search knows the ply limit, at which more units win", source="the rules"
    )
    pairs_twice: str = _switch(
        "pairs_twice", help="whether each pair of hostile groups counts twice (battles)", source="its program"
    )
    table: str = parameter(
        "yes",
        help="search the best turn of the last depth first; values: and search no position again to the same "
        "remaining depth, although its value depends on the path (cum_score)",
        source="the paper, which tried all three and kept yes",
        choices=LangorouOptions.choices["table"],
    )

    def switch(self, name: str) -> str:
        """Return the value of a switch; if it is unset, that of the version."""
        value: str = getattr(self, name)
        return _SWITCHES[name][not self.is_faithful] if value == _AS_VERSION else value


# Parameters that the agent handles itself; the rest are options of the core.
_NOT_OPTIONS = {"version", "seconds", "nodes", "depth", "plan"}


def langorou_options(parameters: LangorouParameters, *, lines: int) -> LangorouOptions:
    """Return the core's options for these parameters."""
    names = {field.name for field in dataclasses.fields(parameters)} - _NOT_OPTIONS
    settings = {name: getattr(parameters, name) for name in names - _SWITCHES.keys()}
    for name in _SWITCHES:
        value = parameters.switch(name)
        settings[name] = value if name in LangorouOptions.choices else value == "yes"
    return LangorouOptions(**settings, lines=lines)


def _langorou(parameters: LangorouParameters, seed: int) -> SearchAgent:
    def make(game: type[State], lines: int) -> Search:
        return game.search(langorou_options(parameters, lines=lines))

    limits = {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")}
    return SearchAgent(
        make, limits, fallback={"nodes": _FALLBACK}, plan=parameters.plan, unit="evaluation", has_lines=True
    )


def _check(parameters: LangorouParameters, game: type[State]) -> None:
    windows = parameters.switch("windows")
    if windows != "shared" and parameters.switch("scale") == "raw":
        raise SpecError(f"langorou: scale=raw has no bounds for windows={windows}; set windows=shared or scale=bounded")


LANGOROU = AgentType(
    "langorou",
    "alpha-beta of the Vampires paper, with a switch for each of its errors",
    LangorouParameters,
    _langorou,
    ("vampires",),
    check=_check,
)
