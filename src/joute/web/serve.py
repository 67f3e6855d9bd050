"""Runs the server."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

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
    _allow_open_files(settings.limits.sockets)
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
        http=_connection_type(settings.limits.head_s),
        ws="websockets-sansio",
    )
    return _Server(config, on_start)


def _allow_open_files(sockets: int) -> None:
    """Raise the limit of open files, which is often 1,024, so that so many sockets fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * sockets if hard == resource.RLIM_INFINITY else min(2 * sockets, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _connection_type(head_s: float) -> type[asyncio.Protocol]:
    """Connections that end if the head of a request does not arrive in time; uvicorn waits for it without a limit."""

    class Connection(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            if self._waiting is None and (self.cycle is None or self.cycle.response_complete):
                self._wait()
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:  # the head is complete
                self._cancel()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self._waiting is None and self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
                self._wait()  # the next request came with the one before, and only in part

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._waiting = self.loop.call_later(head_s, self.transport.close)

        def _cancel(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

    return Connection


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
