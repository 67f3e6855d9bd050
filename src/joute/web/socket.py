"""The WebSocket: a browser follows games and sends commands. One socket serves the whole page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import traceback
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from joute.web.analysis import Analyse, Review, Stop, answers
from joute.web.commands import execute
from joute.web.context import Server, server_of
from joute.web.errors import PageError, failed
from joute.web.limits import Rates
from joute.web.live import LiveGame
from joute.web.messages import VERSION, Leave, Ping, Watch, read_message
from joute.web.security import visitor_of

# A browser that does not read is disconnected when this many messages wait for it, or several with so many characters.
_MOST_UNSENT, _MOST_UNSENT_CHARACTERS = 200, 4 << 20
_CLOSE_S = 1.0
# Games that one socket may follow, and commands of it that may run at once.
_MOST_WATCHED, _MOST_AT_ONCE = 64, 16
# Analyses of a page that run at once.
_MOST_STREAMS = 4
# Reasons to close a socket, besides those of the protocol itself.
CLOSED_BY_POLICY, CLOSED_BY_LOAD = 1008, 1013


class Socket:
    """One connection. Messages to it wait in a queue, so that a slow browser delays nobody."""

    def __init__(self, websocket: WebSocket, server: Server, visitor: str) -> None:
        self.visitor = visitor
        self._websocket, self._server = websocket, server
        self._unsent: asyncio.Queue[str] = asyncio.Queue()
        self._unsent_characters = 0
        self._is_behind = asyncio.Event()
        self._watched: dict[str, LiveGame] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._streams: dict[str, asyncio.Task[None]] = {}
        limits = server.settings.limits
        self._rates = Rates(limits.messages_a_second, limits.messages_at_once)

    def tell(self, text: str) -> None:
        """Queue a message; too many that wait end the connection."""
        if self._is_behind.is_set():
            return
        self._unsent.put_nowait(text)
        self._unsent_characters += len(text)
        count = self._unsent.qsize()
        if count > _MOST_UNSENT or (count > 1 and self._unsent_characters > _MOST_UNSENT_CHARACTERS):
            self._is_behind.set()

    async def run(self) -> None:
        """Serve the connection until it ends."""
        self._say("welcome", {})
        sending = asyncio.create_task(self._send())
        receiving = asyncio.create_task(self._receive())
        falling_behind = asyncio.create_task(self._is_behind.wait())
        try:
            await asyncio.wait({sending, receiving, falling_behind}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = (sending, receiving, falling_behind, *self._running, *self._streams.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for live in self._watched.values():
                live.leave(self)
        if self._is_behind.is_set():
            with contextlib.suppress(TimeoutError):  # a browser that does not read delays this message too
                async with asyncio.timeout(_CLOSE_S):
                    await self._close(CLOSED_BY_LOAD)

    def _say(self, kind: str, content: dict[str, Any]) -> None:
        self.tell(json.dumps({"v": VERSION, "type": kind, **content}))

    async def _send(self) -> None:
        while True:
            text = await self._unsent.get()
            self._unsent_characters -= len(text)
            await self._websocket.send_text(text)

    async def _receive(self) -> None:
        while True:
            try:
                text = await self._websocket.receive_text()
            except (WebSocketDisconnect, KeyError):  # KeyError: the frame was binary
                return
            if not self._rates.take("") or len(text) > self._server.settings.limits.message_bytes:
                await self._close(CLOSED_BY_POLICY)
                return
            self._take(text)

    def _take(self, text: str) -> None:
        """Begin to execute a message."""
        number: int | None = None
        try:
            try:
                data = json.loads(text)
            except (ValueError, RecursionError):
                raise PageError("bad_message", "a message is a JSON object") from None
            if isinstance(data, dict) and type(data.get("id")) is int:
                number = data["id"]
            number, message = read_message(data)
            if len(self._running) >= _MOST_AT_ONCE:
                raise PageError("too_many_requests", "too many requests; wait a moment", 429)
        except PageError as error:
            self._reply(number, error=error)
            return
        task = asyncio.create_task(self._execute(number, message))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _execute(self, number: int | None, message: Any) -> None:
        try:
            self._reply(number, await self._result(message))
        except PageError as error:
            self._reply(number, error=error)
        except Exception:
            traceback.print_exc()
            self._reply(number, error=failed())

    async def _result(self, message: Any) -> dict[str, Any]:
        match message:
            case Ping():
                return {}
            case Watch():
                if message.game not in self._watched and len(self._watched) >= _MOST_WATCHED:
                    raise PageError("too_many_requests", f"a page follows at most {_MOST_WATCHED} games", 429)
                live = self._server.tables.find(message.game)
                self._watched[message.game] = live
                live.watch(self)
                return {}
            case Leave():
                if (found := self._watched.pop(message.game, None)) is not None:
                    found.leave(self)
                return {}
            case Analyse() | Review():
                self._begin(message)
                return {}
            case Stop():
                self._end(message.stream)
                return {}
        return await execute(self._server, self.visitor, message)

    def _begin(self, wish: Analyse | Review) -> None:
        """Begin a stream of analysis, in place of one of the same name."""
        self._end(wish.stream)
        if len(self._streams) >= _MOST_STREAMS:
            raise PageError("too_many_requests", f"a page has at most {_MOST_STREAMS} streams", 429)
        self._streams[wish.stream] = asyncio.create_task(self._stream(wish))

    def _end(self, name: str) -> None:
        if (task := self._streams.pop(name, None)) is not None:
            task.cancel()

    async def _stream(self, wish: Analyse | Review) -> None:
        """Send the answers to a wish; a browser that does not keep up misses partial ones."""
        try:
            async for answer in answers(self._server, self.visitor, wish):
                if answer["kind"] != "partial" or self._unsent.qsize() < _MOST_UNSENT // 4:
                    self._say(wish.type, {"stream": wish.stream, **answer})
        except PageError as error:
            self._fail(wish, error)
        except Exception:
            traceback.print_exc()
            self._fail(wish, failed())
        if self._streams.get(wish.stream) is asyncio.current_task():
            del self._streams[wish.stream]

    def _fail(self, wish: Analyse | Review, error: PageError) -> None:
        """End a stream with an error."""
        self._say(wish.type, {"stream": wish.stream, "kind": "error", **error.as_data(), "error": error.message})

    def _reply(self, number: int | None, data: dict[str, Any] | None = None, *, error: PageError | None = None) -> None:
        if error is not None:
            self._say("error", {"id": number, "error": error.as_data()})
        elif number is not None:
            self._say("reply", {"id": number, "data": data})

    async def _close(self, code: int) -> None:
        with contextlib.suppress(RuntimeError):
            await self._websocket.close(code)


async def serve_socket(websocket: WebSocket) -> None:
    """Accept and serve a socket of a visitor who may use the server."""
    server = server_of(websocket)
    visitor = visitor_of(websocket.cookies)
    if visitor is None or not server.is_member(visitor):
        await websocket.close(CLOSED_BY_POLICY, "join_first")
        return
    limits, open_now = server.settings.limits, server.sockets.get(visitor, 0)
    if open_now >= limits.sockets_a_visitor or sum(server.sockets.values()) >= limits.sockets:
        await websocket.close(CLOSED_BY_LOAD, "too_many_sockets")
        return
    server.sockets[visitor] = open_now + 1
    try:
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await Socket(websocket, server, visitor).run()
    finally:
        server.sockets[visitor] -= 1
        if not server.sockets[visitor]:
            del server.sockets[visitor]
