"""`AnalysisClient`: the analysis service in a process of its own, from Python. docs/analysis.md describes both."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Self

from joute.errors import JouteError, described
from joute.games import State
from joute.protocol.analysis_lines import LONGEST_LINE
from joute.protocol.analysis_request import PROTOCOL, parse_request

Answer = dict[str, Any]

# The time for the service to end before it is killed.
_PATIENCE_S = 5.0
# Requests of `analyze_many` that wait in the service, for each of its jobs.
_AHEAD = 32
# The part of the service's standard error that an exception repeats, in characters.
_QUOTED = 1000


class AnalysisCancelledError(JouteError):
    """The request was cancelled, so it has no result."""


class PendingAnalysis:
    """A request that was submitted: wait for its result, follow its partial results, or cancel it.

    Iteration yields the answers as they come, partial ones included, up to the last; it can be done once. Every other
    member works from any thread and at any time.
    """

    def __init__(self, client: AnalysisClient, request: Mapping[str, Any]) -> None:
        self.request = request
        self._client = client
        self._changed = threading.Condition()  # guards the fields below
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._finals: list[Answer] = []
        self._told: tuple[queue.SimpleQueue[Any], Any] | None = None  # who is told that it is done
        self._error: JouteError | None = None
        self._is_done = False

    @property
    def id(self) -> str:
        """The request's id."""
        return str(self.request["id"])

    @property
    def done(self) -> bool:
        """Whether the last answer has come, or none will come any more."""
        return self._is_done

    def result(self, timeout: float | None = None) -> Answer:
        """Wait for the result; TimeoutError after `timeout` seconds.

        JouteError with the service's sentence if it cannot analyze the position, AnalysisCancelledError after a
        cancellation. A request with several plies has `results`.
        """
        found = self.results(timeout)
        if len(found) != 1:
            raise JouteError(f"the request has {len(found)} results, one for each ply; results() returns them")
        return found[0]

    def results(self, timeout: float | None = None) -> list[Answer]:
        """Wait for all results of a request, by ply; otherwise as `result`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_done, timeout):
                raise TimeoutError(f"request {self.id} is not answered after {timeout:g} s")
            if self._error is not None:
                raise self._error
            return sorted(self._finals, key=lambda answer: answer.get("ply", 0))

    def cancel(self) -> None:
        """Ask the service to cancel the request. It may be answered before."""
        if not self._is_done:
            self._client._send({"id": self._client._new_id(), "action": "cancel", "target": self.id})

    def __iter__(self) -> Iterator[Answer]:
        while (answer := self._answers.get()) is not None:
            yield answer
        if self._error is not None:
            raise self._error

    def __repr__(self) -> str:
        return f"<request {self.id}, {'answered' if self._is_done else 'in progress'}>"

    def _take(self, answer: Answer, expected: int) -> bool:
        """Process an answer of the service. Returns whether it is the last; `expected` is the number of positions."""
        with self._changed:
            match answer["kind"]:
                case "error":
                    self._error = self._error or JouteError(answer["error"])
                case "cancelled":
                    self._error = self._error or AnalysisCancelledError(f"request {self.id} was cancelled")
                case _:
                    self._answers.put(answer)
            if answer["kind"] == "partial":
                return False
            self._finals.append(answer)
            if len(self._finals) == expected or ("ply" not in answer and answer["kind"] == "error"):
                self._finish()
            return self._is_done

    def _fail(self, error: JouteError) -> None:
        with self._changed:
            self._error = self._error or error
            self._finish()

    def _finish(self) -> None:
        self._is_done = True
        self._answers.put(None)
        self._changed.notify_all()
        if self._told is not None:
            self._told[0].put((self._told[1], self))

    def _when_done(self, ready: queue.SimpleQueue[Any], request: Any) -> None:
        """Put `request` and this object into a queue once it is done."""
        with self._changed:
            self._told = (ready, request)
            if self._is_done:
                ready.put((request, self))


class AnalysisClient:
    """Analyzes many positions at once, in a process that it starts and ends: ``joute analyze --stdin``.

    `game`, `agent` and `seed` are for requests that do not name their own; `jobs` is the number of positions analyzed
    at once, by default one for each core. The service knows the games and agents of Joute and of installed packages,
    not those that this process has registered.

    >>> with AnalysisClient("connect4", agent="mcts:iterations=100", jobs=1) as client:
    ...     client.submit(moves=["4", "4"]).result()["iterations"]
    100
    """

    def __init__(
        self, game: str | None = None, *, agent: str | None = None, seed: int = 0, jobs: int | None = None
    ) -> None:
        options = {"game": game, "agent": agent, "seed": seed, "jobs": jobs}
        words = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
        self._errors: IO[bytes] | None = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the client
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-m", "joute.protocol.analysis_service", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C in a notebook ends the wait for an answer, not the service
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._begin(self._process.stdout, self._process.stdin)

    @classmethod
    def attach(cls, answers: IO[bytes], requests: IO[bytes]) -> Self:
        """Return a client of a service that runs already: of the streams that its answers come from and requests go to.

        The client closes `requests`, by which the service ends, and does not close `answers`.
        """
        client = cls.__new__(cls)
        client._process, client._errors = None, None
        client._begin(answers, requests)
        return client

    def _begin(self, answers: IO[bytes], requests: IO[bytes]) -> None:
        self._requests = requests
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()  # guards `_requests`
        self._lock = threading.Lock()  # guards the fields below
        self._pending: dict[str, PendingAnalysis] = {}
        self._expected: dict[str, int] = {}  # the number of positions of each request
        self._end: JouteError | None = None  # why no more answers come
        self._listener = threading.Thread(target=self._listen, args=(answers,), name="analysis-client", daemon=True)
        self._listener.start()
        self._jobs: int | None = None

    @property
    def jobs(self) -> int:
        """The number of positions that the service analyzes at once."""
        if self._jobs is None:
            told = self._ask("version")
            if told["protocol"] != PROTOCOL:
                raise JouteError(f"the service speaks version {told['protocol']} of the protocol, not {PROTOCOL}")
            self._jobs = int(told["jobs"])
        return self._jobs

    def games(self) -> list[dict[str, Any]]:
        """Return the games that the service knows, each with its agents and their limits."""
        games: list[dict[str, Any]] = self._ask("games")["games"]
        return games

    def submit(self, position: str | State | None = None, **fields: Any) -> PendingAnalysis:
        """Send a request; returns at once. JouteError if it is not one, or if the service has ended.

        `position` is a text or a State. `fields` are those of a request, as docs/analysis.md lists them: `game`,
        `moves`, `plies`, `agent`, `seconds`, `nodes`, `iterations`, `depth`, `lines`, `fields`, `priority`,
        `report_every_s`, `seed`, `id`. A field that is None is left out. A State has no history here: for a game in
        which positions repeat, give the moves from its start.
        """
        request = {"id": self._new_id(), **fields}
        if isinstance(position, State):
            request = {"game": position.spec, **request}
            position = position.position
        request = {name: value for name, value in (request | {"position": position}).items() if value is not None}
        if "moves" in request:
            request["moves"] = [str(move) for move in request["moves"]]
        return self._submit(request)

    def analyze(self, position: str | State | None = None, *, timeout: float | None = None, **fields: Any) -> Answer:
        """Send a request and wait for its result."""
        return self.submit(position, **fields).result(timeout)

    def analyze_many(
        self, requests: Iterable[Mapping[str, Any] | State], **fields: Any
    ) -> Iterator[tuple[Mapping[str, Any] | State, Answer]]:
        """Yield each request with its result as soon as that is ready, in any order.

        A request is a State or the fields of `submit`; `fields` are for all of them. A request with several plies comes
        with each of its results. `requests` are taken as the service gets through them, so there may be any number.
        An error answer raises a JouteError, and the requests in progress are cancelled.
        """
        ready: queue.SimpleQueue[tuple[Mapping[str, Any] | State, PendingAnalysis]] = queue.SimpleQueue()
        waiting: dict[str, PendingAnalysis] = {}
        source = iter(requests)
        most = _AHEAD * self.jobs
        try:
            while True:
                for request in itertools.islice(source, most - len(waiting)):
                    own = {"position": request} if isinstance(request, State) else dict(request)
                    pending = self.submit(**(fields | own))
                    waiting[pending.id] = pending
                    pending._when_done(ready, request)
                if not waiting:
                    return
                request, pending = ready.get()
                del waiting[pending.id]
                for answer in pending.results():
                    yield request, answer
        finally:
            for pending in waiting.values():
                with contextlib.suppress(JouteError):
                    pending.cancel()

    def cancel_all(self) -> None:
        """Ask the service to cancel every request in progress."""
        self._send({"id": self._new_id(), "action": "cancel_all"})

    def close(self) -> None:
        """Cancel what is in progress and end the service."""
        if self._end is None:
            with contextlib.suppress(JouteError):
                self.cancel_all()
        with self._sending, contextlib.suppress(OSError, ValueError):
            self._requests.close()
        if self._process is not None:
            try:
                self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._listener.join()
            assert self._process.stdout is not None
            self._process.stdout.close()
        if self._errors is not None:
            self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Requests ---

    def _new_id(self) -> str:
        return f"#{next(self._numbers)}"

    def _submit(self, request: Mapping[str, Any]) -> PendingAnalysis:
        pending = PendingAnalysis(self, request)
        with self._lock:
            if self._end is not None:
                raise self._end
            if pending.id in self._pending:
                raise JouteError(f"the id {pending.id!r} is that of a request in progress")
            self._pending[pending.id] = pending
            self._expected[pending.id] = _positions(request)
        try:
            self._send(request)
        except BaseException:
            with self._lock:
                self._pending.pop(pending.id, None)
                self._expected.pop(pending.id, None)
            raise
        return pending

    def _ask(self, action: str) -> Answer:
        return self._submit({"id": self._new_id(), "action": action}).result()

    def _send(self, data: Mapping[str, Any]) -> None:
        try:
            line = json.dumps(data, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise JouteError(f"the request cannot be written as JSON: {error}") from error
        if len(line) > LONGEST_LINE:
            raise JouteError(f"the request has {len(line):,} bytes; at most {LONGEST_LINE:,} are read")
        parse_request(line)  # an error that the service could not assign to this request is raised here
        try:
            with self._sending:
                self._requests.write(line + b"\n")
                self._requests.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            self._listener.join(_PATIENCE_S)
            raise self._end or JouteError(f"the analysis service takes no more requests: {error}") from error

    # --- Answers, in a thread ---

    def _listen(self, answers: IO[bytes]) -> None:
        problem = ""
        try:
            for line in answers:
                self._hear(json.loads(line))
        except Exception as error:  # not the lines of a service
            problem = f"; its last line could not be read: {described(error)}"
        with self._lock:
            self._end = JouteError(f"the analysis service has ended{self._last_words()}{problem}")
            left = list(self._pending.values())
            self._pending.clear()
        for pending in left:
            pending._fail(self._end)

    def _hear(self, answer: Answer) -> None:
        with self._lock:
            pending = self._pending.get(answer["id"])
            expected = self._expected.get(answer["id"], 1)
        if pending is not None and pending._take(answer, expected):
            with self._lock:
                self._pending.pop(pending.id, None)
                self._expected.pop(pending.id, None)

    def _last_words(self) -> str:
        """How the process ended, and the end of its standard error."""
        if self._process is None or self._errors is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE_S)
        status = self._process.returncode
        if status == 0:
            return ""
        try:
            self._errors.seek(0)
            text = " ".join(self._errors.read().decode(errors="replace")[-_QUOTED:].split())
        except ValueError:  # closed
            text = ""
        how = f" by signal {-status}" if status is not None and status < 0 else f" with status {status}"
        return how + (f": {text}" if text else "")


def _positions(request: Mapping[str, Any]) -> int:
    """The number of positions of a request, and so of its final answers."""
    plies: Any = request.get("plies")
    if plies == "all":
        return len(request.get("moves", ())) + 1
    return 1 if plies is None else len(plies)
