"""Games written in Python: mistakes of their authors become sentences, and nothing depends on the process."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from joute import IllegalMoveError, Result, new
from joute.errors import NotationError
from joute.games import State


class Countdown(State):
    """Take one or two from a pile; who takes the last wins. A plain class, without a dataclass's help."""

    game, title = "countdown", "Countdown"

    def __init__(self, pile: int = 7, ply: int = 0) -> None:
        self.pile, self._ply = pile, ply

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Countdown:
        try:
            return cls(*map(int, (position or "7-0").split("-")))
        except ValueError as error:
            raise NotationError(f"'{position}' is not a countdown position such as 7-0") from error

    position = property(lambda self: f"{self.pile}-{self._ply}")
    ply = property(lambda self: self._ply)
    to_move = property(lambda self: self._ply % 2)
    legal_moves = property(lambda self: [n for n in (1, 2) if n <= self.pile])

    def after(self, move: Any) -> Any:
        return type(self)(self.pile - move, self._ply + 1)

    @property
    def result(self) -> Result | None:
        return None if self.pile else Result(1 if self._ply % 2 else -1, decided_by="last taken")

    def diagram(self) -> str:
        return "o" * self.pile


def with_mistake(**attributes: Any) -> State:
    """A countdown that got something wrong."""
    made: State = type("Wrong", (Countdown,), attributes)()
    return made


def test_a_plain_class_gets_equality_hash_copies_and_pickles() -> None:
    state = Countdown(5, 2)
    assert state == Countdown(5, 2)
    assert state != Countdown(5, 3)
    assert state != with_mistake()
    assert hash(state) == hash(Countdown(5, 2))
    assert len({state, Countdown(5, 2), Countdown(4, 2)}) == 2
    for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert (twin, type(twin)) == (state, Countdown)


def test_a_result_orders_by_its_outcome_unless_told_otherwise() -> None:
    assert [Result(outcome).score for outcome in (-1, 0, 1)] == [-1, 0, 1]
    assert Result(1, score=18).score == 18


def test_only_the_legal_move_itself_or_its_text_is_that_move() -> None:
    state = Countdown()
    assert state.legal_move("2") == state.legal_move(2) == 2
    for impostor in (True, 1.0, "1 ", b"1"):
        assert not state.is_legal(impostor)


@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ({"result": property(lambda self: None if self.pile else "won")}, "Wrong.result must be a joute.Result"),
        ({"legal_moves": 3}, r"Wrong.legal_moves must be a list or tuple of moves, not 3 \(int\)"),
        ({"legal_moves": property(lambda self: {1, 2})}, "Wrong.legal_moves must be a list or tuple of moves"),
        ({"legal_moves": property(lambda self: [[1]])}, r"Wrong.legal_moves must list hashable moves, not \[1\]"),
        ({"legal_moves": range(5000)}, "Wrong.legal_moves lists 5000 moves; a search takes at most 4096"),
        ({"legal_moves": ()}, "Wrong.legal_moves is empty although the game is not over"),
        ({"after": lambda self, move: None}, r"Wrong.after must return a position, not None \(NoneType\)"),
        ({"is_chance": True, "outcomes": [0.5, 0.2]}, "Wrong.outcomes must sum to 1, not 0.7"),
        ({"is_chance": True, "outcomes": ["x"]}, "Wrong.outcomes must list probabilities, not x"),
        ({"ply": "x"}, r"Wrong.ply must be a whole number, not x \(str\)"),
        ({"ply": 2**40}, "Wrong.ply must be a whole number, not 1099511627776"),
    ],
)
def test_a_mistake_in_a_game_is_named_by_class_and_attribute(attributes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint) as error:
        with_mistake(**attributes).playouts(2)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("to_move", "complaint"), [(2, "must be 0 or 1, not 2"), ("first", r"must be 0 or 1, not first \(str\)")]
)
def test_a_player_who_does_not_exist_is_a_mistake(to_move: Any, complaint: str) -> None:
    with pytest.raises(TypeError, match=f"Wrong.to_move {complaint}"):
        with_mistake(to_move=to_move, legal_moves=[7]).winning_moves  # noqa: B018


@pytest.mark.parametrize("call", [lambda state: state.perft(3), lambda state: state.winning_moves])
def test_too_many_moves_are_a_sentence_in_every_search(call: Callable[[State], Any]) -> None:
    with pytest.raises(TypeError, match=r"Wrong\.legal_moves lists 5000 moves"):
        call(with_mistake(legal_moves=list(range(5000))))


def test_of_many_legal_moves_an_error_names_a_dozen() -> None:
    class Many(Countdown):
        game = "many"
        legal_moves = property(lambda self: list(range(61)))

    with pytest.raises(IllegalMoveError, match=r"; legal moves: 0 1 2 3 4 5 6 7 8 9 10 11 and 49 more$"):
        Many().play("61")
    with pytest.raises(NotationError, match=r"; legal moves: 0 1 2 .* 11 and 49 more$"):
        Many().parse_move("61")


def test_playing_into_something_that_is_no_position_gives_a_clear_error() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.after must return a position, not None"):
        with_mistake(after=lambda self, move: None).play(1)


def test_an_exception_in_a_game_comes_through_a_search() -> None:
    def after(self: State, move: Any) -> Any:
        raise ZeroDivisionError("in the rules")

    with pytest.raises(ZeroDivisionError, match="in the rules"):
        with_mistake(after=after).perft(2)


def test_a_search_leaves_no_move_behind() -> None:
    class Take:
        def __init__(self, n: int) -> None:
            self.n = n

    moves = [Take(1), Take(2)]
    alive = [weakref.ref(move) for move in moves]
    state = with_mistake(
        legal_moves=property(lambda self: [move for move in moves if move.n <= self.pile]),
        after=lambda self, move: type(self)(self.pile - move.n, self.ply + 1),
    )
    assert state.perft(3) == 8
    assert state.playouts(10).games == 10
    moves.clear()
    gc.collect()
    assert [reference() for reference in alive] == [None, None]


def test_keys_are_the_same_in_every_process() -> None:
    code = "import joute; print(joute.new('tictactoe', 'X...O....').key, joute.new('tictactoe').playouts(50, 3))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert str(new("tictactoe", "X...O....").key) in outputs.pop()
