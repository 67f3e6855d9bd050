"""The tool that fits several games at once stops in time, goes on, and finds the games where Joute is not installed."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest
from test_level_fit import PLAN, QUICK
from test_pages import tool

from joute.agents import level_sets
from joute.agents.level_sets import read_levels
from joute.fits import levels as fits
from joute.fits.level_file import is_unfinished


@pytest.fixture(autouse=True)
def _small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_sets, "level_set", lambda game: PLAN)
    monkeypatch.setattr(fits, "FitParameters", lambda: QUICK)


def test_a_fit_ends_in_time_and_the_same_command_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["connect4", "--out", str(tmp_path), "--jobs", "1", "--pairs", "2"]
    file = tmp_path / "connect4.toml"
    assert tool("fit_levels").main([*words, "--seconds", "0"]) == 1
    assert "out of time" in capsys.readouterr().out
    assert is_unfinished(file)
    assert tool("fit_levels").main(words) == 0
    assert "going on after level 1" in capsys.readouterr().out
    assert read_levels(file).levels[-1].stage.agent == PLAN.full
    whole = file.read_text()
    assert tool("fit_levels").main(words) == 0  # it is finished
    assert file.read_text() == whole
    assert tool("fit_levels").main([*words, "--measure"]) == 0
    matches = [sum(level.measured.pairs) for level in read_levels(file).levels[1:] if level.measured]
    assert set(matches) == {4}


def test_games_are_found_where_joute_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {(each.group, each.name, each.value) for each in importlib.metadata.distribution("joute").entry_points}
    monkeypatch.setattr(sys, "path", [])
    tool("fit_levels").find_entry_points(tmp_path)
    found = importlib.metadata.distribution("joute").entry_points
    assert sys.path == [str(tmp_path)]
    assert {(each.group, each.name, each.value) for each in found} == {each for each in ours if "joute" in each[0]}
