"""OpenSpiel's games in Joute: all of them, their rules beside ours, what is refused, matches and the page."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pyspiel
import pytest
from commands import ok

import joute
from joute import JouteError, Random, State, new
from joute.errors import SpecError
from joute.games.registry import _games, all_games
from joute.openspiel import library, rules
from joute.web.allowed import start_of
from joute.web.errors import PageError


def random_game(state: State, seed: int, plies: int = 1000) -> Iterator[State]:
    rng = Random(seed)
    yield state
    while not state.is_terminal and state.ply < plies:
        state = state.resolve(state.draw_outcome(rng)) if state.is_chance else state.play(state.random_move(rng))
        yield state


@pytest.mark.parametrize("name", rules.all_games())
def test_every_game_that_is_listed_is_played_as_openspiel_plays_it(name: str) -> None:
    position = ""
    for state in random_game(new(f"openspiel:game={name}"), seed=1, plies=40):
        theirs = joute.openspiel.state(state)
        assert state.is_terminal == theirs.is_terminal()
        assert state.is_chance == theirs.is_chance_node()
        assert len(set(map(str, state.legal_moves))) == len(state.legal_moves)
        assert not any(re.search(r"\s", str(move)) for move in state.legal_moves)
        if not state.is_chance:
            assert [move.action for move in state.legal_moves] == theirs.legal_actions()
        assert "\x1b" not in state.diagram()
        position = state.position
    again = new(f"openspiel:game={name}", position)
    assert again == state
    assert again.key == state.key
    assert again.diagram() == state.diagram()
    assert joute.openspiel.position(theirs).position == position


def test_options_that_are_numbers_switches_and_games_reach_openspiel() -> None:
    assert len(new("openspiel:game=hex,board_size=5").legal_moves) == 25
    assert len(new("openspiel:game=go(board_size=5)").legal_moves) == 26
    misere = new("openspiel:game=misere(game=tic_tac_toe())", "0.3.1.4.2")
    assert misere.result is not None
    assert misere.result.winner == 1  # three in a row loses
    margins = new("openspiel:game=dots_and_boxes,utility_margin=yes")
    results = {state.result.score for seed in range(20) for state in random_game(margins, seed) if state.result}
    assert results <= {-4000, -2000, 0, 2000, 4000}
    assert len(results) > 1
    assert new("openspiel:game=hex,swap=no").spec == "openspiel:game=hex,swap=no"


def test_the_player_who_moves_first_is_first() -> None:
    chess = new("openspiel:game=chess")
    assert joute.openspiel.state(chess).current_player() == 1
    assert chess.to_move == 0
    for move in ("f3", "e5", "g4", "Qh4#"):
        chess = chess.play(move)
    assert chess.result is not None
    assert chess.result.winner == 1


def test_random_events_have_probabilities_and_outcomes() -> None:
    pig = new("openspiel:game=pig,winscore=20")
    assert pig.has_chance
    rolled = pig.play("roll")
    assert rolled.is_chance
    assert rolled.to_move == 0
    assert rolled.outcomes == pytest.approx([1 / 6] * 6)
    assert rolled.resolve(0).to_move == 1  # a one ends the turn
    assert rolled.resolve(5).to_move == 0
    assert new("openspiel:game=backgammon").is_chance
    record = joute.play_game("openspiel:game=pig,winscore=20", "mcts:iterations=20", "random", seed=1)
    assert record.reason.value == "normal"


# --- Beside our own rules ---


def test_connect_four_and_quoridor_have_as_many_lines_as_ours() -> None:
    assert new("openspiel:game=connect_four").perft(5) == new("connect4").perft(5)
    assert new("openspiel:game=quoridor").perft(2) == new("quoridor").perft(2)


def test_a_game_of_connect_four_is_the_same_by_both_rules() -> None:
    for seed in range(20):
        ours = new("connect4")
        rng = Random(seed)
        theirs = new("openspiel:game=connect_four")
        while not ours.is_terminal:
            assert [int(str(move)[1]) + 1 for move in theirs.legal_moves] == [
                int(str(move)) for move in ours.legal_moves
            ]
            move = ours.random_move(rng)
            ours, theirs = ours.play(move), theirs.play(f"{'xo'[ours.to_move]}{int(str(move)) - 1}")
        assert theirs.result is not None
        assert theirs.result.winner == ours.result.winner  # type: ignore[union-attr]


# --- What is refused ---


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hexx", "unknown game of OpenSpiel 'hexx'; did you mean 'hex'?"),
        ("kuhn_poker", "openspiel does not play kuhn_poker: its players do not know everything about the position"),
        ("goofspiel", "openspiel does not play goofspiel: its players move at the same time"),
        ("hearts", "openspiel does not play hearts: it has 4 players, not two"),
        ("2048", "openspiel does not play 2048: it has 1 player, not two"),
        ("chinese_checkers,players=3", "openspiel does not play chinese_checkers: it has 3 players, not two"),
        ("yacht", "openspiel does not play game=yacht: a random event has 7776 outcomes"),
        ("hex,board=7", "openspiel has no parameter 'board'; did you mean 'board_size'?"),
        ("hex,board_size=0", "openspiel: board_size must be a whole number in 1..26, not 0"),
        ("amazons,board_size=7", "OpenSpiel refuses game=amazons,board_size=7: CHECK_TRUE"),
        ("misere", "OpenSpiel refuses game=misere: Missing parameter game"),
        ("efg_game", "OpenSpiel refuses game=efg_game"),
        ("breakthrough,columns=27", "openspiel: columns must be a whole number in 1..26, not 27"),
        ("hex(board_size=7", "openspiel: options are written after the game, as in game=hex,KEY=VALUE"),
        ("y(board_size=1000)", "openspiel: board_size must be a whole number in 1..38, not 1000"),
        ("misere(game=y(board_size=1000))", "openspiel: board_size must be a whole number in 1..38, not 1000"),
        ("misere(game=foo())", "unknown game of OpenSpiel 'foo'"),
        ("joute_connect4", "unknown game of OpenSpiel 'joute_connect4'"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    if text.startswith("joute"):
        joute.openspiel.register()
    with pytest.raises(SpecError) as error:
        new(f"openspiel:game={text}")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_games_of_other_kinds_are_refused_each_with_its_reason() -> None:
    """OpenSpiel has none of these that is refused for nothing else."""
    chess = pyspiel.load_game("chess").get_type()
    types = pyspiel.GameType

    def objection(**members: Any) -> str:
        names = ("dynamics", "information", "utility", "chance_mode")
        return rules._objection(SimpleNamespace(**{name: getattr(chess, name) for name in names} | members), 2)

    assert objection() == ""
    assert objection(utility=types.Utility.CONSTANT_SUM) == ""
    assert "zero-sum" in objection(utility=types.Utility.GENERAL_SUM)
    assert "probabilities" in objection(chance_mode=types.ChanceMode.SAMPLED_STOCHASTIC)
    assert "same time" in objection(dynamics=types.Dynamics.SIMULTANEOUS)


def test_a_history_that_is_none_is_refused() -> None:
    for text in ("9", "0.0", "-1", "0.", "04", "0 1", "start.0"):
        with pytest.raises(JouteError, match="is not a history of game=tic_tac_toe, such as"):
            new("openspiel:game=tic_tac_toe", text)


def test_without_open_spiel_a_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openspiel.imported", "openspiel.bots"):
        importlib.import_module(f"joute.{name}")
        monkeypatch.delitem(sys.modules, f"joute.{name}")
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    _games._loaded.pop("openspiel", None)
    sentence = "OpenSpiel's games and bots need open_spiel: pip install 'joute[openspiel]'"
    with pytest.raises(SpecError) as error:
        new("openspiel:game=hex")
    assert str(error.value) == sentence
    found, problems = all_games()
    assert problems == {"openspiel": sentence}
    assert "connect4" in [game.game for game in found]
    with pytest.raises(JouteError) as missing:
        joute.openspiel.game("connect4")
    assert str(missing.value) == sentence


# --- In use ---


def test_a_match_is_played_on_a_game_of_openspiel() -> None:
    words = (
        "openspiel:game=hex,board_size=3",
        "mcts:iterations=60",
        "random",
        "--games",
        "10",
        "--seed",
        "1",
        "--json",
    )
    assert json.loads(ok("match", *words))["score"] > 0.5


def test_a_visitor_of_the_page_sets_sizes_and_names_no_file() -> None:
    state = start_of("openspiel:game=hex,board_size=7")
    assert state.title == "Hex (OpenSpiel)"
    assert len(state.legal_moves) == 49
    for spec in ("game=efg_game(filename=/etc/passwd)", "game=efg_game,filename=/etc/passwd", "game=antichess,fen=x"):
        with pytest.raises(PageError, match="cannot be set on the page"):
            start_of(f"openspiel:{spec}")
