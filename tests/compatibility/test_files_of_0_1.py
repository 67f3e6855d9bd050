"""Files written by version 0.1 are read, shown and continued."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import ok

from joute.agents import find_agent
from joute.arena.plan_file import read_toml
from joute.arena.store.store import Store
from joute.games import new
from joute.match.record_reader import read_records
from joute.spec import value_text

FOLDER = Path(__file__).parent / "0.1"
SPECS = json.loads((FOLDER / "specs.json").read_text())


@pytest.mark.parametrize("name", SPECS["agents"])
def test_every_parameter_of_every_agent_is_still_accepted(name: str) -> None:
    settings = SPECS["agents"][name]
    spec = f"{name}:" + ",".join(f"{key}={value}" for key, value in settings.items())
    kind, parameters = find_agent(spec)
    assert kind.name == name
    assert {key: value_text(getattr(parameters, key)) for key in settings} == settings


@pytest.mark.parametrize("name", SPECS["games"])
def test_every_rules_option_is_still_accepted(name: str) -> None:
    for key, value in SPECS["games"][name]:
        if value:
            assert new(f"{name}:{key}={value}").game == name


def test_the_file_of_a_tournament_is_read() -> None:
    plan, _ = read_toml(FOLDER / "class.toml")
    assert (plan.game, plan.schedule, plan.seed, plan.clock) == ("quoridor:rules=course", "swiss:rounds=2", 3, "10+0.1")
    assert [entrant.name for entrant in plan.entrants] == ["Report", "mcts:iterations=50", "quoridor-runner", "random"]
    assert (plan.isolation.memory_mb, plan.isolation.stall_s, plan.max_plies) == (512, 30, 400)


def test_the_table_of_a_tournament_is_the_same(tmp_path: Path) -> None:
    path = shutil.copy(FOLDER / "class.db", tmp_path)
    told = json.loads(ok("tournament", "--resume", "--db", str(path), "--json"))
    expected = json.loads((FOLDER / "table.json").read_text())
    # An agent lost all games. Its rating was infinite, and the ratings are Bayesian since.
    assert told.pop("elo_method") == "Bayesian"
    assert told.pop("ranked_by") == "schedule"
    assert told.pop("presumed_games") == []
    assert told.pop("unplayed_games") == {}
    assert [row.pop("presumed") for row in told["standings"]] == [0, 0, 0, 0]
    assert not any(row.pop("retired") for row in told["standings"])
    assert told["plan"].pop("steps") == []
    assert all(row["elo_low"] < row["elo"] < row["elo_high"] for row in told["standings"])
    for data in (told, expected):
        for key in ("db", "command", "verdict", "elo_reference"):
            data.pop(key, None)
        for row in data["standings"]:
            for key in ("elo", "elo_low", "elo_high"):
                row.pop(key)
    assert told == expected


def test_a_report_and_a_replay_are_made_of_its_games(tmp_path: Path) -> None:
    path = Path(shutil.copy(FOLDER / "class.db", tmp_path))
    ok("report", str(path), "--output", str(tmp_path / "class.html"))
    assert "quoridor-runner" in (tmp_path / "class.html").read_text()
    assert "Report" in ok("replay", str(path), "--game", "1", "--ply", "6")


def test_its_records_are_read_and_written_as_they_were(tmp_path: Path) -> None:
    path = Path(shutil.copy(FOLDER / "class.db", tmp_path))
    assert len(read_records(FOLDER / "games.txt")) == 8
    # Version 0.1 counted games from 0.
    later = re.sub(
        r'\[Round "(\d+)"\]', lambda found: f'[Round "{int(found[1]) + 1}"]', (FOLDER / "games.txt").read_text()
    )
    assert ok("export", str(path)) == later


def test_a_tournament_that_was_killed_is_continued(tmp_path: Path) -> None:
    path = Path(shutil.copy(FOLDER / "unfinished.db", tmp_path))
    with Store.read(path) as store:
        before = {game.pairing.number: game.record.moves for game in store.games()}
    assert len(before) == 16
    ok("tournament", "--resume", "--db", str(path))
    with Store.read(path) as store:
        after = {game.pairing.number: game.record.moves for game in store.games()}
    assert len(after) == 24
    assert {number: after[number] for number in before} == before
