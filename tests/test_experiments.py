"""The reports' experiments as data: files can be read, every agent plays, and findings are about what is measured."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from joute import Clock, agent, new
from joute.games.vampires import Vampires
from joute.match.clock import TimeControl
from joute.reproduce.experiments import SCALES, Experiment, read_report
from joute.reproduce.measures import measure_of

FOLDER = Path(__file__).parent.parent / "experiments"
EXPERIMENTS = [
    pytest.param(experiment, id=f"{path.stem}-{experiment.name}")
    for path in sorted(FOLDER.glob("*.toml"))
    for experiment in read_report(path).experiments
]


def pairings(experiment: Experiment) -> set[frozenset[str]]:
    """Who meets whom."""
    names = [entry.name for entry in experiment.agents]
    match experiment.schedule:
        case "pairs":
            return {frozenset(pair) for pair in zip(names[::2], names[1::2], strict=True)}
        case "gauntlet":
            return {frozenset((names[0], name)) for name in names[1:]}
        case _:
            assert experiment.schedule == "round-robin"
            return {frozenset(pair) for pair in combinations(names, 2)}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_agent_of_an_experiment_plays_its_game(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)  # files and modules of agents are beside the experiments
    monkeypatch.syspath_prepend(FOLDER)
    names = [entry.name for entry in experiment.agents]
    assert len(set(names)) == len(names)
    state = new(experiment.game)
    for entry in experiment.agents:
        TimeControl.parse(entry.clock or experiment.clock)
        player = agent(entry.spec, game=experiment.game)
        assert state.is_legal(player.choose(state, Clock(nodes=200)))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_findings_are_about_what_is_played(experiment: Experiment) -> None:
    assert experiment.claim.endswith(".")
    for finding in experiment.findings:
        measure_of(finding)
        if len(finding.of) == 2 and finding.measure != "time_ratio":  # times compare agents of different pairings
            assert frozenset(finding.of) in pairings(experiment)
    for scale in SCALES:
        assert any(experiment.games_of(protocol, scale) for protocol in experiment.protocols)
        assert experiment.cost_s[scale] > 0
        assert not TimeControl.parse(experiment.clock).is_timed or experiment.time_scale[scale] > 0


def test_the_vampires_report_scored_ten_sets_of_parameters() -> None:
    experiments = {experiment.name: experiment for experiment in read_report(FOLDER / "vampires.toml").experiments}
    points = [entry.published for entry in experiments["parameter-sets"].findings if entry.measure == "points"]
    assert points == [164, 152, 145, 145, 140, 138, 137, 131, 125, 21]


def test_the_maps_of_the_matches_are_official_ones_with_something_to_convert() -> None:
    maps = (FOLDER / "vampires_maps.txt").read_text().splitlines()
    assert len(set(maps)) == len(maps) == 210
    for text in maps:
        state = new("vampires", text)
        assert isinstance(state, Vampires)
        houses = [count for *_, species, count in state.cells if species == "h"]
        assert (state.rows, state.columns, len(houses)) == (10, 10, 12)
        assert min(houses) <= state.units(0) == state.units(1)
