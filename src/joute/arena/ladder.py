"""A ladder: a tournament of the agents in a folder, kept up to date while files come, change and go.

All state is in the tournament's file: the entrants, their games, and the latest admission test of each file. So a
ladder that was stopped continues from its file. It is frozen: it plays with copies, and students may save at any time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from joute.agents.loading import find_source
from joute.arena.check import Admission, check_agent
from joute.arena.entries import Entry, entry_of, folder_entries
from joute.arena.growth import Growth, SameVersionError
from joute.arena.plan import Plan, make_plan
from joute.arena.plan_file import isolation_of
from joute.arena.players.own_files import belongs, is_tournament
from joute.arena.pool.venue import HERE, Venue
from joute.arena.store.growing import AgentCheck, GrowingStore
from joute.arena.tournament import Tournament
from joute.errors import SpecError
from joute.games import new
from joute.match.clock import TimeControl
from joute.match.crash import crash_lines
from joute.spec import Value

#: Seconds that a file must stay the same before it is read: it may be half copied.
SETTLE_S = 3.0

Signature = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Candidate:
    """An agent in the folder, and all its files."""

    entry: Entry
    files: tuple[Path, ...]

    @property
    def agent(self) -> str:
        """Its text, by which the store knows it."""
        return self.entry[0]

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.entry[1]

    def signature(self) -> Signature:
        """Paths, sizes, times and inodes of its files; other files or contents give another signature."""
        found = ((str(file), file.stat()) for file in self.files)
        return tuple((path, stat.st_size, stat.st_mtime_ns, stat.st_ino) for path, stat in found)

    def digest(self) -> str:
        """The SHA-256 of the names and contents of its files."""
        total = hashlib.sha256()
        for file in self.files:
            total.update(hashlib.sha256(os.fsencode(file)).digest())
            with file.open("rb") as opened:
                total.update(hashlib.file_digest(opened, "sha256").digest())
        return total.hexdigest()

    def has(self, digest: str) -> bool:
        """Whether its files still have this digest."""
        try:
            return self.digest() == digest
        except OSError:
            return False


@dataclass(frozen=True)
class News:
    """A change of the folder that the ladder has not taken up: an agent to check or to readmit, or one that is gone."""

    kind: Literal["check", "return", "gone"]
    agent: str
    candidate: Candidate | None = None
    digest: str = ""


class Ladder:
    """The ladder of a folder in a file: `news` finds changes, `take_up` makes one, `play` plays what is missing.

    Nothing is written before two agents can play.
    """

    def __init__(
        self,
        folder: Path,
        path: Path,
        *,
        game: str = "",
        yardsticks: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        isolation: Mapping[str, Value] | None = None,
        command: str = "",
        settle_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder.absolute()
        self.path = path
        self._game, self._yardsticks, self._settings = game, tuple(yardsticks), dict(settings or {})
        self._isolation = dict(isolation or {})
        self._command = command
        self._settle_s, self._now = SETTLE_S if settle_s is None else settle_s, now
        # When each agent's files were first seen as they are.
        self._since: dict[str, tuple[Signature, float]] = {}
        self._digests: dict[tuple[str, Signature], str] = {}
        self._gone_since: dict[str, float] = {}
        # The state before the file exists.
        self._waiting: dict[str, Candidate] = {}
        self._checks: dict[str, AgentCheck] = {}
        #: Sentences about subfolders in which no agent is found.
        self.problems: list[str] = []
        if not self.folder.is_dir():
            raise SpecError(f"there is no folder {self.folder}")
        self.plan = self._stored_plan() if self.exists else None
        if self.plan is None and not game:
            raise SpecError(f"{path} does not exist yet; name the game: joute tournament GAME --watch {folder} ...")
        # Mistakes in the settings are found before the first agent comes; the two agents only stand for the first ones.
        if self.plan is None and not self._new_plan(["random", "random"]).make_schedule().can_grow:
            raise SpecError(f"a ladder cannot have the schedule '{self._settings['schedule']}', which follows results")

    def _new_plan(self, agents: Sequence[str | Entry]) -> Plan:
        isolation = isolation_of(self._isolation, "watch")
        return make_plan(self._game, [*self._yardsticks, *agents], **self._settings, isolation=isolation, frozen=True)

    @property
    def exists(self) -> bool:
        """Whether the file holds a tournament."""
        return self.path.is_file() and self.path.stat().st_size > 0

    def _stored_plan(self) -> Plan:
        """The plan in the file; SpecError if it is not a ladder, or if the user asks for another one."""
        with GrowingStore.read(self.path) as store:
            plan, self._checks = store.plan, store.checks()
            if not (store.schedule.can_grow and plan.frozen):
                raise SpecError(
                    f"{self.path} is not a ladder: its agents must be frozen, and its schedule round-robin or gauntlet"
                )
        wanted = self._settings | self._isolation | ({"game": new(self._game).spec} if self._game else {})
        stored = dataclasses.asdict(plan) | dataclasses.asdict(plan.isolation)
        for name, value in wanted.items():
            if name != "concurrency" and stored[name] != value:
                raise SpecError(f"{name} of the ladder in {self.path} is {stored[name]}, not {value}")
        known = {plan.entrants[index].agent for index in plan.playing}
        for text in self._yardsticks:
            if find_source(entry_of(text)[0], plan.game).text not in known:
                raise SpecError(f"{text} does not play in {self.path}; to enter it: --db {self.path} --add {text}")
        return plan

    def candidates(self) -> list[Candidate]:
        """The agents in the folder now."""
        if not self.folder.is_dir():
            raise SpecError(f"there is no folder {self.folder}")
        entries, self.problems = folder_entries(self.folder)
        found = []
        for entry in entries:
            with contextlib.suppress(SpecError):  # the file vanished meanwhile
                found.append(Candidate(entry, tuple(self._files(entry))))
        return found

    def _files(self, entry: Entry) -> Iterator[Path]:
        """The files of an agent: its file, or all files of the subfolder that it is in."""
        file = find_source(entry[0]).files[0]
        top = self.folder / file.relative_to(self.folder).parts[0]
        if top.is_file():
            yield top
            return
        for path in sorted(top.rglob("*")):
            parts = (top / part for part in path.relative_to(top).parts)
            if path.is_file() and all(belongs(part, ()) for part in parts) and not is_tournament(path):
                yield path

    def news(self) -> list[News]:
        """The changes that are at least `settle_s` old and not taken up, in the order of names."""
        now = self._now()
        found: list[News] = []
        present: set[str] = set()
        playing = self._playing()
        for candidate in self.candidates():
            present.add(candidate.agent)
            try:
                signature = candidate.signature()
                if self._since.get(candidate.agent, ((), 0.0))[0] != signature:
                    self._since[candidate.agent] = signature, now
                if now - self._since[candidate.agent][1] < self._settle_s:
                    continue
                if (candidate.agent, signature) not in self._digests:
                    self._digests[candidate.agent, signature] = candidate.digest()
            except PermissionError as error:
                self.problems.append(f"{candidate.name} does not play: {error.filename} cannot be read")
                continue
            except OSError:  # a file vanished meanwhile
                continue
            digest = self._digests[candidate.agent, signature]
            check = self._checks.get(candidate.agent)
            if check is None or check.sha256 != digest:
                found.append(News("check", candidate.agent, candidate, digest))
            elif check.passed and candidate.agent not in playing:
                found.append(News("return", candidate.agent, candidate, digest))
        for agent in playing:
            if agent in present or not self._is_ours(agent):
                self._gone_since.pop(agent, None)
            elif now - self._gone_since.setdefault(agent, now) >= self._settle_s:
                found.append(News("gone", agent))
        return found

    @property
    def failures(self) -> dict[str, str]:
        """The names of the agents in the folder that failed their latest check, with the first line of the reason."""
        checks = ((candidate.name, self._checks.get(candidate.agent)) for candidate in self.candidates())
        return {name: check.detail.partition("\n")[0] for name, check in checks if check and not check.passed}

    def _playing(self) -> dict[str, str]:
        """The names of the agents that play, by their text."""
        if self.plan is None:
            return {agent: candidate.name for agent, candidate in self._waiting.items()}
        return {self.plan.entrants[index].agent: self.plan.entrants[index].name for index in self.plan.playing}

    def _is_ours(self, agent: str) -> bool:
        """Whether an agent's text names a file in the folder."""
        return f"{self.folder}/" in agent

    def take_up(self, news: News) -> str:
        """Take up a change; returns a sentence about it. A file that fails its check does not play."""
        playing = self._playing()
        if news.candidate is None:
            self._grow(Growth(withdraw=[playing[news.agent]]))
            self._waiting.pop(news.agent, None)
            return f"{playing[news.agent]} is withdrawn: its file is gone"
        name = playing.get(news.agent, news.candidate.name)
        if news.kind == "check":
            check = self._checked(news.candidate, news.digest)
            if not news.candidate.has(news.digest):
                return f"{name} changed during its check, which is repeated"
            if not check.passed:
                self._keep(news.agent, check)
                before = "; the version before plays on" if news.agent in playing else ", and does not play"
                return f"{name} fails its check{before}: {check.detail}"
        try:
            words = self._enter(news.candidate, playing)
        except SpecError as error:
            self._keep(news.agent, AgentCheck(news.digest, passed=False, detail=str(error)))
            return f"{name} cannot play: {error}"
        self._keep(news.agent, AgentCheck(news.digest, passed=True))
        return words

    def _enter(self, candidate: Candidate, playing: Mapping[str, str]) -> str:
        """Enter an agent that passed its check: as a new one, or as a new version."""
        if self.plan is None:
            self._waiting[candidate.agent] = candidate
            if len(self._waiting) + len(self._yardsticks) < 2:
                return f"{candidate.name} waits for an opponent"
            try:
                self._create()
            except SpecError:
                del self._waiting[candidate.agent]
                raise
        elif candidate.agent in playing:
            name = playing[candidate.agent]
            try:
                self._grow(Growth(replace=[(name, candidate.entry)], private=self._private()))
            except SameVersionError:
                return f"{name} is again as it was, and plays on"
            return f"{name} plays in a new version"
        else:
            self._grow(Growth(add=[candidate.entry], numbered=True, private=self._private()))
        return f"{candidate.name} joins"

    def _create(self) -> None:
        """Write the file with the first agents."""
        entries: list[Entry] = []
        for candidate in self._waiting.values():  # at most two
            is_taken = candidate.name in (name for _, name, _ in entries)
            entries.append((candidate.agent, f"{candidate.name} #2" if is_taken else candidate.name, ""))
        plan = self._new_plan(entries)
        with Tournament.create(plan, self.path, command=self._command, private=self._private()) as made:
            self.plan = made.plan
        for agent, check in self._checks.items():
            self._keep(agent, check)

    def _grow(self, growth: Growth) -> None:
        if self.plan is None:
            return
        with Tournament.grow(self.path, growth) as made:
            self.plan = made.plan

    def _keep(self, agent: str, check: AgentCheck) -> None:
        self._checks[agent] = check
        if self.plan is not None:
            with GrowingStore.resume(self.path) as store:
                store.keep_check(agent, check)

    def _private(self) -> list[Path]:
        """All files and subfolders of the folder. An agent has one of them, and its copy holds none of the others."""
        return sorted(self.folder.iterdir())

    def _checked(self, candidate: Candidate, digest: str) -> AgentCheck:
        """The admission test of an agent, with the clock and limits of the ladder."""
        plan = self.plan
        game = plan.game if plan else self._game
        clock = plan.clock if plan else self._settings.get("clock", Plan.clock)
        isolation = plan.isolation if plan else isolation_of(self._isolation, "watch")
        private = [path for path in self._private() if not candidate.files[0].is_relative_to(path)]
        try:
            found = check_agent(
                candidate.agent, game, clock=TimeControl.parse(clock), low_clock=None, games=1, isolation=isolation,
                hidden_paths=[*private, self.path.absolute()],
            )  # fmt: skip
        except SpecError as error:
            return AgentCheck(digest, passed=False, detail=str(error))
        return AgentCheck(digest, found.passed, "" if found.passed else _why(found, candidate))

    def play(self, on_game: Callable[[Tournament], None], should_stop: Callable[[], bool], venue: Venue = HERE) -> bool:
        """Play what is missing until `should_stop`; returns whether nothing is missing now."""
        if self.plan is None:
            return True
        concurrency = int(self._settings.get("concurrency", 0))
        with Tournament.resume(self.path, concurrency=concurrency) as made:
            made.use(venue)
            made.play(lambda _: on_game(made), should_stop=should_stop)
            return made.is_finished


def _why(found: Admission, candidate: Candidate) -> str:
    """Why an agent failed its admission test, with the traceback of a crash."""
    record = next(record for stage in found.stages for record in stage.forfeits)
    detail = record.detail.replace(found.agent, candidate.name, 1)
    return "\n".join([f"{record.reason.value}: {detail}", *crash_lines(record)])
