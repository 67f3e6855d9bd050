"""The parts of the server that routes use: settings, games, store, engine processes, limits; and the visitor."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from joute.web.arena.runs import Arena
from joute.web.errors import PageError
from joute.web.limits import Rates
from joute.web.pool import EnginePool
from joute.web.security import visitor_of
from joute.web.settings import Settings, is_loopback
from joute.web.store import GameStore
from joute.web.tables import Tables


@dataclass
class Server:
    """The parts of a running server. `app.state.server` holds it."""

    settings: Settings
    store: GameStore
    pool: EnginePool
    tables: Tables
    requests: Rates
    joins: Rates
    new_games: Rates
    arena: Arena
    #: The number of open sockets of each visitor.
    sockets: dict[str, int] = field(default_factory=dict)

    def is_member(self, visitor: str | None) -> bool:
        """Whether a visitor may use the server."""
        return visitor is not None and (not self.settings.is_shared or self.store.has_joined(visitor))


def server_of(connection: HTTPConnection) -> Server:
    """The server that a request or a socket belongs to."""
    found: Server = connection.app.state.server
    return found


# The first bits of an address of IPv6, which tell the network.
_NETWORK_BITS = 64
# Headers by which a proxy tells that it passes on requests of others.
_OF_PROXIES = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_local(connection: HTTPConnection) -> bool:
    """Whether a request comes from this machine: from a loopback address, or from the address that it is sent to."""
    client, server = connection.client, connection.scope.get("server")
    if client is None or any(name in connection.headers for name in _OF_PROXIES):
        return False
    return is_loopback(client.host) or (server is not None and client.host == server[0])


# Asynchronous, so that they run in the event loop: FastAPI runs others in threads, where `Rates` would lose counts and
# slow requests would delay them.
async def _server(request: Request) -> Server:
    return server_of(request)


def address_of(connection: HTTPConnection) -> str:
    """The address that a request comes from; of IPv6 the network, in which a visitor has any number of addresses.

    >>> address_of(HTTPConnection({"type": "http", "client": ("2001:db8::7", 5000), "headers": []}))
    '2001:db8::/64'
    """
    host = connection.client.host if connection.client else "unknown"
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, _NETWORK_BITS), strict=False))


async def _member(request: Request) -> str:
    """The visitor who asks; PageError without a session, without the join code, or after too many requests."""
    server = server_of(request)
    visitor = visitor_of(request.cookies)
    is_member = server.is_member(visitor)
    # Anybody can make up cookies, so those of strangers do not count.
    if not server.requests.take(visitor if visitor is not None and is_member else address_of(request)):
        raise PageError("too_many_requests", "too many requests; wait a moment", 429)
    if visitor is None:
        raise PageError("no_session", "begin with POST /api/session, which sets a cookie", 401)
    if not is_member:
        raise PageError("join_first", "enter the join code first", 403)
    return visitor


#: Parameters of routes: the server, and the visitor who may use it.
TheServer = Annotated[Server, Depends(_server)]
Member = Annotated[str, Depends(_member)]
