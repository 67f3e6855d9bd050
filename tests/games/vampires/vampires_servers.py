"""A server of Vampires vs Werewolves for tests, and clients that say what a test has them say."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Self, TypeVar

from joute.games import new
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.games.vampires.tcp.server import Hosting, Server, Table
from joute.games.vampires.tcp.wire import FROM_SERVER, Bye, Frame, Hme, Map, Mov, Nme, Parser, Set, Upd
from joute.match import GameRecord
from joute.match.record_reader import read_text
from joute.match.record_text import write_record

F = TypeVar("F", bound=Frame)

#: The map of the published transcript, houses in the order of its file, which HUM tells.
TRAP = "vampires:map=5x10/4v4.3+4w4.1+4h2.2+2h9.0+1h9.2+2h9.4"
TRAP_HOUSES = ((2, 2), (9, 0), (9, 2), (9, 4))

# Of a game on the map of five rows and ten columns, as the course's server of 2020 sent it.
_SET_HUM = "53 45 54 05 0a 48 55 4d 04 02 02 09 00 09 02 09 04"
_HOMES = ("48 4d 45 04 03", "48 4d 45 04 01")
_MAP = "4d 41 50 06 09 00 02 00 00 04 01 00 00 04 02 02 04 00 00 09 02 01 00 00 04 03 00 04 00 09 04 02 00 00"
#: What each of the two players hears before the first turn.
GREETINGS = tuple(_SET_HUM + home + _MAP for home in _HOMES)
UPD_FIRST = "55 50 44 00"
UPD_SECOND = "55 50 44 02 05 03 00 04 00 04 03 00 00 00"
UPD_THIRD = "55 50 44 04 05 03 00 04 00 04 03 00 00 00 05 01 00 00 04 04 01 00 00 00"
GOODBYE = bytes.fromhex("45 4e 44 42 59 45")

#: Times for tests: no pauses, and turns that nobody loses because a machine is busy.
QUICK = HostSettings(time_s=20, welcome_s=0, farewell_s=0, first_turn_s=20, name_s=20)

#: When a test gives up. Nothing is expected to take long.
PATIENCE_S = 15.0


class Watch:
    """What a server tells."""

    def __init__(self) -> None:
        self.records: list[GameRecord] = []
        self.sentences: list[str] = []
        self.begun = 0

    def began(self, table: Table) -> None:
        self.begun += 1

    def ended(self, table: Table, record: GameRecord, number: int) -> None:
        self.records.append(record)

    def told(self, sentence: str) -> None:
        self.sentences.append(sentence)


class Hosted:
    """A server that runs in a thread of its own."""

    def __init__(self, hosting: Hosting, store: Callable[[GameRecord, datetime], Future[int]]) -> None:
        self.watch = Watch()
        self.server = Server(hosting, store=store, watcher=self.watch)
        self.port = 0
        self.error: BaseException | None = None
        self._is_ready = threading.Event()
        self._thread = threading.Thread(target=self._run)

    @property
    def records(self) -> list[GameRecord]:
        """The finished games."""
        return self.watch.records

    @property
    def only_record(self) -> GameRecord:
        """The one game, once it is played."""
        self.wait()
        (record,) = self.records
        return record

    def start(self) -> Self:
        self._thread.start()
        assert self._is_ready.wait(PATIENCE_S)
        return self

    def wait(self) -> None:
        """Until all games are played."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the server goes on"

    def stop(self) -> None:
        if self._thread.is_alive():
            self.server.loop.call_soon_threadsafe(self.server.stop)
        self.wait()

    def _run(self) -> None:
        try:
            asyncio.run(self.server.run("127.0.0.1", 0, self._ready))
        except BaseException as error:
            self.error = error
        self._is_ready.set()

    def _ready(self, port: int) -> None:
        self.port = port
        self._is_ready.set()


def stored(record: GameRecord, started: datetime) -> Future[int]:
    """Keeps nothing, at once."""
    done: Future[int] = Future()
    done.set_result(0)
    return done


