"""Connect Four against three witnesses: published counts, OpenSpiel, and a slow version of the rules."""

from __future__ import annotations

import random

import pyspiel
import pytest
from typed import New

from joute import IllegalMoveError, Random
from joute.errors import NotationError
from joute.games.connect4.state import Connect4
from joute.games.scene import Disc, Label, Path

new = New(Connect4)

# Unique positions by ply, the start included (OEIS A212693).
CENSUS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623]


class SlowConnect4:
    """The rules as a beginner would write them: lists, and a look along every line."""

    def __init__(self) -> None:
        self.columns: list[list[int]] = [[] for _ in range(7)]
        self.mover = 0

    def legal(self) -> list[int]:
        return [] if self.over() else [c + 1 for c in range(7) if len(self.columns[c]) < 6]

    def play(self, column: int) -> None:
        self.columns[column - 1].append(self.mover)
        self.mover = 1 - self.mover

    def at(self, column: int, row: int) -> int:
        return self.columns[column][row] if 0 <= column < 7 and 0 <= row < len(self.columns[column]) else -1

    def winner(self) -> int | None:
        for column in range(7):
            for row in range(6):
                for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    line = {self.at(column + k * dc, row + k * dr) for k in range(4)}
                    if line in ({0}, {1}):
                        return line.pop()
        return None

    def over(self) -> bool:
        return self.winner() is not None or all(len(column) == 6 for column in self.columns)


def test_random_games_agree_with_the_slow_rules() -> None:
    rng = random.Random(1)
    for _ in range(30):
        state, slow = new("connect4"), SlowConnect4()
        while True:
            assert [int(str(move)) for move in state.legal_moves] == slow.legal()
            assert state.is_terminal == slow.over()
            if slow.over():
                assert state.result is not None
                assert state.result.winner == slow.winner()
                break
            assert state.to_move == slow.mover
            move = rng.choice(slow.legal())
            state = state.play(str(move))
            slow.play(move)


def test_ten_thousand_random_positions_agree_with_openspiel() -> None:
    rng = random.Random(2)
    game = pyspiel.load_game("connect_four")
    positions = 0
    while positions < 10_000:
        ours, theirs = new("connect4"), game.new_initial_state()
        while True:
            positions += 1
            assert ours.is_terminal == theirs.is_terminal()
            assert [int(str(move)) - 1 for move in ours.legal_moves] == theirs.legal_actions()
            if theirs.is_terminal():
                assert ours.result is not None
                assert [ours.result.outcome_for(player) for player in (0, 1)] == theirs.returns()
                break
            assert ours.to_move == theirs.current_player()
            action = rng.choice(theirs.legal_actions())
            ours = ours.play(str(action + 1))
            theirs.apply_action(action)


