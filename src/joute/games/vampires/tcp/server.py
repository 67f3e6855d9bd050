"""The server of Vampires vs Werewolves: pairs connections in the order of arrival, and runs many games at a time.

`HostedGame` implements the protocol. This module has the sockets and timers, and guarantees that a game is stored
before its players learn that it is over. One event loop does everything except storing; it never waits for a client.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import math
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from joute.errors import JouteError
from joute.games.vampires.tcp.frames import goodbye
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.referee import HostedGame, Stage
from joute.match.game import derive_seed
from joute.match.record import GameRecord

if TYPE_CHECKING:
    from joute.games.vampires.state import Vampires

#: The largest number of open connections; further ones are refused.
MOST_CONNECTIONS = 1000

# Send buffer of a client that does not read: enough for all UPDs of a game on a small map, besides the system's buffer.
_MOST_UNREAD_BYTES = 64 * 1024
# Time for a closed connection to receive its last bytes.
_LINGER_S = 2.0
# Connections that the system queues while the loop is busy.
_BACKLOG = 1024


@dataclass(frozen=True)
class Hosting:
    """The games to host: their start position, and their number; 0 for no limit."""

    start: Vampires
    games: int = 1
    seed: int = 0
    #: The number of the first game, from which its seed derives.
    first_number: int = 0
    settings: HostSettings = field(default_factory=HostSettings)
    #: The places of the houses in the order of the map's file; None for column by column.
    houses: Sequence[tuple[int, int]] | None = None


class Watcher(Protocol):
    """Receives the events of a server."""

    def began(self, table: Table) -> None:
        """A game has two players."""

    def ended(self, table: Table, record: GameRecord, number: int) -> None:
        """A game is over and stored under that number."""

    def told(self, sentence: str) -> None:
        """Another event, e.g. a connection that is not in a game."""


class Table:
    """A game and its two connections."""

    def __init__(self, number: int, server: Server) -> None:
        hosting = server.hosting
        self.number = number
        self.started = datetime.now(UTC)
        self.game = HostedGame(
            hosting.start,
            self,
            settings=hosting.settings,
            seed=derive_seed(hosting.seed, number),
            houses=hosting.houses,
            tell=server.watcher.told,
        )
        #: Whether the game is over and stored.
        self.is_kept = False
        self._server = server
        self._clients: list[_Client | None] = [None, None]
        self._has_begun = self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = math.inf

    def sit(self, client: _Client) -> None:
        """Give a connection the free seat."""
        seat = self.game.free_seat
        assert seat is not None
        self._clients[seat] = client
        client.table, client.seat = self, seat
        self.game.sit(seat, self._server.now())
        self.look()

    def left(self, seat: int, why: str) -> None:
        """Handle a lost connection."""
        self._clients[seat] = None
        self.game.leave(seat, self._server.now(), why)
        self.look()

    def look(self) -> None:
        """Handle the changes after an event, and set the timer for the game's next step."""
        game = self.game
        if game.has_begun and not self._has_begun:
            self._has_begun, self.started = True, datetime.now(UTC)
            self._server.watcher.began(self)
        if game.record and not self._is_over:
            self._is_over = True
            self._server.keep(self, game.record)
        is_settled = self.is_kept or not self._is_over
        if game.stage is Stage.CLOSED and is_settled:  # until it is stored, it counts as a running game
            self._server.closed(self)
        # The players do not learn of the end before the game is stored.
        self._set_timer(game.deadline if is_settled else math.inf)
        self._server.call_in()

    def kept(self) -> None:
        """Continue after the game is stored."""
        self.is_kept = True
        self.look()

    def send(self, seat: int, data: bytes) -> None:
        """Write to a player."""
        if client := self._clients[seat]:
            client.send(data)

    def hush(self, seat: int, *, on: bool) -> None:
        """Stop reading from a player, or resume."""
        if client := self._clients[seat]:
            client.hush(on=on)

    def close(self, seat: int) -> None:
        """Close a player's connection."""
        if client := self._clients[seat]:
            self._clients[seat] = None
            client.dismiss()

    def abandon(self) -> None:
        """Close the game because the server ends. Players of a finished game that is not stored get no END."""
        self._set_timer(math.inf)
        if self.is_kept or not self._is_over:
            self.game.close()
        for seat in range(2):
            self.close(seat)

    def _set_timer(self, at: float) -> None:
        if self._timer and at == self._timer_at:
            return
        if self._timer:
            self._timer.cancel()
        self._timer, self._timer_at = None, at
        if at == math.inf:
            return
        # Not call_soon, which the loop runs before it reads: a timer runs after the input that has arrived, so a move
        # in time counts, and a late one is discarded before UPD.
        self._timer = self._server.loop.call_at(at, self._wake)

    def _wake(self) -> None:
        at, self._timer, self._timer_at = self._timer_at, None, math.inf
        self.game.wake(max(at, self._server.now()))  # the loop may be early by its clock's resolution
        self.look()


