"""The reports' experiments as data: files can be read, every agent plays, and findings are about what is measured."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from plugin_packages import plugin

from joute import Clock, new
from joute.agents.loading import load_agent
from joute.errors import SpecError
from joute.games.vampires.state import Vampires
from joute.match.clock import TimeControl
from joute.reproduce.experiments import (
    OPENINGS,
    SCALES,
    START,
    Experiment,
    Tally,
    find_paper,
    paper_names,
    read_paper,
)
from joute.reproduce.figures import FIGURES
from joute.reproduce.measures import measure_of
from joute.reproduce.run import rows_of

FOLDER = Path(__file__).parents[2] / "experiments"
EXPERIMENTS = [
    pytest.param(experiment, id=f"{path.stem}-{experiment.name}")
    for path in sorted(FOLDER.glob("*.toml"))
    for experiment in read_paper(path).experiments
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
        player = load_agent(entry.spec, experiment.game, seed=1)
        assert state.is_legal(player.choose(state, Clock(nodes=200)))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_findings_are_about_what_is_played(experiment: Experiment) -> None:
    assert experiment.claim.endswith(".")
    for finding in experiment.findings:
        measure_of(finding)
        of_agents = {"time_ratio", "points_lead", "depth_lead", "nodes_ratio", "node_exponent"}
        if len(finding.of) == 2 and finding.measure not in of_agents:
            assert frozenset(finding.of) in pairings(experiment)
    assert set(experiment.figures) <= set(FIGURES)
    if experiment.deterministic:  # from the start position there are two games
        assert {experiment.games_of(START, scale) for scale in SCALES} <= {0, 2}
    for scale in SCALES:
        assert any(experiment.games_of(protocol, scale) for protocol in experiment.protocols)
        assert experiment.cost_s[scale] > 0
        assert not TimeControl.parse(experiment.clock).is_timed or experiment.time_scale[scale] > 0


def test_there_are_five_papers() -> None:
    assert paper_names() == ["avalam", "connect4", "divercite", "quoridor", "vampires"]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_published_result_is_tested_by_400_games(experiment: Experiment) -> None:
    """The score of two agents, as a report published it."""
    published = [finding for finding in experiment.findings if isinstance(finding.published, Tally)]
    if any(finding.measure == "score" and len(finding.of) == 2 for finding in published):
        assert experiment.games_of(OPENINGS, "full") >= 400


@pytest.mark.parametrize(("scale", "minutes"), [("quick", 12), ("full", 180)])
def test_a_scale_takes_no_longer_than_it_says(scale: str, minutes: int) -> None:
    """On two cores, by what a game of each experiment costs."""
    rows = rows_of(map(find_paper, paper_names()), scale, 1, Path())
    assert sum(row.length() * row.cost_s for row in rows) < 2 * 60 * minutes


def test_published_numbers_are_those_of_the_papers() -> None:
    """A sample, as the reports print them."""

    def tallies(report: str, name: str) -> list[tuple[int, int, int]]:
        experiments = {experiment.name: experiment for experiment in find_paper(report).experiments}
        scores = [finding.published for finding in experiments[name].findings if finding.measure == "score"]
        return [(one.wins, one.draws, one.losses) for one in scores if isinstance(one, Tally)]

    assert tallies("connect4", "ucb1-tuned") == [(54, 1, 45)]
    assert tallies("connect4", "rave") == [(73, 0, 27), (81, 0, 19)]
    assert tallies("connect4", "nrpa") == [(20, 0, 0), (19, 0, 1)]
    first = {
        experiment.name: [(one.published.wins, one.published.losses) for one in experiment.findings
                          if one.measure == "first_score" and isinstance(one.published, Tally)]
        for experiment in find_paper("connect4").experiments
    }  # fmt: skip
    assert (first["ucb1-tuned"], first["rave"]) == ([(68, 31)], [(77, 23), (69, 31)])
    numbers = [one.published for one in find_paper("connect4").experiments[3].findings if one.measure == "time_ms"]
    assert numbers == [252.41, 311.38, 275.9, 412.41]
    six, eight = (6, 0, 0), (7, 0, 1)
    assert tallies("avalam", "final-agent") == [six, six, (6, 0, 2), six, eight, eight, six]


def test_the_vampires_paper_scored_ten_sets_of_parameters() -> None:
    experiments = {experiment.name: experiment for experiment in read_paper(FOLDER / "vampires.toml").experiments}
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


GOOD = """
title = "Mine"
game = "connect4"
[[experiment]]
name = "one"
title = "One"
claim = "It is."
games = { quick = 4, full = 8 }
[[experiment.agent]]
name = "A"
spec = "greedy"
[[experiment.agent]]
name = "B"
spec = "random"
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name = "one"', 'name = "one"\ngmaes = 3', "unknown key .* 'gmaes'; did you mean 'games'"),
        ("games = { quick = 4, full = 8 }", "games = 3", r"games must be a table such as .*, not 3"),
        (
            "[[experiment.agent]]",
            '[[experiment.finding]]\nexpects = "above 1.2.3"\n[[experiment.agent]]',
            "'above 1.2.3' is",
        ),
        (GOOD, 'title = "Mine"\nexperiment = [3]', "experiment 1: 3 is not a table"),
        ("full = 8", "full = 8.5", "games cannot be 8.5"),
        ('name = "one"', 'name = "one"\npoints = [3, 1]', "points are three numbers"),
        (
            "[[experiment.agent]]",
            "[[experiment.finding]]\npublished = { wins = 0, draws = 0, losses = 0 }\n[[experiment.agent]]",
            "a published result has no games",
        ),
        ("[[experiment.agent]]", '[[experiment.finding]]\nof = ["A", "A"]\n[[experiment.agent]]', "A against itself"),
        ("full = 8", "ful = 8", "unknown scale .* 'ful'; did you mean 'full'"),
        ('claim = "It is."', "", "has no claim"),
        ('name = "one"', 'name = "a/b"', "a name is made of letters, digits, - and _"),
        ('spec = "greedy"', "spec = 3", "spec must be text, not 3"),
        ('name = "B"', 'name = "A"', "two agents of the same name"),
        ('title = "Mine"', 'title = "Mine', "is not a TOML file"),
        ("[[experiment.agent]]", '[[experiment.finding]]\nof = ["C"]\n[[experiment.agent]]', "unknown agent .* 'C'"),
        (
            "[[experiment.agent]]",
            '[[experiment.finding]]\nexpects = "more"\n[[experiment.agent]]',
            "'more' is not an expectation such as above 0.5",
        ),
        (GOOD, 'title = "Nothing"', r"has no experiments \[\[experiment\]\]"),
    ],
)
def test_a_wrong_file_gives_one_clear_error(before: str, after: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert read_paper(path).experiments[0].games == {"quick": 4, "full": 8}
    path.write_text(GOOD.replace(before, after, 1))
    with pytest.raises(SpecError) as caught:
        read_paper(path)
    assert re.search(message, str(caught.value)), caught.value


def test_each_file_of_experiments_is_named_by_a_room() -> None:
    assert paper_names() == sorted(path.stem for path in FOLDER.glob("*.toml"))


def test_a_room_of_another_package_brings_its_experiments_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (FOLDER / "connect4.toml").read_text(encoding="utf-8")
    (tmp_path / "other_game").mkdir()
    (tmp_path / "other_game" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "other_game" / "other_paper.toml").write_text(f'game = "connect4"\n{text}', encoding="utf-8")
    room = """
        from joute.plugins import Room

        ROOM = Room(package="other_game", game="state:Other", experiments="other_paper.toml")
    """
    plugin(tmp_path, "other-room", room, rooms={"other": "ROOM"})
    monkeypatch.syspath_prepend(tmp_path)
    assert "other_paper" in paper_names()
    assert find_paper("other_paper").experiments == find_paper("connect4").experiments
    with pytest.raises(SpecError, match="unknown paper 'other_papr'; did you mean 'other_paper'"):
        find_paper("other_papr")
