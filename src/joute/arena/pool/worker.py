"""The worker process, ``python -m joute.arena.pool.worker``: plays the games that the driver sends, one at a time.

Standard input describes the tournament in JSON. Jobs come in and records go out as JSON lines through an inherited
socket: unlike a pipe, it cannot be opened again through /proc. The first line out says that the worker is ready, or why
it failed. Built-in agents run in this process, others in their own. After each game the worker kills all its
descendants: if an agent killed its supervisor, the remaining processes of the agent are children of the worker, which
is a subreaper.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import joute.arena.players.kernel as kernel
from joute.agents import Clock
from joute.agents.variation import varied
from joute.arena.plan import Plan
from joute.arena.players.players import make_player
from joute.arena.players.shield import keep_memory_private
from joute.arena.players.sources import source_from_data
from joute.arena.players.supervise import become_subreaper, kill_descendants
from joute.arena.pool.black_box import BlackBox
from joute.errors import described
from joute.games import State, new
from joute.match.player import Answer, InterruptionError, Player
from joute.match.referee import RESIGN, play_game


def main() -> None:
    """Play games until the driver closes the socket or dies."""
    jobs, box, parent = map(int, sys.argv[1:])
    _die_with(parent)
    become_subreaper()
    keep_memory_private()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for descriptor in (jobs, box):
        os.set_inheritable(descriptor, False)  # agents must not inherit them
    with socket.socket(fileno=jobs) as driver, driver.makefile("r", encoding="utf-8") as inbox:
        _work(inbox, driver, BlackBox(box))


def _work(inbox: Iterable[str], driver: socket.socket, box: BlackBox) -> None:
    def tell(message: Mapping[str, Any]) -> None:
        driver.sendall(json.dumps(message).encode() + b"\n")

    try:
        tournament = json.load(sys.stdin)
        plan = Plan.from_data(tournament["plan"])
        sources = tuple(map(source_from_data, tournament["sources"]))
        private_files = [Path(path) for path in tournament["private_files"]]
        keep_alive = tournament["keep_alive"]
        os.sched_setaffinity(0, tournament["cores"])
        new(plan.game)
    except Exception as error:
        tell({"failed": described(error)})
        return
    tell({"ready": True})

    kept: dict[int, Player] = {}

    def player_of(index: int, settings: str) -> Player:
        if index in kept:
            return kept[index]
        name, hidden = plan.entrants[index].name, private_files
        source = varied(sources[index], settings)
        made = make_player(source, name, plan.game, plan.isolation, hidden_paths=hidden, keep_alive=keep_alive)
        if keep_alive:
            kept[index] = made
        return made

    def players(job: Mapping[str, Any]) -> Iterator[Player]:
        for side, (index, settings) in enumerate(zip(job["players"], job["settings"], strict=True)):
            name = plan.entrants[index].name
            if job["suspect"] is not None and job["suspect"] != side:
                yield RepeatingPlayer(name, job["moves"], job["pause_s"])
            else:
                yield player_of(index, settings)

    for line in inbox:
        job = json.loads(line)
        box.begin(job["number"])
        ended: dict[str, Any]
        try:
            first, second = players(job)
            record = play_game(
                new(plan.game, job["start"]),
                first,
                second,
                seed=job["seed"],
                clock=tuple(map(plan.control, job["players"])),  # type: ignore[arg-type]
                margin_s=plan.margin_s,
                max_plies=plan.max_plies,
                witness=box,
            )
        except InterruptionError as error:
            ended = {"interrupted": str(error)}
        except BaseException as error:  # not from an agent: an error in the game's rules or of the system
            ended = {"error": described(error)}
        else:
            ended = {"record": record.as_data()}
        if not keep_alive:  # else they end with this process
            kill_descendants()  # before sending: the driver kills this process after the last game
        tell({"number": job["number"]} | ended)


class RepeatingPlayer(Player):
    """Plays given moves, waits `pause_s` seconds and resigns: the harmless partner of a player on trial (blame.py)."""

    def __init__(self, name: str, moves: Sequence[str], pause_s: float) -> None:
        self.name = name
        self._moves = iter(moves)
        self._pause_s = pause_s

    def begin(self, start: State, player: int, seed: int) -> None:
        """Prepare nothing."""

    def ask(self, state: State, line: Sequence[str], clock: Clock, limit_s: float) -> Answer:
        """The next move, in no time."""
        move = next(self._moves, RESIGN)
        if move == RESIGN:
            time.sleep(self._pause_s)
        return Answer(move, 0.0)


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the driver, `parent`, ends for any reason."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the driver ended before the call above
        os._exit(1)


if __name__ == "__main__":
    main()
