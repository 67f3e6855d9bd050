"""The arena: list, begin, watch, halt and continue tournaments; their tables, games and reports."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import HTMLResponse

from joute.web.arena.desk import Desk, Filter
from joute.web.arena.wishes import NewTournament
from joute.web.arena.workspace import ID
from joute.web.context import Member, TheServer, is_local
from joute.web.errors import PageError
from joute.web.messages import Strict

router = APIRouter(tags=["arena"])

TournamentId = Annotated[str, Path(pattern=ID, description="the id of a tournament")]
GameNumber = Annotated[int, Path(ge=1, le=10**9, description="the number of a game, from 1")]
Language = Annotated[Literal["en", "fr"], Query(description="the language of tables and plots")]


class TournamentCommand(Strict):
    """Halt or continue a tournament. `pause` lets running games end; `stop` gives them up, to be played again."""

    type: Literal["pause", "stop", "continue"]


def _desk(request: Request, server: TheServer, visitor: Member) -> Desk:
    return Desk(server.arena, visitor, is_local=is_local(request))


@router.get("/tournaments", summary="The tournaments of the workspace")
async def tournaments(request: Request, server: TheServer, visitor: Member) -> dict[str, Any]:
    """The databases of the workspace and what runs, the latest first; whether this visitor may begin one."""
    return await _desk(request, server, visitor).listed()


@router.get("/tournaments/form", summary="What a tournament can be")
async def form(request: Request, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Schedules and openings with their parameters, whether there is a sandbox, and the limits of this server."""
    return await _desk(request, server, visitor).form()


@router.post("/tournaments", status_code=201, summary="Begin a tournament")
async def begin(wish: NewTournament, request: Request, server: TheServer, visitor: Member) -> dict[str, Any]:
    """Begin a tournament in a process of its own; the reply has its id."""
    desk = _desk(request, server, visitor)
    if not server.new_games.take(visitor):
        raise PageError("too_many_requests", "too many new tournaments; wait a minute", 429)
    return {"id": await desk.begin(wish)}


@router.get("/tournaments/{tournament}", summary="A tournament: its state, table and plots")
async def show(
    tournament: TournamentId, request: Request, server: TheServer, visitor: Member, language: Language = "en"
) -> dict[str, Any]:
    """The state and, as HTML in a language, the table, the ratings with intervals, and the cross table so far."""
    return await _desk(request, server, visitor).show(tournament, language)


@router.get("/tournaments/{tournament}/live", summary="The running games on their boards")
async def live(tournament: TournamentId, request: Request, server: TheServer, visitor: Member) -> dict[str, Any]:
    """The state, the number of games, and the drawing of each running game."""
    return await _desk(request, server, visitor).live(tournament)


@router.post("/tournaments/{tournament}/commands", summary="Pause, stop or continue a tournament")
async def command(
    tournament: TournamentId, wish: TournamentCommand, request: Request, server: TheServer, visitor: Member
) -> dict[str, Any]:
    """Halt or continue a tournament that the page began."""
    return await _desk(request, server, visitor).command(tournament, wish.type)


@router.get("/tournaments/{tournament}/games", summary="The finished games of a tournament")
async def games(
    tournament: TournamentId,
    request: Request,
    server: TheServer,
    visitor: Member,
    wanted: Annotated[Filter, Query()],
) -> dict[str, Any]:
    """A page of the list of games, the latest first."""
    return await _desk(request, server, visitor).games(tournament, wanted)


@router.get("/tournaments/{tournament}/games/{number}", summary="A finished game with its boards")
async def game(
    tournament: TournamentId, number: GameNumber, request: Request, server: TheServer, visitor: Member
) -> dict[str, Any]:
    """One game: moves, times, values, and every position drawn."""
    return await _desk(request, server, visitor).game(tournament, number)


@router.get("/tournaments/{tournament}/report", summary="The report, to keep", response_class=HTMLResponse)
async def report(tournament: TournamentId, request: Request, server: TheServer, visitor: Member) -> Response:
    """The whole report as one HTML file."""
    name, text = await _desk(request, server, visitor).report(tournament)
    return HTMLResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})
