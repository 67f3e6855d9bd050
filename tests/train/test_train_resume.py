"""A run that is killed and goes on does what it would have done."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from joute import __version__
from joute.agents.net_file import read_network_file
from joute.errors import JouteError
from joute.games.connect4.state import Connect4
from joute.train.checkpoint import RunFolder, Saved, pack_model, unpack_model
from joute.train.parameters import TrainParameters
from joute.train.progress import PROGRESS, read_progress

torch = pytest.importorskip("torch")
loop = pytest.importorskip("joute.train.loop")

pytest_plugins = ["torch_fixtures"]
pytestmark = pytest.mark.usefixtures("one_thread")

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


def run(path: Path, kill_after: int | None = None, **settings: str) -> tuple[list[Saved], list[bytes]]:
    parameters = TrainParameters.read(SETTINGS | settings, Connect4)
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
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else bool(one == other)


def test_a_run_that_is_killed_twice_ends_as_one_that_is_not(tmp_path: Path) -> None:
    whole, games = run(tmp_path / "whole")
    parts = run(tmp_path / "parts", kill_after=3)[0] + run(tmp_path / "parts", kill_after=2)[0]
    last, last_games = run(tmp_path / "parts")
    parts += last
    length, capacity = whole[-1].state["window"]
    assert length < whole[-1].state["added"]  # games have been dropped
    assert capacity > 300  # and it has grown
    check_alike(whole, parts)
    assert last_games == games
    assert [saved.state["counters"]["steps"] for saved in whole] == list(range(15, 121, 15))  # the last one once


def check_alike(whole: list[Saved], parts: list[Saved]) -> None:
    assert len(parts) == len(whole)
    for one, other in zip(whole, parts, strict=True):
        assert {**one.state, "elapsed_s": 0} == {**other.state, "elapsed_s": 0}
        assert one.pools == other.pools
        assert equal(unpack_model(one.model), unpack_model(other.model))


def told(path: Path, kind: str) -> list[dict[str, Any]]:
    return [row | {"elapsed_s": 0} for row in read_progress(path / PROGRESS) if row["kind"] == kind]


def test_what_a_gate_decided_and_matches_showed_is_part_of_the_checkpoint(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "steps": "60", "gate": "margin", "gate_games": "4", "gate_share": "0.5", "match_every": "2", "match_games": "4",
        "match_simulations": "2", "references": "random",
    }  # fmt: skip
    whole, _ = run(tmp_path / "whole", **settings)
    parts: list[Saved] = []
    for _ in range(3):
        parts += run(tmp_path / "parts", kill_after=1, **settings)[0]
    parts += run(tmp_path / "parts", **settings)[0]
    check_alike(whole, parts)
    for kind in ("rating", "gate"):
        assert told(tmp_path / "whole", kind) == told(tmp_path / "parts", kind)
    rated = [row["steps"] for row in told(tmp_path / "whole", "rating")]
    assert rated == [30, 60]  # at every second checkpoint, and the last network once
    gates = told(tmp_path / "whole", "gate")
    accepted = [row["steps"] for row in gates if row["accepted"]]
    first, last = (max(step for step in accepted if step <= rated_at) for rated_at in rated)
    assert first < last
    assert [match[:2] for match in whole[-1].state["matches"]] == [
        [f"step {first}", "random"],
        [f"step {last}", "random"],
        [f"step {last}", f"step {first}"],
    ]
    assert [row["steps"] for row in gates] == [15, 30, 45, 60]
    models = [unpack_model(saved.model) for saved in whole]
    for model, row in zip(models, gates, strict=False):
        # What was let in plays on from this checkpoint, not from the next one.
        assert equal(model["player"], model["learner"]["average"]) == row["accepted"]


def test_the_last_network_is_rated_though_no_rating_is_due(tmp_path: Path) -> None:
    whole, _ = run(
        tmp_path / "run", steps="30", match_every="5", match_games="2", match_simulations="1", references="random"
    )
    assert len(whole) == 2
    assert [row["steps"] for row in told(tmp_path / "run", "rating")] == [30]


def test_a_window_that_never_holds_many_batches_is_learned_from(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "run", steps="3", batch="64", window_min="40", window_max="50")
    assert whole[-1].state["counters"]["steps"] == 3


def test_matches_that_cannot_be_played_are_refused_before_anything_is_learned(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [{"references": "nobody"}, {"references": "avalam-engine"}, {"openings": "nowhere"}]
    for settings in wrong:
        with pytest.raises(JouteError):
            run(tmp_path / "run", match_every="1", **settings)
    assert not (tmp_path / "run" / "state.json").exists()


def test_a_network_that_has_diverged_takes_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "run", kill_after=1)
    monkeypatch.setattr(loop.schedule, "learning_rate", lambda *_, **__: float("nan"))
    with pytest.raises(JouteError, match="diverged"):
        run(tmp_path / "run")
    with RunFolder(tmp_path / "run") as folder:
        assert folder.state["counters"]["steps"] == 15


def test_a_checkpoint_of_another_network_is_refused_in_a_sentence(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "run", kill_after=1)
    with RunFolder(tmp_path / "run") as folder:
        folder.save(dataclasses.replace(whole[0], model=pack_model({"learner": {}})))
    with pytest.raises(JouteError, match="this version of joute"):
        run(tmp_path / "run")


def test_the_network_says_which_joute_made_it(tmp_path: Path) -> None:
    run(tmp_path / "run", steps="15")
    card = json.loads(read_network_file(tmp_path / "run" / loop.NETWORK).card)
    assert card["joute"] == __version__
    assert card["steps"] == 15


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
