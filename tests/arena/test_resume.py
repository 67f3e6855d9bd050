"""Tournaments that are killed: resumed, they end as if nothing had happened."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from commands import joute
from test_tournament import PATIENCE_S, essence, played, table

from joute.arena.store.store import Store, StoreError
from joute.arena.tournament import Tournament

SLOW = ("mcts:iterations=1500", "mcts:iterations=1000,c=1", "greedy")

# A stranger's agent: it draws lots with Python's own generator, and leaves a process behind that hides well.
STRANGER = """
import os, random

class Stranger:
    def __init__(self):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "1000"])
            os._exit(0)
        os.wait()

    def choose(self, state, clock):
        return random.choice(state.legal_moves)
"""


def processes_with(mark: str) -> list[int]:
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
    return found


def stored_games(path: Path) -> int:
    """How many games are finished; -1 where there is no tournament yet."""
    try:
        with Store.read(path) as store:
            return store.count
    except StoreError:
        return -1


def complaints(errors: str) -> list[str]:
    """The lines of standard error, without those that a run of more than 30 s prints about its progress."""
    return [line for line in errors.splitlines() if not re.fullmatch(r"\d+ of \d+ games, .* left", line)]


class Driver:
    """``joute tournament`` in a process that can be hurt."""

    def __init__(
        self, path: Path, games: int, agents: tuple[str, ...] = SLOW, *options: str, game: str = "connect4"
    ) -> None:
        self.path = path
        plan = ("--games", str(games), "--seed", "3", *options)
        self.new = ("tournament", game, *agents, *plan, "--db", str(path))
        self.resume = ("tournament", "--resume", "--db", str(path))
        self.mark = f"JOUTE_TEST_{uuid.uuid4().hex}"

    def start(self) -> subprocess.Popen[str]:
        words = self.new if stored_games(self.path) < 0 else self.resume
        return subprocess.Popen(
            [sys.executable, "-m", "joute", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {self.mark: "1"},
        )

    def hurt(self, how: signal.Signals, *, after_games: int, delay_s: float) -> subprocess.Popen[str]:
        process = self.start()
        deadline = time.monotonic() + PATIENCE_S
        target = max(0, stored_games(self.path)) + after_games
        while process.poll() is None and stored_games(self.path) < target and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(delay_s)
        process.send_signal(how)
        return process

    def no_process_is_left(self) -> bool:
        deadline = time.monotonic() + PATIENCE_S
        while processes_with(self.mark) and time.monotonic() < deadline:
            time.sleep(0.01)
        return not processes_with(self.mark)


def check_kills(tmp_path: Path, *, kills: int, games: int) -> None:
    quiet, killed = tmp_path / "quiet.db", tmp_path / "killed.db"
    (tmp_path / "stranger.py").write_text(STRANGER)
    agents = (*SLOW[:2], str(tmp_path / "stranger.py"))
    undisturbed = played(quiet, agents, games=games, seed=3)
    assert not undisturbed.standings.reasons
    driver = Driver(killed, games, agents)
    rng = random.Random(kills)
    kept: list[tuple[Any, ...]] = []
    for kill in range(kills):
        # The first comes while the tournament is being created, or before.
        after_games, delay_s = (-1, rng.uniform(0, 0.5)) if kill == 0 else (rng.randint(0, 4), rng.uniform(0, 0.1))
        process = driver.hurt(signal.SIGKILL, after_games=after_games, delay_s=delay_s)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == -signal.SIGKILL  # and had not finished before
        assert driver.no_process_is_left()
        if stored_games(killed) >= 0:
            now = essence(killed)
            assert [game for game in now if game in kept] == kept  # nothing lost, nothing changed
            kept = now
    assert 0 < len(kept) < undisturbed.standings.games
    output, errors = driver.start().communicate(timeout=PATIENCE_S)
    assert complaints(errors) == []
    assert driver.no_process_is_left()
    assert essence(killed) == essence(quiet)
    with Tournament.resume(killed) as resumed:
        assert resumed.is_finished
        assert table(resumed) == table(undisturbed)
    assert f"{undisturbed.standings.games} games in all, {len(kept)} of them played" in output
    (sessions,) = sqlite3.connect(killed).execute("SELECT count(*) FROM sessions").fetchone()
    assert sessions >= 2


def test_a_tournament_killed_three_times_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    check_kills(tmp_path, kills=3, games=5)


@pytest.mark.slow
def test_a_tournament_killed_twenty_times_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    check_kills(tmp_path, kills=20, games=70)


@pytest.mark.parametrize("schedule", ["swiss:rounds=3", "knockout:extra=1"])
def test_a_tournament_in_rounds_that_is_killed_goes_on_with_the_same_games(tmp_path: Path, schedule: str) -> None:
    quiet, killed = tmp_path / "quiet.db", tmp_path / "killed.db"
    agents = ("mcts:iterations=500", "mcts:iterations=400", "greedy", "mcts:iterations=300", "random")
    undisturbed = played(quiet, agents, games=2, seed=3, schedule=schedule)
    driver = Driver(killed, 2, agents, "--schedule", schedule)
    for after_games in (1, 3):  # in the first round, and in the second
        process = driver.hurt(signal.SIGKILL, after_games=after_games, delay_s=0)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == -signal.SIGKILL
    assert 4 <= stored_games(killed) < undisturbed.standings.games
    output, errors = driver.start().communicate(timeout=PATIENCE_S)
    assert complaints(errors) == []
    assert driver.no_process_is_left()
    assert essence(killed) == essence(quiet)
    with Tournament.resume(killed) as resumed:
        assert resumed.is_finished
        names = [entrant.name for entrant in resumed.plan.entrants]
        lines = resumed.schedule.standing_lines(resumed.results, names)
        assert lines == undisturbed.schedule.standing_lines(undisturbed.results, names)
        assert all(line in output for line in lines)


def test_ctrl_c_keeps_the_games_and_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    driver = Driver(path, games=12)
    process = driver.hurt(signal.SIGINT, after_games=2, delay_s=0.05)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (130, "joute: interrupted\n")
    count = stored_games(path)
    assert 2 <= count < 36
    assert (
        f"stopped after {count} of 36 games, which are kept; to go on: joute tournament --resume --db {path}" in output
    )
    assert "95% interval" in output
    assert driver.no_process_is_left()
    done = joute(*driver.resume)
    assert done.returncode == 0
    assert stored_games(path) == 36
    again = joute(*driver.resume)  # a finished tournament prints its table
    assert "rank" in again.stdout
    assert "36 of them played" in again.stdout
