"""Openings: balanced, distinct, the same for the same seed; files whose mistakes name the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typed import analyst

from joute.arena.openings import make_openings
from joute.errors import SpecError
from joute.games import NativeState, find_game, new


def test_random_openings_of_every_game_can_be_played_and_repeat_by_seed(game: str) -> None:
    openings = make_openings(game, "random:balance=0.4", 4, seed=3)
    assert openings == make_openings(game, "random:balance=0.4", 4, seed=3)
    assert len(set(openings.positions)) == len(openings.positions) >= 1
    for position in openings.positions:
        state = new(game, position)
        assert not state.is_terminal
        assert not state.is_chance
        assert not state.winning_moves
        assert state.ply == find_game(game).opening_plies


def test_other_seeds_give_other_openings() -> None:
    drawn = {make_openings("connect4", "random", 3, seed=seed).positions for seed in range(5)}
    assert len(drawn) == 5


def test_openings_are_as_balanced_as_asked() -> None:
    for text, balance in (("random", 0.1), ("random:balance=0.03", 0.03)):
        for position in make_openings("connect4", text, 10, seed=1).positions:
            judged = analyst("mcts:iterations=1000", game="connect4").analyze(new("connect4", position))
            assert judged.value is not None
            assert abs(judged.value - 0.5) <= balance


def test_games_with_hundreds_of_moves_have_balanced_openings_too() -> None:
    openings = make_openings("avalam", "random", 3, seed=1)
    assert len(openings.positions) == 3


def test_plies_can_be_set() -> None:
    assert {len(position) for position in make_openings("connect4", "random:plies=7", 5).positions} == {7}


def test_too_few_openings_are_all_there_are_and_said() -> None:
    openings = make_openings("tictactoe", "random:balance=0.5", 20)
    assert len(openings.positions) == 9
    assert openings.note.startswith("only 9 balanced openings of 1 random ply in tictactoe for 20 wanted")
    with pytest.raises(SpecError, match="there are no balanced openings of 60 random plies in connect4"):
        make_openings("connect4", "random:plies=60", 2)


def test_random_openings_of_vampires_are_maps_of_the_size_of_the_games_map() -> None:
    for game, size in (("vampires", "10x10/"), ("vampires:map=plains", "15x29/")):
        openings = make_openings(game, "random", 20, seed=1)
        assert len(set(openings.positions)) == 20
        assert all(position.startswith(size) for position in openings.positions)
        assert {new(game, position).ply for position in openings.positions} == {0}


def test_random_plies_may_follow_on_a_random_map() -> None:
    openings = make_openings("vampires:map=hamlet", "random:plies=2,balance=0.5,iterations=10", 3, seed=1)
    assert {new("vampires", position).ply for position in openings.positions} == {2}


def test_too_few_random_starts_are_said() -> None:
    openings = make_openings("vampires:map=5x1/3v0.0+3w0.4+2h0.2", "random", 4)
    assert openings.positions == ("5x1/3v0.0+3w0.4+2h0.2",)
    assert openings.note.startswith("only 1 random start in vampires:map=5x1/3v0.0+3w0.4+2h0.2 for 4 wanted")


def test_start_is_the_start_of_every_game(game: str) -> None:
    assert make_openings(game, "start", 5).positions == (new(game).position,)


def test_a_file_has_a_position_a_line(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# two openings\n\n  44 \n12\n# and one more\n7\n")
    assert make_openings("connect4", str(file), 2).positions == ("44", "12")
    openings = make_openings("connect4", str(file), 4)
    assert openings.positions == ("44", "12", "7")
    assert "has 3 positions for 4 wanted" in openings.note


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"4\n48\n", "line 2: 'move 2|line 2: .*is not a column from 1 to 7"),
        (b"# x\n1122334\n", "line 2: the game is over in position '1122334'"),
        (b"# nothing\n", "has no position"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_a_mistake_in_a_file_names_the_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_bytes(content)
    with pytest.raises(SpecError, match=complaint):
        make_openings("connect4", str(file), 2)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("randm", "openings 'randm' are neither start, balanced nor random, and there is no such file"),
        ("random:ply=3", "random openings has no parameter 'ply'; did you mean 'plies'?"),
        ("random:balance=2", "balance must be a number in 0..0.5, not 2"),
        ("random:plies=four", "plies must be a whole number"),
    ],
)
def test_a_wrong_text_gives_one_clear_error(text: str, complaint: str) -> None:
    with pytest.raises(SpecError) as raised:
        make_openings("connect4", text, 2)
    assert complaint in str(raised.value)


def test_games_in_python_are_searched_too() -> None:
    assert not issubclass(find_game("tictactoe"), NativeState)
    # The centre is the one first move that a hundred simulations call unbalanced.
    assert "....X...." not in make_openings("tictactoe", "random", 9).positions
