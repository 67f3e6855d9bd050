"""Quoridor as people meet it: its notations, what is refused, and its drawing."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise

import pytest
from quoridor_oracle import CELLS, EVERY_MOVE, SIZE, kata, name, place
from typed import New

from joute import IllegalMoveError, Random
from joute.errors import JouteError, NotationError
from joute.games.quoridor.state import Quoridor
from joute.games.scene import COORDINATE, Area, Label, Path, Rect, Scene

new = New(Quoridor)

START = "//e1e9/10-10/0"
MIDDLE = "d3e5c5/d4e6/e4d6/7-8/13"


def random_game(seed: int, spec: str = "quoridor") -> list[Quoridor]:
    rng, states = Random(seed), [new(spec)]
    while not states[-1].is_terminal and states[-1].ply < 120:
        states.append(states[-1].play(states[-1].random_move(rng)))
    return states


# --- Moves ---


def test_moves_are_read_in_three_notations() -> None:
    start = new("quoridor")
    for move in EVERY_MOVE:
        row, column = place(move)
        kind = {2: "P", 3: f"W{move[-1].upper()}"}[len(move)]
        written = (move, f"kata:{kata(move)}", f"{kind},{row},{column}", f"('{kind}', {row}, {column})")
        assert {str(start.parse_move(text)) for text in written} == {move}
        assert str(start.parse_move(f'["{kind}", {row}, {column}]')) == move  # as JSON has it
    assert start.play("kata:e8") == start.play("('P', 1, 4)") == start.play("e2")
    assert start.play("kata:e6h") == start.play("WH,2,4") == start.play("e3h")


def test_capitals_are_small_letters() -> None:
    state = new("quoridor")
    for text in ("E2", "e3H", "E3V", "kata:E6h"):
        assert state.parse_move(text) == state.parse_move(text.lower())


def test_the_other_notations_differ_from_ours_in_rows_and_are_never_guessed() -> None:
    start = new("quoridor")
    assert str(start.parse_move("e8")) == "e8"
    assert str(start.parse_move("kata:e8")) == "e2"
    assert str(start.parse_move("e6h")) == "e6h"
    assert str(start.parse_move("kata:e6h")) == "e3h"
    assert not start.is_legal("e8")  # White's pawn goes up


HOW = (
    "moves are a cell, e2, or a wall, e3h or e3v; or as the course writes them, P,1,4 or WH,2,4 or WV,2,4; or as "
    "KataQuoridor and OpenSpiel do, kata:e8 or kata:e6h"
)
NO_CELL = "cells are a1 to i9"
NO_WALL = "walls are a1 to h8, and h or v"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", HOW),
        ("e", HOW),
        ("e22h", HOW),
        ("e3x", HOW),
        (" e2", HOW),
        ("(e2)", HOW),
        ("e2 ", HOW),
        ("kata:", HOW),
        ("kata: e8", HOW),
        ("kata:P,1,4", HOW),
        ("Kata:e8", HOW),
        ("WH 2 4", HOW),
        ("WH,2", HOW),
        ("WH,2,4,", HOW),
        ("W,2,4", HOW),
        ("wh,2,4", HOW),
        ("P,-1,4", HOW),
        ("P,10,4", HOW),
        ("pass", HOW),
        ("é2", HOW),
        ("j1", NO_CELL),
        ("e0", NO_CELL),
        ("kata:j1", NO_CELL),
        ("P,9,4", NO_CELL),
        ("P,x,4", NO_CELL),
        ("e9h", NO_WALL),
        ("i1v", NO_WALL),
        ("kata:e9h", NO_WALL),
        ("WV,8,0", NO_WALL),
        ("WH,0,8", NO_WALL),
    ],
)
def test_what_is_no_move_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("quoridor").parse_move(text)
    assert str(caught.value) == f"'{text}' is not a quoridor move: {why}"
    assert not new("quoridor").is_legal(text)


def test_an_illegal_move_is_refused_without_a_flood() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        new("quoridor").play("e3")
    assert str(caught.value) == (
        "illegal move e3 at ply 0 of quoridor; legal moves: d1 f1 e2 a1h b1h c1h d1h e1h f1h g1h h1h a2h and 119 more"
    )
    for nonsense in ("x" * 100_000, "e\n2", ("P", 1, 4), None):
        with pytest.raises(IllegalMoveError) as caught:
            new("quoridor").play(nonsense)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 500
        assert "\n" not in str(caught.value)


def test_a_wall_that_is_not_left_cannot_be_placed() -> None:
    state = new("quoridor", "a1c1e1a3c3e3a5c5e5g5//e2e8/0-10/20")
    assert [str(move) for move in state.legal_moves if len(str(move)) == 3] == []
    with pytest.raises(IllegalMoveError, match=r"illegal move a7h at ply 20 of quoridor; legal moves: d2 f2 e3$"):
        state.play("a7h")
    assert state.play("d2").is_legal("a7h")  # Black has ten


# --- Positions ---


def test_positions_survive_their_text_under_all_rules() -> None:
    for seed in range(20):
        for state in random_game(seed, "quoridor:rules=course"):
            for spec in ("quoridor", "quoridor:rules=course", "quoridor:rules=course,null_move=yes"):
                twin = new(spec, state.position)
                assert (twin.position, twin.diagram(), twin.ply) == (state.position, state.diagram(), state.ply)
            assert new(state.spec, state.position) == state


SHAPE = (
    "it has horizontal walls, vertical walls, White's and Black's pawn, walls in hand and plies played, with a '/' "
    "between: //e1e9/10-10/0 at the start"
)
HANDS = "the walls in White's and Black's hands must be 0 to 10 each, as in 10-10"
PAWNS = "the two pawns must be on different cells, as in e1e9"
PLIES = "the number of plies played must be 0 to 300"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", SHAPE),
        ("e1e9/10-10/0", SHAPE),
        ("///e1e9/10-10/0", SHAPE),
        ("i1//e1e9/9-10/1", "walls are written like e3, a1 to h8, not 'i1'"),
        ("/a9/e1e9/9-10/1", "walls are written like e3, a1 to h8, not 'a9'"),
        ("a/ /e1e9/10-10/0", "walls are written like e3, a1 to h8, not 'a'"),
        ("//e1j9/10-10/0", "pawns are written like e3, a1 to i9, not 'j9'"),
        ("//e1/10-10/0", PAWNS),
        ("//e1e9e5/10-10/0", PAWNS),
        ("//e5e5/10-10/0", PAWNS),
        ("//e9e1/10-10/20", "both pawns are on their goals"),
        ("//e1e9/10/0", HANDS),
        ("//e1e9/11-9/0", HANDS),
        ("//e1e9/-1-10/0", HANDS),
        ("//e1e9/10-x/0", HANDS),
        ("//e1e9/10-9/0", "the walls on the board and in hand number 19, not 20"),
        ("a1//e1e9/10-10/1", "the walls on the board and in hand number 21, not 20"),
        ("a1b1//e1e9/9-9/2", "the wall b1h crosses or overlaps another"),
        ("a1/a1/e1e9/9-9/2", "the wall a1v crosses or overlaps another"),
        ("/a1a2/e1e9/9-9/2", "the wall a2v crosses or overlaps another"),
        ("d1/c1e1/e1e9/9-8/3", "White has no path to the goal"),
        ("d8/c8e8/e1e9/9-8/3", "Black has no path to the goal"),
        ("//e1e9/10-10/301", PLIES),
        ("//e1e9/10-10/-1", PLIES),
        ("//e1e9/10-10/x", PLIES),
        ("//e1e9/10-10/", PLIES),
        ("//e9e8/10-10/20", "the player to move is on the goal already, so the game is over"),
        ("//e2e1/10-10/21", "the player to move is on the goal already, so the game is over"),
    ],
)
def test_what_is_no_position_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("quoridor", text)
    assert str(caught.value) == f"'{text}' is not a quoridor position: {why}"


def test_rules_that_do_not_exist_are_refused() -> None:
    with pytest.raises(JouteError, match="standard"):
        new("quoridor:rules=standart")
    with pytest.raises(JouteError, match="needs rules=course"):
        new("quoridor:null_move=yes")
    assert new("quoridor:rules=course").spec == "quoridor:rules=course"
    assert new("quoridor:rules=standard,null_move=no").spec == "quoridor"


def test_the_diagram_shows_walls_hands_and_steps() -> None:
    lines = new("quoridor", MIDDLE).diagram().split("\n")
    assert lines[6:13] == [
        "6  .   .   .   B   . | .   .   .   .",
        "          ------- -------",
        "5  .   .   .   . | .   .   .   .   .",
        "                 |",
        "4  .   .   .   . | W   .   .   .   .",
        "              -------",
        "3  .   .   .   .   .   .   .   .   .",
    ]
    assert lines[-2:] == ["White W: 7 walls left, 7 steps to go", "Black B: 8 walls left, 7 steps to go"]


def test_what_is_asked_of_nobody_is_refused() -> None:
    start = new("quoridor")
    for ask in (start.pawn, start.walls_left, start.distance):
        with pytest.raises(IndexError, match="the player must be 0 or 1"):
            ask(2)
    assert (start.horizontal_walls, start.vertical_walls) == ([], [])
    assert (start.play("e3h").horizontal_walls, start.play("e3v").vertical_walls) == ([(2, 4)], [(2, 4)])


# --- The drawing ---


def centre(row: float, column: float) -> tuple[float, float]:
    """Of a cell in the picture, by the labels around it."""
    shapes = new("quoridor").scene().shapes
    labels = {label.text: label for label in shapes if isinstance(label, Label) and label.fill == COORDINATE}
    a, b, one = labels["a"].x, labels["b"].x, labels["1"].y
    assert b - a == 1
    return a + column, one - row


def rects_at(scene: Scene, place: tuple[float, float]) -> list[Rect]:
    return [
        shape
        for shape in scene.shapes
        if isinstance(shape, Rect) and (shape.x + shape.width / 2, shape.y + shape.height / 2) == pytest.approx(place)
    ]


def walls_of(scene: Scene) -> dict[str, Rect]:
    """The walls on the board by their moves."""
    return {shape.key: shape for shape in scene.shapes if isinstance(shape, Rect) and shape.key}


def test_the_drawing_shows_every_wall_where_it_lies() -> None:
    for state in random_game(1)[:40:3]:
        drawn = walls_of(state.scene())
        lying = {"h": state.horizontal_walls, "v": state.vertical_walls}
        assert set(drawn) == {name(cell) + letter for letter, cells in lying.items() for cell in cells}
        for move, wall in drawn.items():
            row, column = place(move)
            assert rects_at(state.scene(), centre(row + 0.5, column + 0.5)) == [wall]
            assert ("h" if wall.width > wall.height else "v") == move[2]
            assert 1 < max(wall.width, wall.height) < 2


def pawns_of(scene: Scene) -> list[Path]:
    return [shape for shape in scene.shapes if isinstance(shape, Path) and shape.key]


def test_the_drawing_shows_both_pawns() -> None:
    for state in random_game(2)[::9]:
        pawns = pawns_of(state.scene())
        assert [(pawn.x, pawn.y) for pawn in pawns] == [centre(*state.pawn(player)) for player in (0, 1)]
        assert tuple(pawn.fill for pawn in pawns) == state.colours
        assert tuple(pawn.stroke for pawn in pawns) == state.colours[::-1]


def test_a_ring_marks_the_last_wall_or_the_cell_of_the_pawn_that_moved() -> None:
    state = new("quoridor", MIDDLE).play("e6")
    plain = state.scene().shapes
    for move, at in (("e6", (5, 4)), ("d4v", (3.5, 3.5)), ("c5h", (4.5, 2.5))):
        scene = state.scene(state.parse_move(move))
        [ring] = [shape for shape in scene.shapes if shape not in plain]
        assert isinstance(ring, Rect)
        assert (ring.fill, ring.highlight) == ("none", True)
        assert ring in rects_at(scene, centre(*at))
        assert [shape for shape in scene.shapes if shape != ring] == list(plain)
        assert state.scene(move) == scene


def trays(scene: Scene) -> list[list[Rect]]:
    """The walls in hand of White, below the board, and of Black, above."""
    board = centre(-0.5, 0)[1], centre(SIZE - 0.5, 0)[1]
    walls = [shape for shape in scene.shapes if isinstance(shape, Rect) and shape.stroke and not shape.key]
    walls = [wall for wall in walls if wall.height < 1]
    return [[wall for wall in walls if wall.y > board[0]], [wall for wall in walls if wall.y < board[1]]]


def test_the_drawing_shows_walls_in_hand_steps_and_whose_turn_it_is() -> None:
    for state in random_game(3)[::7]:
        scene = state.scene()
        plates = [shape for shape in scene.shapes if isinstance(shape, Label) and shape.fill != COORDINATE]
        assert [plate.text for plate in plates] == [str(state.distance(player)) for player in (0, 1)]
        for player, (walls, plate) in enumerate(zip(trays(scene), plates, strict=True)):
            assert len(walls) == state.walls_left(player)
            assert {wall.y + wall.height / 2 for wall in walls} <= {plate.y}
            marks = [path for path in scene.shapes if isinstance(path, Path) and path.y == plate.y and path.x < 1]
            assert len(marks) == (player == state.to_move and not state.is_terminal)


def test_one_click_makes_every_move_and_no_two_moves_share_a_place() -> None:
    for state in (new("quoridor"), new("quoridor", MIDDLE), *random_game(4)[5:30:8]):
        scene = state.scene()
        places: dict[str, list[Area]] = {}
        for target in scene.targets:
            assert target.source is None
            places.setdefault(target.move, []).append(Area(target.x, target.y, target.width, target.height))
        assert list(places) == list(map(str, state.legal_moves))
        assert all(len(areas) == (1 if len(move) == 2 else 2) for move, areas in places.items())
        everywhere = [area for areas in places.values() for area in areas]
        assert not any(overlap(one, other) for one, other in combinations(everywhere, 2))


def overlap(one: Area, other: Area) -> bool:
    return (
        one.x < other.x + other.width - 1e-9
        and other.x < one.x + one.width - 1e-9
        and one.y < other.y + other.height - 1e-9
        and other.y < one.y + one.height - 1e-9
    )


def test_a_wall_is_clicked_on_itself_to_either_side_of_its_middle() -> None:
    start = new("quoridor")
    for move in map(str, start.legal_moves):
        if len(move) == 3:
            row, column = place(move)
            wall = walls_of(start.play(move).scene())[move]
            middle = centre(row + 0.5, column + 0.5)["hv".index(move[2])]
            sides = []
            for target in start.scene().targets:
                if target.move == move:
                    assert target.ends == (wall.x, wall.y, wall.width, wall.height)
                    assert overlap(
                        Area(wall.x, wall.y, wall.width, wall.height),
                        Area(target.x, target.y, target.width, target.height),
                    )
                    at, long = (target.x, target.width) if move[2] == "h" else (target.y, target.height)
                    sides.append(at > middle)
                    assert at > middle or at + long < middle
            assert sides == [False, True]


def test_a_cell_is_clicked_on_the_cell() -> None:
    for state in random_game(5)[:60:5]:
        for target in state.scene().targets:
            if len(target.move) == 2:
                at = target.x + target.width / 2, target.y + target.height / 2
                assert at == pytest.approx(centre(*place(target.move)))


def test_a_move_of_the_pawn_begins_where_the_pawn_stands() -> None:
    state = new("quoridor", MIDDLE)
    for target in state.scene().targets:
        if len(target.move) == 2:
            assert target.begins is not None
            x, y, width, height = target.begins
            assert (x + width / 2, y + height / 2) == pytest.approx(centre(*state.pawn(state.to_move)))
        else:
            assert target.begins is None


def test_positions_of_a_game_differ_in_few_shapes() -> None:
    """A report keeps what changed from one to the next."""
    for before, after in pairwise(random_game(6)):
        assert len(set(before.scene().shapes) ^ set(after.scene().shapes)) < 12


def test_goals_are_tinted_towards_the_player_who_wants_to_go_there() -> None:
    scene = new("quoridor").scene()
    fills = {name(cell): rects_at(scene, centre(*cell))[-1].fill for cell in CELLS}
    light = {fill: sum(int(fill[at : at + 2], 16) for at in (1, 3, 5)) for fill in fills.values()}
    assert light[fills["e9"]] > light[fills["e5"]] > light[fills["e1"]]
    assert len(light) == 3


def test_by_the_courses_rules_a_game_may_go_on_for_ever() -> None:
    state = new("quoridor:rules=course", "//e1e9/10-10/40000").play("e2")
    assert state.ply == 40001
    again = pickle.loads(pickle.dumps(state))
    assert again == state == new("quoridor:rules=course", state.position)
    with pytest.raises(NotationError, match="the number of plies played must be 0 to 1000000000"):
        new("quoridor:rules=course", "//e1e9/10-10/10000000000")
