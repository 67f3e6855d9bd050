"""The driver's side of the worker processes: sends jobs, receives records, and replaces workers that fail.

A failure during a game never ends the tournament: blame.py decides how that game ends. The tournament ends early only
if workers cannot be started or cannot load it (`_HopelessError`).
"""

from __future__ import annotations

import json
import math
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from joute._core import one_line
from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.players.sources import source_as_data
from joute.arena.pool.black_box import BlackBox
from joute.arena.pool.blame import Blame, Case
from joute.arena.pool.cores import core_shares, memory_kills
from joute.arena.schedules.schedule import Pairing
from joute.errors import JouteError, described
from joute.match.game import derive_seed
from joute.match.record import GameRecord
from joute.system import isolation_problem

# The pool gives up after this many workers in a row failed to start.
_FAILED_STARTS = 3
# Attempts to create a process, and the pause after each failed one.
_START_TRIES = 10
_START_PAUSE_S = 1.0
# The number of bytes at the end of a dead worker's output that are quoted in the detail of its game.
_TAIL = 300


class _HopelessError(JouteError):
    """No further game can be played. The finished games stay in the store."""


@dataclass(frozen=True)
class Finished:
    """A finished game."""

    pairing: Pairing
    record: GameRecord
    started: datetime


@dataclass
class _Worker:
    """One worker process."""

    process: subprocess.Popen[bytes]
    cores: tuple[int, ...]
    job_writer: int
    result_reader: int
    box: BlackBox
    errors: Any
    unread: bytearray = field(default_factory=bytearray)
    ready: bool = False
    since_s: float = field(default_factory=time.monotonic)
    game: Pairing | None = None
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    memory_kills: int = 0

    def case(self, game: Pairing, tail: str = "") -> Case:
        """The evidence about the worker's current game, for `Blame`."""
        return Case(game, self.box, self.ready, self.since_s, tail)


