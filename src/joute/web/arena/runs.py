"""The tournaments of a server: begins, halts, continues and resumes them, each in a driver's process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
import time
from collections import OrderedDict
from typing import Any

from joute.errors import JouteError
from joute.spec import parse_spec
from joute.web.arena.ledger import FAILED, FINISHED, PAUSED, RUNNING, STOPPED, Entry, Ledger
from joute.web.arena.limits import ArenaLimits
from joute.web.arena.wishes import NewTournament, concurrency, order_of
from joute.web.arena.workspace import Database, Workspace, id_of
from joute.web.errors import PageError, not_found
from joute.web.pool import EnginePool
from joute.web.settings import Settings

# The time in which a tournament that cannot begin usually says so; afterwards the request is answered anyway.
_BEGIN_S = 12.0
# A driver usually answers a look at its boards within this time.
_LOOK_S = 3.0
# Looks of several viewers within this time share an answer.
_SHARED_S = 0.25
# The time that a driver gets to end.
_END_S = 6.0
_MOST_LINE_BYTES = 32 << 20
# The time that a job gets for a database.
_JOB_S = 120.0
_JOBS_A_VISITOR = 12
_MOST_REPORTS = 16
# Tournaments without a database that are kept to show why they failed.
_MOST_FAILED = 20


class Run:
    """A driver's process and what it has told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.games, self.length, self.workers = 0, None, 0
        self.has_begun = False
        #: How it ended and, if it failed, why; None while it runs.
        self.ended: tuple[str, str] | None = None
        #: What was asked of it: "pause" or "stop".
        self.asked = ""
        self.changed = asyncio.Event()
        self.over = asyncio.Event()
        self._look: dict[str, Any] = {"running": 0, "boards": []}
        self._looked_at = 0.0
        self._looking: asyncio.Future[None] | None = None
        self.task: asyncio.Task[None] | None = None

    def ask(self, what: str) -> None:
        """Send a request."""
        assert self.process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            self.process.stdin.write(json.dumps({"ask": what}).encode() + b"\n")

    async def look(self) -> dict[str, Any]:
        """The running games; the last answer if the driver is busy."""
        if time.monotonic() - self._looked_at < _SHARED_S or self.over.is_set():
            return self._look
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_future()
            self.ask("look")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_S):
                await asyncio.shield(self._looking)
        return self._look

    def take(self, message: dict[str, Any]) -> None:
        """Take a message of the driver."""
        if "look" in message:
            self._look, self._looked_at = message["look"], time.monotonic()
            if self._looking is not None and not self._looking.done():
                self._looking.set_result(None)
            self._looking = None
        elif "begun" in message:
            begun = message["begun"]
            self.games, self.length, self.workers = begun["games"], begun["length"], begun["workers"]
            self.has_begun = True
        elif "games" in message:
            self.games, self.length = message["games"], message["length"]
        elif "ended" in message:
            self.ended = (message["ended"], message["error"])
        self.changed.set()

    async def until_begun(self, limit_s: float) -> None:
        """Wait until games begin or the driver ends, at most `limit_s` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not (self.has_begun or self.over.is_set()):
                    self.changed.clear()
                    await self.changed.wait()


class KeptReport:
    """A report that was made, or is being made, from a database with this signature."""

    def __init__(self, signature: tuple[int, ...], task: asyncio.Future[dict[str, Any]]) -> None:
        self.signature, self.task = signature, task
        #: The monotonic time before which a running tournament gets no newer one.
        self.due_s = 0.0


class Arena:
    """The workspace, the ledger and the drivers."""

    def __init__(self, settings: Settings, limits: ArenaLimits | None = None) -> None:
        self.settings, self.limits = settings, limits or ArenaLimits()
        self.workspace = Workspace(settings.workspace_folder)
        self.ledger = Ledger(self.workspace.folder)
        self.runs: dict[str, Run] = {}
        #: Reports that were made, by database and language.
        self.reports: OrderedDict[tuple[str, str], KeptReport] = OrderedDict()
        self._readers: EnginePool | None = None
        self._is_closing = False
        self._starting = 0

    async def start(self) -> None:
        """Open the workspace and resume what ran when the server ended."""
        self.workspace.make()
        self.ledger.open()
        if not self.ledger.is_ours:
            return
        for name, entry in list(self.ledger.entries.items()):
            if entry.state == RUNNING:
                entry.restarts += 1
                with contextlib.suppress(PageError):  # the entry says why
                    await self._launch(name, entry)
        self._save()

    async def close(self) -> None:
        """Stop the drivers; the ledger says that their tournaments shall run, so the next server resumes them."""
        self._is_closing = True
        for run in self.runs.values():
            run.ask("stop")
            if run.process.stdin is not None:
                run.process.stdin.close()
        await asyncio.gather(*(self._end(run) for run in list(self.runs.values())))
        if self._readers is not None:
            await self._readers.close()
        self.ledger.close()

    async def _end(self, run: Run) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await run.over.wait()
        with contextlib.suppress(ProcessLookupError):
            run.process.kill()
        if run.task is not None:
            await asyncio.gather(run.task, return_exceptions=True)

    # --- Reading databases ---

    async def read(self, kind: str, request: dict[str, Any], visitor: str) -> dict[str, Any]:
        """The result of a job of web/jobs/arena.py; JobError with its sentence if it failed.

        The jobs have a process of their own, started by the first one: searches of visitors must not delay a table.
        """
        if self._readers is None:
            self._readers = EnginePool(1, a_visitor=_JOBS_A_VISITOR, waiting=256)
            await self._readers.start()
        return await self._readers.run(kind, request, visitor=visitor, limit_s=_JOB_S).result()

    def keep(self, key: tuple[str, str], report: KeptReport) -> None:
        """Keep a report in place of an earlier one."""
        self.reports[key] = report
        self.reports.move_to_end(key)
        while len(self.reports) > _MOST_REPORTS:
            self.reports.popitem(last=False)

    # --- What visitors ask for ---

    async def begin(self, wish: NewTournament, visitor: str) -> str:
        """Begin a tournament; returns its id. PageError with the reason if it may not or cannot begin."""
        order = order_of(wish, self.settings, self.limits)
        self._check_room()
        game, _ = parse_spec(order["game"])
        path = self.workspace.new_path(game, set(self.ledger.entries))
        entry = Entry(RUNNING, wish.title, order=order, starter=hashed(visitor), created=time.time())
        self.ledger.entries[path.name] = entry
        self._forget_failures()
        self._save()  # before its file exists, so that a crash in between loses nothing
        run = await self._launch(path.name, entry)
        await run.until_begun(_BEGIN_S)
        if run.over.is_set() and not run.has_begun and entry.state == FAILED:
            del self.ledger.entries[path.name]
            self._save()
            raise PageError("cannot_begin", entry.error)
        return id_of(path.name)

    async def command(self, tournament: str, what: str) -> None:
        """Halt or continue a tournament."""
        name, entry = self._known(tournament)
        run = self.runs.get(name)
        if what == "continue":
            await self._continue(name, entry, run)
        elif run is not None and not run.over.is_set():
            run.asked = what
            run.ask(what)
            entry.state = PAUSED if what == "pause" else STOPPED
            self._save()
        else:
            raise PageError("not_running", "the tournament is not running", 409)

    async def _continue(self, name: str, entry: Entry, run: Run | None) -> None:
        if run is not None and not run.over.is_set():
            if entry.state == RUNNING:
                return
            raise PageError("still_ending", "its running games are still ending; try again in a moment", 409)
        if entry.state == FINISHED:
            raise PageError("is_finished", "all its games are played", 409)
        self._check_room()
        entry.state, entry.error = RUNNING, ""
        self._save()
        run = await self._launch(name, entry)
        await run.until_begun(_BEGIN_S)
        if run.over.is_set() and not run.has_begun and entry.state == FAILED:
            raise PageError("cannot_begin", entry.error, 409)

    def _known(self, tournament: str) -> tuple[str, Entry]:
        for name, entry in self.ledger.entries.items():
            if id_of(name) == tournament:
                return name, entry
        if self.workspace.find(tournament) is not None:
            raise PageError(
                "not_ours", "this tournament was not begun on the page; joute tournament --resume plays it", 409
            )
        raise not_found("tournament")

    def _check_room(self) -> None:
        """PageError if no further tournament may run or be kept."""
        if not self.ledger.is_ours:
            raise PageError("not_ours", "another server plays the tournaments of this workspace", 409)
        running = sum(not run.over.is_set() for run in self.runs.values())
        if running + self._starting >= self.limits.at_once:
            raise PageError("too_many_tournaments", "too many tournaments are running; pause one, or wait", 409)
        if len(self.workspace.databases()) >= self.limits.files:
            raise PageError("workspace_full", f"the workspace holds {self.limits.files} databases; remove some", 409)
        if self.workspace.size > self.limits.workspace_mb << 20:
            raise PageError(
                "workspace_full", f"the workspace holds {self.limits.workspace_mb:,} MB; remove old databases", 409
            )

    # --- Processes ---

    async def _launch(self, name: str, entry: Entry) -> Run:
        """Start the driver of a tournament; PageError if the system starts no process."""
        self._starting += 1
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "joute.web.arena.driver",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_MOST_LINE_BYTES,
                start_new_session=True,  # Ctrl-C is for the server, which stops the driver
            )
        except OSError as error:
            entry.state, entry.error = FAILED, f"its process could not be started: {error.strerror or error}"
            self._save()
            raise PageError("cannot_begin", entry.error, 503) from error
        finally:
            self._starting -= 1
        run = self.runs[name] = Run(process)
        order = {
            "db": str(self.workspace.folder / name),
            "order": entry.order,
            "concurrency": entry.order.get("settings", {}).get("concurrency", concurrency(0)),
            "listed": list(self.settings.agents),
            "boards": self.limits.boards,
            "most_bytes": self.limits.file_mb << 20,
        }
        assert process.stdin is not None
        process.stdin.write(json.dumps(order).encode() + b"\n")
        run.task = asyncio.create_task(self._follow(name, entry, run))
        return run

    async def _follow(self, name: str, entry: Entry, run: Run) -> None:
        """Take the messages of a driver until it ends."""
        assert run.process.stdout is not None
        try:
            while line := await run.process.stdout.readline():
                run.take(json.loads(line))
        except ValueError:
            with contextlib.suppress(ProcessLookupError):
                run.process.kill()
        await run.process.wait()
        if not self._is_closing:
            self._note_end(name, entry, run)
        run.over.set()
        run.changed.set()
        if self.runs.get(name) is run:
            del self.runs[name]

    def _note_end(self, name: str, entry: Entry, run: Run) -> None:
        ended, error = run.ended or (("stopped", "") if run.asked else (FAILED, "its process ended unexpectedly"))
        states = {"finished": FINISHED, "paused": PAUSED, "stopped": STOPPED}
        entry.state, entry.error = states.get(ended, FAILED), error
        self._save()

    def _save(self) -> None:
        with contextlib.suppress(JouteError):  # a full disk must not end the server; the games are in the databases
            self.ledger.save()

    def _forget_failures(self) -> None:
        """Drop the oldest entries that have no database."""
        gone = [
            name
            for name, entry in self.ledger.entries.items()
            if entry.state != RUNNING and not (self.workspace.folder / name).exists()
        ]
        for name in gone[: max(0, len(gone) - _MOST_FAILED)]:
            del self.ledger.entries[name]

    # --- What the page shows ---

    def entry_of(self, database: Database | str) -> Entry | None:
        """The ledger's entry of a database, or of a file's name."""
        return self.ledger.entries.get(database if isinstance(database, str) else database.path.name)

    def run_of(self, tournament: str) -> Run | None:
        """The driver that plays a tournament; None if none does."""
        for name, run in self.runs.items():
            if id_of(name) == tournament and not run.over.is_set():
                return run
        return None

    def is_starter(self, entry: Entry, visitor: str) -> bool:
        """Whether a visitor began the tournament."""
        return entry.starter == hashed(visitor)


def hashed(visitor: str) -> str:
    """A visitor in the ledger, whose cookie nobody can make from it."""
    return hashlib.sha256(f"joute arena {visitor}".encode()).hexdigest()[:32]
