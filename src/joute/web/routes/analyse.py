"""Analysis: read games and positions, draw lines, analyse, review, export."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import Field

from joute.games import State
from joute.match.record import is_lost_turn
from joute.match.record_text import write_record
from joute.pages.boards import BoardTable
from joute.web.analysis import Analysis, ReviewWish, answers
from joute.web.context import Member, Server, TheServer
from joute.web.errors import PageError
from joute.web.live import LiveGame
from joute.web.messages import Strict
from joute.web.records import record_of as record_of_game
from joute.web.routes.play import GameId
from joute.web.studies import (
    MOST_TOKENS,
    Study,
    canonical,
    is_settled,
    line_nodes,
    read_study,
    record_data,
    record_of,
    study_data,
)
from joute.web.views import scene_of, state_data

router = APIRouter(tags=["analyse"])

# Positions drawn by one request.
_MOST_DRAWN = 100
# Outcomes of a random event that are listed, the likeliest first.
_MOST_OUTCOMES = 40


class Text(Strict):
    """A pasted text: games, a position, or moves."""

    text: str = Field(max_length=60_000, description="a text of games, a position of the game, or its moves")
    game: str = Field(max_length=2000, description="the spec of the game, for positions and moves")
    number: int = Field(1, ge=1, le=100_000, description="which game of a text of several")


class Part(Strict):
    """Some positions of a line: those after `first` to `last` tokens."""

    study: Study
    first: Annotated[int, Field(ge=0, le=MOST_TOKENS)] = 0
    last: Annotated[int, Field(ge=0, le=MOST_TOKENS)]


class Named(Strict):
    """A line and its players."""

    study: Study
    names: tuple[Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=200)]] = ("first", "second")


@router.post("/analyse/read", summary="Read a game, a position or moves")
def read(pasted: Text, _visitor: Member) -> dict[str, Any]:
    """Return a study: the game, its start and its line, or say why the text is none."""
    return read_study(pasted.text, pasted.game, pasted.number)


@router.get("/analyse/games/{game}", summary="A game of this server, to analyse")
async def of_game(game: GameId, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Return the study of a game. Between two people, its players get it when it is over, as with hints."""
    live = server.tables.find(game)
    if not live.game.is_over and _has_other_person(live, visitor):
        raise PageError("not_over", "you can analyse this game when it is over", 403)
    data = record_data(record_of_game(live))
    return {**data, "headline": data["headline"] if live.game.is_over else ""}


def _has_other_person(live: LiveGame, visitor: str) -> bool:
    people = {seat.visitor for seat in live.row.seats if seat.kind == "person"}
    return visitor in people and len(people) > 1


@router.post("/analyse/line", summary="Draw positions of a line")
def line(part: Part, _visitor: Member) -> dict[str, Any]:
    """Return the drawings of some positions, without targets, in the encoding of reports, and what each is."""
    study = part.study
    if part.last > len(study.line) or not part.first <= part.last < part.first + _MOST_DRAWN:
        raise PageError("bad_message", f"a part of the line has at most {_MOST_DRAWN} positions of it", 422)
    table = BoardTable(keys=True)
    positions, nodes = [], []
    for state, before, token in line_nodes(study.start_state, study.line, part.first, part.last):
        scene = scene_of(state, before, None if token.startswith("#") else token or None)
        positions += table.encode(iter([scene]))
        nodes.append(_node(state, before, token))
    return {"boards": table.as_data(), "positions": positions, "nodes": nodes}


@router.post("/analyse/position", summary="A position: drawing, targets, moves, random outcomes")
def position(study: Study, _visitor: Member) -> dict[str, Any]:
    """Return the position at the end of a line, whose moves are then in the game's own notation."""
    start = study.start_state
    tokens = list(canonical(start, study.line))
    state, before, token = next(line_nodes(start, tokens, len(tokens), len(tokens)))
    scene = scene_of(state, before, None if token.startswith("#") else token or None)
    return {
        "study": study_data(start, tokens, "moves"),
        **_node(state, before, token),
        **state_data(state, scene),
        "event": state.event if state.is_chance else "",
        "outcomes": _outcomes(state),
    }


def _node(state: State, before: State | None, token: str) -> dict[str, Any]:
    """A position: who moves, whether the game is over, and the moves that led to it."""
    chance = ""
    if before is not None and before.is_chance:
        chance = before.outcome_text(int(token[1:]))
    result = state.result
    return {
        "token": token,
        "player": None if before is None or before.is_chance else before.to_move,
        "chance": chance,
        "to_move": state.to_move,
        "ply": state.ply,
        "status": state.status,
        "is_chance": state.is_chance,
        "is_over": result is not None,
        "is_lost_turn": before is not None and is_lost_turn(before, token),
        "winner": result.winner if result is not None else None,
    }


def _outcomes(state: State) -> list[dict[str, Any]]:
    likely = sorted(((chance, index) for index, chance in enumerate(state.outcomes) if chance > 0), reverse=True)
    return [
        {"token": f"#{index}", "probability": chance, "text": state.outcome_text(index)}
        for chance, index in likely[:_MOST_OUTCOMES]
    ]


@router.post("/analyse/record", summary="A line as a text of a game", response_class=PlainTextResponse)
def export_record(named: Named, _visitor: Member) -> Response:
    """Return the record of a line, which ``joute review`` and ``joute replay`` read."""
    record = record_of(named.study, named.names)
    if not is_settled(record):
        raise PageError("unsettled", "a random event is pending: choose its outcome first", 409)
    return PlainTextResponse(write_record(record))


@router.post("/analyse/svg", summary="A position as an SVG picture", response_class=Response)
def export_svg(study: Study, _visitor: Member) -> Response:
    """Return the drawing of the position at the end of a line."""
    start = study.start_state
    state, before, token = next(line_nodes(start, study.line, len(study.line), len(study.line)))
    scene = scene_of(state, before, None if token.startswith("#") else token or None)
    return Response(scene.svg(), media_type="image/svg+xml")


@router.post("/analyse", summary="Analyse a position, as JSON lines", response_class=StreamingResponse)
async def analyse(wish: Analysis, server: TheServer, visitor: Member) -> StreamingResponse:
    """Stream the answers of docs/analysis.md while the search runs: ``partial`` ones, then ``final`` or ``error``.

    Values name their point of view: ``…_for_mover`` is that of the player to move, ``…_for_first`` that of player 0.
    """
    return await _lines(server, visitor, wish)


@router.post("/review", summary="Review a game, as JSON lines", response_class=StreamingResponse)
async def review(wish: ReviewWish, server: TheServer, visitor: Member) -> StreamingResponse:
    """Stream the review of docs/review.md while moves are judged; probabilities are those of the first player."""
    return await _lines(server, visitor, wish)


async def _lines(server: Server, visitor: str, wish: Analysis | ReviewWish) -> StreamingResponse:
    stream = answers(server, visitor, wish)
    first = await anext(stream)  # so that a wrong wish is an error of the request

    async def lines() -> AsyncIterator[str]:
        try:
            yield json.dumps(first) + "\n"
            async for answer in stream:
                yield json.dumps(answer) + "\n"
        finally:
            await stream.aclose()

    # "identity" keeps the answers from waiting in a compressor.
    return StreamingResponse(lines(), media_type="application/x-ndjson", headers={"content-encoding": "identity"})
