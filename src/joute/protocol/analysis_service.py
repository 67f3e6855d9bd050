"""Serves analyses: JSON requests in lines on standard input, JSON answers in lines on standard output.

``python -m joute.protocol.analysis_service`` is ``joute analyze --stdin`` without the command line's packages.
docs/analysis.md describes requests and answers, analysis_schema.json their fields.

The main thread reads requests and answers everything but analyses. Workers take the positions of requests from one
queue, highest priority first, and each has its own agents, because an agent is for one thread. Searches of native games
run without Python's global lock, so threads suffice to use all cores. A worker keeps the agents of its last requests,
and an agent forgets a position before it gets the next: an answer that no clock limits depends neither on other
requests nor on the number of workers.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from joute.agents import Analysis, agent_types
from joute.errors import JouteError, SpecError, described
from joute.failure import end_after
from joute.games import all_games, new
from joute.match.player import MisconductError
from joute.protocol.analysis_data import analysis_data, analyzed, selected
from joute.protocol.analysis_lines import LONGEST_LINE, LineReader, LineWriter
from joute.protocol.analysis_request import (
    PROTOCOL,
    Order,
    Request,
    RequestError,
    Resolver,
    default_agent,
    limits_of,
    parse_request,
)
from joute.protocol.analysis_tasks import Agents, Queue, Task
from joute.protocol.streams import take_streams
from joute.system import usable_cores
from joute.text import message
from joute.version import __version__

#: The time for searches to stop, and for the last answers to be written, before the process ends without them.
GRACE_S = 1.0
# No more lines are read while so many positions and answers wait, so that endless input does not fill the memory.
_MOST_WAITING = 100_000
# While so many answers wait to be written, partial results are left out.
_MOST_UNREAD = 1000
# The pause between calls of an agent's `stop`, the first of which may come before its search has begun.
_STOP_AGAIN_S = 0.01
# The pause between looks at things that wake nobody: room in the queue, a reader that has gone.
_LOOK_S = 0.05

_to_json = json.JSONEncoder(allow_nan=False).encode


class Service:
    """Answers the requests that arrive at one descriptor through another, with `jobs` workers.

    `game`, `agent` and `seed` are for requests that do not name their own.
    """

    def __init__(
        self,
        *,
        input_fd: int,
        output_fd: int,
        jobs: int,
        game: str | None = None,
        agent: str | None = None,
        seed: int = 0,
    ) -> None:
        agent_types()  # fills the registry before threads use it
        self._resolver = Resolver(game=game, agent=agent, seed=seed)
        self._reader = LineReader(input_fd)
        self._input_fd = input_fd
        self._writer = LineWriter(output_fd)
        self._reader_has_gone = select.poll()
        self._reader_has_gone.register(output_fd, 0)  # reports errors only
        self._jobs = jobs
        self._changed = threading.Condition()  # guards the fields below, and tasks
        self._queue = Queue()
        self._open: dict[str, list[Task]] = {}  # the unanswered tasks of each request
        self._stopping: list[Task] = []  # cancelled, but their agents still search
        self._is_over = False  # no more requests will come
        self._at_work = jobs  # workers that have not ended
        self._signal = 0  # that of the system which shall end the service
        self._woken, self._waker = os.pipe()
        self._workers = [
            threading.Thread(target=self._work, name=f"analysis-{number}", daemon=True) for number in range(jobs)
        ]

    def run(self) -> None:
        """Serve until the end of the input, and finish what is queued then.

        BrokenPipeError if nobody reads the answers any more; KeyboardInterrupt after `interrupt`, with the signal's
        name. Both cancel all requests first.
        """
        for worker in self._workers:
            worker.start()
        try:
            self._read()
            while self._at_work:
                self._look_after(_LOOK_S)
            while not self._writer.finish(_LOOK_S):
                self._look_after(0)
            self._look_after(0)
        except BaseException:
            self._abandon()
            raise
        finally:
            waker, self._waker = self._waker, -1  # a signal may still come
            os.close(waker)
            os.close(self._woken)

    def interrupt(self, number: int, _: object = None) -> None:
        """End the service because of a signal. It is a handler of signals, which may come between any two steps."""
        self._signal = number
        with contextlib.suppress(OSError):
            os.write(self._waker, b"!")

    # --- The main thread ---

    def _read(self) -> None:
        while not self._reader.is_over:
            has_room = len(self._queue) + self._writer.waiting < _MOST_WAITING
            streams = select.poll()
            streams.register(self._writer.fd, 0)
            streams.register(self._woken, select.POLLIN)
            if has_room:
                streams.register(self._input_fd, select.POLLIN)
            pause_s = _STOP_AGAIN_S if self._stopping else None if has_room else _LOOK_S
            events = dict(streams.poll(None if pause_s is None else 1000 * pause_s))
            if self._input_fd in events:
                for number, line in self._reader.read():
                    self._handle(number, line)
            self._look_after(0)
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _look_after(self, pause_s: float) -> None:
        """Repeat the stop of cancelled searches, and notice signals and the end of the reader. Waits for `pause_s`."""
        if self._writer.is_closed or self._reader_has_gone.poll(0):
            raise BrokenPipeError
        if self._signal:
            raise KeyboardInterrupt(signal.Signals(self._signal).name)
        self._stop_cancelled(pause_s)

    def _stop_cancelled(self, pause_s: float) -> None:
        with self._changed:
            if pause_s:
                self._changed.wait(min(pause_s, _STOP_AGAIN_S) if self._stopping else pause_s)
            self._stopping = [task for task in self._stopping if task.agent is not None]
            for task in self._stopping:
                _stop(task.agent)

    def _handle(self, number: int, line: bytes | None) -> None:
        """Answer a line, or queue what it asks for."""
        if line is not None and not line.strip():
            return
        try:
            if line is None:
                raise RequestError(f"the line has more than {LONGEST_LINE:,} bytes")
            request = parse_request(line)
            try:
                self._act(request)
            except RequestError:
                raise
            except Exception as error:  # a plug-in may raise anything when it is asked for its games and agents
                raise RequestError(described(error), request.id) from error
        except RequestError as error:
            self._refuse(number, str(error), error.id)

    def _refuse(self, number: int, sentence: str, id: str | None) -> None:
        with self._changed:
            is_open = id in self._open
        if is_open:  # the request in progress has the id, and gets its own answer
            sentence = f"the request with id {json.dumps(id)} is in progress, and this line repeats its id"
        self._put({"id": None if is_open else id, "kind": "error", "line": number, "error": message(sentence)})

    def _act(self, request: Request) -> None:
        with self._changed:
            if request.id in self._open:
                raise RequestError("the id is in use", request.id)
        match request.action:
            case "analyze":
                self._enqueue(self._resolver.order(request))
            case "cancel":
                self._cancel(request.id, [request.fields["target"]])
            case "cancel_all":
                self._cancel(request.id, list(self._open))
            case "version":
                told = {"joute": __version__, "protocol": PROTOCOL, "jobs": self._jobs}
                self._put({"id": request.id, "kind": "version", **told})
            case "games":
                self._put({"id": request.id, "kind": "games", "games": list(_games())})

    def _enqueue(self, order: Order) -> None:
        tasks = [Task(order, ply, state) for ply, state in order.positions]
        with self._changed:
            self._open[order.id] = list(tasks)
            for task in tasks:
                self._queue.put(task)
            self._changed.notify(len(tasks))

    def _cancel(self, id: str, targets: Sequence[str]) -> None:
        """Answer a cancellation, after the requests that it cancels."""
        with self._changed:
            cancelled = [target for target in targets if target in self._open]
            for target in cancelled:
                for task in list(self._open[target]):
                    self._answer(task, {"kind": "cancelled"})
                    if task.agent is not None:
                        self._stopping.append(task)
                        _stop(task.agent)
        self._put({"id": id, "kind": "cancel", "cancelled": cancelled})

    def _abandon(self) -> None:
        """Cancel everything and give workers and writer a moment to end."""
        with self._changed:
            self._is_over = True
            for tasks in list(self._open.values()):
                for task in list(tasks):
                    self._answer(task, {"kind": "cancelled"})
                    self._stopping += [task] if task.agent is not None else []
            self._changed.notify_all()
        until = time.monotonic() + GRACE_S
        while self._at_work and time.monotonic() < until:
            self._stop_cancelled(_STOP_AGAIN_S)
        self._writer.finish(GRACE_S)

    @property
    def is_idle(self) -> bool:
        """Whether all workers have ended, so that the process can end without cutting a search."""
        return not self._at_work

    # --- Workers ---

    def _work(self) -> None:
        agents = Agents()
        while task := self._next():
            tasks = [task]
            try:
                with agents.agent(task.order.recipe) as agent:
                    tasks += self._more_like(task, getattr(agent, "most_together", 1) - 1)
                    self._analyze(tasks, agent)
            except BaseException as error:  # an agent of a plug-in may raise anything
                answer = {"kind": "error", "error": message(_failure(error, task.order.recipe.spec))}
                for each in tasks:
                    self._answer(each, answer)
        with self._changed:
            self._at_work -= 1
            self._changed.notify_all()

    def _next(self) -> Task | None:
        """Wait for a task; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue.first() or self._is_over)
            return self._queue.take() if self._queue.first() else None

    def _analyze(self, tasks: list[Task], agent: Any) -> None:
        began = time.perf_counter()
        with self._running(tasks, agent) as wanted:
            if len(wanted) > 1:
                analyses = agent.analyze_together([task.state for task in wanted], lines=wanted[0].order.lines)
            else:
                analyses = [self._one_analysis(task, agent, began) for task in wanted]
        seconds = (time.perf_counter() - began) / max(1, len(wanted))
        for task, analysis in zip(wanted, analyses, strict=True):
            if not task.is_answered:
                self._answer(task, {"kind": "final", **_told(task, analysis, seconds)})

    def _one_analysis(self, task: Task, agent: Any, began: float) -> Analysis:
        order, recipe = task.order, task.order.recipe
        options: dict[str, Any] = {"lines": order.lines, "seconds": recipe.seconds}
        if order.report_every_s is not None:
            options["on_update"] = self._reporter(task, order.report_every_s, began)
        return analyzed(agent, recipe.spec, task.state, **options)

    def _more_like(self, task: Task, most: int) -> list[Task]:
        """Take the next tasks while they fit into one call with this one; a share is left to the other workers."""
        found: list[Task] = []
        if not most:
            return found
        with self._changed:
            most = min(most, len(self._queue) // self._jobs)
            while len(found) < most and (other := self._queue.first()) and _fit_together(task, other):
                found.append(self._queue.take())
        return found

    @contextlib.contextmanager
    def _running(self, tasks: Sequence[Task], agent: Any) -> Iterator[list[Task]]:
        """Let a cancellation stop the agent while it works, and not a moment longer; yields the tasks not cancelled.

        Several tasks at once are not stopped, because only one of them may be cancelled.
        """
        with self._changed:
            wanted = [task for task in tasks if not task.is_answered]
            if len(wanted) == 1:
                wanted[0].agent = agent
        try:
            yield wanted
        finally:
            with self._changed:
                for task in wanted:
                    task.agent = None

    def _reporter(self, task: Task, every_s: float, began: float) -> Callable[[Analysis], None]:
        last = began

        def report(analysis: Analysis) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last < every_s or task.is_answered or self._writer.waiting > _MOST_UNREAD:
                return
            last = now
            line = _line(task, {"kind": "partial", **_told(task, analysis, now - began)})
            with self._changed:
                if not task.is_answered:
                    self._writer.put(line)

        return report

    # --- Answers ---

    def _answer(self, task: Task, data: dict[str, Any]) -> None:
        """Send the one answer to a task that ends it, unless it has been sent."""
        line = _line(task, data)
        with self._changed:
            if task.is_answered:
                return
            task.is_answered = True
            rest = self._open[task.order.id]
            rest.remove(task)
            if not rest:
                del self._open[task.order.id]
            self._writer.put(line)

    def _put(self, data: dict[str, Any]) -> None:
        self._writer.put(_to_json(data))


def _stop(agent: Any) -> None:
    with contextlib.suppress(Exception):
        stop = getattr(agent, "stop", None)
        if callable(stop):
            stop()


def _failure(error: BaseException, spec: str) -> str:
    """The sentence for an analysis that failed."""
    if isinstance(error, MisconductError):
        return f"{error.reason.value} by {error}"
    return str(error) if isinstance(error, JouteError) else f"{spec}: {described(error)}"


def _fit_together(one: Task, other: Task) -> bool:
    same = one.order.recipe.key == other.order.recipe.key and one.order.lines == other.order.lines
    return same and other.order.report_every_s is None


def _told(task: Task, analysis: Analysis, seconds: float) -> dict[str, Any]:
    order = task.order
    data = analysis_data(analysis, task.state, agent=order.recipe.spec, lines=order.lines)
    data |= {"agent": order.recipe.spec, "seed": order.recipe.seed, "seconds": round(seconds, 6)}
    warning = {"warning": order.recipe.warning} if order.recipe.warning else {}
    return selected(data, order.fields) | warning


def _line(task: Task, data: dict[str, Any]) -> str:
    ply = {} if task.ply is None else {"ply": task.ply}
    return _to_json({"id": task.order.id, "kind": data["kind"], **ply, **data})


def _games() -> Iterator[dict[str, Any]]:
    """Describe every game, its players, and its agents with their limits."""
    for game in all_games()[0]:
        yield {
            "game": game.game,
            "title": game.title,
            "players": list(new(game.game).players),
            "agent": default_agent(game.game),
            "agents": {each.name: limits_of(each) for each in agent_types(game.game)},
        }


def serve(*, game: str | None = None, agent: str | None = None, seed: int = 0, jobs: int | None = None) -> None:
    """Serve over the standard streams of this process; other code can no longer use them.

    Ctrl-C and SIGTERM end it with a KeyboardInterrupt, after every open request is answered as cancelled.
    """
    if jobs is not None and jobs < 1:
        raise SpecError(f"the service needs at least 1 job, not {jobs}")
    input_fd, output_fd = take_streams()
    jobs = jobs or len(usable_cores())
    service = Service(input_fd=input_fd, output_fd=output_fd, jobs=jobs, game=game, agent=agent, seed=seed)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, service.interrupt)
    try:
        service.run()
    except (KeyboardInterrupt, BrokenPipeError) as end:
        if not service.is_idle:  # a worker that does not stop must not meet an interpreter that ends
            os._exit(_status(end))
        raise


def _status(end: BaseException) -> int:
    """The exit status: as if the signal had killed the process."""
    if isinstance(end, BrokenPipeError):
        return 141
    return 143 if end.args == ("SIGTERM",) else 130


def main() -> NoReturn:
    """Start the service without loading a command-line package, to save time."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m joute.protocol.analysis_service", description=__doc__)
    parser.add_argument("--game")
    parser.add_argument("--agent")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int)
    arguments = parser.parse_args()
    try:
        serve(**vars(arguments))
    except (KeyboardInterrupt, BrokenPipeError) as end:
        sys.exit(_status(end))
    except Exception as error:
        sys.exit(end_after(error, (sys.executable, "-m", "joute.protocol.analysis_service", *sys.argv[1:])))
    sys.exit(0)


if __name__ == "__main__":
    main()
