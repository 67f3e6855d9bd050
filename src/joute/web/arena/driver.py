"""The process that plays one tournament of the page: ``python -P -m joute.web.arena.driver``.

It reads JSON lines from the server and writes JSON lines to it:

    {"db": …, "order": …, …}                the first line: what to play
    {"ask": "look"}                         answered by {"look": {"running": 2, "boards": […]}}
    {"ask": "pause"}                        no further game begins
    {"ask": "stop"}                         the running games are given up; they are played again later

    {"begun": {…}}                          the database exists and games begin
    {"games": 12, "length": 60}             so many games are stored
    {"ended": "finished", "error": ""}      the last line; finished, paused, stopped or failed

The end of its input stops it, so also the end of the server. Finished games are in the database by then.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import IO, Any

from joute._core import one_line
from joute.arena.plan import make_plan
from joute.arena.plan_file import isolation_of
from joute.arena.store.database import InUseError
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.errors import JouteError, described
from joute.numbers import count_of
from joute.web.arena.boards import Boards
from joute.web.arena.wishes import check_plan
from joute.web.errors import PageError
from joute.web.settings import Settings

# The server and people's searches come first.
_NICENESS = 5
# The least seconds between two messages about the number of games.
_PROGRESS_S = 0.3
# An earlier driver of the same tournament ends within this time.
_LOCK_S = 15.0
# After the end of its input, the process ends by force if it has not ended by then.
_END_S = 10.0


class _Driver:
    """The order, the tournament, and the conversation with the server."""

    def __init__(self, lines: IO[str], output: IO[str]) -> None:
        self._lines, self._output = lines, output
        self._writing = threading.Lock()
        self._boards: Boards | None = None
        self._is_paused = self._is_stopped = self._is_ending = False
        self._told_s = 0.0
        self._too_large = ""

    def run(self) -> None:
        """Play, and tell how it ended."""
        order = json.loads(self._lines.readline())
        ended, error = "stopped", ""
        try:
            threading.Thread(target=self._listen, daemon=True).start()
            ended, error = self._play(order)
        except KeyboardInterrupt:
            pass
        except PageError as problem:
            ended, error = "failed", problem.message
        except JouteError as problem:
            ended, error = "failed", str(problem)
        except Exception as problem:
            ended, error = "failed", described(problem)
        finally:
            self._is_ending = True
        self._tell(ended=ended, error=one_line(error)[:1000])

    def _play(self, order: dict[str, Any]) -> tuple[str, str]:
        """Play the tournament; returns how it ended and, if it failed, why."""
        path = Path(order["db"])
        with self._made(order, path) as made:
            self._boards = Boards(made, order["boards"])
            self._tell(begun={"games": made.standings.games, "length": made.length, "workers": made.workers})
            most_bytes = order["most_bytes"]

            def on_game(_finished: object) -> None:
                now = time.monotonic()
                if now - self._told_s >= _PROGRESS_S:
                    self._told_s = now
                    self._tell(games=made.standings.games, length=made.length)
                if sum(file.stat().st_size for file in made.store.files if file.exists()) > most_bytes:
                    self._too_large = f"the database has reached {most_bytes >> 20:,} MB, the most for one of the page"
                    self._is_paused = True

            try:
                made.play(on_game, should_stop=lambda: self._is_paused)
            except KeyboardInterrupt:
                if not made.is_finished:
                    raise
            self._is_ending = True
            self._tell(games=made.standings.games, length=made.length)
            return self._how_it_ended(made)

    def _how_it_ended(self, made: Tournament) -> tuple[str, str]:
        if made.is_finished:
            return "finished", ""
        if self._too_large:
            return "failed", self._too_large
        if made.changed:
            names = " and ".join(f"'{made.plan.entrants[index].name}'" for index in sorted(made.changed))
            return "failed", f"the file of {names} changed; restore it, then continue"
        if made.unplayed and not self._is_paused:
            first = min(made.unplayed, key=lambda unplayed: unplayed.game.number)
            return "failed", f"{count_of(len(made.unplayed), 'game')} did not get to an end: {first.why}"
        return "paused", ""

    def _made(self, order: dict[str, Any], path: Path) -> Tournament:
        """The tournament: a new one, or that of the database if there is one."""
        if path.exists() and path.stat().st_size:
            with Store.read(path) as store:  # before anything in it is used
                check_plan(store.plan, Settings(agents=tuple(order["listed"])))
            return self._resumed(path, order["concurrency"])
        asked = order["order"]
        settings = {**asked["settings"], "isolation": isolation_of({"sandbox": asked["sandbox"]}, "the form")}
        plan = make_plan(asked["game"], [tuple(entry) for entry in asked["agents"]], **settings)
        try:
            return Tournament.create(plan, path, note="begun on the page")
        except BaseException:
            if path.exists() and not path.stat().st_size:
                path.unlink()
            raise

    def _resumed(self, path: Path, concurrency: int) -> Tournament:
        """The tournament of a database, when the process that played it has ended."""
        deadline = time.monotonic() + _LOCK_S
        while True:
            try:
                return Tournament.resume(path, concurrency=concurrency)
            except InUseError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    # --- The other thread ---

    def _listen(self) -> None:
        for line in self._lines:
            asked = json.loads(line)["ask"]
            if asked == "look":
                self._look()
            elif asked == "pause":
                self._is_paused = True
            elif asked == "stop":
                self._stop()
        self._stop()
        time.sleep(_END_S)
        os._exit(1)

    def _look(self) -> None:
        shown: dict[str, Any] = {"running": 0, "boards": []}
        if self._boards is not None:
            # A game may end, or the tournament close its file, while it is drawn.
            with contextlib.suppress(Exception):
                shown = self._boards.look()
        self._tell(look=shown)

    def _stop(self) -> None:
        """Interrupt the main thread, once, unless it has ended its work."""
        if not (self._is_stopped or self._is_ending):
            self._is_stopped = True
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def _tell(self, **message: Any) -> None:
        with self._writing, contextlib.suppress(BrokenPipeError):
            self._output.write(json.dumps(message, separators=(",", ":")) + "\n")
            self._output.flush()


def main() -> None:
    """Run the process."""
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have ignored it
    warnings.simplefilter("ignore")
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an agent prints does not mix with the messages
    _Driver(sys.stdin, output).run()


if __name__ == "__main__":
    main()
