"""The jobs of the analysis page: a position, and the review of a game."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from joute.agents import Analysis
from joute.agents.win_probability import analysis_probability, move_probability
from joute.errors import JouteError
from joute.games import State
from joute.numbers import value_text
from joute.protocol.analysis_data import analysis_data, analyzed
from joute.protocol.analysis_request import Recipe, Request, Resolver, default_agent
from joute.protocol.analysis_tasks import Agents
from joute.reviews.annotations import annotated_text
from joute.reviews.data import review_data
from joute.reviews.review import Reviewer
from joute.spec import parse_spec
from joute.web.jobs import Context
from joute.web.studies import Study, record_of

# Partial results come at most this often.
_EVERY_S = 0.2
# The table of an engine: several processes run on one machine.
_MEMORY_MB = 64
# Moves with exact values are all sent, if they are not more.
_MOST_EXACT = 40

_agents = Agents()


def analyse(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """Analyse the position of a study: the fields of docs/analysis.md, and chances as in reviews."""
    recipe, state = _order(request)
    began = time.perf_counter()
    last = began - _EVERY_S

    def data(analysis: Analysis) -> dict[str, Any]:
        return _data(analysis, state, recipe, request["lines"]) | {"seconds": round(time.perf_counter() - began, 3)}

    def report(analysis: Analysis) -> None:
        nonlocal last
        if time.perf_counter() - last >= _EVERY_S:
            last = time.perf_counter()
            context.emit(data(analysis))

    with _agents.agent(recipe) as agent:
        if callable(stop := getattr(agent, "stop", None)):
            context.on_stop(stop)
        analysis = analyzed(agent, recipe.spec, state, lines=request["lines"], seconds=recipe.seconds, on_update=report)
    return data(analysis)


def _order(request: dict[str, Any]) -> tuple[Recipe, State]:
    spec = default_agent(parse_spec(request["game"])[0])
    fields = {"game": request["game"], "moves": tuple(request["line"]), "seconds": request["seconds"]}
    if request["start"]:
        fields["position"] = request["start"]
    for agent in (f"{spec}:memory_mb={_MEMORY_MB}", spec):
        try:
            order = Resolver(agent=agent).order(Request("page", "analyze", fields))
        except JouteError:
            if agent == spec:
                raise
            continue  # the agent has no such parameter
        return order.recipe, order.positions[0][1]
    raise AssertionError


def _data(analysis: Analysis, state: State, recipe: Recipe, lines: int) -> dict[str, Any]:
    """The analysis as data. `chance_for_first` is the probability that reviews take, of any agent."""
    has_all = analysis.exact and len(analysis.moves) <= _MOST_EXACT
    data = analysis_data(analysis, state, agent=recipe.spec, lines=None if has_all else lines)
    for move, judged in zip(data["moves"], analysis.moves, strict=False):
        move["chance_for_first"] = move_probability(state, analysis, judged, agent=recipe.spec)
        move["value"] = "" if judged.value is None else value_text(judged.value)
    return data | {
        "agent": recipe.spec,
        "chance_for_first": analysis_probability(state, analysis, agent=recipe.spec),
        "value": "" if analysis.value is None else value_text(analysis.value),
    }


def review(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """Review a study, with the moves that are judged so far as updates. A stopped review has the first moves."""
    study = Study(game=request["game"], start=request["start"], line=request["line"])
    first, second = request["names"]
    reviewer = Reviewer(record_of(study, (first, second)), nodes=request["nodes"], jobs=1)
    last = 0.0

    def report(done: int) -> None:
        nonlocal last
        if time.perf_counter() - last >= _EVERY_S:
            last = time.perf_counter()
            context.emit({"done": done, "total": reviewer.total, **_told(reviewer)})

    _run(reviewer, context, report)
    told = _told(reviewer)
    return {
        **told,
        "text": annotated_text(reviewer.review) if "review" in told else "",
    }


def _run(reviewer: Reviewer, context: Context, report: Callable[[int], None]) -> None:
    context.on_stop(reviewer.judge.stop)
    try:
        reviewer.run(report)
    except JouteError:
        if not context.is_stopped:
            raise


def _told(reviewer: Reviewer) -> dict[str, Any]:
    """The review of the first moves; nothing if the first is not judged yet."""
    try:
        return {"review": review_data(reviewer.review)}
    except JouteError:
        return {}
