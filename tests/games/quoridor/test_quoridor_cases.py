"""Quoridor: the cases that players ask about, drawn; how games end; what networks see."""

from __future__ import annotations

import random

import pytest
from quoridor_oracle import (
    CELLS,
    COURSE,
    EVERY_MOVE,
    NULL_MOVE,
    SIZE,
    STANDARD,
    SlowQuoridor,
    kata,
    name,
    place,
    turned,
)
from test_quoridor import random_position, texts
from typed import New

from joute import Result
from joute.errors import NotationError
from joute.games.quoridor.state import Quoridor

new = New(Quoridor)

# --- The board: stars are where White's pawn may go ---

JUMPS = {
    "one step in any direction, and walls bar the way": """
 .   *   .   .

 *   W | .   .
       |
 .   * | .   .

 .   .   .   B""",
    "straight over the other pawn": """
 .   *   .

 .   B   .

 *   W   *

 .   *   .""",
    "sideways over the other pawn as well": """
 .   .   *   .

 .   *   W   B   *

 .   .   *   .   .""",
    "around the corner where a wall is behind the other pawn": """
 .   .   .
    -------
 *   B   *

 *   W   *

 .   *   .""",
    "around one corner where a wall bars the second": """
 .   .   .
    -------
 . | B   *
   |
 . | W   *

 .   *   .""",
    "no way over where both corners are walled up": """
 .   .   .
    -------
 . | B | .
   |   |
 . | W | .

 .   *   .""",
    "not over the pawn through a wall between": """
 .   .   .

 .   B   .
    -------
 *   W   *

 .   *   .""",
    "the wall beside, not behind, leaves the straight jump alone": """
 .   *   .   .

 .   B | .   .
       |
 *   W | .   .

 .   *   .   .""",
}
# At the right edge, h to i.
AT_THE_EDGE = {
    "around the corner where the board ends behind the other pawn": """
 .   *   *

 *   W   B

 .   *   *""",
    "along the edge straight over the other pawn": """
 .   .   *

 .   .   B

 .   *   W

 .   .   *""",
}
# At the upper edge, d to g.
AT_THE_GOAL = {
    "into the goal around the corner": """
 .   *   B   *

 .   *   W   *

 .   .   *   .""",
}


