"""Runs whose checkpoints and matches do not interrupt self-play, their starts, and tasks beside the loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joute import new
from joute.errors import JouteError, SpecError
from joute.games import find_game
from joute.games.avalam.state import Avalam
from joute.games.connect4.state import Connect4
from joute.games.quoridor.state import Quoridor
from joute.train.background import Background
from joute.train.checkpoint import SHARD_BYTES, RunFolder, Saved
from joute.train.matches import starts_of
from joute.train.parameters import TrainParameters
from joute.train.progress import PROGRESS, read_progress

torch = pytest.importorskip("torch")
loop = pytest.importorskip("joute.train.loop")

pytest_plugins = ["torch_fixtures"]
pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = {
    "minutes": "60", "checkpoint_every": "1", "games": "16", "pools": "2", "threads": "1", "batch": "16",
    "channels": "8", "blocks": "1", "simulations": "3", "early_simulations": "2", "window_min": "200",
    "match_every": "1", "match_games": "4", "match_simulations": "1", "references": "random", "device": "cpu",
    "random_plies": "4", "exact_from": "-1",
}  # fmt: skip


class Folder(RunFolder):
    """A folder that remembers its checkpoints, and in which thread they were written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.seen: list[Saved] = []
        self.threads: list[str] = []

    def save(self, saved: Saved, **options: Any) -> None:
        super().save(saved, **options)
        self.seen.append(saved)
        self.threads.append(threading.current_thread().name)


def run(path: Path, checkpoints: int, game: str = "connect4", **settings: str) -> Folder:
    """Train until so many checkpoints are written, and the last one."""
    parameters = TrainParameters.read(SETTINGS | settings, find_game(game))
    with Folder(path) as folder:
        stop = lambda: len(folder.seen) >= checkpoints  # noqa: E731
        loop.train(game, parameters, folder, command="", say=lambda _: None, stop=stop)
        return folder


def test_checkpoints_and_matches_of_a_run_by_time_do_not_stop_its_games(tmp_path: Path) -> None:
    first = run(tmp_path / "run", 2)
    assert first.threads == ["checkpoint", "checkpoint", "MainThread"]
    assert not any(saved.pools for saved in first.seen)
    counters = [saved.state["counters"] for saved in first.seen]
    assert counters[0]["plies"] < counters[1]["plies"]  # before a pause would have let them go on
    second = run(tmp_path / "run", 1)
    again = second.seen[0].state
    assert again["part"] == first.seen[0].state["part"] + 1 == 1
    assert again["counters"]["games"] >= counters[-1]["games"] > 0
    assert again["counters"]["plies"] > counters[-1]["plies"]
    assert again["elapsed_s"] > first.seen[-1].state["elapsed_s"]
    assert [row["kind"] for row in read_progress(tmp_path / "run" / PROGRESS)].count("rating") >= 1
    assert again["matches"]


def test_only_runs_by_time_are_quick(tmp_path: Path) -> None:
    assert not TrainParameters().is_exact
    for settings in ({"steps": 5}, {"gate": "sprt"}, {"resume": "exact"}):
        assert TrainParameters(**settings).is_exact
    with pytest.raises(SpecError, match="without a gate"):
        TrainParameters(resume="quick", gate="margin")


def test_what_a_game_lacks_is_said_before_it_is_trained(tmp_path: Path) -> None:
    for settings, why in (({"exact_from": "5"}, "no exact solver"), ({"ending_weight": "1"}, "does not describe")):
        game = "quoridor" if "exact_from" in settings else "connect4"
        with pytest.raises(SpecError, match=why):
            run(tmp_path / "run", 1, game, starts="", **settings)


