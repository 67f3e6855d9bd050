"""The alpha-beta player of the paper on Vampires vs Werewolves (team Langorou, CentraleSupélec, 2019/2020).

Iterative deepening for 1.6 of the 2 s that a turn has; the turn of the last depth that was finished is played
(core/games/vampires/langorou/langorou.hpp). Nine parameters weigh what it sees (evaluate.hpp beside it); their defaults
are those that the paper kept after a tournament.

`faithful` has the errors of the paper's program, `corrected` none of them, and each can be switched alone, so that its
cost can be measured: ``langorou:chance=exact``, ``langorou:version=corrected,splits=half``. What of the program is
undefined is fixed here: it takes groups in the random order of a hash map, ours row by row; and it recycles turns
that are still in use, so that it may send an illegal one, ours never does.
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

# Nodes, where nothing else limits a search.
_FALLBACK = 100_000

_AS_VERSION = "version"

# The value of each switch, faithful and corrected; those of yes and no are booleans in the core.
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
    """A field that is as the version has it unless it is set."""
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
        help=f"positions entered by a turn; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
    )
    depth: int = vary(AlphaBetaParameters, "depth", source="the paper's has a clock", high=60)
    plan: str = plan_parameter("langorou")

    counts: float = parameter(1.0, help="weight of units", source="the paper", low=0, high=1e6)
    battles: float = parameter(
        0.02, help="weight of what groups gain from each other", source="the paper's tournament", low=0, high=1e6
    )
    neutral_battles: float = parameter(
        0.03, help="weight of what groups gain from houses", source="the paper's tournament", low=0, high=1e6
    )
    cum_score: float = parameter(
        0.0001,
        help="weight of the leads in units on the way, each 0.001 less for every ply: what is had early is worth more",
        source="the paper",
        low=0,
        high=1e6,
    )
    win_score: float = parameter(1e10, help="value of a win (scale=raw)", source="the paper", low=0, high=1e13)
    lose_over_win_ratio: float = parameter(
        0.8,
        help="what a loss costs, in wins: 1.2 is averse to risk",
        source="the paper's tournament",
        low=0.01,
        high=100,
    )
    win_threshold: float = parameter(
        0.8,
        help="the chance from which on a battle counts as won, and below one minus which as lost (chance=rounded)",
        source="the paper's tournament",
        low=0.5,
        high=1,
    )
    max_groups: int = parameter(
        2, help="a side with fewer groups may split one", source="the paper's tournament", low=0, high=8
    )
    groups: float = parameter(
        0.0, help="weight of the number of groups", source="the paper: tried below 0, not kept", low=-1e6, high=1e6
    )

    chance: str = _switch(
        "chance",
        help="outcomes of a battle: two with rounded survivors, or their distribution",
        source="docs/vampires.md",
    )
    bins: int = parameter(
        5,
        help="most outcomes of a battle, quantiles of its distribution (chance=exact)",
        source="measured: docs/vampires.md",
        low=2,
        high=766,
    )
    windows: str = _switch(
        "windows",
        help="outcomes are searched in the window of their turn, or in their own, by Star1 or Star2",
        source="Ballard 1983",
    )
    scale: str = _switch(
        "scale", help="values as they are, a win at win_score, or between -1 and 1", source="Star1 needs a bound"
    )
    softness: float = parameter(
        5.0,
        help="the value that counts half a win (scale=bounded)",
        source="measured: docs/vampires.md",
        low=0.001,
        high=1e9,
    )
    quiescence: str = _switch(
        "quiescence",
        help="at the horizon, the heuristic, or what is left when both have taken what is certain",
        source="values of odd and even depths differ much",
    )
    merge: str = _switch(
        "merge", help="orders to one cell fight as one if they follow each other, or always", source="the rules"
    )
    wrap: str = _switch("wrap", help="whether units are counted in a byte", source="its program")
    splits: str = _switch(
        "splits", help="a group splits in halves, or also to fit houses, two at a time", source="docs/vampires.md"
    )
    ply_limit: str = _switch(
        "ply_limit", help="whether the end by plies is known, where more units win", source="the rules"
    )
    pairs_twice: str = _switch(
        "pairs_twice", help="whether each pair of hostile groups counts twice (battles)", source="its program"
    )
    table: bool = parameter(
        True, help="try the best turn of the last depth first", source="the paper, which measured it against none"
    )

    def switch(self, name: str) -> str:
        """What a switch comes to."""
        value: str = getattr(self, name)
        return _SWITCHES[name][not self.is_faithful] if value == _AS_VERSION else value


# What the agent sees to; the rest are options of the core.
_NOT_OPTIONS = {"version", "seconds", "nodes", "depth", "plan"}


def langorou_options(parameters: LangorouParameters, *, lines: int) -> LangorouOptions:
    """The core's options for these parameters."""
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
        raise SpecError(f"langorou: scale=raw has no bounds for windows={windows}; say windows=shared or scale=bounded")


LANGOROU = AgentType(
    "langorou",
    "alpha-beta of the Vampires paper, with a switch for each of its errors",
    LangorouParameters,
    _langorou,
    ("vampires",),
    check=_check,
)
