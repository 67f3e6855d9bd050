"""The worker process, ``python -m joute.arena.pool.worker``: plays the games that the driver sends, one at a time.

Jobs come in and records go out as JSON lines through inherited pipes. The first line in describes the tournament; the
first line out says that the worker is ready, or why it failed. Built-in agents run in this process, others in their
own. After each game the worker kills all its descendants: if an agent killed its supervisor, the remaining processes
of the agent are children of the worker, which is a subreaper.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.arena.plan import Plan
from joute.arena.players.players import make_player
from joute.arena.players.sources import source_from_data
from joute.arena.players.supervise import become_subreaper, kill_descendants
from joute.arena.pool.black_box import BlackBox
from joute.errors import described
from joute.games import new
from joute.match.player import Player
from joute.match.referee import play_game

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Play games until the driver closes the job pipe or dies."""
    jobs, results, box, parent = map(int, sys.argv[1:])
    _die_with(parent)
    become_subreaper()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for descriptor in (jobs, results, box):
        os.set_inheritable(descriptor, False)  # agents must not inherit them
    with open(jobs, encoding="utf-8") as inbox, open(results, "w", encoding="utf-8", buffering=1) as outbox:
        _work(inbox, outbox, BlackBox(box))


def _work(inbox: Any, outbox: Any, box: BlackBox) -> None:
    def tell(message: Mapping[str, Any]) -> None:
        outbox.write(json.dumps(message) + "\n")

    tournament = json.loads(inbox.readline())
    try:
        plan = Plan.from_data(tournament["plan"])
        sources = tuple(map(source_from_data, tournament["sources"]))
        private_files = [Path(path) for path in tournament["private_files"]]
        os.sched_setaffinity(0, tournament["cores"])
        new(plan.game)
    except Exception as error:
        tell({"failed": described(error)})
        return
    tell({"ready": True})

    def player(index: int) -> Player:
        name = plan.entrants[index].name
        return make_player(sources[index], name, plan.game, plan.isolation, hidden_paths=private_files)

    for line in inbox:
        job = json.loads(line)
        number, (first, second) = job["number"], job["players"]
        box.begin(number)
        ended: dict[str, Any]
        try:
            record = play_game(
                new(plan.game, job["start"]),
                player(first),
                player(second),
                seed=job["seed"],
                clock=(plan.control(first), plan.control(second)),
                margin_s=plan.margin_s,
                max_plies=plan.max_plies,
                witness=box,
            )
        except BaseException as error:  # not from an agent: an error in the game's rules or of the system
            ended = {"error": described(error)}
        else:
            ended = {"record": record.as_data()}
        kill_descendants()  # before sending: the driver kills this process after the last game
        tell({"number": number} | ended)


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the driver, `parent`, ends for any reason."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the driver ended before the call above
        os._exit(1)


if __name__ == "__main__":
    main()
