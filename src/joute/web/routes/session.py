"""Sessions: the visitor's cookie, the join code, texts, and the games that can be played."""

from __future__ import annotations

import functools
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from joute._core import Random
from joute.errors import JouteError
from joute.example import GAME
from joute.games import new
from joute.games.registry import all_games
from joute.version import __version__
from joute.web.allowed import found_game, game_data, game_details
from joute.web.context import Member, TheServer, address_of
from joute.web.errors import PageError, not_found
from joute.web.messages import VERSION, Strict
from joute.web.security import COOKIE, MOST_CODE, is_code, new_visitor, visitor_of
from joute.web.texts import LANGUAGES, catalogue

router = APIRouter(tags=["session"])

_YEAR_S = 365 * 24 * 3600
# The drawings of the games show a position after this many random plies.
_PLIES, _SEED = 10, 7

GameName = Annotated[str, Path(max_length=100, description="the name of a game", examples=[GAME])]


class Code(Strict):
    """The join code that the owner of the server gives to visitors."""

    code: str = Field(max_length=MOST_CODE, examples=["k3vd9mzq"])


@router.post("/session", summary="Begin a session")
async def begin(request: Request, response: Response, server: TheServer) -> dict[str, Any]:
    """Set the visitor's cookie if there is none, and say whether the join code is still needed."""
    visitor = visitor_of(request.cookies)
    if visitor is None:
        if not server.requests.take(address_of(request)):
            raise PageError("too_many_requests", "too many requests; wait a moment", 429)
        visitor = new_visitor()
        response.set_cookie(COOKIE, visitor, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
    return {
        "version": __version__,
        "messages": VERSION,
        "joined": server.is_member(visitor),
        "shared": server.settings.is_shared,
    }


@router.post("/join", summary="Enter the join code of a shared server")
async def join(code: Code, request: Request, server: TheServer) -> dict[str, Any]:
    """Let a visitor in who knows the code. Tries are limited."""
    visitor = visitor_of(request.cookies)
    if visitor is None:
        raise PageError("no_session", "begin with POST /api/session, which sets a cookie", 401)
    if not server.joins.take(address_of(request)):
        raise PageError("too_many_requests", "too many tries; wait a minute", 429)
    if not server.settings.is_shared or not is_code(code.code, server.settings.code):
        raise PageError("wrong_code", "that is not the join code", 403)
    server.store.join(visitor)
    return {"joined": True}


@router.get("/texts/{language}", summary="The texts of the page in a language")
async def texts(language: str, response: Response) -> dict[str, Any]:
    """The catalogue of a language, en or fr: texts by their keys, and phrases as pairs of English and translation."""
    if language not in LANGUAGES:
        raise not_found("language")
    response.headers["cache-control"] = "no-cache"
    return catalogue(language)


@router.get("/catalogue", summary="The games that can be played")
async def games(server: TheServer, _visitor: Member) -> list[dict[str, Any]]:
    """The games that can be played. A plug-in that does not load is left out."""
    listed = []
    for game in all_games()[0]:
        try:
            listed.append(game_data(game))
        except JouteError:
            continue
    return listed


@router.get("/catalogue/{name}", summary="A game's rules and agents, with their parameters")
async def details(name: GameName, server: TheServer, _visitor: Member) -> dict[str, Any]:
    """Everything to choose before a game: rules, agents, and the parameters of both."""
    return game_details(found_game(name), server.settings)


@router.get("/boards/{name}.svg", summary="A small drawing of a game's board", response_class=Response)
async def board(name: GameName, server: TheServer, _visitor: Member) -> Response:
    """A position from the beginning of a game, as a picture."""
    headers = {"cache-control": "max-age=3600"}
    return Response(_board(found_game(name).game), media_type="image/svg+xml", headers=headers)


@functools.lru_cache(maxsize=256)
def _board(game: str) -> str:
    state, rng = new(game), Random(_SEED)
    for _ in range(_PLIES):
        if (following := state.play(state.random_move(rng), rng)).is_terminal:
            break
        state = following
    return state.scene().svg(24)
