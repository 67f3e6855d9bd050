"""An engine process: reads jobs as JSON lines, runs one at a time, writes updates and results as JSON lines.

    {"id": 1, "kind": "move", "request": {…}}   begins a job
    {"stop": 1}                                 asks it to end soon
    {"id": 1, "update": {…}}                    progress
    {"id": 1, "result": {…}}                    its end
    {"id": 1, "error": "…"}                     its failure

The process ends with its standard input, so also when the server is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
import warnings
from typing import IO, Any

from joute.errors import JouteError, described
from joute.web.jobs import Context, find_job

# The server answers people: engine processes give way to it.
_NICENESS = 5


class _Worker:
    """The loop of the process. One thread reads, the main thread works."""

    def __init__(self, lines: IO[str], output: IO[str]) -> None:
        self._lines, self._output = lines, output
        self._writing = threading.Lock()
        self._jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._contexts: dict[int, Context] = {}

    def run(self) -> None:
        """Run jobs until the process ends."""
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            self._work(self._jobs.get())

    def _read(self) -> None:
        for line in self._lines:
            message = json.loads(line)
            if "stop" in message:
                with self._lock:
                    context = self._contexts.get(message["stop"])
                if context is not None:
                    context.stop()
                continue
            number = message["id"]
            with self._lock:
                self._contexts[number] = Context(lambda update, number=number: self._write(id=number, update=update))  # type: ignore[misc]
            self._jobs.put(message)
        os._exit(0)  # the server is gone

    def _work(self, message: dict[str, Any]) -> None:
        number = message["id"]
        context = self._contexts[number]
        try:
            result = find_job(message["kind"])(message["request"], context)
            answer = {"id": number, "result": result}
        except JouteError as error:
            answer = {"id": number, "error": str(error)}
        except Exception as error:
            traceback.print_exc()
            answer = {"id": number, "error": described(error)}
        context.end()
        with self._lock:
            del self._contexts[number]
        self._write(**answer)

    def _write(self, **message: Any) -> None:
        with self._writing:
            self._output.write(json.dumps(message, separators=(",", ":")) + "\n")
            self._output.flush()


def main() -> None:
    """Run the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    warnings.simplefilter("ignore")
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an agent prints does not mix with the messages
    _Worker(sys.stdin, output).run()


if __name__ == "__main__":
    main()
