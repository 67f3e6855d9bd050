"""Systems that Joute does not run on, or not in full, are told so in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commands import joute

from joute import JouteError, play_match, system
from joute.arena.players.isolation import Isolation
from joute.arena.players.process import AgentProcess
from joute.arena.players.sandbox import View, _problem, check_sandbox


def test_windows_is_refused_when_joute_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_PLATFORM", "win32")
    with pytest.raises(ImportError, match="Windows Subsystem for Linux"):
        system.check_system()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Unix that is not Linux."""
    _problem.cache_clear()
    monkeypatch.setattr(system, "_PLATFORM", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delattr(os, "memfd_create")


@pytest.mark.usefixtures("elsewhere")
def test_agents_of_one_process_play_on_any_unix() -> None:
    assert play_match("connect4", "greedy", "random", games=2, seed=1).games == 2
    assert system.usable_cores() == list(range(os.cpu_count() or 1))


@pytest.mark.usefixtures("elsewhere")
def test_a_process_of_an_agent_needs_linux(tmp_path: Path) -> None:
    with pytest.raises(JouteError, match="need Linux, and this is darwin"):
        AgentProcess(["true"], Isolation(), view=View(tmp_path))


@pytest.mark.usefixtures("elsewhere")
def test_a_tournament_needs_linux(tmp_path: Path) -> None:
    result = joute("tournament", "connect4", "random", "greedy", "--games", "2", "--db", str(tmp_path / "t.db"))
    assert result.returncode == 2
    assert "need Linux, and this is darwin" in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("elsewhere")
def test_the_sandbox_needs_linux() -> None:
    with pytest.raises(JouteError, match="need Linux, and this is darwin"):
        check_sandbox()
    _problem.cache_clear()