class _Client(asyncio.Protocol):
    """A connection: waiting for a seat, at a table, or closing."""

    def __init__(self, server: Server) -> None:
        self.table: Table | None = None
        self.seat = 0
        self._server = server
        self._transport: asyncio.Transport
        self._is_hushed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Find a seat for the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_MOST_UNREAD_BYTES)
        self._server.seat(self)

    def data_received(self, data: bytes) -> None:
        """Pass received bytes to the game."""
        if table := self.table:
            table.game.receive(self.seat, data, self._server.now())
            table.look()

    def pause_writing(self) -> None:
        """Handle a client that does not read."""
        self._server.loop.call_soon(self._stall)  # deferred: the game is in the middle of a step, sending

    def _stall(self) -> None:
        if table := self.table:
            table.game.stall(self.seat, self._transport.get_write_buffer_size(), self._server.now())
            table.look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection, closed by either side."""
        self._server.gone(self)
        if table := self.table:
            self.table = None
            table.left(self.seat, f"lost the connection: {exc}" if exc else "closed the connection")

    def send(self, data: bytes) -> None:
        """Write without waiting."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def hush(self, *, on: bool) -> None:
        """Stop reading, or resume."""
        if on != self._is_hushed and not self._transport.is_closing():
            self._is_hushed = on
            (self._transport.pause_reading if on else self._transport.resume_reading)()

    def dismiss(self) -> None:
        """Close when all bytes are sent, or after _LINGER_S."""
        self.table = None
        self._transport.close()
        self._server.loop.call_later(_LINGER_S, self._transport.abort)

    def abort(self) -> None:
        """Close at once."""
        self.table = None
        self._transport.abort()


