"""The job of a puzzle: the reply that refutes a wrong answer."""

from __future__ import annotations

from typing import Any

from joute.agents.win_probability import analysis_probability, proven_outcome
from joute.games import new
from joute.games.state import NativeState
from joute.reviews.classes import ReviewParameters
from joute.reviews.judge import Judge
from joute.web.jobs import Context

_NODES = 20_000
_SECONDS = 1.5


def refute(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The best reply: ``{reply, chance, outcome}``, both for the player to move; outcome is null unless proven."""
    state = new(request["game"], request["position"])
    seconds = None if isinstance(state, NativeState) else _SECONDS
    judge = Judge(state.spec, seconds=seconds, parameters=ReviewParameters(nodes=_NODES))
    analysis = judge.analysis(state, lines=1)
    first = analysis_probability(state, analysis, agent=judge.spec)
    mine = first if first is None or state.to_move == 0 else 1 - first
    return {"reply": str(analysis.moves[0].move), "chance": mine, "outcome": proven_outcome(analysis)}
