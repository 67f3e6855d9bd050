"""Executes the commands of messages.py, for the WebSocket and the HTTP API alike."""

from __future__ import annotations

from typing import Any

from joute.errors import JouteError
from joute.games.builder import find_builder
from joute.reviews.hint import plain_reasons
from joute.web.context import Server
from joute.web.errors import PageError
from joute.web.jobs.positions import position_data
from joute.web.live import LiveGame
from joute.web.messages import (
    Build,
    Decline,
    Describe,
    Hint,
    Pause,
    Play,
    Preview,
    Resign,
    Speed,
    Step,
    Undo,
)
from joute.web.pool import JobError
from joute.web.views import draft_data, scene_data

_HINT_LIMIT_S = 15.0


async def execute(server: Server, visitor: str, command: Any) -> dict[str, Any]:
    """Execute a command of a visitor; returns the content of the reply. PageError if it is refused."""
    live = server.tables.find(command.game)
    match command:
        case Play():
            live.play(visitor, command.move, command.index)
        case Undo():
            live.undo(visitor)
        case Decline():
            live.decline(visitor)
        case Resign():
            live.resign(visitor)
        case Pause():
            live.pause(visitor, paused=command.paused)
        case Step():
            live.step(visitor)
        case Speed():
            live.set_speed(visitor, command.seconds)
        case Preview():
            return {"scene": _preview(live, command.move)}
        case Describe():
            return _describe(live, command.move)
        case Build():
            return _build(live, command)
        case Hint():
            return await _hint(server, live, visitor)
    return {"revision": live.revision}


def _preview(live: LiveGame, text: str) -> dict[str, Any]:
    state = live.game.state
    try:
        move = state.legal_move(text)
    except JouteError as error:
        raise PageError("illegal_move", str(error)) from error
    return scene_data(state.play(move).scene(move), with_targets=False)


def _describe(live: LiveGame, text: str) -> dict[str, Any]:
    """The effects of a move in words; ``problem`` instead if it is illegal."""
    state = live.game.state
    try:
        move = state.legal_move(text)
        return {"move": str(move), "lines": list(plain_reasons(state, move)), "problem": ""}
    except JouteError as error:
        return {"move": text, "lines": [], "problem": str(error)}


def _build(live: LiveGame, command: Build) -> dict[str, Any]:
    builder = find_builder(live.game.state.game)
    if builder is None:
        raise PageError("no_parts", "the moves of this game are not composed of parts", 409)
    if live.game.is_over:
        raise PageError("over", "the game is over", 409)
    return draft_data(live.scene_at(len(live.game.moves)), builder(live.game.state, command.parts))


async def _hint(server: Server, live: LiveGame, visitor: str) -> dict[str, Any]:
    if live.game.is_over:
        raise PageError("over", "the game is over", 409)
    others = [seat for seat in live.row.seats if seat.kind == "person" and seat.visitor != visitor]
    if others:
        raise PageError("no_hint", "there are no hints in a game of two people", 403)
    number = len(live.game.moves)
    job = server.pool.run("hint", position_data(live.game), visitor=visitor, key=live.row.id, limit_s=_HINT_LIMIT_S)
    try:
        given = await job.result()
    except JobError as error:
        raise PageError("no_hint", f"there is no hint: {error}", 409) from error
    finally:
        job.cancel()
    if "problem" in given:
        raise PageError("no_hint", given["problem"], 409)
    return {**given, "index": number}
