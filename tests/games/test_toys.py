"""What the toy games are there to prove: chance states, two moves in a row, rules options."""

from __future__ import annotations

from typing import Any

import pytest
from typed import new_for_network

from joute import IllegalMoveError, Random, new
from joute.errors import SpecError


def dice(position: str | None = None) -> Any:
    """The race of dice, whose extension has no types."""
    return new("dice", position)


def test_a_roll_leads_to_a_chance_state_that_is_resolved_by_its_outcome() -> None:
    state = new("dice").play("roll")
    assert state.is_chance
    assert not state.legal_moves
    assert state.outcomes == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert [state.resolve(i).position for i in range(3)] == ["0-0-second-1", "2-0-second-1", "3-0-second-1"]


def test_play_with_a_generator_resolves_the_roll_at_once() -> None:
    rng = Random(3)
    results = {new("dice").play("roll", rng).position for _ in range(100)}
    assert results == {"0-0-second-1", "2-0-second-1", "3-0-second-1"}


def test_playing_while_the_die_is_in_the_air_is_refused() -> None:
    with pytest.raises(ValueError, match="a random event is pending"):
        new("dice").play("roll").play("step")


def test_a_repeated_position_has_the_same_key_and_says_how_far_back_to_look() -> None:
    state = new("dice")
    later = state.play("roll").resolve(0).play("roll").resolve(0)
    assert later == state
    assert later.key == state.key
    assert (later.ply, later.reversible_plies) == (2, 2)
    assert later.play("step").reversible_plies == 0


def test_the_referee_may_pass_a_turn_where_the_game_allows_it() -> None:
    state = dice().pass_turn()
    assert (state.to_move, state.ply) == (1, 1)
    assert not hasattr(new("boxes"), "pass_turn")
    with pytest.raises(IllegalMoveError, match="illegal move pass at ply 1 of dice: a random event is pending"):
        dice().play("roll").pass_turn()
    with pytest.raises(IllegalMoveError, match="illegal move pass at ply 9 of dice: the game is over"):
        dice("7-5-second-9").pass_turn()


def test_a_game_may_offer_several_generators() -> None:
    state = dice()
    assert state.generators == ["all", "step-only"]
    assert [str(move) for move in state.moves("step-only")] == ["step"]
    with pytest.raises(ValueError, match="no generator 'nonsense'"):
        state.moves("nonsense")


def test_rules_options_change_the_game_its_key_and_its_text() -> None:
    long, short = new("dice:target=20"), new("dice")
    assert long.spec == "dice:target=20"
    assert long.key != short.key
    assert long != short
    assert new("dice:target=7").spec == "dice"
    assert new(long.spec, long.position) == long
    assert long.play("step").rules == "target=20"


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("dice:target=0", "dice: target must be a whole number in 1..50, not 0"),
        ("dice:target=x", "dice: target must be a whole number in 1..50, not 'x'"),
        ("dice:targt=9", "dice has no parameter 'targt'; did you mean 'target'?"),
        ("dice:target", "'target' in 'dice:target' is not of the form key=value"),
        ("dicce", "unknown game 'dicce'; did you mean 'dice'?"),
    ],
)
def test_wrong_rules_get_one_clear_sentence(spec: str, complaint: str) -> None:
    with pytest.raises(SpecError) as error:
        new(spec)
    assert str(error.value) == complaint


def test_who_closes_a_box_moves_again() -> None:
    # a c d f are the edges of the first box:  + a +
    #                                          c   d
    #                                          + f +
    state = new("boxes")
    movers = []
    for edge in "acdf":
        movers.append(state.to_move)
        state = state.play(edge)
    assert movers == [0, 1, 0, 1]
    assert state.to_move == 1
    assert state.result_if_stopped.margin == -1


def test_one_edge_may_close_two_boxes() -> None:
    state = new("boxes")
    for edge in "acfbeg":
        state = state.play(edge)
    mover = state.to_move
    state = state.play("d")
    assert state.to_move == mover
    assert abs(state.result_if_stopped.margin) == 2


def test_an_incremental_evaluation_is_the_difference_in_boxes() -> None:
    state = new("boxes")
    for edge in "acdf":
        state = state.play(edge)
    assert state.evaluate(0) == -1
    assert state.evaluate(1, "boxes") == 1


def test_the_native_and_the_python_tic_tac_toe_are_one_game() -> None:
    seen = set()
    lines = [(new("noughts"), new("tictactoe"))]
    while lines:
        native, python = lines.pop()
        assert native.position == python.position
        assert native.result == python.result
        assert list(map(str, native.legal_moves)) == list(map(str, python.legal_moves))
        for move in map(str, native.legal_moves):
            after = native.play(move)
            if after not in seen:
                seen.add(after)
                lines.append((after, python.play(move)))
    assert len(seen) + 1 == 5478  # the known number of positions that play can reach


def test_a_network_sees_a_race_from_the_side_of_the_mover() -> None:
    assert list(new_for_network("dice:target=9", "3-5-second-9").encode()) == [5, 3, 9]
    assert [new_for_network("dice").policy_indices(move) for move in ("step", "roll")] == [[0], [1]]
