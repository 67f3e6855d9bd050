"""Plug-ins with mistakes: each costs one sentence, and nothing else stops working."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from plugin_packages import plugin

from joute import agent, new
from joute.agents import all_agents
from joute.cli.games import games as list_games
from joute.errors import SpecError
from joute.games import all_games, register
from joute.games.state import State

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