class Pool:
    """Worker processes that play the games of a plan.

    The thread that creates a worker must outlive it: the kernel kills a worker when that thread ends.
    """

    def __init__(
        self,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        workers: int,
        private_files: Sequence[Path] = (),
    ) -> None:
        if problem := isolation_problem():
            raise JouteError(problem)
        self._plan = plan
        self._sources = sources
        self._private_files = private_files
        self._openings = openings
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []
        self._again: deque[Pairing] = deque()
        self._blame = Blame(plan, sources, openings)
        self._failed_starts = 0
        self._shares = core_shares(workers)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the workers. The agents' processes die with them."""
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            self._bury(worker)
        self._selector.close()

    def play(self, pairings: Iterator[Pairing | None]) -> Iterator[Finished]:
        """Play the games of `pairings` and yield each when it ends. None in `pairings` means: wait for a result."""
        while True:
            self._hand_out_games(pairings)
            if not any(worker.game for worker in self._workers):
                return
            finished = self._happened()
            self._hand_out_games(pairings)  # before the yield, so that no worker waits while the driver stores games
            yield from finished

    def _hand_out_games(self, pairings: Iterator[Pairing | None]) -> None:
        while worker := self._idle():
            pairing = self._again.popleft() if self._again else next(pairings, None)
            if pairing is None:
                return
            self._hand_out(worker, pairing)

    def _happened(self) -> list[Finished]:
        """The games that end before the next deadline, waiting at most 1 s, because each turn sets a new deadline."""
        now = time.monotonic()
        wait_s = min(self._deadline(worker) for worker in self._workers) - now
        finished: list[Finished] = []
        for key, _ in self._selector.select(max(0.0, min(wait_s, 1.0))):
            finished += self._read(key.data)
        for worker in list(self._workers):
            if time.monotonic() >= self._deadline(worker):
                finished += self._overdue(worker)
        return finished

    def _idle(self) -> _Worker | None:
        """An idle worker, started if there are fewer workers than core shares; None if all are busy."""
        for worker in self._workers:
            if worker.game is None:
                return worker
        if len(self._workers) == len(self._shares):
            return None
        free = Counter(self._shares) - Counter(worker.cores for worker in self._workers)
        return self._start(min(free))

    def _start(self, cores: tuple[int, ...]) -> _Worker:
        job_reader, job_writer = os.pipe()
        result_reader, result_writer = os.pipe()
        box = BlackBox.create()
        errors = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed when the worker is buried
        inherited = (job_reader, result_writer, box.descriptor)
        process = _started(
            # -P: a file in the working folder must not shadow a module of Python or Joute.
            [sys.executable, "-P", "-m", "joute.arena.pool.worker", *map(str, (*inherited, os.getpid()))],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=inherited,
            start_new_session=True,  # Ctrl-C goes to the driver only
            cwd=self._plan.folder,
        )
        os.close(job_reader)
        os.close(result_writer)
        worker = _Worker(process, cores, job_writer, result_reader, box, errors)
        self._workers.append(worker)
        self._selector.register(result_reader, selectors.EVENT_READ, worker)
        sources = [source_as_data(source) for source in self._sources]
        tournament = {
            "plan": self._plan.as_data(),
            "sources": sources,
            "private_files": [str(path) for path in self._private_files],
            "cores": cores,
        }
        self._send(worker, tournament)
        return worker

    def _hand_out(self, worker: _Worker, pairing: Pairing) -> None:
        worker.game = pairing
        worker.started = datetime.now(UTC)
        worker.since_s = time.monotonic()
        worker.memory_kills = memory_kills()
        if worker.ready:
            worker.errors.seek(0)  # the worker shares the file offset and writes from here
            worker.errors.truncate()
        job = {
            "number": pairing.number,
            "players": pairing.players,
            "start": self._openings[pairing.opening],
            "seed": derive_seed(self._plan.seed, pairing.number),
        }
        self._send(worker, job)

    def _send(self, worker: _Worker, message: dict[str, Any]) -> None:
        unsent = memoryview(json.dumps(message).encode() + b"\n")
        try:
            while unsent:
                unsent = unsent[os.write(worker.job_writer, unsent) :]
        except BrokenPipeError:
            pass  # the worker is dead; end of file on `result_reader` reports it

    def _read(self, worker: _Worker) -> Iterator[Finished]:
        data = os.read(worker.result_reader, 1 << 20)
        if not data:
            yield from self._dead(worker)
            return
        worker.unread += data
        while (end := worker.unread.find(b"\n")) >= 0:
            line = bytes(worker.unread[:end])
            del worker.unread[: end + 1]
            try:
                finished = self._understood(worker, json.loads(line))
            except _HopelessError:
                raise
            except (LookupError, TypeError, ValueError) as error:
                yield from self._failed(worker, f"the worker process sent an invalid message ({described(error)})")
                return
            if finished:
                self._failed_starts = 0
                worker.game = None
                yield finished

    def _understood(self, worker: _Worker, message: dict[str, Any]) -> Finished | None:
        """Process a message from a worker; returns its game if that is finished."""
        if "ready" in message:
            worker.ready = True
            worker.since_s = time.monotonic()
            return None
        if "failed" in message:
            raise _HopelessError(f"a worker cannot play this tournament: {message['failed']}")
        if worker.game is None or message["number"] != worker.game.number:
            raise ValueError("it was not asked for this game")
        if "record" in message:
            return Finished(worker.game, GameRecord.from_data(message["record"]), worker.started)
        game, record = worker.game, self._blame.of_unplayed(worker.case(worker.game), message["error"])
        worker.game = None
        return self._ended(worker, game, record)

    def _deadline(self, worker: _Worker) -> float:
        """The monotonic time at which the worker is killed; infinite without a game."""
        return math.inf if worker.game is None else self._blame.deadline(worker.case(worker.game))

    def _overdue(self, worker: _Worker) -> Iterator[Finished]:
        was_stopped = _is_stopped(worker.process.pid)
        worker.process.kill()
        worker.process.wait()  # the black box does not change any more
        if worker.game:
            judged = self._blame.of_late_worker(worker.case(worker.game), was_stopped=was_stopped)
            yield from self._failed(worker, judged)

    def _dead(self, worker: _Worker) -> Iterator[Finished]:
        """Handle a worker that closed its pipe: kill it if it still runs, and decide its game."""
        worker.process.kill()
        status = worker.process.wait()
        if worker.game is None:
            self._bury(worker)
            return
        case = worker.case(worker.game, _tail(worker))
        kernel_killed = memory_kills() > worker.memory_kills
        yield from self._failed(worker, self._blame.of_dead_worker(case, status, kernel_killed=kernel_killed))

    def _failed(self, worker: _Worker, judged: GameRecord | str) -> Iterator[Finished]:
        """Handle a failed worker; `judged` is the record of its game, or a text if no player is at fault.

        A worker that failed before it was ready counts as a failed start, and its game is played again.
        """
        game = worker.game
        tail = _tail(worker)
        if isinstance(judged, str) and not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise _HopelessError(f"workers cannot be started: {judged}{tail}")
            if game:
                self._again.append(game)
        elif game:
            record = (
                judged if isinstance(judged, GameRecord) else self._blame.of_failure(worker.case(game, tail), judged)
            )
            if finished := self._ended(worker, game, record):
                yield finished
        self._bury(worker)

    def _ended(self, worker: _Worker, game: Pairing, record: GameRecord | None) -> Finished | None:
        """End a game that its worker could not finish: with `record`, or, if that is None, by playing it again."""
        if record is not None:
            return Finished(game, record, worker.started)
        self._again.append(game)
        return None

    def _bury(self, worker: _Worker) -> None:
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._selector.unregister(worker.result_reader)
        worker.process.kill()
        worker.process.wait()
        os.close(worker.job_writer)
        os.close(worker.result_reader)
        worker.box.close()
        worker.errors.close()


def _started(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
    """A new process. Retries, because a fork bomb may use up all process slots until it is killed."""
    for _ in range(_START_TRIES):
        try:
            return subprocess.Popen(command, **settings)
        except OSError as error:
            problem = error
            time.sleep(_START_PAUSE_S)
    raise _HopelessError(f"a worker cannot be started: {problem}")


def _is_stopped(process: int) -> bool:
    """Whether a process is stopped by a signal."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    except OSError:
        return False


def _tail(worker: _Worker) -> str:
    """The end of the worker's output as part of a sentence; empty if it wrote nothing."""
    descriptor = worker.errors.fileno()
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, _TAIL, max(0, size - _TAIL)).decode(errors="replace").strip()
    return f"; it wrote: {one_line(' | '.join(text.splitlines()))}" if text else ""
