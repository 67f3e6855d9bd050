"""The rights of a visitor in the arena, and the answers to the routes."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from pydantic import Field

from joute.spec import parse_spec
from joute.web.arena.ledger import FAILED, FINISHED, PAUSED, RUNNING, STOPPED, Entry
from joute.web.arena.runs import Arena, KeptReport, Run
from joute.web.arena.wishes import NewTournament, form_data
from joute.web.arena.workspace import Database, id_of
from joute.web.errors import PageError, not_found
from joute.web.messages import Strict
from joute.web.pool import JobError
from joute.web.settings import OWNER, VISITORS

# A table of a running tournament is made anew at most in this share of the time.
_SHARE_OF_TIME = 0.2
_LEAST_S = 0.7


class Filter(Strict):
    """Which games to list. Agents are indices; the result is that of the agent, or of the first player."""

    first: int = Field(0, ge=0, le=10**9, description="how many to skip")
    agent: int | None = Field(None, ge=0, le=10**6)
    opponent: int | None = Field(None, ge=0, le=10**6)
    result: int | None = Field(None, ge=-1, le=1)
    reason: str = Field("", max_length=40)


class Desk:
    """The arena as one visitor sees it."""

    def __init__(self, arena: Arena, visitor: str, *, is_local: bool) -> None:
        self._arena, self._visitor = arena, visitor
        settings = arena.settings
        #: Whether the visitor sits at this machine, or the page is not shared.
        self._is_owner = not settings.is_shared or is_local
        self._may_begin = settings.tournaments == VISITORS or (settings.tournaments == OWNER and self._is_owner)

    # --- Rights ---

    def _check_may_begin(self) -> None:
        if not self._may_begin:
            raise PageError("may_not_begin", "only the owner of this server begins tournaments", 403)

    def _may_control(self, entry: Entry | None) -> bool:
        """The owner controls every tournament, others the ones that they began."""
        return (
            entry is not None and self._may_begin and (self._is_owner or self._arena.is_starter(entry, self._visitor))
        )

    # --- Answers ---

    async def listed(self) -> dict[str, Any]:
        """The tournaments, the latest first."""
        arena = self._arena
        databases = arena.workspace.databases()[: arena.limits.files]
        request = {
            "databases": [
                {
                    "id": each.id,
                    "path": str(each.path),
                    "signature": list(each.signature),
                    "is_running": arena.run_of(each.id) is not None,
                }
                for each in databases
            ]
        }
        heads = (await self._job("arena_heads", request))["heads"] if databases else {}
        listed = [
            {**self._state(each.id, arena.entry_of(each), heads[each.id]), **heads[each.id], "changed": each.changed}
            for each in databases
            if each.id in heads
        ]
        have = {each["id"] for each in listed}
        for name, entry in arena.ledger.entries.items():
            if id_of(name) not in have:
                listed.append(self._without_file(name, entry))
        listed.sort(key=lambda each: -each["changed"])
        return {
            "tournaments": listed,
            "may_begin": self._may_begin,
            "is_ours": arena.ledger.is_ours,
            "folder": str(arena.workspace.folder) if self._is_owner else "",
        }

    async def form(self) -> dict[str, Any]:
        """The choices of the form."""
        self._check_may_begin()
        return {**form_data(self._arena.limits), **await self._job("arena_openings", {}), "may_begin": True}

    async def begin(self, wish: NewTournament) -> str:
        """Begin a tournament; returns its id."""
        self._check_may_begin()
        try:
            return await self._arena.begin(wish, self._visitor)
        except PageError as error:
            raise PageError(error.code, self._plain(error.message), error.status) from error

    async def command(self, tournament: str, what: str) -> dict[str, Any]:
        """Halt or continue a tournament."""
        self._check_may_begin()
        _, entry = self._find(tournament)
        if entry is not None and not self._may_control(entry):
            raise PageError("may_not_control", "somebody else began this tournament", 403)
        try:
            await self._arena.command(tournament, what)
        except PageError as error:
            raise PageError(error.code, self._plain(error.message), error.status) from error
        return await self.live(tournament)

    async def live(self, tournament: str) -> dict[str, Any]:
        """The state and the running games."""
        _, entry = self._find(tournament)
        run = self._arena.run_of(tournament)
        if run is None:
            return {**self._state(tournament, entry, None), "running": 0, "boards": [], "games": None}
        looked = await run.look()
        return {**self._state(tournament, entry, None), **looked, "games": run.games, "length": run.length}

    async def show(self, tournament: str, language: str) -> dict[str, Any]:
        """The state, and the table and plots so far."""
        database, entry = self._find(tournament)
        run = self._arena.run_of(tournament)
        report: dict[str, Any] | None = None
        problem = ""
        if database is not None and (database.size or run is None):
            try:
                report = await self._report(database, language, is_running=run is not None)
                if run is not None and self._arena.run_of(tournament) is None:
                    # The tournament ended meanwhile, so the report may lack its last games.
                    database, entry = self._find(tournament)
                    run = None
                    if database is not None:
                        report = await self._report(database, language, is_running=False)
            except PageError as error:
                problem = error.message
        state = self._state(tournament, entry, report)
        if problem and run is None and not state["error"]:
            state |= {"state": "damaged", "error": problem}
        return {**state, "report": report}

    async def games(self, tournament: str, wanted: Filter) -> dict[str, Any]:
        """A page of the list of games."""
        return await self._job("arena_games", {**self._request(tournament), **wanted.model_dump()})

    async def game(self, tournament: str, number: int) -> dict[str, Any]:
        """One game to replay."""
        request = {**self._request(tournament), "number": number, "has_output": self._is_owner}
        found = await self._job("arena_game", request)
        if "missing" in found:
            raise not_found("game")
        return found

    async def report(self, tournament: str) -> tuple[str, str]:
        """The name and the text of the report to download, which has what the agents wrote: for the owner alone."""
        if not self._is_owner:
            raise PageError("may_not_download", "only the owner of this server downloads reports", 403)
        request = {**self._request(tournament), "replays": self._arena.limits.replays}
        found = await self._job("arena_page", request)
        database, _ = self._find(tournament)
        assert database is not None
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", database.path.stem)
        return f"{stem}.html", found["html"]

    # --- Parts ---

    def _find(self, tournament: str) -> tuple[Database | None, Entry | None]:
        """The database and the entry of an id; PageError if there is neither."""
        database = self._arena.workspace.find(tournament)
        entry = next((each for name, each in self._arena.ledger.entries.items() if id_of(name) == tournament), None)
        if database is None and entry is None:
            raise not_found("tournament")
        return database, entry

    def _request(self, tournament: str) -> dict[str, Any]:
        database, entry = self._find(tournament)
        if database is None:
            raise not_found("tournament")
        title = entry.title if entry is not None else ""
        return {"path": str(database.path), "signature": list(database.signature), "title": title}

    def _state(self, tournament: str, entry: Entry | None, head: dict[str, Any] | None) -> dict[str, Any]:
        """The fields of a tournament that every answer has."""
        run = self._arena.run_of(tournament)
        state = _state_of(entry, run, head)
        data: dict[str, Any] = {
            "id": tournament,
            "state": state,
            "error": self._plain(entry.error) if entry is not None and state == "failed" else "",
            "name": entry.title if entry is not None else "",
            "may_control": self._may_control(entry),
            "may_download": self._is_owner,
            "restarts": entry.restarts if entry is not None else 0,
            "workers": run.workers if run is not None else 0,
        }
        if head is not None and head.get("error"):
            data["error"] = self._plain(head["error"])
        if head is not None and run is not None:
            head |= {"games": max(run.games, head.get("games", 0)), "length": run.length or head.get("length")}
        return data

    def _without_file(self, name: str, entry: Entry) -> dict[str, Any]:
        """A tournament that has no database yet, or never got one."""
        order = entry.order
        game, _ = parse_spec(order.get("game", ""))
        agents = [agent[1] or agent[0] for agent in order.get("agents", [])]
        return {
            **self._state(id_of(name), entry, None),
            "game": game,
            "title": game,
            "agents": agents[:8],
            "agent_count": len(agents),
            "schedule": order.get("settings", {}).get("schedule", ""),
            "games": 0,
            "length": None,
            "changed": entry.created,
        }

    def _plain(self, sentence: str) -> str:
        """A sentence without the folder of the workspace, which is nobody's business on a shared page."""
        return sentence.replace(f"{self._arena.workspace.folder}/", "")

    async def _report(self, database: Database, language: str, *, is_running: bool) -> dict[str, Any]:
        """The report of a database, computed at most once at a time and not too often while games end."""
        arena = self._arena
        key = (database.id, language)
        kept = arena.reports.get(key)
        if kept is not None and _is_good(kept, database, is_running=is_running):
            return await self._answered(kept)
        request = {
            "path": str(database.path),
            "signature": list(database.signature),
            "language": language,
        }
        kept = KeptReport(database.signature, asyncio.ensure_future(self._job("arena_report", request)))
        began_s = time.monotonic()

        def ended(_: object) -> None:
            now = time.monotonic()
            kept.due_s = now + max(_LEAST_S, (now - began_s) / _SHARE_OF_TIME)

        kept.task.add_done_callback(ended)
        arena.keep(key, kept)
        return await self._answered(kept)

    async def _answered(self, kept: KeptReport) -> dict[str, Any]:
        return dict(await asyncio.shield(kept.task))

    async def _job(self, kind: str, request: dict[str, Any]) -> dict[str, Any]:
        """The result of a job that reads databases; PageError with its sentence if it failed."""
        try:
            return await self._arena.read(kind, request, self._visitor)
        except JobError as error:
            raise PageError("cannot_read", self._plain(str(error)), 409) from error


def _is_good(kept: KeptReport, database: Database, *, is_running: bool) -> bool:
    """Whether a report that was made, or is being made, is to be shown."""
    is_made = kept.task.done()
    if is_running and (not is_made or time.monotonic() < kept.due_s):
        return True
    return kept.signature == database.signature and not (is_made and kept.task.exception())


def _state_of(entry: Entry | None, run: Run | None, head: dict[str, Any] | None) -> str:
    """The state of a tournament in a word; the catalogue has a text for each."""
    if run is not None:
        if run.asked:
            return "ending"
        return "running" if run.has_begun else "starting"
    if head is not None and head.get("error"):
        return "damaged"
    if entry is not None and entry.state in (PAUSED, STOPPED, FAILED, FINISHED):
        return entry.state
    if head is None:
        return "paused" if entry is not None else "unknown"
    if head.get("is_locked"):
        return "elsewhere"
    length = head.get("length")
    if length is not None and head.get("games", 0) >= length:
        return FINISHED
    return "paused" if entry is not None and entry.state == RUNNING else "unfinished"