def test_all_refinements_together_train_and_resume(tmp_path: Path) -> None:
    settings = {
        "surprise_share": "0.5", "soft_policy_weight": "2", "ending_weight": "0.5", "full_share": "0.5",
        "stagger": "20", "exact_from": "30", "match_every": "0", "steps": "6", "checkpoint_steps": "3",
        "window_min": "50", "batch": "8", "starts": "balanced",
    }  # fmt: skip
    run(tmp_path / "run", 1, "avalam", **settings)
    last = run(tmp_path / "run", 9, "avalam", **settings)
    assert last.seen[-1].state["counters"]["steps"] == 6
    losses = [row["losses"] for row in read_progress(tmp_path / "run" / PROGRESS) if row.get("losses")]
    assert losses
    assert {"soft_policy", "ending"} <= losses[-1].keys()


def test_a_folder_compresses_no_more_games_than_it_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    from joute.train import checkpoint

    monkeypatch.setattr(checkpoint, "SHARD_BYTES", 2**16)
    seen: list[bytes] = []
    whole = checkpoint._deflated

    def counted(piece: bytes) -> bytes:
        seen.append(piece)
        return whole(piece)

    monkeypatch.setattr(checkpoint, "_deflated", counted)
    monkeypatch.setattr(checkpoint, "_PIECE_BYTES", 2**12)
    games = [(2**12 - 4).to_bytes(4, "little") + os.urandom(2**12 - 4) for _ in range(64)]
    with RunFolder(tmp_path / "run") as folder:
        folder.save(Saved("connect4", {}, {}, b"", []), games=games, shards=1)
        kept = b"".join(folder.games())
    assert len(seen) < 20
    assert b"".join(games).endswith(kept)
    assert len(kept) > 2**15
    assert SHARD_BYTES > 2**16


# --- Starts ---


def test_balanced_starts_are_the_openings_of_the_game_and_its_start() -> None:
    parameters = TrainParameters.read({}, Avalam)
    starts = starts_of(new("avalam"), parameters)
    assert parameters.starts == "balanced"
    plain = [start for start in starts if start.ply == 0]
    assert len(plain) == (len(starts) - len(plain)) // 3 > 100
    assert starts_of(new("connect4"), TrainParameters.read({}, Connect4)) == []
    with pytest.raises(SpecError, match="unknown set of start positions of avalam 'nothing'; there are: balanced"):
        starts_of(new("avalam"), TrainParameters(starts="nothing"))
    with pytest.raises(SpecError, match="tictactoe has no sets of start positions"):
        starts_of(new("tictactoe"), TrainParameters(starts="balanced"))


def test_the_curriculum_of_quoridor_has_walls_pawns_anywhere_and_the_start() -> None:
    starts = starts_of(new("quoridor"), TrainParameters.read({}, Quoridor))
    assert len(starts) == 8192
    assert not any(start.is_terminal for start in starts)
    homes = [start for start in starts if start.position.split("/")[2] == "e1e9"]
    assert 0.5 < len(homes) / len(starts) < 0.6
    assert 0.2 < sum(start.position == new("quoridor").position for start in starts) / len(starts) < 0.32
    assert max(start.ply for start in starts) > 200
    near = [start for start in starts if min(start.distances) == 1]  # type: ignore[attr-defined]
    assert len(near) > 200


# --- Tasks beside the loop ---


def test_a_task_beside_the_loop_gives_its_result_or_its_exception_once() -> None:
    tasks: Background[int] = Background("task")
    may_end = threading.Event()

    def task(_: Callable[[], bool]) -> int:
        may_end.wait()
        return 7

    tasks.start(task)
    assert tasks.take() == []
    assert tasks.is_busy
    may_end.set()
    assert tasks.take(wait=True) == [7]
    assert tasks.take(wait=True) == []

    def fails(_: Callable[[], bool]) -> int:
        raise JouteError("no room")

    tasks.start(fails)
    with pytest.raises(JouteError, match="no room"):
        tasks.take(wait=True)
    assert not tasks.is_busy


def test_a_task_that_is_stopped_gives_nothing() -> None:
    tasks: Background[int] = Background("task")

    def task(stop: Callable[[], bool]) -> int:
        while not stop():
            pass
        return 1

    tasks.start(task)
    tasks.stop()
    assert tasks.take(wait=True) == []