class Server:
    """Hosts games until the requested number is reached.

    `store` stores a finished game and returns a future of its number; until it is done, the players do not learn that
    the game is over. If it fails, the server ends with its exception.
    """

    def __init__(
        self, hosting: Hosting, *, store: Callable[[GameRecord, datetime], Future[int]], watcher: Watcher
    ) -> None:
        self.hosting = hosting
        self.watcher = watcher
        #: The games that wait for players, are in play, or are closing, by number.
        self.tables: dict[int, Table] = {}
        #: The number of games that are over and stored.
        self.finished = 0
        #: The number of games in play when the server ended.
        self.cut_off = 0
        self.loop: asyncio.AbstractEventLoop
        self._store = store
        self._next_number = hosting.first_number
        self._clients: set[_Client] = set()
        self._outside: deque[_Client] = deque()
        self._keeping: set[asyncio.Future[int]] = set()
        self._end: asyncio.Future[None]
        self._error: BaseException | None = None

    def now(self) -> float:
        """Return the time that the games use."""
        return self.loop.time()

    async def run(self, address: str, port: int, ready: Callable[[int], None] = lambda _: None) -> None:
        """Listen until all games are played; `ready` is called with the port. JouteError if it cannot listen."""
        self.loop = asyncio.get_running_loop()
        self._end = self.loop.create_future()
        self.loop.set_exception_handler(self._fail)
        try:
            listener = await self.loop.create_server(lambda: _Client(self), address, port, backlog=_BACKLOG)
        except OSError as error:
            raise _cannot_listen(address, port, error) from error
        try:
            ready(listener.sockets[0].getsockname()[1])
            await self._end
        finally:
            listener.close()
            await self._disconnect_all()
        if self._error:
            raise self._error

    def seat(self, client: _Client) -> None:
        """Seat a new connection: at the table that has waited longest, at a new table, or in the queue."""
        self._clients.add(client)
        if len(self._clients) > MOST_CONNECTIONS:
            self.watcher.told(f"a connection is refused: there are {MOST_CONNECTIONS} already")
            client.dismiss()
        elif table := self._free_table():
            table.sit(client)
        else:
            self.watcher.told("a connection waits: all games have their players")
            client.hush(on=True)  # its bytes are read once it has a seat
            self._outside.append(client)

    def call_in(self) -> None:
        """Seat queued connections, the longest waiting first, while seats are free."""
        while self._outside and (table := self._free_table()):
            client = self._outside.popleft()
            table.sit(client)
            client.hush(on=False)

    def gone(self, client: _Client) -> None:
        """Forget a closed connection."""
        self._clients.discard(client)
        if client in self._outside:
            self._outside.remove(client)

    def keep(self, table: Table, record: GameRecord) -> None:
        """Store a finished game."""

        def done(stored: asyncio.Future[int]) -> None:
            self._keeping.discard(stored)
            if error := stored.exception():
                self.stop(error)
                return
            self.finished += 1
            self.watcher.ended(table, record, stored.result())
            table.kept()

        stored = asyncio.wrap_future(self._store(record, table.started), loop=self.loop)
        self._keeping.add(stored)
        stored.add_done_callback(done)

    def closed(self, table: Table) -> None:
        """Remove a table whose game is over and whose connections are closed."""
        self.tables.pop(table.number, None)
        if self.hosting.games and self.finished >= self.hosting.games and not self.tables:
            self.stop()

    def stop(self, error: BaseException | None = None) -> None:
        """End the server, even during games; `run` raises the error, if any."""
        self._error = self._error or error
        if not self._end.done():
            self._end.set_result(None)

    def _free_table(self) -> Table | None:
        """Return a table with a free seat, or a new one; None if enough games are running or over."""
        for table in self.tables.values():
            if table.game.free_seat is not None:
                return table
        unfinished = sum(not table.is_kept for table in self.tables.values())
        if self.hosting.games and self.finished + unfinished >= self.hosting.games:
            return None
        table = self.tables[self._next_number] = Table(self._next_number, self)
        self._next_number += 1
        return table

    def _fail(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an exception in the loop. An error in Joute's own code ends the server, without blaming a player."""
        error = context.get("exception")
        if isinstance(error, OSError):  # such as too many open files; the loop continues
            self.watcher.told(f"{context['message']}: {error}")
        else:
            self.stop(error or RuntimeError(context["message"]))

    async def _disconnect_all(self) -> None:
        if self._keeping:
            await asyncio.wait(self._keeping)  # so that players of finished games learn that they are over
        tables = list(self.tables.values())
        self.cut_off = sum(table.game.has_begun and table.game.record is None for table in tables)
        for table in tables:
            table.abandon()
        for client in self._outside:
            client.send(goodbye(self.hosting.start))
            client.dismiss()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                while self._clients:
                    await asyncio.sleep(0.01)
        for client in list(self._clients):
            client.abort()


def _cannot_listen(address: str, port: int, error: OSError) -> JouteError:
    """Return the error for an address that cannot be used; asyncio's own message repeats address and port."""
    if error.errno == errno.EADDRINUSE:
        return JouteError(
            f"port {port} of {address} is in use: name another with --port, or take any that is free with --port 0"
        )
    if error.errno is None or isinstance(error, socket.gaierror):
        why = error.strerror or str(error)
    else:
        why = os.strerror(error.errno)
    return JouteError(f"cannot listen at {address}, port {port}: {why}")
