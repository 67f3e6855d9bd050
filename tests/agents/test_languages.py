"""Languages of players: a protocol is its own file and an entry point, and nothing else has to know it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from plugin_packages import plugin

from joute.agents.loading import find_source, is_spec, load_agent
from joute.agents.source import find_language, language_prefix
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import check_players, make_player
from joute.errors import SpecError
from joute.match import Reason, play_game

# Programs that speak UGI with capitals for a name, and play one game.
SHOUT = """
    from joute.agents.languages import ProgramLanguage
    from joute.arena.players.external import ExternalPlayer

    class ShoutPlayer(ExternalPlayer):
        pass

    class Shout(ProgramLanguage):
        name = "shout"
        title = "SHOUT"
        game = "connect4"

        def player_type(self, source, game):
            self.check_game(game)
            return ShoutPlayer

    SHOUT = Shout()
    NOT_ONE = object()
"""
ENGINE = f"{sys.executable} -m joute.protocol.ugi_engine connect4 random"


@pytest.fixture
def shout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path, "shouting", SHOUT, languages={"shout": "SHOUT", "whisper": "NOT_ONE", "mumble": "SHOUT"})
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("shout")
def test_a_language_of_a_plugin_names_programs_that_play() -> None:
    source = find_source(f"shout:{ENGINE}")
    assert (source.kind, source.language, source.command[1:]) == ("program", "shout", tuple(ENGINE.split()[1:]))
    assert not is_spec(source.text)
    player = make_player(source, "loud", "connect4", Isolation())
    assert type(player).__name__ == "ShoutPlayer"
    assert play_game("connect4", player, "random", seed=1).reason is Reason.NORMAL


@pytest.mark.usefixtures("shout")
def test_a_language_of_a_plugin_has_the_sentences_of_the_others() -> None:
    with pytest.raises(SpecError, match=r"shout: needs the program that speaks SHOUT, as in shout:\./engine"):
        find_source("shout:")
    with pytest.raises(SpecError, match="programs that speak SHOUT play connect4, not avalam"):
        check_players([find_source(f"shout:{ENGINE}")], "avalam", Isolation())
    with pytest.raises(SpecError, match="is a program that speaks SHOUT, which can play but not be served over UGI"):
        load_agent(f"shout:{ENGINE}", "connect4", 0)


@pytest.mark.usefixtures("shout")
def test_a_broken_language_gives_one_clear_error_and_no_other_language() -> None:
    with pytest.raises(
        SpecError, match=r"language 'whisper' could not be loaded .* is not a joute\.agents\.source\.Lang"
    ):
        find_source("whisper:./engine")
    with pytest.raises(SpecError, match="the Language calls itself 'shout'"):
        find_source("mumble:./engine")
    assert find_source("ugi:/bin/true").kind == "program"


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("ugi:./engine", "ugi"),
        ("xmlrpc:http://localhost:8000", "xmlrpc"),
        ("course:my_player.py", "course"),
        ("qtp:./engine", "qtp"),
        ("qtp-kata:./engine", "qtp-kata"),
        ("qtp-:./engine", "qtp-"),
        ("qtp-a/b:c", ""),
        ("ugi-x:./engine", ""),
        ("ugi", ""),
        ("./ugi:x", ""),
        ("mcts:iterations=3", ""),
        ("my_agent.py:Careful", ""),
    ],
)
def test_a_language_is_the_word_before_the_colon_and_some_have_dialects(text: str, prefix: str) -> None:
    assert language_prefix(text) == prefix
    if prefix:
        assert find_language(prefix).name == prefix.partition("-")[0]
