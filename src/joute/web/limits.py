"""Limits on the number, the size and the duration of requests."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from joute.web.errors import PageError

# The buckets that are kept: more visitors at once push out those that were idle longest.
_MOST_BUCKETS = 10_000


class Rates:
    """Token buckets by key: each allows `burst` events at once and `rate` a second on average."""

    def __init__(self, rate: float, burst: float, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._seconds = rate, burst, seconds
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Count an event; False if there were too many."""
        now = self._seconds()
        tokens, at = self._buckets.pop(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        allowed = tokens >= 1
        self._buckets[key] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return allowed


class BodyLimit:
    """Middleware: refuses bodies that are too large (413) or arrive too slowly (408)."""

    def __init__(self, app: ASGIApp, most_bytes: int, most_s: float) -> None:
        self._app, self._most_bytes, self._most_s = app, most_bytes, most_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the whole body within the limits, then pass it on."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._most_s):
                body = await self._read(receive)
        except TimeoutError:
            await _refuse(scope, receive, send, PageError("slow_body", "the body of the request came too slowly", 408))
            return
        if body is None:
            sentence = f"the body of the request has more than {self._most_bytes} bytes"
            await _refuse(scope, receive, send, PageError("large_body", sentence, 413))
            return
        sent = False

        async def whole() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, whole, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The body; None if it is too large."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > self._most_bytes:
                return None
            if not message.get("more_body"):
                return bytes(body)


async def _refuse(scope: Scope, receive: Receive, send: Send, error: PageError) -> None:
    headers = {"connection": "close"}
    await error_response(error, headers)(scope, receive, send)


def error_response(error: PageError, headers: dict[str, str] | None = None) -> JSONResponse:
    """An error as a response."""
    content: dict[str, Any] = {"error": error.as_data()}
    return JSONResponse(content, status_code=error.status, headers=headers)
