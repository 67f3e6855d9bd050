"""Access to the server: Host and Origin checks, the headers of every response, visitors and the join code.

A visitor is a browser with a random cookie. On a shared server a visitor must enter the join code once. The cookie is
SameSite=Strict and HttpOnly, so that other sites can neither use nor read it.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from joute.web.errors import PageError
from joute.web.limits import error_response
from joute.web.settings import Settings, is_loopback

COOKIE = "joute_visitor"
_VISITOR = re.compile(r"[A-Za-z0-9_-]{22}")
#: The longest join code.
MOST_CODE = 40
# Letters and digits that are not mistaken for one another.
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def new_code() -> str:
    """A join code that is easy to read aloud: 8 letters and digits, 39 bits."""
    return "".join(secrets.choice(_CODE_LETTERS) for _ in range(8))


def new_visitor() -> str:
    """A visitor's cookie: 128 bits."""
    return secrets.token_urlsafe(16)


def visitor_of(cookies: Mapping[str, str]) -> str | None:
    """The visitor that a request comes from; None if it has no valid cookie."""
    value = cookies.get(COOKIE, "")
    return value if _VISITOR.fullmatch(value) else None


def is_code(given: str, code: str) -> bool:
    """Whether a text is the join code, spaces, hyphens and case aside, compared in constant time."""
    return hmac.compare_digest(plain_code(given).encode(), plain_code(code).encode())


def plain_code(text: str) -> str:
    """A join code without spaces, hyphens and capitals, as it is compared."""
    return re.sub(r"[\s-]", "", text).lower()


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """The values of the header Host that the server answers to; empty if it listens on every address."""
    if settings.host in ("0.0.0.0", "::"):
        return frozenset()
    names = {settings.host, *settings.names}
    if is_loopback(settings.host):
        names |= {"localhost", "127.0.0.1", "::1"}
    return frozenset(name.lower() for name in names)


class Guard:
    """Middleware: refuses other Hosts and Origins, and adds the security headers to every response.

    A server on every address cannot know its names, so it takes IP addresses and its own names: DNS rebinding needs
    a name.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = allowed_hosts(settings)
        self._names = frozenset(name.lower() for name in (*settings.names, socket.gethostname(), "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if error := self._error(scope, headers):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": error.code})
                return
            await error_response(error)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _error(self, scope: Scope, headers: Headers) -> PageError | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PageError("bad_host", "this server does not have that name; --name adds one", 421)
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if origin is not None and (changes or origin != "null") and not _is_same(origin, host):
            return PageError("bad_origin", "the request comes from another site", 403)
        if changes and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PageError("bad_origin", "the request comes from another site", 403)
        return None

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        if name is None:
            return False
        if self._hosts:
            return name in self._hosts
        return name in self._names or _is_address(name)


def host_name(host: str) -> str | None:
    """The name in a header Host, without the port; None if the header is malformed.

    >>> host_name("[::1]:8000"), host_name("Localhost"), host_name("a@b")
    ('::1', 'localhost', None)
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?", host)
    return (found[1] or found[2]).lower() if found else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_same(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
