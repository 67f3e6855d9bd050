"""The jobs of a game: an agent's move, and a hint."""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from joute.agents import Agent, Clock, SearchInfo, agent
from joute.agents.agent import prepare_game
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.errors import JouteError
from joute.games import State
from joute.match.player import Answer, MisconductError, Player, ask, plain_info
from joute.system import used_mb
from joute.web.jobs import Context
from joute.web.jobs.positions import start_of, state_of

# Agents that a process keeps from move to move, so that searches can reuse their trees; fewer while the process takes
# more memory than this.
_MOST_KEPT, _MOST_KEPT_MB = 4, 1024
# Games in Python are slower by three orders of magnitude, so that hints of a number of nodes take too long.
_HINT_S = 1.0


@dataclass
class _Kept:
    """An agent that plays one side of one game: one of ours in this process, any other in its own."""

    ours: Agent | None = None
    other: Player | None = None

    def end(self) -> None:
        """End the agent's process."""
        if self.other is not None:
            self.other.end()
            self.other.close()


_kept: OrderedDict[tuple[str, ...], _Kept] = OrderedDict()


def move(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The move of an agent: ``{move, time_s, info}``, or ``{reason, detail}`` of its misconduct."""
    state = state_of(request)
    told: dict[str, Any] = {name: math.inf if value is None else value for name, value in request["clock"].items()}
    clock = Clock(**told)
    try:
        kept = _agent(request)
        answer = _answer(kept, request, state, clock, context)
    except MisconductError as misconduct:
        _forget(request)
        return {"reason": misconduct.reason.value, "detail": str(misconduct)}
    info = dataclasses.asdict(answer.info) if answer.info is not None else None
    return {"move": str(answer.move), "time_s": answer.time_s, "info": info}


def _answer(kept: _Kept, request: dict[str, Any], state: State, clock: Clock, context: Context) -> Answer:
    name = request["agent"]
    if kept.ours is None:
        assert kept.other is not None
        limit_s = math.inf if request["limit_s"] is None else request["limit_s"]
        return kept.other.ask(state, request["line"], clock, limit_s)
    stop = getattr(kept.ours, "stop", None)
    if callable(stop):
        context.on_stop(stop)
    if context.is_stopped:  # a search that begins forgets earlier requests to stop
        raise JouteError("the search was stopped before it began")
    chosen, time_s = ask(kept.ours, name, state, clock)
    info = getattr(kept.ours, "info", None)
    return Answer(chosen, time_s, plain_info(info) if isinstance(info, SearchInfo) else None)


def _key(request: dict[str, Any]) -> tuple[str, ...]:
    return request["key"], str(request["player"]), request["agent"]


def _agent(request: dict[str, Any]) -> _Kept:
    """The agent of a side, kept from earlier moves or made anew."""
    key = _key(request)
    if (kept := _kept.get(key)) is not None:
        _kept.move_to_end(key)
        return kept
    while _kept and (len(_kept) >= _MOST_KEPT or used_mb() > _MOST_KEPT_MB):
        _, oldest = _kept.popitem(last=False)
        oldest.end()
        del oldest  # with its memory
    start = start_of(request)
    source = find_source(request["agent"], start.spec)
    if source.runs_in_worker:
        made = agent(request["agent"], game=start.spec, seed=request["seed"])
        prepare_game(made, start)
        kept = _Kept(ours=made)
    else:
        player = make_player(source, request["agent"], start.spec, Isolation())
        player.begin(start, request["player"], request["seed"])
        kept = _Kept(other=player)
    _kept[key] = kept
    return kept


def _forget(request: dict[str, Any]) -> None:
    if (kept := _kept.pop(_key(request), None)) is not None:
        kept.end()


def advise(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """A hint for the player to move; ``{problem}`` if there is none."""
    from joute.games import NativeState
    from joute.reviews.hint import hint

    state = state_of(request)
    try:
        given = hint(state) if isinstance(state, NativeState) else hint(state, seconds=_HINT_S)
    except JouteError as error:
        return {"problem": str(error)}
    return {**dataclasses.asdict(given), "text": str(given), "chance": given.chance}
