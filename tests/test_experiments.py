"""The reports' experiments as data: every agent can be made, and plays."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from joute import Clock, agent, new
from joute.games.vampires import Vampires
from joute.match.clock import TimeControl

EXPERIMENTS = sorted((Path(__file__).parent.parent / "experiments").glob("*.toml"))


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_agent_of_an_experiment_plays_its_game(path: Path) -> None:
    experiment = read(path)
    assert experiment["name"] == path.stem
    assert experiment["claim"].endswith(".")
    assert TimeControl.parse(experiment["clock"]).is_timed
    agents = experiment["agent"]
    assert len({entry["name"] for entry in agents}) == len({entry["spec"] for entry in agents}) == len(agents)
    state = new(experiment["game"])
    for entry in agents:
        player = agent(entry["spec"], game=experiment["game"])
        assert state.is_legal(player.choose(state, Clock(nodes=200)))


def test_the_vampires_report_scored_ten_sets_of_parameters() -> None:
    agents = read(next(path for path in EXPERIMENTS if path.stem == "vampires_parameter_sets"))["agent"]
    assert [entry["published_points"] for entry in agents] == [164, 152, 145, 145, 140, 138, 137, 131, 125, 21]


def test_the_maps_of_the_matches_are_official_ones_with_something_to_convert() -> None:
    maps = (EXPERIMENTS[0].parent / "vampires_maps.txt").read_text().splitlines()
    assert len(set(maps)) == len(maps) == 210
    for text in maps:
        state = new("vampires", text)
        assert isinstance(state, Vampires)
        houses = [count for *_, species, count in state.cells if species == "h"]
        assert (state.rows, state.columns, len(houses)) == (10, 10, 12)
        assert min(houses) <= state.units(0) == state.units(1)
