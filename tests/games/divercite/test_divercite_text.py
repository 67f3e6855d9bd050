"""Divercité as people meet it: its notation, what is refused, and its drawing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from divercite_oracle import CITY_CELLS, PIECES, RESOURCE_CELLS, cell_name, move_text
from typed import New

from joute import IllegalMoveError, Random
from joute.errors import JouteError, NotationError
from joute.games.divercite.drawing import COLOURS, EMBLEMS
from joute.games.divercite.state import Divercite
from joute.games.scene import COORDINATE, Area, Disc, Label, Path, Rect, Scene, Shape

new = New(Divercite)

START = "./.../...../......./........./......./...../..././3333"
MIDDLE = "g/yR-b/gB-r../rGbB-y.b/.RyG-.R-gB./.Y-rG.Br/..yY-y/r.y/r/0110"  # three Divercités: e2, d3, c4


# Where a colour's red, green and blue are in its text, and what they add to its luminance.
WEIGHTS = ((1, 0.2126), (3, 0.7152), (5, 0.0722))


def random_game(seed: int) -> list[Divercite]:
    rng, states = Random(seed), [new("divercite")]
    while not states[-1].is_terminal:
        states.append(states[-1].play(states[-1].random_move(rng)))
    return states


# --- Moves ---


def test_moves_are_a_colour_and_a_cell_or_the_courses_piece_row_and_column() -> None:
    start = new("divercite")
    for piece in PIECES:
        for row, column in CITY_CELLS if piece[1] == "C" else RESOURCE_CELLS:
            text = move_text(piece, (row, column))
            for written in (text, f"{piece},{row},{column}", f"{piece} ({row}, {column})", f"{piece}({row},{column})"):
                assert str(start.parse_move(written)) == text
    assert start.play("RC,3,4") == start.play("Re4")
    assert start.play("YR (4, 4)") == start.play("ye5")
    assert str(start.legal_move(" GR, 0, 4 ")) == "ge1"


HOW = "a move is a colour and a cell, as in Re4, or the course's piece, row and column, as in RC,3,4"
KINDS = "pieces are RC, RR, GC, GR, BC, BR, YC and YR"
RESOURCES_ONLY = "that cell is for resources, which are written in small letters"
CITIES_ONLY = "that cell is for cities, which are written in capitals"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", HOW),
        ("R", HOW),
        ("Re", HOW),
        ("Re44", HOW),
        ("R e4", HOW),
        ("Re4 ", HOW),
        ("RC", HOW),
        ("RC34", HOW),
        ("RC,34", HOW),
        ("RC,3,4,", HOW),
        ("RC;3;4", HOW),
        ("RC(3,4", HOW),
        ("RC3,4)", HOW),
        ("(RC,3,4)", HOW),
        ("RC,-3,4", HOW),
        ("RCW,3,4", HOW),
        ("éé4", HOW),
        ("Ve4", "colours are R, G, B and Y"),
        ("VC,3,4", "colours are R, G, B and Y"),
        ("ée", "colours are R, G, B and Y"),
        ("Re0", "the board has no such cell"),
        ("Rj4", "the board has no such cell"),
        ("RE4", "the board has no such cell"),
        ("ra1", "the board has no such cell"),
        ("RC,0,0", "the board has no such cell"),
        ("RC,9,4", "the board has no such cell"),
        ("RC,x,4", "the board has no such cell"),
        ("RX,3,4", KINDS),
        ("Rc,3,4", KINDS),
        ("Re5", RESOURCES_ONLY),
        ("RC,4,4", RESOURCES_ONLY),
        ("re4", CITIES_ONLY),
        ("RR,3,4", CITIES_ONLY),
    ],
)
def test_what_is_no_move_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("divercite").parse_move(text)
    assert str(caught.value) == f"'{text}' is not a divercite move: {why}"
    assert not new("divercite").is_legal(text)


def test_an_illegal_move_is_refused_without_a_flood() -> None:
    start = new("divercite")
    with pytest.raises(
        IllegalMoveError, match=r"illegal move Re5 at ply 0 of divercite: .* which are written in small letters$"
    ):
        start.play("Re5")
    with pytest.raises(IllegalMoveError) as caught:
        start.play("Re4").play("Ge4")
    assert str(caught.value) == (
        "illegal move Ge4 at ply 1 of divercite; legal moves: Re2 Rd3 Rf3 Rc4 Rg4 Rb5 Rd5 Rf5 Rh5 Rc6 Re6 Rg6 "
        "and 148 more"
    )
    for nonsense in ("x" * 100_000, "R\ne4", ("RC", 3, 4), None):
        with pytest.raises(IllegalMoveError) as caught:
            start.play(nonsense)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)


def test_a_piece_that_is_not_left_cannot_be_placed() -> None:
    state = new("divercite")
    for move in ("Re4", "Gd5", "Re6", "Bf5"):
        state = state.play(move)
    assert state.hand(0)["RC"] == 0
    assert not state.is_legal("Re2")
    with pytest.raises(IllegalMoveError, match="illegal move Re2 at ply 4"):
        state.play("Re2")
    assert state.play("Ge2").is_legal("Rd3")  # Black still has two


# --- Positions ---


def test_positions_survive_their_text() -> None:
    for seed in range(50):
        for state in random_game(seed):
            for rules in ("handout", "framework", "official"):
                twin = new(f"divercite:rules={rules}", state.position)
                assert twin.position == state.position
                assert (twin.ply, twin.hand(0), twin.hand(1)) == (state.ply, state.hand(0), state.hand(1))
            assert twin != state
            assert new("divercite", state.position) == state


SHAPE = (
    "rows have 1, 3, 5, 7, 9, 7, 5, 3 and 1 cells, then come the resources White has left (3333 at the start), "
    "with a '/' between"
)
HAND = "the resources in White's hand must be four digits 0 to 3: red, green, blue, yellow"
CELL = "cells are r, g, b, y (resources), capitals (cities, with a '-' after Black's) or '.'"
SUM = "the resources on the board and in White's hand do not add up: each player has three of a colour"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", SHAPE),
        (START[:-5], SHAPE),
        (START[:-1], SHAPE),
        (START + "3", SHAPE),
        ("/" + START, SHAPE),
        (START.replace("/", ""), SHAPE),
        (START.replace("/", "//", 1), SHAPE),
        ("." + START, SHAPE),
        (START.replace("3333", "3343"), HAND),
        (START.replace("3333", "333x"), HAND),
        ("v" + START[1:], CELL),
        ("é" + START[1:], CELL),
        ("r-" + START[1:], SHAPE),
        ("-" + START[1:], CELL),
        ("R" + START[1:], "it has a city on a resource cell"),
        ("./.r./" + START[6:], "it has a resource on a city cell"),
        ("./.R./.R.R./" + START[12:], "a player has at most two cities of a colour"),
        ("./.R-./.R-.R-./" + START[12:], "a player has at most two cities of a colour"),
        (START.replace("3333", "0333"), SUM),
        ("r/r.r/r.r.r/r" + START[13:], SUM),
        ("r" + START[1:], "White has placed 0 pieces and Black 1, but the players take turns"),
        ("./.R./.G.../" + START[12:], "White has placed 2 pieces and Black 0, but the players take turns"),
    ],
)
def test_what_is_no_position_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("divercite", text)
    assert str(caught.value) == f"'{text}' is not a divercite position: {why}"


def test_rules_that_do_not_exist_are_refused() -> None:
    with pytest.raises(JouteError, match="handout"):
        new("divercite:rules=handuot")


def test_the_diagram_shows_owners_hands_and_points() -> None:
    lines = new("divercite", MIDDLE).diagram().split("\n")
    assert lines[1].split() == ["2", "y", "R-", "b"]
    assert lines[3].split() == ["4", "r", "G+", "b", "B-", "y", "#", "b"]
    assert lines[-2:] == ["White + has RYYgb left, 7 points", "Black - has Gggbb left, 15 points"]


def test_what_is_asked_beyond_the_board_is_refused() -> None:
    start = new("divercite")
    for ask in (start.piece_at, start.points_at):
        for place in ((-1, 0), (9, 0), (0, -1), (0, 9)):
            with pytest.raises(IndexError, match="row and column must be 0 to 8"):
                ask(*place)
    assert (start.piece_at(0, 0), start.points_at(0, 0)) == ("", 0)
    with pytest.raises(IndexError, match="the player must be 0 or 1"):
        start.hand(2)


# --- The drawing ---


def centre(scene: Scene, cell: tuple[int, int]) -> tuple[float, float]:
    """The centre of a cell, by the names of its column and its row beside the board."""
    labels = {label.text: label for label in scene.shapes if isinstance(label, Label) and label.fill == COORDINATE}
    return labels["abcdefghi"[cell[1]]].x, labels[str(cell[0] + 1)].y


def piece_on(scene: Scene, cell: tuple[int, int]) -> list[Shape]:
    """The shapes of the piece on a cell, from back to front."""
    found = [shape for shape in scene.shapes if shape.key == cell_name(cell)]
    assert all(_centre_of(shape) == pytest.approx(centre(scene, cell)) for shape in found)
    return found


def _centre_of(shape: Shape) -> tuple[float, float]:
    if isinstance(shape, Rect):
        return round(shape.x + shape.width / 2, 6), round(shape.y + shape.height / 2, 6)
    return round(shape.x, 6), round(shape.y, 6)


def test_the_drawing_shows_colour_owner_and_points_of_every_city() -> None:
    looks: dict[str, set[tuple[str, str, str]]] = {}
    for state in (new("divercite", MIDDLE), *random_game(1)[10::10]):
        scene = state.scene()
        for cell in CITY_CELLS:
            piece, points = state.piece_at(*cell), state.points_at(*cell)
            drawn = piece_on(scene, cell)
            assert bool(drawn) == bool(piece)
            if piece:
                frame, inside, emblem, *worth = drawn
                assert isinstance(emblem, Path)
                assert frame.fill == state.colours["WB".index(piece[2])]
                looks.setdefault(piece[0], set()).add((inside.fill, emblem.fill, emblem.data))
                shown = [shape.text if isinstance(shape, Label) else type(shape) for shape in worth]
                assert shown == ([] if points == 0 else [Path] if points == 5 else [str(points)])
    assert [len(looks[colour]) for colour in "RGBY"] == [1, 1, 1, 1]
    for kind in range(3):  # colours, shades and emblems
        assert len({look[kind] for found in looks.values() for look in found}) == 4


def test_the_four_colours_differ_in_lightness() -> None:
    light = sorted(
        sum(int(fill[at : at + 2], 16) ** 2.2 * weight for at, weight in WEIGHTS) for fill in COLOURS.values()
    )
    assert all(brighter > 1.6 * darker for darker, brighter in pairwise(light))


def test_the_drawing_shows_the_colour_of_every_resource_as_a_city_of_it_has() -> None:
    for state in random_game(2)[1::5]:
        scene = state.scene()
        for cell in RESOURCE_CELLS:
            piece = state.piece_at(*cell)
            drawn = piece_on(scene, cell)
            assert len(drawn) == (2 if piece else 0)
            if piece:
                disc, emblem = drawn
                assert isinstance(disc, Disc)
                assert isinstance(emblem, Path)
                assert disc.fill == COLOURS[piece[0]]
                assert emblem.data == EMBLEMS[piece[0]]


def test_the_last_move_is_ringed() -> None:
    for move, cell in (("Re4", (3, 4)), ("re5", (4, 4))):
        state = new("divercite").play(move)
        for last_move in (move, state.parse_move(move)):
            scene = state.scene(last_move)
            [ring] = [shape for shape in scene.shapes if getattr(shape, "highlight", False)]
            assert _centre_of(ring) == pytest.approx(centre(scene, cell))
            assert [shape for shape in scene.shapes if shape != ring] == list(state.scene().shapes)


def test_the_drawing_shows_both_scores_and_whose_turn_it_is() -> None:
    for state in random_game(3)[::8]:
        scene = state.scene()
        for player, colour in enumerate(state.colours):
            # A plate is the only wide rectangle in the colour of a player.
            [plate] = [s for s in scene.shapes if isinstance(s, Rect) and s.fill == colour and s.width > s.height]
            [label] = [s for s in scene.shapes if isinstance(s, Label) and _centre_of(s) == _centre_of(plate)]
            assert (label.text, label.fill) == (str(state.scores[player]), state.colours[1 - player])
            assert (label.y > centre(scene, (8, 4))[1] + 0.5) == (player == 0)  # White's below the board
            assert (label.y < centre(scene, (0, 4))[1] - 0.5) == (player == 1)
            marks = [path for path in scene.shapes if isinstance(path, Path) and path.y == label.y and path.x < plate.x]
            assert len(marks) == (player == state.to_move and not state.is_terminal)


def places(scene: Scene, selected: Area | None = None) -> set[tuple[float, ...]]:
    """Where a page may be clicked, as the description in scene.py has it."""
    return {
        tuple(t.source or ()) if selected is None else (t.x, t.y, t.width, t.height)
        for t in scene.targets
        if selected is None or t.source == selected
    }


def test_two_clicks_make_every_legal_move_and_no_other() -> None:
    for state in random_game(4)[::3]:
        scene = state.scene()
        made = []
        for source in places(scene):
            for place in places(scene, Area(*source)):
                moves = [t.move for t in scene.targets if t.source == source and (t.x, t.y, t.width, t.height) == place]
                assert len(moves) == 1
                made += moves
        assert sorted(made) == sorted(map(str, state.legal_moves))


def test_a_move_begins_on_the_pieces_of_that_kind_in_the_movers_tray() -> None:
    for state in random_game(5)[:40:3]:
        scene = state.scene()
        hand = state.hand(state.to_move)
        on_source: dict[str, int] = {}
        for target in scene.targets:
            assert target.source is not None
            x, y, width, height = target.source
            below, above = centre(scene, (8, 4))[1] + 0.5, centre(scene, (0, 4))[1] - 0.5
            assert y > below if state.to_move == 0 else y + height < above
            kind = Rect if target.move[0].isupper() else Disc
            inside = [s for s in scene.shapes if x < _centre_of(s)[0] < x + width and y < _centre_of(s)[1] < y + height]
            fills = {shape.fill for shape in inside if isinstance(shape, kind)}
            assert COLOURS[target.move[0].upper()] in fills
            [number] = [int(shape.text) for shape in inside if isinstance(shape, Label)]
            assert target.source_label.endswith(f", {number} in hand")
            on_source[target.move[0].upper() + ("C" if kind is Rect else "R")] = number
        assert on_source == {piece: left for piece, left in hand.items() if piece in on_source}


def test_positions_of_a_game_differ_in_few_shapes() -> None:
    """A report keeps what changed from one to the next."""
    for before, after in pairwise(random_game(6)):
        assert len(set(before.scene().shapes) ^ set(after.scene().shapes)) < 20
