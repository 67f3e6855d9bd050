"""The driver's side of the worker processes: sends jobs, receives records, and replaces workers that fail.

A failure during a game never ends the tournament: blame.py decides how that game ends, or that it is given up. The
tournament ends early only if workers cannot be started or cannot load it (`_HopelessError`).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import socket
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
from joute.arena.players.shield import is_shielded, private_memory
from joute.arena.players.sources import source_as_data
from joute.arena.pool.black_box import BlackBox
from joute.arena.pool.blame import Attempt, Blame, Case, Unplayed, Verdict, how_it_ended, is_interruption
from joute.arena.pool.cores import core_shares
from joute.arena.pool.node import Node
from joute.arena.schedules.schedule import Pairing
from joute.errors import JouteError, described
from joute.match.game import derive_seed
from joute.match.record import GameRecord, MoveRecord
from joute.system import isolation_problem, memory_kills

# The pool gives up after this many workers that failed to start by themselves, or that were killed from outside,
# without a game finished by a worker between them.
_FAILED_STARTS, _KILLED_STARTS = 3, 10
# Attempts to create a process, and the pause after each failed one.
_START_TRIES = 10
_START_PAUSE_S = 1.0
# The longest time for a worker to end after it closed its socket.
_CLOSING_S = 5.0
# Seconds between two checks whether workers are stopped.
_LOOK_S = 0.5
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
    #: The node of a cluster that played it; None on this machine.
    node: Node | None = None


@dataclass(frozen=True)
class Running:
    """A game that is being played: its players and opening, the moves so far, and who thinks."""

    pairing: Pairing
    started: datetime
    start_outcomes: tuple[int, ...]
    moves: tuple[MoveRecord, ...]
    #: The thinking player, or -1, and the seconds since it was asked.
    thinker: int
    thinks_s: float


@dataclass
class _Worker:
    """One worker process."""

    process: subprocess.Popen[bytes]
    cores: tuple[int, ...]
    socket: socket.socket
    box: BlackBox
    errors: Any
    unread: bytearray = field(default_factory=bytearray)
    ready: bool = False
    since_s: float = field(default_factory=time.monotonic)
    attempt: Attempt | None = None
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    memory_kills: int = 0

    def case(self, attempt: Attempt, tail: str = "") -> Case:
        """The evidence about the worker's current game, for `Blame`."""
        return Case(attempt, self.box, self.since_s, is_ready=self.ready, tail=tail)


