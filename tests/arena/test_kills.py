"""SIGKILL at any instant: games with limits by nodes or iterations are played again, move by move the same."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from test_resume import STRANGER, Driver, processes_with
from test_tournament import PATIENCE_S, essence, played, table, workers_of

from joute.arena.tournament import Tournament

# Games with and without dice, one of them defined in Python; searches of each family; a stranger in its own process.
TOURNAMENTS = (
    ("connect4", ("mcts:iterations=1500", "alphabeta:nodes=20000", "stranger.py"), 14),
    ("avalam", ("rave:iterations=150", "avalam:nodes=3000", "stranger.py"), 6),
    ("vampires", ("mcts:iterations=40", "alphabeta:nodes=300", "stranger.py"), 6),
    ("tictactoe", ("mcts:iterations=400", "alphabeta:nodes=4000", "stranger.py"), 14),
)


class Kills:
    """Sends SIGKILL to the driver of a tournament and its workers at random instants."""

    def __init__(self, seed: int, most: int) -> None:
        self.rng = random.Random(seed)
        self.most = most
        self.of_drivers = self.of_workers = 0

    @property
    def count(self) -> int:
        return self.of_drivers + self.of_workers

    def pursue(self, driver: Driver) -> None:
        """Play a tournament to its end. Kills come until there are enough of them."""
        process = driver.start()
        while process.poll() is None and self.count < self.most:
            time.sleep(self.rng.uniform(0, 1.5))
            if self.rng.random() < 0.2:
                process.kill()
                process.communicate(timeout=PATIENCE_S)
                self.of_drivers += process.returncode == -signal.SIGKILL
                assert driver.no_process_is_left()
                process = driver.start()
            elif workers := workers_of(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.rng.choice(workers), signal.SIGKILL)
                    self.of_workers += 1
        output, errors = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, errors) == (0, ""), f"{output}{errors}"
        assert driver.no_process_is_left()


def check_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, kills: int, seed: int) -> Kills:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "stranger.py").write_text(STRANGER)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(tmp_path)
    quiet: dict[str, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    done = Kills(seed, kills)
    shared = set(os.listdir("/dev/shm"))
    number = 0
    while done.count < kills:
        game, agents, games = TOURNAMENTS[number % len(TOURNAMENTS)]
        if game not in quiet:
            undisturbed = played(tmp_path / f"{game}.db", agents, games=games, seed=3, game=game)
            quiet[game] = essence(tmp_path / f"{game}.db"), table(undisturbed)
        path = tmp_path / f"killed-{number}" / "killed.db"
        path.parent.mkdir()
        driver = Driver(path, games, agents, game=game)
        done.pursue(driver)
        assert essence(path) == quiet[game][0]
        with Tournament.resume(path) as resumed:
            assert table(resumed) == quiet[game][1]
        assert os.listdir(path.parent) == [path.name]  # no log or lock of the database
        assert os.listdir(temporary) == []
        assert not [name for name in set(os.listdir("/dev/shm")) - shared if "joute" in name.lower()]
        assert not processes_with(driver.mark)
        number += 1
    print(f"{done.of_drivers} kills of drivers, {done.of_workers} of workers, {number} tournaments")
    return done


@pytest.mark.slow
def test_a_hundred_kills_of_drivers_and_workers_change_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = check_kills(tmp_path, monkeypatch, kills=100, seed=29)
    assert min(done.of_drivers, done.of_workers) >= 10


if __name__ == "__main__":  # more kills: python tests/arena/test_kills.py 1000 SEED
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        check_kills(Path(folder), patch, kills=int(sys.argv[1]), seed=int(sys.argv[2]))
