"""Hints: the move, its value, and reasons that hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unittest import mock

import pytest

import joute
from joute import JouteError, Random, State, hint, new
from joute.agents import agent
from joute.games import effects
from joute.games.effects import Effect, find_effects, register_effects
from joute.reviews.hint import HintParameters, plain_reasons

#: Few nodes: what is said must hold for any search.
NODES = 3000


def positions(game: str, seed: int, *, every: int, most_plies: int = 60) -> Iterator[State]:
    """Positions of a game in which one side follows hints of the past and the other plays at random."""
    rng = Random(seed)
    state = new(game).random_start(rng)
    while not state.is_terminal and state.ply < most_plies:
        if state.ply % every == every - 1:
            yield state
        move = rng.choice(state.winning_moves or state.legal_moves)
        state = state.play(move, rng)


def test_a_hint_names_the_move_its_value_and_the_reason() -> None:
    # X X X . on the bottom row, and O is to move
    given = hint(new("connect4", "11223"))
    assert (given.move, given.player, given.is_proven) == ("4", 1, True)
    assert given.reasons[:2] == ("blocks four in a row at column 4", "every other move loses")
    assert given.agent == "perfect"
    assert str(given).startswith("4, win probability ")
    assert given.line[0] == "4"


def test_a_hint_has_the_engines_own_value_beside_the_probability() -> None:
    given = hint(new("avalam"), nodes=NODES)
    assert given.win_probability is not None
    assert 0.3 < given.win_probability < 0.7
    assert re.fullmatch(r"\d\d\.\d% \([+-]?[\d.]+ towers\)", given.chance)
    shared = hint(new("quoridor"), nodes=NODES)
    assert re.fullmatch(r"\d\d\.\d%", shared.chance)  # a win share is a probability already


def test_a_hint_is_for_the_player_to_move() -> None:
    # The second player is lost, and the hint says so.
    given = hint(new("connect4", "44"))
    assert given.win_probability == 1.0
    assert hint(new("connect4", "4")).win_probability == 0.0


def test_the_same_position_gets_the_same_hint() -> None:
    state = new("divercite").play("Re4").play("Gd5")
    assert hint(state, nodes=NODES) == hint(state, nodes=NODES)


def test_the_only_move_that_wins_is_called_so() -> None:
    state = new("connect4", "44444222")
    perfect = agent("perfect", game="connect4")
    values = {str(each.move): each.value for each in perfect.analyze(state).moves}  # type: ignore[attr-defined]
    assert [move for move, value in values.items() if value > 0] == ["2"]
    assert "is the only move that wins" in hint(state).reasons


def test_every_other_move_loses_only_if_the_solver_says_so() -> None:
    perfect = agent("perfect", game="connect4")
    said = 0
    for state in (state for seed in range(12) for state in positions("connect4", seed, every=2) if state.ply > 11):
        values = sorted((each.value for each in perfect.analyze(state).moves), reverse=True)  # type: ignore[attr-defined]
        given = hint(state, parameters=HintParameters(reasons=99))
        if len(values) > 1 and not state.play(given.move).is_terminal:
            others_lose = values[1] < 0 <= values[0]
            assert ("every other move loses" in given.reasons) == others_lose
            said += others_lose
    assert said >= 2


def test_there_is_no_hint_without_a_player_to_move() -> None:
    with pytest.raises(JouteError, match="no hint at ply 7 of connect4: the game is over"):
        hint(new("connect4", "1122334"))
    battle = new("vampires", "5x5/5v1.1+4w2.2").play("1.1-2.2x5")
    with pytest.raises(JouteError, match=r"a battle of the vampires on 2\.2 is pending"):
        hint(battle)


def test_an_agent_that_tells_no_values_gives_no_hint() -> None:
    with pytest.raises(JouteError, match="does not tell the values of positions"):
        hint(new("connect4"), "greedy")


def test_every_game_has_hints(game: str) -> None:
    state = new(game)
    if state.is_chance:
        state = state.resolve(0)
    given = hint(state, None if joute.agents.adviser(game) else "mcts:iterations=50")
    assert state.is_legal(given.move)
    assert given.win_probability is None or 0 <= given.win_probability <= 1


def test_a_game_without_words_of_its_own_still_has_reasons() -> None:
    state, rng = new("noughts"), Random(1)
    while not state.winning_moves:
        state = state.play(state.random_move(rng)) if not state.is_terminal else new("noughts")
    assert find_effects("noughts")(state, state.winning_moves[0]) == ()
    assert plain_reasons(state, state.winning_moves[0]) == ("wins the game",)


def test_a_plug_in_whose_words_do_not_load_leaves_hints_without_them() -> None:
    broken = mock.Mock(names=lambda: ["connect4"], find=mock.Mock(side_effect=joute.errors.SpecError("broken")))
    with mock.patch.object(effects, "_effects", broken):
        assert hint(new("connect4", "11223")).reasons == ("every other move loses",)


def test_a_game_of_this_process_may_have_words_of_its_own() -> None:
    register_effects("noughts", lambda state, move: [Effect("takes a cell", "taking a cell", kind="cell")])
    assert plain_reasons(new("noughts"), new("noughts").legal_moves[0]) == ("takes a cell",)
    with pytest.raises(TypeError, match="is no function of a position and a move"):
        register_effects("noughts", "words")  # type: ignore[arg-type]


STOPS = re.compile(r"stops (.+) from (.+)")
SEQUEL = re.compile(r"after (\S+), (\S+) (.+)")


@pytest.mark.parametrize(
    ("name", "every", "games"),
    [("connect4", 5, 8), ("avalam", 9, 3), ("divercite", 5, 6), ("quoridor", 6, 5), ("vampires", 7, 2)],
)
def test_what_hints_say_holds_in_random_games(name: str, every: int, games: int) -> None:
    checked = 0
    for seed in range(games):
        for state in positions(name, seed, every=every):
            given = hint(state, nodes=None if name == "connect4" else NODES, parameters=HintParameters(reasons=99))
            assert state.is_legal(given.move)
            for reason in given.reasons:
                check(state, given.move, reason)
                checked += 1
    assert checked > 10


def test_what_a_move_stops_was_possible_after_other_moves_and_is_not_after_it() -> None:
    checked = 0
    for state in (state for seed in range(5) for state in positions("avalam", seed, every=3) if state.ply > 14):
        given = hint(state, nodes=NODES, parameters=HintParameters(reasons=99))
        for reason in filter(STOPS.fullmatch, given.reasons):
            check(state, given.move, reason)
            checked += 1
    assert checked >= 3


def words(state: State, move: object, *, by_opponent: bool = False) -> list[str]:
    return [effect.told(by_opponent=by_opponent) for effect in find_effects(state.game)(state, move)]


def threats(state: State) -> set[str]:
    """Everything that the player to move can do, told to the opponent."""
    tell = find_effects(state.game)
    return {effect.told_as_threat() for move in state.legal_moves for effect in tell(state, move)}


def check(state: State, move: str, reason: str) -> None:
    """Check a reason by the definition in hint.py; words about the move itself are checked by each game's tests."""
    after = state.play(move)
    if found := STOPS.fullmatch(reason):
        assert found[1] == state.players[1 - state.to_move]
        assert found[2] not in threats(after), (state, move, reason)
        others = [state.play(other) for other in state.legal_moves if str(other) != move]
        possible = sum(found[2] in threats(other) for other in others if not other.is_terminal)
        assert possible >= len(others) / 2, (state, move, reason)
    elif found := SEQUEL.fullmatch(reason):
        assert found[3] in words(after.play(found[1]), found[2])
    elif reason in ("every other move loses", "is the only move that wins", "wins the game", "is the only legal move"):
        wins = after.result is not None and after.result.winner == state.to_move
        assert reason != "wins the game" or wins
        assert reason != "is the only legal move" or len(state.legal_moves) == 1
    else:
        assert reason in words(state, move)
