"""Runs the server."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn

from joute.errors import JouteError
from joute.web.app import make_app
from joute.web.arena.workspace import Workspace
from joute.web.settings import Settings
from joute.web.store import GameStore

# Idle connections end after this long; a browser opens another.
_KEEP_ALIVE_S = 30
# Requests get this long to end when the server stops; then they are cut.
_SHUTDOWN_S = 3
_BACKLOG = 2048


def open_socket(settings: Settings) -> socket.socket:
    """A socket that listens; JouteError if the address is taken or not ours."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        # asyncio switches Nagle's algorithm off only where the protocol is named. With it, a reply after another
        # message takes 40 ms.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((settings.host, settings.port))
        made.listen(_BACKLOG)
    except OSError as error:
        raise JouteError(
            f"the page cannot be served at {settings.host}:{settings.port}: {error.strerror or error}; "
            "--port names another port"
        ) from error
    return made


def run(settings: Settings, listening: socket.socket, *, on_start: Callable[[], None] = lambda: None) -> None:
    """Serve until Ctrl-C or SIGTERM. JouteError if games or tournaments cannot be kept where the settings say."""
    Workspace(settings.workspace_folder).make()
    GameStore(settings.path).close()
    with contextlib.suppress(KeyboardInterrupt):
        make_server(settings, on_start=on_start).run(sockets=[listening])


def make_server(settings: Settings, *, on_start: Callable[[], None] = lambda: None) -> uvicorn.Server:
    """A server that is not running yet; it ends when its `should_exit` is set."""
    config = uvicorn.Config(
        make_app(settings),
        log_level="warning",
        access_log=False,
        ws_max_size=settings.limits.message_bytes,
        ws_max_queue=8,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        h11_max_incomplete_event_size=32_768,
        server_header=False,
        proxy_headers=False,
        http="h11",
        ws="websockets-sansio",
    )
    return _Server(config, on_start)


class _Server(uvicorn.Server):
    """Tells when it accepts connections."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self.started:
            self._on_start()