def test_openspiel_counts_the_same_lines() -> None:
    def count(state: pyspiel.State, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    for position in ("", "444444333"):
        theirs = pyspiel.load_game("connect_four").new_initial_state()
        for column in position:
            theirs.apply_action(int(column) - 1)
        for depth in range(1, 6):
            assert new("connect4", position).perft(depth) == count(theirs, depth)


def census(plies: int) -> list[int]:
    layer: set[Connect4] = {new("connect4")}
    counts = []
    for _ in range(plies + 1):
        counts.append(len(layer))
        layer = {state.play(move) for state in layer for move in state.legal_moves}
    return counts


def test_unique_positions_match_the_published_census() -> None:
    assert census(7) == CENSUS[:8]  # the solver's tests count those of ply 8


@pytest.mark.slow
def test_unique_positions_match_the_published_census_to_ply_ten() -> None:
    assert census(10) == CENSUS


def test_four_in_a_row_wins_in_every_direction_and_three_do_not() -> None:
    wins = {
        "horizontal": "1122334",
        "vertical": "1212121",
        "rising": "12234334454",
        "falling": "76654554434",
    }
    for position in wins.values():
        before, after = new("connect4", position[:-1]), new("connect4", position)
        assert not before.is_terminal
        assert after.is_terminal
        assert after.result is not None
        assert after.result.winner == (len(position) - 1) % 2
        assert after.result.decided_by == "four in a row"


def test_a_line_does_not_run_over_the_edge_of_the_board() -> None:
    # X holds the three top cells of column 1 and the three bottom cells of column 2.
    #   X . . . . . .
    #   X O . . . . .
    #   X O . . . . .
    #   O X . . . . .
    #   O X . . . . .
    #   O X . . . . .
    assert not new("connect4", "21212112121").is_terminal


def test_the_score_of_a_win_is_on_the_public_scale() -> None:
    # A win with the fourth disc leaves 17 in hand, and the winning disc counts one: 18.
    result = new("connect4", "1122334").result
    assert result is not None
    assert (result.outcome, result.score, result.margin) == (1, 18, 18)
    result = new("connect4", "71122334").result
    assert result is not None
    assert (result.outcome, result.score, result.margin) == (-1, -18, -18)


def test_a_full_board_without_a_line_is_a_draw() -> None:
    rng = Random(0)
    draw = None
    while draw is None:
        state = new("connect4")
        while not state.is_terminal:
            state = state.play(state.random_move(rng))
        if state.result is not None and state.result.winner is None:
            draw = state
    assert draw.ply == 42
    assert draw.result is not None
    assert (draw.result.decided_by, draw.result.margin) == ("full board", 0)


def test_position_text_is_a_sequence_that_reaches_the_position() -> None:
    state = new("connect4", "4455")
    assert new("connect4", state.position) == state
    # Another order of the same moves is the same position and gets the same text.
    assert new("connect4", "5544").position == state.position
    assert new("connect4", "").position == ""


def test_the_position_text_of_a_won_game_plays_the_winning_disc_last() -> None:
    rng = random.Random(4)
    for _ in range(300):
        state = new("connect4")
        while not state.is_terminal:
            state = state.play(rng.choice(state.legal_moves))
        assert new("connect4", state.position) == state


@pytest.mark.parametrize(
    ("position", "complaint"),
    [
        ("8", "move 1, '8', is not a column from 1 to 7"),
        ("44a", "move 3, 'a', is not a column"),
        ("4444444", "move 7, '4', goes into a full column"),
        ("11223345", "move 8, '5', comes after the game is over"),
    ],
)
def test_a_wrong_position_says_which_move_is_wrong(position: str, complaint: str) -> None:
    with pytest.raises(NotationError, match=complaint):
        new("connect4", position)


def test_an_illegal_move_says_what_was_legal() -> None:
    with pytest.raises(IllegalMoveError, match="illegal move 4 at ply 6 of connect4; legal moves: 1 2 3 5 6 7"):
        new("connect4", "444444").play("4")
    with pytest.raises(IllegalMoveError, match="illegal move 1 at ply 7 of connect4: the game is over"):
        new("connect4", "1122334").play("1")
    with pytest.raises(IllegalMoveError, match=r"illegal move 4 \(int, not a move\) at ply 0 of connect4; legal"):
        new("connect4").play(4)  # type: ignore[arg-type]
    with pytest.raises(IllegalMoveError, match="illegal move 9 at ply 0 of connect4; legal moves: 1 2 3 4 5 6 7"):
        new("connect4").play("9")


def test_the_move_code_is_the_cell_where_the_disc_lands() -> None:
    empty, one_played, two_high = new("connect4"), new("connect4", "4"), new("connect4", "44")
    assert empty.code("4") != two_high.code("4")
    assert empty.code("3") == two_high.code("3") == one_played.code("3")


def test_an_object_made_without_its_constructor_is_refused() -> None:
    state = new("connect4")
    position, move = type(state), type(state.legal_moves[0])
    with pytest.raises(TypeError, match="this Connect4 was created without calling __init__"):
        position.__new__(position).play("4")
    with pytest.raises(TypeError, match="this Connect4Move was created without calling __init__"):
        state.code(move.__new__(move))
    with pytest.warns(RuntimeWarning), pytest.raises(IllegalMoveError, match="not a move"):
        state.play(move.__new__(move))


def test_a_position_that_is_not_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a position of connect4 must be text, not 44 \(int\)"):
        new("connect4", 44)  # type: ignore[arg-type]


def test_the_network_input_shows_the_board_from_the_movers_view() -> None:
    # X at the bottom of column 1, O at the bottom of column 7; X is to move.
    planes = new("connect4", "17").encode()
    assert [i for i, value in enumerate(planes) if value] == [35, 42 + 41]
    # After another move, O is to move and sees its own disc in the first plane.
    planes = new("connect4", "174").encode()
    assert [i for i, value in enumerate(planes) if value] == [41, 42 + 35, 42 + 38]


def test_the_centre_evaluation_counts_discs_near_the_middle() -> None:
    state = new("connect4", "4417")
    assert state.evaluate(0) == 3 - 3 + 0 - 0
    state = new("connect4", "43")
    assert state.evaluate(0, "centre") == 1
    assert state.evaluate(1, "centre") == -1
    with pytest.raises(ValueError, match="no evaluation 'nonsense'"):
        state.evaluate(0, "nonsense")


def test_the_drawing_shows_the_discs_and_rings_the_last_one() -> None:
    state = new("connect4", "4453")
    scene = state.scene(last_move="3")
    columns = {label.text: label.x for label in scene.shapes if isinstance(label, Label)}
    discs = {(shape.x, shape.y): shape.fill for shape in scene.shapes if isinstance(shape, Disc) and shape.key}
    floor = max(y for _, y in discs)
    assert discs == {
        (columns["4"], floor): state.colours[0],
        (columns["4"], floor - 1): state.colours[1],
        (columns["5"], floor): state.colours[0],
        (columns["3"], floor): state.colours[1],
    }
    ringed = [(shape.x, shape.y) for shape in scene.shapes if isinstance(shape, Disc) and shape.highlight]
    assert ringed == [(columns["3"], floor)]


def test_discs_differ_in_more_than_their_colour() -> None:
    reliefs = [shape.data for shape in new("connect4", "12").scene().shapes if isinstance(shape, Path) and shape.key]
    assert len(set(reliefs)) == len(reliefs) == 2


def test_a_column_is_clicked_anywhere_and_says_where_the_disc_falls() -> None:
    state = new("connect4", "444")
    before = {shape.key for shape in state.scene().shapes}
    assert len(state.scene().targets) == 7
    for target in state.scene().targets:
        [disc] = [s for s in state.play(target.move).scene().shapes if isinstance(s, Disc) and s.key not in before]
        assert (disc.x - 0.5, disc.y - 0.5) == pytest.approx(target.ends[:2])
        assert target.x < disc.x < target.x + target.width
        assert target.label == f"column {target.move}"


def test_whole_boards_say_what_single_cells_say() -> None:
    rng, state = Random(3), new("connect4")
    while not state.is_terminal:
        cells = tuple(tuple(state.disc_at(column, row) for row in range(6)) for column in range(7))
        assert state.cells == cells
        assert state.heights == tuple(sum(owner >= 0 for owner in column) for column in cells)
        assert state.discs == tuple(
            sum(1 << (7 * column + row) for column in range(7) for row in range(6) if cells[column][row] == player)
            for player in (0, 1)
        )
        assert all(str(move) == str(move.column + 1) for move in state.legal_moves)
        state = state.play(state.random_move(rng))
