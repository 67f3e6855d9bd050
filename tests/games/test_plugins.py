"""Plug-ins with mistakes: each costs one sentence, and nothing else stops working."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from commands import joute, ok
from plugin_packages import plugin

from joute import Clock, agent, new
from joute.agents import all_agents
from joute.arena.schedules.registry import find_schedule
from joute.cli.games import games as list_games
from joute.errors import SpecError
from joute.games import all_games, register
from joute.games.state import State
from joute.match.signature import is_ours
from joute.plugins import all_rooms

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Writes a package that this process then finds, until the test ends."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(package: str, source: str, **entries: dict[str, str]) -> None:
        plugin(tmp_path, package, source, **entries)
        invalidate_caches()

    return write


def test_a_plug_in_that_cannot_be_imported_is_listed_with_the_reason(install: Install, capsys: Any) -> None:
    install("joute-broken", "import no_such_module", games={"broken": "Broken"}, agents={"broken-agent": "BROKEN"})
    found, problems = all_games()
    assert "connect4" in [game.game for game in found]
    assert problems == {
        "broken": "game 'broken' could not be loaded from joute_broken:Broken of package joute-broken: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    }
    agents, agent_problems = all_agents()
    assert "greedy" in [kind.name for kind in agents]
    assert list(agent_problems) == ["broken-agent"]
    with pytest.raises(SpecError, match="game 'broken' could not be loaded"):
        new("broken")

    list_games()
    text = " ".join(capsys.readouterr().out.split())
    assert "Connect Four" in text
    assert "game 'broken' could not be loaded from joute_broken:Broken" in text
    list_games(as_json=True)
    listed = json.loads(capsys.readouterr().out)
    assert [game["name"] for game in listed if "problem" in game] == ["broken"]


def test_a_plug_in_that_exits_when_imported_does_not_take_joute_with_it(install: Install) -> None:
    install("joute-quitter", "raise SystemExit(7)", games={"quitter": "Quitter"})
    assert all_games()[1]["quitter"].endswith("of package joute-quitter: SystemExit: 7")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("Entry = 3", "TypeError: 3 is not a subclass of joute.State"),
        ("class Entry: pass", "is not a subclass of joute.State"),
        ("import joute\nclass Entry(joute.State): pass", "Entry is a game, so it must define game, title, new"),
        ("from joute_tictactoe import TicTacToe as Entry", "TicTacToe calls itself 'tictactoe'"),
    ],
)
def test_a_game_of_the_wrong_kind_gets_a_sentence(install: Install, source: str, reason: str) -> None:
    # Another name for each, since a module is imported once.
    install(f"joute-wrong-{abs(hash(source))}", source, games={"wrong": "Entry"})
    assert reason in all_games()[1]["wrong"]


def test_an_agent_of_the_wrong_kind_gets_a_sentence(install: Install) -> None:
    install(
        "joute-wrong-agents",
        "from joute.agents.random import RANDOM, RandomAgent",
        agents={"wrong": "RandomAgent", "renamed": "RANDOM"},
    )
    _, problems = all_agents()
    assert problems["wrong"].endswith("is not a joute.agents.AgentType")
    assert problems["renamed"].endswith("the AgentType calls itself 'random'")
    with pytest.raises(SpecError, match="agent 'wrong' could not be loaded"):
        agent("wrong")


def test_a_plug_in_cannot_take_a_name_of_ours(install: Install) -> None:
    install("joute-impostor", "from joute_tictactoe import TicTacToe as Fake", games={"connect4": "Fake"})
    found, problems = all_games()
    assert "Connect Four" in [game.title for game in found]
    assert problems == {
        "connect4": "game 'connect4' of package joute-impostor is refused: package joute already provides that name"
    }
    assert new("connect4").title == "Connect Four"


def test_a_name_that_two_packages_claim_belongs_to_neither(install: Install) -> None:
    install("joute-one", "Claimed = 1", games={"claimed": "Claimed"})
    install("joute-two", "Claimed = 2", games={"claimed": "Claimed"})
    sentence = "game 'claimed' is refused: packages joute-one and joute-two both provide it; uninstall one"
    assert all_games()[1] == {"claimed": sentence}
    with pytest.raises(SpecError, match=sentence):
        new("claimed")


def test_a_base_class_for_games_need_not_be_a_game_but_what_is_registered_must() -> None:
    class Base(State):
        """Shared by several games."""

    with pytest.raises(TypeError, match="Base is a game, so it must define game, title, new"):
        register(Base)
    with pytest.raises(TypeError, match="Half is a game, so it must define new, position, to_move"):

        class Half(Base):
            game, title = "half", "Half a game"


ROOM = """
from joute.plugins import Room
ROOM = Room(package="joute_room", game="state:Game", {})
"""


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("agents=['a:B']", "agents of a Room maps names to texts, unlike ['a:B']"),
        ("commands={'a': 3}", "commands of a Room maps names to texts, unlike {'a': 3}"),
        ("languages=None", "languages of a Room maps names to texts, unlike None"),
        ("book=7", "book of a Room is a text, not 7"),
        ("moved=['x']", "moved of a Room maps names to texts, unlike ['x']"),
    ],
)
def test_a_room_with_a_field_of_the_wrong_kind_is_listed_and_nothing_else_breaks(
    install: Install, field: str, sentence: str
) -> None:
    install("joute-room", ROOM.format(field), rooms={"alpha": "ROOM"})
    assert all_games()[1]["alpha"].endswith(f"of package joute-room: TypeError: {sentence}")
    with pytest.raises(SpecError, match="game 'alpha' could not be loaded"):
        new("alpha")
    assert agent("greedy").choose(new("connect4"), Clock())
    assert "match" in ok("--help")
    with pytest.raises(ModuleNotFoundError):
        import_module("joute.no_such_module")


def test_of_two_strangers_rooms_of_one_name_neither_counts(install: Install) -> None:
    for package in ("joute-one", "joute-two"):
        install(package, ROOM.format("experiments='experiments.toml'"), rooms={"alpha": "ROOM"})
    assert "alpha" not in all_rooms()
    assert "connect4" in ok("reproduce", "--list")


def test_a_command_that_cannot_be_added_is_reported_and_the_others_work(install: Install) -> None:
    source = "def boom(app): raise RuntimeError('no')\nnone = 3\n"
    install("joute-bad", source, commands={"boom": "boom", "none": "none", "match": "boom"}, books={"boom": "boom"})
    helped = joute("--help")
    assert helped.returncode == 0
    assert "tournament" in helped.stdout
    assert "command 'boom' could not be added: RuntimeError: no" in helped.stderr
    assert "command 'match' of a plug-in is refused: Joute has a command of that name" in helped.stderr
    for name, reason in (("boom", "could not be added"), ("none", "could not be loaded")):
        asked = joute(name)
        assert (asked.returncode, asked.stdout) == (2, "")
        assert asked.stderr.startswith(f"joute: command '{name}' {reason}")
    assert "connect4" in ok("match", "connect4", "random", "random", "--games", "2")


def test_a_strangers_bench_changes_no_signature_and_a_broken_one_ends_nothing(install: Install) -> None:
    source = """
    from joute.match.signature import Bench
    BENCH = Bench("tictactoe", (".........",), {"random": "random"})
    """
    install("joute-benches", source, benches={"tictactoe": "BENCH", "othello": "BENCH"})
    done = joute("bench", "--search", "random")
    assert done.returncode == 0
    assert "tictactoe" in done.stdout
    assert "benchmark 'othello' could not be loaded" in done.stderr
    assert not is_ours("tictactoe")


def test_an_incomplete_schedule_is_refused_with_what_it_lacks(install: Install) -> None:
    source = """
    from joute.arena.schedules.schedule import Schedule
    class Weird(Schedule): pass
    """
    install("joute-weird", source, schedules={"weird": "Weird"})
    with pytest.raises(SpecError, match=r"Weird is a schedule, so it must define .*settings_type"):
        find_schedule("weird")


def test_a_time_plan_that_does_not_load_is_refused_before_the_first_game(install: Install, tmp_path: Path) -> None:
    install("joute-plan", "PLAN = 3", plans={"strange": "PLAN"})
    words = ("match", "connect4", "mcts:plan=strange", "random", "--games", "2")
    # In a process of its own: plans are choices of parameters from the start.
    command = [sys.executable, "-m", "joute", *words]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("joute: time plan 'strange' could not be loaded")


def test_a_source_tree_has_its_rooms_without_being_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    from joute import plugins

    groups = ("joute.rooms", "joute.agents", "joute.plans", "joute.languages", "joute.schedules")

    def ours() -> dict[str, set[tuple[str, str]]]:
        points = plugins._all_entry_points.__wrapped__(())
        return {
            group: {(each.name, each.value) for some in points for each in some.select(group=group)
                    if plugins._package(each) == "joute"}
            for group in groups
        }  # fmt: skip

    installed = ours()
    assert ("avalam", "joute.games.avalam.room:ROOM") in installed["joute.rooms"]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda: importlib.metadata.EntryPoints(()))
    assert ours() == installed
    monkeypatch.setattr(plugins, "_SOURCES", plugins._SOURCES.with_name("nothing.toml"))
    assert not any(ours().values())
