"""Shell completion: the names that fit the line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from joute.cli import command_line
from joute.cli.completion import command_to_complete, complete_agent, complete_entrant, complete_game


class Line(typer.Context):
    """A line that is being typed, with the words before the one to complete."""

    def __init__(self, **params: object) -> None:
        self.params = dict(params)


def test_a_shell_gets_commands_games_and_agents() -> None:
    def completed(line: str) -> list[str]:
        asked = {"_JOUTE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        done = subprocess.run(
            [sys.executable, "-m", "joute"], env=os.environ | asked, capture_output=True, text=True, check=True
        )
        assert not done.stderr
        return done.stdout.split()

    assert {"match", "map"} <= set(completed("joute ma"))
    assert completed("joute match connect4 mcts perf") == ["perfect"]


def test_games_and_opponents_are_completed_in_every_command() -> None:
    for name, parameter in (("games", "game"), ("new-agent", "game"), ("sweep", "game"), ("sweep", "against")):
        group: Any = typer.main.get_command(command_line(name))
        found = {each.name: each for each in group.get_command(typer.Context(group), name).params}
        assert found[parameter]._custom_shell_complete, name


def test_games_are_completed_by_their_names() -> None:
    assert complete_game("con") == ["connect4"]
    assert complete_game("xyz") == []


def test_agents_are_those_of_the_game_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("perhaps.py", "perhaps.txt", "quo.py"):
        Path(name).touch()
    assert complete_agent(Line(game="connect4:rows=6"), "per") == ["perfect", "perhaps.py"]
    assert complete_agent(Line(game="quoridor"), "per") == ["perhaps.py"]
    assert "perfect" in complete_agent(Line(), "per")  # any game
    assert "perfect" in complete_agent(Line(game="nonsense"), "per")


def test_a_tournament_begins_with_a_game_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("class.toml").touch()
    assert complete_entrant(Line(words=None), "c") == ["connect4", "class.toml"]
    assert complete_entrant(Line(words=["connect4", "greedy"]), "perf") == ["perfect"]


def test_the_command_of_the_line_is_loaded_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "joute match con")
    assert command_to_complete() == ""  # no shell asks
    monkeypatch.setenv("_JOUTE_COMPLETE", "complete_bash")
    assert command_to_complete() == "match"
    monkeypatch.setenv("COMP_WORDS", "joute")
    assert command_to_complete() == ""
