"""A bounded pool of engine processes, so that searches never block the server.

`run` queues a job and returns it. A job is an asynchronous iterator of updates, and `result` waits for its end.
`cancel` withdraws it: a search that runs is asked to stop, and its process is killed and replaced if it does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from enum import Enum
from typing import Any

from joute.web.errors import PageError

# The time that a search gets to end after it was asked to.
_GRACE_S = 1.5
_MOST_LINE_BYTES = 32 << 20


class JobError(Exception):
    """A job that failed: its sentence, or ``stopped`` if it was cancelled."""


class LostJobError(JobError):
    """A job whose process ended or did not start; another process may do it."""


class Patience(Enum):
    """The priority of a job: people wait for moves, and watch analyses."""

    #: Somebody waits for it.
    NONE = "none"
    #: It takes long, so one process is kept free of such jobs.
    LONG = "long"
    #: It may be asked to end early, with its best result so far.
    IDLE = "idle"


class Job:
    """A job in the pool."""

    def __init__(
        self, number: int, kind: str, request: dict[str, Any], *, visitor: str, key: str, limit_s: float,
        patience: Patience = Patience.NONE,
    ) -> None:  # fmt: skip
        self.number, self.kind, self.request = number, kind, request
        self.visitor, self.key, self.limit_s, self.patience = visitor, key, limit_s, patience
        self.cancelled = asyncio.Event()
        #: Set when the job shall end early because another one is more urgent.
        self.cut = asyncio.Event()
        #: Called once by `cancel`.
        self.withdraw: Callable[[Job], None] | None = None
        #: Set when a process takes the job.
        self.began = asyncio.Event()
        self._update: dict[str, Any] | None = None
        self._news = asyncio.Event()
        self._end: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._end.add_done_callback(lambda end: end.cancelled() or end.exception())  # never "not retrieved"

    def cancel(self) -> None:
        """Withdraw the job; `result` raises JobError."""
        if not self.cancelled.is_set():
            self.cancelled.set()
            self.fail("stopped")
            if self.withdraw is not None:
                self.withdraw(self)

    async def result(self) -> dict[str, Any]:
        """The result; JobError if the job failed or was cancelled."""
        return await asyncio.shield(self._end)

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        """The updates until the job ends; a slow reader gets only the latest."""
        while not self.is_done or self._update is not None:
            await self._news.wait()
            self._news.clear()
            update, self._update = self._update, None
            if update is not None:
                yield update

    @property
    def is_done(self) -> bool:
        """Whether the job has ended."""
        return self._end.done()

    def tell(self, update: dict[str, Any]) -> None:
        """Add an update, in place of one that nobody has taken."""
        self._update = update
        self._news.set()

    def finish(self, result: dict[str, Any]) -> None:
        """End the job with a result."""
        if not self._end.done():
            self._end.set_result(result)
        self._news.set()

    def fail(self, sentence: str) -> None:
        """End the job with an error."""
        self._fail(JobError(sentence))

    def lose(self, sentence: str) -> None:
        """End the job because its process failed; nothing if it has ended."""
        self._fail(LostJobError(sentence))

    def _fail(self, error: JobError) -> None:
        if not self._end.done():
            self._end.set_exception(error)
        self._news.set()


class EnginePool:
    """Engine processes and the jobs that wait for them."""

    def __init__(self, size: int, *, a_visitor: int = 4, waiting: int = 512) -> None:
        self._size, self._a_visitor, self._most_waiting = size, a_visitor, waiting
        self._numbers = itertools.count(1)
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._by_visitor: Counter[str] = Counter()
        self._arrived = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the processes."""
        self._tasks = [asyncio.create_task(self._serve()) for _ in range(self._size)]

    async def close(self) -> None:
        """End all jobs and processes."""
        for job in list(self._waiting):
            job.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def run(
        self, kind: str, request: dict[str, Any], *, visitor: str, key: str = "", limit_s: float,
        patience: Patience = Patience.NONE,
    ) -> Job:  # fmt: skip
        """Queue a job; PageError if the visitor has too many. The process that last ran a job of `key` is preferred.

        After `limit_s` seconds the job is asked to stop, and then returns the best result so far.
        """
        if self._by_visitor[visitor] >= self._a_visitor:
            raise PageError("too_many_searches", "too many searches of yours are running; end one first", 429)
        if len(self._waiting) >= self._most_waiting:
            raise PageError("busy", "the server is busy; try again in a moment", 503)
        job = Job(next(self._numbers), kind, request, visitor=visitor, key=key, limit_s=limit_s, patience=patience)
        job.withdraw = self._withdraw
        self._by_visitor[visitor] += 1
        self._waiting.append(job)
        self._make_way(job)
        notice = asyncio.ensure_future(self._notify())
        self._tasks.append(notice)
        notice.add_done_callback(self._tasks.remove)
        return job

    def _make_way(self, job: Job) -> None:
        """End an idle job early if all processes are busy and somebody waits for this one."""
        if job.patience is Patience.IDLE or len(self._running) < self._size:
            return
        idle = [each for each in self._running if each.patience is Patience.IDLE and not each.cut.is_set()]
        if idle:
            min(idle, key=lambda each: each.number).cut.set()

    def _may_begin(self, job: Job) -> bool:
        """Whether a free process may take a job: a last process is kept from long ones."""
        long = sum(each.patience is Patience.LONG for each in self._running)
        return job.patience is not Patience.LONG or long < max(1, self._size - 1)

    async def _notify(self) -> None:
        async with self._arrived:
            self._arrived.notify_all()

    def _withdraw(self, job: Job) -> None:
        if job in self._waiting:
            self._waiting.remove(job)
            self._ended(job)

    def _ended(self, job: Job) -> None:
        self._by_visitor[job.visitor] -= 1
        if not self._by_visitor[job.visitor]:
            del self._by_visitor[job.visitor]

    async def _next(self, last_key: str) -> Job:
        """The next job for a process whose last job had this key."""
        async with self._arrived:
            while True:
                ready = sorted(
                    filter(self._may_begin, self._waiting), key=lambda job: job.patience is not Patience.NONE
                )
                if ready:
                    same = (
                        job for job in ready if job.key and job.key == last_key and job.patience is ready[0].patience
                    )
                    job = next(same, ready[0])
                    self._waiting.remove(job)
                    self._running.add(job)
                    return job
                await self._arrived.wait()

    async def _serve(self) -> None:
        """Run jobs in one process, which is replaced when it ends."""
        last_key = ""
        process: asyncio.subprocess.Process | None = None
        try:
            with contextlib.suppress(OSError):
                process = await _started()
            while True:
                job = await self._next(last_key)
                last_key = job.key
                try:
                    if process is None or process.returncode is not None:
                        process = await _started()
                    if not await self._run_in(process, job):
                        await _killed(process)
                        process = None
                except (OSError, ValueError) as error:  # no process could start, or its answer is too long
                    job.lose(f"the engine's process failed: {error}")
                    if process is not None:
                        await _killed(process)
                        process = None
                finally:
                    job.lose("the engine's process ended")
                    self._running.discard(job)
                    self._ended(job)
                    if job.patience is Patience.LONG:
                        await self._notify()
        finally:
            if process is not None:
                await _killed(process)

    async def _run_in(self, process: asyncio.subprocess.Process, job: Job) -> bool:
        """Run a job; False if the process must be replaced."""
        job.began.set()
        _send(process, {"id": job.number, "kind": job.kind, "request": job.request})
        reading = asyncio.create_task(_read(process, job))
        stopping, cutting = (asyncio.create_task(each.wait()) for each in (job.cancelled, job.cut))
        try:
            await asyncio.wait({reading, stopping, cutting}, timeout=job.limit_s, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                _send(process, {"stop": job.number})
                await asyncio.wait({reading}, timeout=_GRACE_S)
            return reading.done() and reading.result()
        finally:
            for task in (stopping, cutting, reading):
                task.cancel()


async def _started() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "joute.web.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_MOST_LINE_BYTES,
    )


async def _killed(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _send(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")


async def _read(process: asyncio.subprocess.Process, job: Job) -> bool:
    """Pass on the messages of a job until it ends; False if the process ended first."""
    assert process.stdout is not None
    while line := await process.stdout.readline():
        message = json.loads(line)
        if message["id"] != job.number:
            continue
        if "update" in message:
            job.tell(message["update"])
        elif "result" in message:
            job.finish(message["result"])
            return True
        else:
            job.fail(message["error"])
            return True
    return False
