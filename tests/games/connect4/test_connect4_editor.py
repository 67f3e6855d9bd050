"""The editor of Connect Four finds moves for a board of discs, or says why there are none."""

from __future__ import annotations

import pytest

from joute import Random
from joute.errors import NotationError
from joute.games import new
from joute.games.connect4.editor import Connect4Editor
from joute.games.editor import EditError

EDITOR = Connect4Editor(new("connect4"))


def test_discs_drop_and_are_taken_from_the_top() -> None:
    draft = EDITOR.painted(EDITOR.empty(), "first", "4")
    draft = EDITOR.painted(draft, "second", "4")
    assert draft == "///xo///"
    assert EDITOR.state(draft) == new("connect4", "44")
    assert EDITOR.painted(draft, "remove", "4") == "///x///"


def test_a_full_column_takes_no_disc_and_an_empty_one_gives_none() -> None:
    full = EDITOR.draft(new("connect4", "111111"))
    with pytest.raises(EditError, match=r"disc of first \(X\): not on 1"):
        EDITOR.painted(full, "first", "1")
    with pytest.raises(EditError, match="nothing can be removed from 2"):
        EDITOR.painted(full, "remove", "2")


def test_players_take_turns() -> None:
    with pytest.raises(NotationError, match="the first player has 2 discs and the second 0, but they take turns"):
        EDITOR.state("xx//////")


@pytest.mark.parametrize("draft", ["xxxx/oooo/////", "ox/ox/////", "xxxx/ooo////o/"])
def test_a_board_that_no_game_reaches_is_explained(draft: str) -> None:
    with pytest.raises(NotationError, match="no game leads to these discs"):
        EDITOR.state(draft)


def test_every_board_of_a_game_is_reached_again() -> None:
    rng = Random(1)
    for _ in range(30):
        state = new("connect4")
        while not state.is_terminal:
            state = state.play(state.random_move(rng))
        assert EDITOR.state(EDITOR.draft(state)) == state