@contextlib.contextmanager
def hosted(
    game: str = TRAP,
    *,
    settings: HostSettings = QUICK,
    games: int = 1,
    seed: int = 0,
    first_number: int = 0,
    houses: Any = None,
    store: Callable[[GameRecord, datetime], Future[int]] = stored,
) -> Iterator[Hosted]:
    """A server for a test; what it raises fails the test."""
    start: Any = new(game)
    server = Hosted(Hosting(start, games, seed, first_number, settings, houses), store).start()
    try:
        yield server
    finally:
        server.stop()
        if server.error:
            raise server.error


class Client:
    """A connection that says what it is told to."""

    def __init__(self, port: int, name: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._parser = Parser(FROM_SERVER)
        if name is not None:
            self.say(Nme.called(name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, *frames: Frame | bytes) -> None:
        """Send frames or any bytes, glued together."""
        self.socket.sendall(b"".join(frame if isinstance(frame, bytes) else frame.encode() for frame in frames))

    def move(self, *orders: tuple[int, int, int, int, int]) -> None:
        self.say(Mov.giving(orders))

    def read(self, count: int) -> bytes:
        """So many bytes, or fewer if the connection ends."""
        data = b""
        while len(data) < count and (part := self.socket.recv(count - len(data))):
            data += part
        return data

    def rest(self) -> bytes:
        """All that comes until the connection ends."""
        data = b""
        with contextlib.suppress(ConnectionError):
            while part := self.socket.recv(65536):
                data += part
        return data

    def frame(self) -> Frame | None:
        """The next frame; None at the end of the connection."""
        while (frame := self._parser.next_frame()) is None:
            try:
                data = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not data:
                return None
            self._parser.feed(data)
        return frame

    def until(self, kind: type[F]) -> F:
        """The next frame of a kind."""
        while not isinstance(frame := self.frame(), kind):
            assert frame is not None, f"the connection ended before {kind.__name__}"
        return frame


class Player:
    """An honest bot that moves one of its groups anywhere."""

    def __init__(self, client: Client, seed: int = 0) -> None:
        self.client = client
        self._random = random.Random(seed)
        self._cells: dict[tuple[int, int], tuple[str, int] | None] = {}
        self._species = ""
        self._home = (0, 0)
        self._size = (0, 0)

    def play(self) -> list[type[Frame]]:
        """Play until the connection ends; the kinds of the frames that came."""
        heard: list[type[Frame]] = []
        while (frame := self.client.frame()) is not None:
            heard.append(type(frame))
            if isinstance(frame, Set):
                self._size = (frame.columns, frame.rows)
            elif isinstance(frame, Hme):
                self._home = (frame.x, frame.y)
            elif isinstance(frame, Map | Upd):
                self._cells |= {(cell.x, cell.y): cell.held for cell in frame.cells}
            if isinstance(frame, Map):
                held = self._cells[self._home]
                assert held is not None
                self._species = held[0]
            elif isinstance(frame, Upd):
                with contextlib.suppress(ConnectionError):
                    self.client.move(self._order())
            elif isinstance(frame, Bye):
                break
        return heard

    def _order(self) -> tuple[int, int, int, int, int]:
        own = [(*cell, held[1]) for cell, held in self._cells.items() if held and held[0] == self._species]
        x, y, count = self._random.choice(own)
        columns, rows = self._size
        targets = [
            (target_x, target_y)
            for target_x in range(max(0, x - 1), min(columns, x + 2))
            for target_y in range(max(0, y - 1), min(rows, y + 2))
            if (target_x, target_y) != (x, y)
        ]
        return (x, y, count, *self._random.choice(targets))


def play_in_thread(port: int, name: str, seed: int = 0) -> threading.Thread:
    """An honest bot that plays a game by itself."""

    def play() -> None:
        with Client(port, name) as client:
            Player(client, seed).play()

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    return thread


def replays(record: Any) -> bool:
    """Whether a record is what its own text says, which is replayed when it is read."""
    (read,) = read_text(write_record(record))
    return bool(getattr(read, "record", None) == record)


def begun(port: int, game_names: tuple[str, str] = ("a", "b")) -> tuple[Client, Client]:
    """Two players, and it is the first one's turn."""
    first = Client(port, game_names[0])
    first.until(Map)
    second = Client(port, game_names[1])
    second.until(Map)
    first.until(Upd)
    return first, second
