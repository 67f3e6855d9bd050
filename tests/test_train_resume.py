"""A run that is killed and goes on does what it would have done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joute.games.connect4 import Connect4
from joute.train.checkpoint import RunFolder, Saved, unpack_model
from joute.train.parameters import TrainParameters

torch = pytest.importorskip("torch")
loop = pytest.importorskip("joute.train.loop")

# The window begins to drop games after some 40 steps, and to grow after 80.
SETTINGS = {
    "steps": "120", "checkpoint_steps": "15", "games": "24", "pools": "2", "threads": "1", "batch": "16",
    "channels": "8", "blocks": "1", "simulations": "4", "early_simulations": "2", "early_share": "0.4",
    "window_min": "300", "sample_reuse": "2", "match_every": "0", "warm_up": "10", "device": "cpu",
}  # fmt: skip


class Killed(BaseException):
    """Stands for a process that ends at once."""


class Watched(RunFolder):
    """A folder that remembers its checkpoints, and in which the process is killed after some."""

    def __init__(self, path: Path, kill_after: int | None = None) -> None:
        super().__init__(path)
        self.kill_after = kill_after
        self.seen: list[Saved] = []

    def save(self, saved: Saved, **options: Any) -> None:
        super().save(saved, **options)
        self.seen.append(saved)
        if len(self.seen) == self.kill_after:
            raise Killed


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """More would wait for each other where cores are few."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(path: Path, kill_after: int | None = None) -> tuple[list[Saved], list[bytes]]:
    parameters = TrainParameters.read(SETTINGS, Connect4)
    with Watched(path, kill_after) as folder:
        try:
            loop.train("connect4", parameters, folder, command="", say=lambda _: None)
        except Killed:
            pass
        else:
            assert kill_after is None
        return folder.seen, list(folder.games())


def equal(one: Any, other: Any) -> bool:
    """Whether two models are the same to the last bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


def test_a_run_that_is_killed_twice_ends_as_one_that_is_not(tmp_path: Path) -> None:
    whole, games = run(tmp_path / "whole")
    parts = run(tmp_path / "parts", kill_after=3)[0] + run(tmp_path / "parts", kill_after=2)[0]
    last, last_games = run(tmp_path / "parts")
    parts += last
    length, capacity = whole[-1].state["window"]
    assert length < whole[-1].state["added"]  # games have been dropped
    assert capacity > 300  # and it has grown
    assert len(parts) == len(whole)
    for one, other in zip(whole, parts, strict=True):
        assert one.state | {"elapsed_s": 0} == other.state | {"elapsed_s": 0}
        assert one.pools == other.pools
        assert equal(unpack_model(one.model), unpack_model(other.model))
    assert last_games == games
    assert whole[-1].state["counters"]["steps"] == 120


def test_a_run_that_is_told_to_stop_writes_a_checkpoint_and_goes_on(tmp_path: Path) -> None:
    parameters = TrainParameters.read(SETTINGS | {"checkpoint_steps": "1000"}, Connect4)
    asked = iter([False] * 60)
    with Watched(tmp_path / "run") as folder:
        done = loop.train("connect4", parameters, folder, command="", say=print, stop=lambda: next(asked, True))
        assert len(folder.seen) == 1
        assert folder.state["counters"] == done.as_data()
        assert done.steps < 120
    with Watched(tmp_path / "run") as folder:
        after = loop.train("connect4", parameters, folder, command="", say=print)
        assert after.steps == 120
        assert after.games >= done.games