class Pool:
    """Worker processes that play the games of a plan. `keep_alive` is that of `make_player`, within each worker.

    The thread that creates a worker must outlive it: the kernel kills a worker when that thread ends.
    """

    def __init__(
        self,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        workers: int,
        private_files: Sequence[Path] = (),
        *,
        keep_alive: bool = False,
    ) -> None:
        if problem := isolation_problem():
            raise JouteError(problem)
        self._plan = plan
        self._sources = sources
        self._private_files = private_files
        self._keep_alive = keep_alive
        self._openings = openings
        self._selector = selectors.DefaultSelector()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._workers: list[_Worker] = []
        self._again: deque[Attempt] = deque()
        self._blame = Blame(plan, sources, openings, shielded=is_shielded(plan.isolation))
        self._failed_starts = self._killed_starts = 0
        self._shares = core_shares(workers)
        self._next_look = 0.0
        self._stops = False
        self._memory = contextlib.ExitStack()
        self._memory.enter_context(private_memory())
        #: The games that were given up.
        self.unplayed: list[Unplayed] = []

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
        os.close(self._bell)
        self._memory.close()

    def ring(self) -> None:
        """Let `play` ask for more games at once. Any thread may call it."""
        os.eventfd_write(self._bell, 1)

    def stop(self) -> None:
        """Let `play` end at once, without the games in progress. Any thread may call it."""
        self._stops = True
        self.ring()

    def changed_nodes(self) -> list[Node]:
        """No node: the games are played on this machine."""
        return []

    def running(self) -> list[Running]:
        """The games that are being played. Any thread may call it while another one plays."""
        found = []
        for worker in list(self._workers):
            attempt, started = worker.attempt, worker.started
            if attempt is None or attempt.suspect is not None:
                continue  # a trial repeats a game
            with contextlib.suppress(ValueError):  # the box was closed meanwhile
                seen = worker.box.so_far()
                if seen is not None and seen[0].game == attempt.game.number:
                    glimpse, outcomes, moves = seen
                    thinks_s = time.monotonic() - glimpse.since_s
                    found.append(Running(attempt.game, started, outcomes, moves, glimpse.thinker, thinks_s))
        return found

    def play(self, pairings: Iterator[Pairing | None]) -> Iterator[list[Finished]]:
        """Play the games of `pairings` and yield those that end, several if they end at once.

        None in `pairings` means that the next game depends on a result that is not known yet. The iteration ends when
        no game is running and none can be handed out.
        """
        while True:
            self._hand_out_games(pairings)
            if not any(worker.attempt for worker in self._workers):
                return
            finished = self._happened()
            if self._stops:
                return
            self._hand_out_games(pairings)  # before the yield, so that no worker waits while the driver stores games
            if finished:
                yield finished

    def _hand_out_games(self, pairings: Iterator[Pairing | None]) -> None:
        while worker := self._idle():
            if self._again:
                self._hand_out(worker, self._again.popleft())
            elif pairing := next(pairings, None):
                self._hand_out(worker, Attempt(pairing))
            else:
                return

    def _happened(self) -> list[Finished]:
        """Wait until a worker writes or a deadline passes, and return the games that ended.

        At most 1 s, because a new turn changes the deadline without a message.
        """
        now = time.monotonic()
        wait_s = min(self._deadline(worker) for worker in self._workers) - now
        finished: list[Finished] = []
        for key, _ in self._selector.select(max(0.0, min(wait_s, 1.0))):
            if key.fd == self._bell:
                os.eventfd_read(self._bell)
            else:
                finished += self._read(key.data)
        now = time.monotonic()
        looks = now >= self._next_look
        for worker in list(self._workers):
            if looks and _is_stopped(worker.process.pid):
                finished += self._stopped(worker)
            elif now >= self._deadline(worker):
                finished += self._overdue(worker)
        if looks:
            self._next_look = now + _LOOK_S
        return finished

    def _idle(self) -> _Worker | None:
        """An idle worker, started if there are fewer workers than core shares; None if all are busy."""
        for worker in self._workers:
            if worker.attempt is None:
                return worker
        if len(self._workers) == len(self._shares):
            return None
        free = Counter(self._shares) - Counter(worker.cores for worker in self._workers)
        return self._start(min(free))

    def _start(self, cores: tuple[int, ...]) -> _Worker:
        ours, theirs = socket.socketpair()
        box = BlackBox.create()
        errors = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed when the worker is buried
        inherited = (theirs.fileno(), box.descriptor)
        with tempfile.TemporaryFile() as tournament:
            tournament.write(self._tournament(cores))
            tournament.seek(0)
            process = _started(
                # -P: a file in the working folder must not shadow a module of Python or Joute.
                [sys.executable, "-P", "-m", "joute.arena.pool.worker", *map(str, (*inherited, os.getpid()))],
                stdin=tournament,  # a file: to write a long text to a worker that is stopped would block
                stdout=errors,
                stderr=errors,
                pass_fds=inherited,
                start_new_session=True,  # Ctrl-C goes to the driver only
                cwd=self._plan.working_folder,
                env={**os.environ, "PYTHONHASHSEED": "0"},  # a game in Python may depend on the order of a set
            )
        theirs.close()
        worker = _Worker(process, cores, ours, box, errors)
        self._workers.append(worker)
        self._selector.register(ours, selectors.EVENT_READ, worker)
        return worker

    def _tournament(self, cores: tuple[int, ...]) -> bytes:
        """The description of the tournament for a worker."""
        described = {
            "plan": self._plan.as_data(),
            "sources": [source_as_data(source) for source in self._sources],
            "private_files": [str(path) for path in self._private_files],
            "cores": cores,
            "keep_alive": self._keep_alive,
        }
        return json.dumps(described).encode()

    def _hand_out(self, worker: _Worker, attempt: Attempt) -> None:
        pairing = attempt.game
        worker.attempt = attempt
        worker.started = datetime.now(UTC)
        worker.since_s = time.monotonic()
        worker.memory_kills = memory_kills()
        if worker.ready:
            worker.errors.seek(0)  # the worker shares the file offset and writes from here
            worker.errors.truncate()
        job = {
            "number": pairing.number,
            "players": pairing.players,
            "settings": pairing.settings,
            "start": self._openings[pairing.opening],
            "seed": derive_seed(self._plan.seed, pairing.seed_number),
            "suspect": attempt.suspect,
            "moves": attempt.moves,
            "pause_s": attempt.pause_s,
        }
        with contextlib.suppress(ConnectionError):  # the worker is dead; the end of its stream reports it
            worker.socket.sendall(json.dumps(job).encode() + b"\n")

    def _read(self, worker: _Worker) -> Iterator[Finished]:
        try:
            data = worker.socket.recv(1 << 20)
        except ConnectionError:  # it ended before it had read its job
            data = b""
        if not data:
            yield from self._dead(worker)
            return
        worker.unread += data
        while (end := worker.unread.find(b"\n")) >= 0:
            line = bytes(worker.unread[:end])
            del worker.unread[: end + 1]
            try:
                yield from self._understood(worker, json.loads(line))
            except _HopelessError:
                raise
            except (LookupError, TypeError, ValueError) as error:
                yield from self._failed(worker, f"the worker process sent an invalid message ({described(error)})")
                return

    def _understood(self, worker: _Worker, message: dict[str, Any]) -> Iterator[Finished]:
        """Process a message from a worker; yields its game if that is finished."""
        if "ready" in message:
            worker.ready = True
            worker.since_s = time.monotonic()
            return
        if "failed" in message:
            raise _HopelessError(f"a worker cannot play this tournament: {message['failed']}")
        attempt = worker.attempt
        if attempt is None or message["number"] != attempt.game.number:
            raise ValueError("it was not asked for this game")
        self._failed_starts = self._killed_starts = 0
        verdict: Verdict
        if "record" in message:
            record = GameRecord.from_data(message["record"])
            verdict = record if attempt.suspect is None else self._blame.after_trial(attempt)
        elif "interrupted" in message:
            verdict = self._blame.of_interruption(worker.case(attempt), message["interrupted"])
        else:
            verdict = self._blame.of_unplayable_game(worker.case(attempt), message["error"])
        yield from self._concluded(worker, attempt, verdict)

    def _deadline(self, worker: _Worker) -> float:
        """The monotonic time at which the worker is killed; infinite without a game."""
        return math.inf if worker.attempt is None else self._blame.deadline(worker.case(worker.attempt))

    def _stopped(self, worker: _Worker) -> Iterator[Finished]:
        """Handle a worker that a signal has stopped: kill it, as it would never answer."""
        worker.process.kill()
        worker.process.wait()
        yield from self._interrupted(worker, "the worker process was stopped by a signal")

    def _overdue(self, worker: _Worker) -> Iterator[Finished]:
        worker.process.kill()
        worker.process.wait()  # the black box does not change any more
        if not worker.ready:
            yield from self._failed(worker, "the worker process was not ready in time")
        elif worker.attempt:
            verdict = self._blame.of_late_worker(worker.case(worker.attempt, _tail(worker)))
            yield from self._concluded(worker, worker.attempt, verdict)
        self._bury(worker)

    def _dead(self, worker: _Worker) -> Iterator[Finished]:
        """Handle a worker that closed its socket: wait for its end, and decide its game."""
        try:
            status = worker.process.wait(_CLOSING_S)
        except subprocess.TimeoutExpired:
            yield from self._failed(worker, "the worker process closed its socket")
            return
        what = f"the worker process {how_it_ended(status)}"
        if not worker.ready and is_interruption(status):
            yield from self._interrupted(worker, what)
        elif not worker.ready:
            yield from self._failed(worker, what)
        elif worker.attempt:
            case = worker.case(worker.attempt, _tail(worker))
            kernel_killed = memory_kills() > worker.memory_kills
            verdict = self._blame.of_dead_worker(case, status, kernel_killed=kernel_killed)
            yield from self._concluded(worker, worker.attempt, verdict)
        self._bury(worker)

    def _failed(self, worker: _Worker, what: str) -> Iterator[Finished]:
        """Handle a worker that failed by itself. Before it was ready, its game is handed to another one."""
        attempt, tail = worker.attempt, _tail(worker)
        if not worker.ready:
            self._failed_starts += 1
            self._start_again(attempt, self._failed_starts >= _FAILED_STARTS, what + tail)
        elif attempt:
            yield from self._concluded(worker, attempt, self._blame.of_failure(worker.case(attempt, tail), what))
        self._bury(worker)

    def _interrupted(self, worker: _Worker, what: str) -> Iterator[Finished]:
        """Handle a worker that was stopped or killed from outside. Before it was ready, as in `_failed`."""
        attempt = worker.attempt
        if not worker.ready:
            self._killed_starts += 1
            self._start_again(attempt, self._killed_starts >= _KILLED_STARTS, what)
        elif attempt:
            yield from self._concluded(worker, attempt, self._blame.of_interruption(worker.case(attempt), what))
        self._bury(worker)

    def _start_again(self, attempt: Attempt | None, is_hopeless: bool, what: str) -> None:
        if is_hopeless:
            raise _HopelessError(f"workers cannot be started: {what}")
        if attempt:
            self._again.append(attempt)

    def _concluded(self, worker: _Worker, attempt: Attempt, verdict: Verdict) -> Iterator[Finished]:
        """Apply the verdict about an attempt: yield the game, plan the next attempt, or give the game up."""
        worker.attempt = None
        if isinstance(verdict, GameRecord):
            yield Finished(attempt.game, verdict, worker.started)
        elif isinstance(verdict, Attempt):
            self._again.append(verdict)
        else:
            self.unplayed.append(verdict)

    def _bury(self, worker: _Worker) -> None:
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._selector.unregister(worker.socket)
        worker.process.kill()
        worker.process.wait()
        worker.socket.close()
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
