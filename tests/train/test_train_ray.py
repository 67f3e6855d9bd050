"""Training on a real Ray cluster of several nodes on this machine: a killed node, a killed driver, resumption."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import PATIENCE_S, RayCluster, kill, ray_cluster, until

from joute.train.checkpoint import RunFolder, records, steps_of
from joute.train.progress import PROGRESS, read_progress
from joute.train.report import REPORT

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

SMALL = {
    "steps": "900", "actor-games": "16", "batch": "32", "channels": "8", "blocks": "1", "simulations": "4",
    "early-simulations": "4", "window-min": "500", "match-every": "0", "device": "cpu", "publish-every": "0.1",
    "checkpoint-every": "2", "random-plies": "4",
}  # fmt: skip


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with ray_cluster(2, cores=2) as cluster:
        yield cluster


def words(path: Path, **settings: str) -> list[str]:
    options = [f"--{name}={value}" for name, value in (SMALL | settings).items()]
    return ["train", "connect4", "--out", str(path), *options]


def rows(path: Path) -> list[dict[str, Any]]:
    return [row for row in read_progress(path / PROGRESS) if row["kind"] == "progress"]


def test_a_training_survives_the_death_of_a_node_and_of_its_driver(tmp_path: Path, cluster: RayCluster) -> None:
    path = tmp_path / "run"
    driver = cluster.start(*words(path, steps="1000000"))
    until(lambda: any(row["actors"] == 3 and row["steps"] > 100 for row in rows(path)), driver)
    cluster.kill(0)
    lost = len(rows(path))
    until(lambda: any(row["actors"] < 3 and row["games_per_s"] for row in rows(path)[lost:]), driver)
    before = json.loads((path / "state.json").read_text())["serial"]
    until(lambda: json.loads((path / "state.json").read_text())["serial"] > before + 1, driver)
    kill(driver)
    with RunFolder(path) as folder:
        state = folder.state
        versions = {steps_of(record) for games in folder.games() for record in records(games)}
    assert sum(node["failures"] for node in state["nodes"]) >= 1
    assert len(versions) > 5
    assert max(versions) > 100
    steps = state["counters"]["steps"]
    cluster.add()
    driver = cluster.start("train", "connect4", "--out", str(path), f"--steps={steps + 300}")
    output, errors = driver.communicate(timeout=PATIENCE_S)
    assert driver.returncode == 0, output + errors
    assert f"at step {steps:,}" in output
    assert "The games were played on" in output
    assert "--ray" in output.splitlines()[-1]
    with RunFolder(path) as folder:
        assert folder.state["counters"]["steps"] == steps + 300
        assert folder.state["counters"]["games"] > state["counters"]["games"]
    assert all(row["oldest"] <= 2000 for row in rows(path))
    assert "The machines that played" in (path / REPORT).read_text()


def test_a_bound_on_old_networks_holds_and_is_told(tmp_path: Path, cluster: RayCluster) -> None:
    path = tmp_path / "run"
    cluster.run(*words(path, steps="300"), "--most-behind=40")
    told = rows(path)
    assert max(row["oldest"] for row in told) <= 40
    assert sum(row["refused"] for row in told) > 0
    assert "older games" in (path / REPORT).read_text()
