"""Plays games on a node, with the worker processes of one machine, for a driver elsewhere.

The driver calls the methods over the network, several at a time. A thread owns the workers, because the kernel ends
them with the thread that started them.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from joute.arena.cluster.shipment import Shipment, Unpacked, remove, unpacked
from joute.arena.cluster.software import Software, software
from joute.arena.cluster.speed import measured_speed
from joute.arena.players.sandbox import check_sandbox
from joute.arena.pool.blame import Unplayed
from joute.arena.pool.pool import Finished, Pool
from joute.arena.schedules.schedule import Pairing
from joute.errors import JouteError, described
from joute.match.record import GameRecord


@dataclass(frozen=True)
class Played:
    """A game that ended on a node."""

    number: int
    record: GameRecord
    #: How long it took. The clocks of two machines differ, so the moment of its beginning does not travel.
    seconds: float


@dataclass(frozen=True)
class Answer:
    """News of a node since its last answer."""

    played: tuple[Played, ...]
    unplayed: tuple[Unplayed, ...]
    #: Why it can play no more games; "" while it can.
    problem: str = ""


class Host:
    """The games of one driver on this node."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Pairing] = deque()
        self._played: list[Played] = []
        self._unplayed: list[Unplayed] = []
        self._problem = ""
        self._ends = False
        self._pool: Pool | None = None
        self._thread: threading.Thread | None = None
        self._last_answer_s = 0.0

    def software(self) -> Software:
        """Return the software of this node."""
        return software()

    def sandbox_problem(self) -> str:
        """Why agents cannot run in a sandbox on this node; "" if they can."""
        try:
            check_sandbox()
        except JouteError as error:
            return str(error)
        return ""

    def speed(self, game: str, workers: int, seconds: float) -> float:
        """The speed of this node with this many games at once."""
        return measured_speed(game, workers, seconds)

    def begin(self, shipment: Shipment, workers: int, clock_factor: float) -> None:
        """Get ready for the games of a tournament; JouteError if they cannot be played here."""
        tournament = unpacked(shipment, clock_factor)
        self._thread = threading.Thread(target=self._play, args=(tournament, workers), daemon=True)
        self._thread.start()

    def give(self, pairings: Sequence[Pairing]) -> None:
        """Play these games after those that were given before."""
        with self._changed:
            self._waiting += pairings
            self._changed.notify_all()
            if self._pool:
                self._pool.ring()

    def take(self, beat_s: float, batch_s: float) -> Answer:
        """Return the news since the last answer.

        It waits at most `beat_s` for news, and at least `batch_s` between answers. So short games travel together, and
        the answer about a long game does not wait.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._played or self._unplayed or self._problem, beat_s)
            while (wait_s := self._last_answer_s + batch_s - time.monotonic()) > 0 and not self._problem:
                self._changed.wait(wait_s)
            self._last_answer_s = time.monotonic()
            answer = Answer(tuple(self._played), tuple(self._unplayed), self._problem)
            self._played, self._unplayed = [], []
            return answer

    def end(self) -> None:
        """Stop all games and remove the agents' files."""
        with self._changed:
            self._ends = True
            self._changed.notify_all()
            if self._pool:
                self._pool.stop()
        if self._thread:
            self._thread.join()

    def _play(self, tournament: Unpacked, workers: int) -> None:
        """Own the workers and play what is given, until the end."""
        try:
            with Pool(
                tournament.plan,
                tournament.sources,
                tournament.openings,
                workers,
                tournament.private_files,
                keep_alive=tournament.keep_alive,
            ) as pool:
                try:
                    with self._changed:
                        self._pool = pool
                    self._play_with(pool)
                finally:
                    with self._changed:
                        self._pool = None
        except Exception as error:
            with self._changed:
                self._problem = str(error) if isinstance(error, JouteError) else described(error)
                self._changed.notify_all()
        finally:
            remove(tournament.folder)

    def _play_with(self, pool: Pool) -> None:
        while True:
            for finished in pool.play(self._pairings()):
                self._tell(pool, finished)
            self._tell(pool, [])
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ends)
                if self._ends:
                    return

    def _pairings(self) -> Iterator[Pairing | None]:
        while not self._ends:
            pairing = None
            with contextlib.suppress(IndexError):
                pairing = self._waiting.popleft()
            yield pairing

    def _tell(self, pool: Pool, finished: Sequence[Finished]) -> None:
        """Keep what has ended for the next answer."""
        now = datetime.now(UTC)
        with self._changed:
            for each in finished:
                seconds = (now - each.started).total_seconds()
                self._played.append(Played(each.pairing.number, each.record, seconds))
            self._unplayed += pool.unplayed
            pool.unplayed.clear()
            self._changed.notify_all()
