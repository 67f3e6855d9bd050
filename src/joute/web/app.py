"""The web application: routes, static files, middleware."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path
from typing import Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response

from joute.version import __version__
from joute.web.arena.runs import Arena
from joute.web.context import Server
from joute.web.errors import PageError, failed
from joute.web.limits import BodyLimit, Rates, error_response
from joute.web.pool import EnginePool
from joute.web.routes import analyse, arena, edit, learn, play, session
from joute.web.security import HEADERS, Guard
from joute.web.settings import Settings
from joute.web.socket import serve_socket
from joute.web.store import GameStore
from joute.web.tables import Tables
from joute.web.theme import page_colours

#: The routers of the areas of the page; each is served under /api.
ROUTERS = (session.router, play.router, analyse.router, edit.router, arena.router, learn.router)


def make_app(settings: Settings) -> FastAPI:
    """The application. Its lifespan opens the store and starts the engine processes."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        server = _server(settings)
        app.state.server = server
        await server.pool.start()
        await server.tables.start()
        await server.arena.start()
        try:
            yield
        finally:
            await server.arena.close()
            await server.tables.close()
            await server.pool.close()
            server.store.close()

    app = FastAPI(
        title="Joute",
        version=__version__,
        description="Play, analyse and watch board games. docs/page.md describes the WebSocket /api/live.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    for router in ROUTERS:
        app.include_router(router, prefix="/api")
    app.add_api_websocket_route("/api/live", serve_socket)
    _add_files(app)
    _add_errors(app)
    limits = settings.limits
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(BodyLimit, most_bytes=limits.body_bytes, most_s=limits.body_s)
    app.add_middleware(Guard, settings=settings)
    return app


def _server(settings: Settings) -> Server:
    limits = settings.limits
    store = GameStore(settings.path)
    pool = EnginePool(settings.worker_count, a_visitor=limits.searches_a_visitor, waiting=limits.waiting)
    return Server(
        settings,
        store,
        pool,
        Tables(settings, store, pool),
        requests=Rates(limits.requests_a_second, limits.requests_at_once),
        joins=Rates(limits.joins_a_minute / 60, limits.joins_a_minute),
        new_games=Rates(limits.games_a_minute / 60, limits.games_a_minute),
        arena=Arena(settings),
    )


class _Files(StaticFiles):
    """Static files that browsers check for a newer version, as they have no version in their names."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response


def _add_files(app: FastAPI) -> None:
    folder = Path(str(resources.files("joute.web"))) / "static"
    shared = Path(str(resources.files("joute.pages")))

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return FileResponse(folder / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> Response:
        return FileResponse(folder / "api.html", headers={"cache-control": "no-cache"})

    @app.get("/shared/colours.css", include_in_schema=False)
    async def sheet() -> Response:
        return Response(page_colours(), media_type="text/css", headers={"cache-control": "no-cache"})

    # Files that the page shares with reports.
    @app.get("/shared/{name}", include_in_schema=False)
    async def shared_file(name: Literal["scene.js", "chart.js", "charts.css"]) -> Response:
        return FileResponse(shared / name, headers={"cache-control": "no-cache"})

    app.mount("/static", _Files(directory=folder), name="static")


def _add_errors(app: FastAPI) -> None:
    """Every error is JSON: ``{"error": {"code": …, "message": …}}``."""

    @app.exception_handler(PageError)
    async def refused(_request: Request, error: PageError) -> JSONResponse:
        return error_response(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return error_response(PageError("bad_message", f"{place}: {first['msg']}"[:300], 422))

    @app.exception_handler(HTTPException)
    async def other(_request: Request, error: HTTPException) -> JSONResponse:
        code = {404: "not_found", 405: "bad_method"}.get(error.status_code, "refused")
        return error_response(PageError(code, str(error.detail), error.status_code))

    @app.exception_handler(Exception)
    async def unexpected(_request: Request, _error: Exception) -> JSONResponse:
        return error_response(failed(), HEADERS)  # it is sent outside of the middleware that adds headers
