"""Kinds of tournaments from elsewhere: one class and one entry point are all that a new kind takes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from typer.testing import CliRunner

from joute.arena.schedules import Schedule, registry
from joute.arena.schedules.fixed import FixedSchedule
from joute.arena.schedules.registry import find_schedule, make_schedule, schedule_names
from joute.cli import command_line
from joute.errors import SpecError
from joute.spec import parameter


@dataclass(frozen=True)
class ChainSettings:
    closed: bool = parameter(False, help="whether the last meets the first", source="a test")


@dataclass(frozen=True)
class Chain(FixedSchedule):
    """Everybody meets the next."""

    settings: ChainSettings = ChainSettings()

    settings_type = ChainSettings
    default_games = 4
    title = "chain"

    @property
    def meetings(self) -> list[tuple[int, int]]:
        pairs = [(first, first + 1) for first in range(self.entrants - 1)]
        return [*pairs, (self.entrants - 1, 0)] if self.settings.closed else pairs

    def headline(self, results: object, names: object) -> str:
        return "the chain holds"


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._schedules._loaded, "chain", Chain)


def joute(*words: object) -> str:
    result = CliRunner().invoke(command_line(str(words[0])), [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("chain")
def test_a_new_kind_is_played_shown_reported_and_gone_on_with(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    agents = ("random", "greedy", "random:")
    output = joute("tournament", "connect4", *agents, "--schedule", "chain:closed=yes", "--db", db)
    assert "chain, 3 pairings, 4 games each, 12 games in all" in output
    assert "12 games in" in output
    assert "chain, 3 pairings" in joute("tournament", "--resume", "--db", db)
    assert "the chain holds" in joute("report", db, "--format", "md")
    assert "chain" in joute("report", db, "--format", "json")
    plan = tmp_path / "plan.toml"
    plan.write_text('game = "connect4"\nschedule = "chain"\nagents = [{agent = "random"}, {agent = "greedy"}]\n')
    assert "chain, 1 pairing, 4 games each" in joute("tournament", plan)


def test_an_unknown_kind_is_told_the_nearest(chain: None) -> None:
    assert "chain" in schedule_names()
    with pytest.raises(SpecError, match=r"unknown schedule 'chian'; did you mean 'chain'\?"):
        make_schedule("chian", 2, 2)


def test_the_built_in_kinds_are_found_as_a_stranger_s_would_be() -> None:
    names = {entry.name for entry in entry_points(group="joute.schedules")}
    assert names == {"round-robin", "gauntlet", "pairs", "swiss", "knockout", "sprt", "tune"}
    for name in names:
        assert issubclass(find_schedule(name), Schedule)


def test_the_schedule_of_a_command_is_not_offered() -> None:
    assert "tune" not in schedule_names()
    with pytest.raises(SpecError, match="this schedule is that of joute tune"):
        make_schedule("tune", 4, 10)


def test_what_is_no_schedule_is_refused() -> None:
    with pytest.raises(TypeError, match=r"is not a subclass of joute\.arena\.schedules\.Schedule"):
        registry._checked("chain", object())
