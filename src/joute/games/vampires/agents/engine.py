"""Joute's engine for Vampires vs Werewolves."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import MoveResult, Search, VampiresEngineOptions
from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.engine import EngineParameters, engine_settings, win_share_engine
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.games import State
from joute.spec import parameter, vary


@dataclass(frozen=True)
class VampiresEngineParameters(EngineParameters):
    """Expectiminimax with a small network as evaluation, a selection of turns, and few outcomes per battle."""

    plan: str = plan_parameter("langorou")
    few_outcomes: int = vary(
        AlphaBetaParameters,
        "few_outcomes",
        default=3,
        help="merge the outcomes that each side wins in a battle until this many remain; 0 for all outcomes",
        source="docs/vampires.md: all outcomes take up to nine times as long",
    )
    quiescence: int = vary(
        AlphaBetaParameters,
        "quiescence",
        default=2,
        help="most plies of certain captures beyond the horizon",
        source="docs/vampires.md: no measurable cost",
    )
    contempt: float = parameter(
        0.0,
        help="what a level game is worth, as an expected result of -1 to 1: above 0 against a weaker opponent, so that "
        "the engine avoids even battles; below 0 against a stronger one",
        source="equal players: docs/vampires.md#contempt",
        low=-0.5,
        high=0.5,
    )


def _win_share(found: MoveResult) -> float:
    return (1 + found.value) / 2


def vampires_engine(parameters: VampiresEngineParameters, seed: int) -> SearchAgent:
    """Return the agent that plays with these parameters. It is deterministic, so `seed` is unused."""

    def make(game: type[State], lines: int) -> Search:
        settings = engine_settings(
            parameters,
            game,
            lines,
            few_outcomes=parameters.few_outcomes,
            quiescence=parameters.quiescence,
            generator="contact",
        )
        return game.search(VampiresEngineOptions(**settings, contempt=parameters.contempt))

    return win_share_engine(parameters, make, _win_share)


VAMPIRES = AgentType(
    "vampires",
    "Joute's engine for Vampires vs Werewolves: expectiminimax with a network",
    VampiresEngineParameters,
    vampires_engine,
    games=("vampires",),
    engine=True,
)
