"""Games: begin, list, look at, join, command."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from fastapi.responses import PlainTextResponse
from pydantic import Field

from joute.web.allowed import start_of
from joute.web.commands import execute
from joute.web.context import Member, TheServer
from joute.web.errors import PageError, not_found
from joute.web.messages import Command, NewGame, Position, Strict
from joute.web.records import record_text
from joute.web.views import scene_data, state_data

router = APIRouter(tags=["play"])

GameId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{6,64}$", description="the id of a game")]


class Join(Strict):
    """A person who takes the open seat of a game."""

    name: str = Field("", max_length=40, description="how the other person sees you")


@router.post("/games", status_code=201, summary="Begin a game")
async def create(wish: NewGame, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Begin a game; the reply has its id."""
    if not server.new_games.take(visitor):
        raise PageError("too_many_requests", "too many new games; wait a minute", 429)
    live = server.tables.create(wish, visitor)
    live.touch()
    return {"id": live.row.id, **live.as_data(visitor)}


@router.get("/games", summary="Your latest games")
async def mine(server: TheServer, visitor: Member) -> list[dict[str, Any]]:
    """The latest games of this visitor."""
    return server.tables.games_of(visitor)


@router.get("/games/{game}", summary="A game as it stands")
async def show(game: GameId, server: TheServer, visitor: Member) -> dict[str, Any]:
    """The whole game, as the WebSocket sends it."""
    live = server.tables.find(game)
    live.touch()
    return {"id": live.row.id, **live.as_data(visitor)}


@router.post("/games/{game}/join", summary="Take the open seat of a game")
async def join(game: GameId, person: Join, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Play in a game by its link."""
    live = server.tables.find(game)
    live.join(visitor, person.name)
    return {"id": live.row.id, **live.as_data(visitor)}


@router.post("/games/{game}/commands", summary="Play a move, undo, resign, ask for a hint, …")
async def command(game: GameId, wish: Command, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Execute a command, the same as a message of the WebSocket."""
    if wish.game != game:
        raise PageError("bad_message", "the game of the command is not that of the address", 422)
    server.tables.find(game).touch()
    return await execute(server, visitor, wish)


@router.get("/games/{game}/scenes/{number}.svg", summary="A position as a picture", response_class=Response)
async def picture(game: GameId, number: int, server: TheServer, _visitor: Member) -> Response:
    """A position of a game as an SVG file."""
    live = server.tables.find(game)
    if not 0 <= number <= len(live.game.moves):
        raise not_found("move")
    headers = {"content-disposition": f'attachment; filename="{live.game.start.game}-{game}-{number}.svg"'}
    return Response(live.scene_at(number).svg(), media_type="image/svg+xml", headers=headers)


@router.get("/games/{game}/scenes/{number}", summary="The drawing after a number of moves")
async def scene(game: GameId, number: int, server: TheServer, _visitor: Member) -> dict[str, Any]:
    """An earlier position of a game, drawn."""
    live = server.tables.find(game)
    if not 0 <= number <= len(live.game.moves):
        raise not_found("move")
    return scene_data(live.scene_at(number), with_targets=False)


@router.get("/games/{game}/positions/{number}", summary="The position after a number of moves, as text")
async def position(game: GameId, number: int, server: TheServer, _visitor: Member) -> dict[str, str]:
    """A position in the game's notation, from which another game can begin."""
    live = server.tables.find(game)
    if not 0 <= number <= len(live.game.moves):
        raise not_found("move")
    state = live.states[number]
    return {"game": state.spec, "position": state.position}


@router.post("/positions", summary="Look at a position")
async def look(wish: Position, _visitor: Member) -> dict[str, Any]:
    """The drawing, the text and the moves of a position; an error tells why it is none."""
    state = start_of(wish.game, wish.position)
    return {
        "game": state.spec,
        "to_move": state.to_move,
        "is_over": state.is_terminal,
        **state_data(state, state.scene()),
    }


@router.get("/games/{game}/record", summary="The game as a text", response_class=PlainTextResponse)
async def record(game: GameId, server: TheServer, _visitor: Member) -> Response:
    """The record of a game, which ``joute review`` and ``joute replay`` read."""
    live = server.tables.find(game)
    headers = {"content-disposition": f'attachment; filename="{live.game.start.game}-{game}.txt"'}
    return PlainTextResponse(record_text(live), headers=headers)