def drawn(picture: str, corner: str) -> tuple[str, set[str]]:
    """The position in a picture whose lower left cell is `corner`, White to move, and its stars."""
    lines = [line.ljust(4 * SIZE) for line in picture.removeprefix("\n").split("\n")]
    bottom, left = place(corner)
    rows = {bottom + (len(lines) - 1 - at) // 2: at for at in range(0, len(lines), 2)}
    marks = {
        name((row, left + column)): lines[at][4 * column + 1]
        for row, at in rows.items()
        for column in range(SIZE - left)
    }
    walls: dict[str, list[str]] = {"h": [], "v": []}
    for row, at in sorted(rows.items()):
        for column in range(SIZE - 1 - left):
            if at and lines[at - 1][4 * column : 4 * column + 7] == "-" * 7:
                walls["h"].append(name((row, left + column)))
            if at and all(line[4 * column + 3] == "|" for line in lines[at - 2 : at + 1]):
                walls["v"].append(name((row, left + column)))
    pawns = "".join(next(cell for cell, mark in marks.items() if mark == pawn) for pawn in "WB")
    hands = f"{10 - len(walls['h'])}-{10 - len(walls['v'])}"
    position = f"{''.join(walls['h'])}/{''.join(walls['v'])}/{pawns}/{hands}/20"
    return position, {cell for cell, mark in marks.items() if mark == "*"}


PICTURES = [
    *((JUMPS[case], "d4", case) for case in JUMPS),
    *((AT_THE_EDGE[case], "g4", case) for case in AT_THE_EDGE),
    *((AT_THE_GOAL[case], "d7", case) for case in AT_THE_GOAL),
]


@pytest.mark.parametrize(("picture", "corner"), [case[:2] for case in PICTURES], ids=[case[2] for case in PICTURES])
def test_the_pawn_goes(picture: str, corner: str) -> None:
    position, stars = drawn(picture, corner)
    for spec in (STANDARD, COURSE):
        assert {move for move in texts(new(spec, position)) if len(move) == 2} == stars
    # As Black would, seen from the other side.
    assert {move for move in texts(new(STANDARD, turned(position))) if len(move) == 2} == {kata(cell) for cell in stars}


WALLS = {
    "a wall stands alone": ("e4h", "", True),
    "crosses another": ("e4v", "e4h", False),
    "lies on another": ("e4h", "e4h", False),
    "overlaps half of one on its left": ("e4h", "d4h", False),
    "overlaps half of one on its right": ("e4h", "f4h", False),
    "continues one on its left": ("e4h", "c4h", True),
    "overlaps half of one below": ("e4v", "e3v", False),
    "overlaps half of one above": ("e4v", "e5v", False),
    "continues one below": ("e4v", "e2v", True),
    "stands on the middle of another": ("e4v", "e3h", True),
    "stands on the end of another": ("e4v", "d3h", True),
    "touches one beside": ("e4h", "f4v", True),
    "does not run around the edge": ("a5h", "h4h", True),
    "leaves the last gap of a row": ("e4h", "a4h c4h g4h", True),
    "closes a row but for a gap that a wall across would close": ("h5v", "a4h c4h e4h g4h", True),
    "closes that gap": ("h4v", "a4h c4h e4h g4h h5h", False),
}


@pytest.mark.parametrize("case", WALLS)
def test_a_wall_that(case: str) -> None:
    wall, others, is_legal = WALLS[case]
    names = {direction: "".join(other[:2] for other in others.split() if other[2] == direction) for direction in "hv"}
    count = len(others.split())
    position = f"{names['h']}/{names['v']}/e1e9/{10 - count}-10/{count}"
    for spec in (STANDARD, COURSE):
        assert new(spec, position).is_legal(wall) == is_legal
    assert SlowQuoridor.of(STANDARD, position).fits(wall) or not is_legal


def test_a_wall_may_not_shut_in_either_player() -> None:
    closing = new(STANDARD, "d1/c1/e1e9/9-9/2")
    assert not closing.is_legal("e1v")
    assert closing.is_legal("f1v")
    assert new(STANDARD, "d1/c1/f1e9/9-9/2").is_legal("e1v")  # nobody is in there
    for_black = new(STANDARD, turned("d1/c1/e1e9/9-9/2"))
    assert not for_black.is_legal(kata("e1v"))
    assert for_black.is_legal(kata("f1v"))
    assert new(STANDARD, turned("d1/c1/f1e9/9-9/2")).is_legal(kata("e1v"))


def test_there_is_always_a_legal_move() -> None:
    """The way that every player has leads over a free cell, past the other pawn, or around it."""
    rng, positions = random.Random(6), 0
    while positions < 2000:
        state = new(COURSE)
        while state.walls_left(state.to_move):
            state = state.play(rng.choice([move for move in texts(state) if len(move) == 3]))
        walls = state.position.rsplit("/", 3)[0]
        for row, column in rng.sample(CELLS[:-SIZE], 40):
            for beside in ((row + 1, column), (row, column - 1)):
                if beside not in CELLS or beside[0] == 0:
                    continue
                try:
                    state = new(STANDARD, f"{walls}/{name((row, column))}{name(beside)}/0-0/{rng.choice((60, 61))}")
                except NotationError:  # a pawn has no way
                    continue
                assert texts(state)
                positions += 1


# --- Ends ---


def test_a_goal_wins_by_the_steps_that_the_loser_had_to_go() -> None:
    for position, move, outcome, margin in (
        ("//e8c5/10-10/20", "e9", 1, 4),
        ("//c5e2/10-10/21", "e1", -1, -4),
        ("b4h4/a3/h8b5/8-9/22", "h9", 1, 5),
    ):
        state = new(STANDARD, position)
        assert state.result is None
        end = state.play(move)
        expected = Result(outcome, score=margin, margin=margin, decided_by="goal")
        assert end.result == end.result_if_stopped == expected
        assert new(COURSE, position).play(move).result == expected
        assert texts(end) == []
        assert str(state.winning_moves[0]) == move


def test_the_start_row_of_the_other_player_is_no_goal() -> None:
    assert new(STANDARD, "//e2c5/10-10/20").play("e1").result is None
    assert new(STANDARD, "//e3e8/10-10/21").play("e9").result is None


def test_the_game_is_drawn_after_300_plies_unless_the_last_reaches_a_goal() -> None:
    last = new(STANDARD, "//e5b2/10-10/299")
    assert last.result is None
    assert last.play("b1").result == Result(-1, score=-4, margin=-4, decided_by="goal")
    drawn_by = Result(0, decided_by="300 plies")
    assert last.play("a2").result == last.play("e5h").result == drawn_by
    assert last.play("a2").is_terminal
    assert texts(last.play("a2")) == []
    assert new(STANDARD, "//e5b2/10-10/298").play("e6").result is None
    in_the_course = new(COURSE, last.position).play("a2")
    assert in_the_course.result is None
    assert new(COURSE, "//e5b2/10-10/5000").play("e6").result is None


def test_keys_tell_plies_apart_only_near_the_limit() -> None:
    def key(spec: str, ply: int) -> int:
        return new(spec, f"//e5b2/10-10/{ply}").key

    assert key(STANDARD, 20) == key(STANDARD, 100) != key(STANDARD, 21)
    assert len({key(STANDARD, ply) for ply in range(280, 300)}) == 20
    assert key(COURSE, 298) == key(COURSE, 20) != key(STANDARD, 20) != key(NULL_MOVE, 20)


def test_a_stopped_game_is_a_draw() -> None:
    assert new(STANDARD).result_if_stopped == Result(0, decided_by="stopped")


def test_positions_can_come_back_since_the_last_wall() -> None:
    state, seen = new(STANDARD), []
    for move in ("e2", "e8", "e1", "e9", "d4h", "e8", "e2", "e9", "e1"):
        state = state.play(move)
        seen.append(state.reversible_plies)
    assert seen == [1, 2, 3, 4, 0, 1, 2, 3, 4]
    assert state.repeats


# --- Symmetry and networks ---


def test_the_mirror_maps_cells_by_eight_and_walls_by_seven() -> None:
    state = new(STANDARD, "a1d4/h8e2/c3i7/8-8/20")
    assert state.transformed(1).position == "h1e4/d2a8/g3a7/8-8/20"
    moves = {str(move): str(state.transformed_move(move, 1)) for move in state.legal_moves}
    assert (moves["b3"], moves["b6h"], moves["b6v"]) == ("h3", "g6h", "g6v")
    assert state.symmetry_count == 2


def test_both_players_see_the_same_planes_and_policy_from_their_own_side() -> None:
    rng = random.Random(7)
    for _ in range(100):
        state = random_position(STANDARD, rng, rng.randrange(25))
        twin = new(STANDARD, turned(state.position))
        assert twin.encode() == state.encode()
        assert {kata(move) for move in texts(state)} == set(texts(twin))
        for move in state.legal_moves:
            assert twin.policy_indices(twin.parse_move(kata(str(move)))) == state.policy_indices(move)


def test_planes_show_pawns_walls_hands_distances_and_the_limit() -> None:
    state = new(STANDARD, "d4/f2g7/c3e8/9-8/201")
    assert state.input_shape == (9, 9, 9)
    encoded = state.encode()
    planes = [encoded[81 * at : 81 * (at + 1)] for at in range(9)]
    # Black moves, and sees the board from the other side: row 9 first.
    marked = [{name((8 - at // 9, at % 9)) for at in range(81) if plane[at]} for plane in planes[:4]]
    assert marked[:2] == [{"e8"}, {"c3"}]
    assert marked[2:] == [{"d5"}, {"f3", "g8"}]  # a wall is at its cell closest to the mover's left corner
    assert [set(plane) for plane in (planes[4], planes[5], planes[8])] == [{8}, {9}, {99}]
    slow = SlowQuoridor.of(STANDARD, state.position)
    for plane, player in ((6, 1), (7, 0)):
        for at, cell in enumerate((8 - at // 9, at % 9) for at in range(81)):
            slow.pawns[player] = cell
            assert planes[plane][at] == slow.distance(player, slow.closed())


def test_policy_indices_are_planes_of_cells_and_anchors() -> None:
    start = new(STANDARD)
    assert start.policy_size == 3 * 81
    anchors = [9 * row + column for row in range(8) for column in range(8)]
    wanted = [*range(81), *(81 + at for at in anchors), *(162 + at for at in anchors)]
    assert [start.policy_indices(start.parse_move(move)) for move in EVERY_MOVE] == [[at] for at in wanted]
