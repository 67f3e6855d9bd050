"""Avalam: the rules against a slow version of them, its figures against published ones, its notation and drawing."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from avalam_oracle import CELLS, SlowAvalam, move_text, neighbours
from typed import New, known

from joute import IllegalMoveError, Random, Result, play_game, play_match
from joute.errors import NotationError
from joute.games.avalam.state import Avalam
from joute.games.connect4.state import Connect4
from joute.games.scene import COORDINATE, RED, YELLOW, Disc, Label, Path, Pile, Rect, Scene, Shape

new = New(Avalam)

START = "Aa/AaAa/aAaAaA/AaAaAaAa/AaAaaAaA/aAaAaAaA/AaAaAa/aAaA/aA"


def random_game(seed: int) -> list[Avalam]:
    rng, states = Random(seed), [new("avalam")]
    while not states[-1].is_terminal:
        states.append(states[-1].play(states[-1].random_move(rng)))
    return states


def texts(state: Avalam) -> set[str]:
    return set(map(str, state.legal_moves))


# --- The rules ---


def test_random_positions_agree_with_the_slow_rules() -> None:
    rng = random.Random(1)
    positions, decided_by = 0, set()
    while positions < 1000:
        state, slow = new("avalam"), SlowAvalam()
        while True:
            positions += 1
            legal = slow.legal()
            assert texts(state) == set(legal)
            assert len(state.legal_moves) == len(legal)
            assert {cell: state.tower_at(*cell) for cell in CELLS} == {c: slow.towers.get(c, 0) for c in CELLS}
            assert state.position == slow.position()
            assert (state.to_move, state.ply) == (slow.mover, 48 - len(slow.towers))
            assert state.is_terminal == (not legal)
            check_result(state.result_if_stopped, *slow.counts())
            assert state.key == state.recompute_key() == new("avalam", state.position).key
            if not legal:
                assert state.result == state.result_if_stopped
                decided_by.add(state.result.decided_by)
                break
            assert state.result is None
            move = rng.choice(sorted(legal))
            state = state.play(move)
            slow.play(*legal[move])
    assert decided_by == {"towers", "fives", "level"}


def check_result(result: Result, towers: int, fives: int) -> None:
    """Towers decide, then fives; the score orders results in that order."""
    expected = towers or fives
    assert result.outcome == (expected > 0) - (expected < 0)
    assert result.margin == towers
    assert result.score == (16 * towers if towers else fives)
    assert result.decided_by == ("towers" if towers else "fives" if fives else "level")


def board(towers: dict[str, int]) -> Avalam:
    """A position by the names of its cells: positive heights are yellow's."""
    slow = SlowAvalam()
    slow.towers = {(int(name[1]) - 1, ord(name[0]) - ord("a")): height for name, height in towers.items()}
    return new("avalam", slow.position())


# No two of these cells touch.
APART = ("c1", "c3", "e3", "g3", "a5", "c5", "g5", "i5", "c7", "e7", "g7", "g9")


@pytest.mark.parametrize(
    ("heights", "result"),
    [
        ((5, 5, 5, 5, 5, -3, -3, -3, -3, -3, -3, -5), Result(-1, score=-32, margin=-2, decided_by="towers")),
        ((5, 5, 5, 5, 5, -5, -5, -5, -4, -4), Result(1, score=2, margin=0, decided_by="fives")),
        ((5, 5, 5, 5, 4, -5, -5, -5, -5, -4), Result(0, score=0, margin=0, decided_by="level")),
    ],
)
def test_towers_decide_then_fives(heights: tuple[int, ...], result: Result) -> None:
    state = board(dict(zip(APART, heights, strict=False)))
    assert state.is_terminal
    assert state.result == result


def test_legality_never_grows_and_the_game_is_over_when_no_two_towers_can_merge() -> None:
    for seed in range(200):
        states = random_game(seed)
        for before, after in pairwise(states):
            assert texts(after) < texts(before)
        assert 30 <= states[-1].ply <= 38
        assert states[-1].is_terminal


def test_a_first_move_removes_6_to_16_moves() -> None:
    start = new("avalam")
    removed = [292 - len(start.play(move).legal_moves) for move in start.legal_moves]
    assert (min(removed), max(removed)) == (6, 16)


def test_cells_have_the_published_numbers_of_neighbours() -> None:
    moves = texts(new("avalam"))
    assert moves == {move_text(cell, other) for cell in CELLS for other in neighbours(cell)}
    around = Counter(move[:2] for move in moves)
    assert Counter(around.values()) == {3: 2, 4: 10, 5: 4, 6: 6, 7: 18, 8: 8}
    owner = {move_text(cell, cell)[:2]: new("avalam").tower_at(*cell) for cell in CELLS}
    assert sum(owner[move[:2]] == owner[move[2:]] for move in moves) == 2 * 70
    assert Counter(owner.values()) == {1: 24, -1: 24}


# --- Symmetry and networks ---


def test_half_a_turn_leaves_146_first_moves() -> None:
    start = new("avalam")
    assert start.transformed(1) == start
    assert len({frozenset((move, start.transformed_move(move, 1))) for move in start.legal_moves}) == 146


def test_half_a_turn_commutes_with_play() -> None:
    for seed in range(10):
        for state in random_game(seed):
            turned = state.transformed(1)
            assert all(turned.tower_at(8 - row, 8 - column) == state.tower_at(row, column) for row, column in CELLS)
            assert turned.result_if_stopped == state.result_if_stopped
            for move in state.legal_moves[::7]:
                assert turned.play(state.transformed_move(move, 1)) == state.play(move).transformed(1)


def test_planes_show_the_movers_towers_by_height_then_the_opponents_then_what_can_merge() -> None:
    towers = {"c1": 5, "d1": 1, "c2": -3, "b4": 4, "e6": -2, "f6": -5, "e7": 3, "a5": -4, "i5": 2, "g9": 5, "h7": -4}
    state = board(towers | {"g3": 5, "h4": -5})
    assert (state.ply, state.to_move) == (35, 1)
    # Red's heights 1 to 5, yellow's, and the towers of the only pairs that can still merge: d1 on c2, e6 on e7.
    expected = [
        [], ["e6"], ["c2"], ["a5", "h7"], ["f6", "h4"],
        ["d1"], ["i5"], ["e7"], ["b4"], ["c1", "g3", "g9"],
        ["c2", "d1", "e6", "e7"],
    ]  # fmt: skip
    assert texts(state) == {"d1c2", "c2d1", "e6e7", "e7e6"}
    assert state.input_shape == (11, 9, 9)
    encoded = state.encode()
    assert set(encoded) == {0, 1}
    planes = [encoded[81 * plane : 81 * (plane + 1)] for plane in range(11)]
    assert [sorted("abcdefghi"[at % 9] + str(at // 9 + 1) for at in range(81) if plane[at]) for plane in planes] == (
        expected
    )


# --- Figures ---


def test_random_games_have_the_published_statistics() -> None:
    """Those of 200,000 games that an independent program played; the bounds are several standard errors wide."""
    finals = [random_game(seed)[-1] for seed in range(20_000)]
    count = len(finals)
    towers = [48 - final.ply for final in finals]
    fives = [final.position.lower().count("e") for final in finals]
    decided_by = Counter(known(final.result).decided_by for final in finals)
    level = decided_by["fives"] + decided_by["level"]
    assert sum(final.ply for final in finals) / count == pytest.approx(34.6, abs=0.1)
    assert sum(towers) / count == pytest.approx(13.4, abs=0.1)
    assert sum(fives) / count == pytest.approx(4.2, abs=0.1)
    assert level / count == pytest.approx(0.117, abs=0.015)
    assert decided_by["level"] / level == pytest.approx(0.23, abs=0.05)


def test_playouts_are_random_games() -> None:
    played = new("avalam").playouts(20_000, seed=1)
    assert played.plies / played.games == pytest.approx(34.6, abs=0.1)
    assert played.draws / played.games == pytest.approx(0.117 * 0.23, abs=0.01)


@pytest.mark.slow
def test_perft_of_four_plies_is_the_published_count() -> None:
    assert new("avalam").perft(4) == 5_517_021_720


# --- Notation ---


def test_moves_are_two_cells_or_the_courses_four_numbers() -> None:
    start = new("avalam")
    for row, column in CELLS:
        for other_row, other_column in neighbours((row, column)):
            text = move_text((row, column), (other_row, other_column))
            numbers = (row, column, other_row, other_column)
            bare = ",".join(map(str, numbers))
            for written in (text, bare, str(numbers), str(list(numbers)), f" {bare} "):
                assert str(start.parse_move(written)) == text
    assert start.play("0,2,0,3") == start.play("c1d1")
    assert str(start.legal_move("(0, 2, 0, 3)")) == "c1d1"


HOW = "a move is two cells, as in c1d1, or the course's rows and columns, as in 0,2,0,3"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", HOW),
        ("c1", HOW),
        ("C1D1", HOW),
        ("c1 d1", HOW),
        ("c0d1", HOW),
        ("j1d1", HOW),
        ("é1d", HOW),
        ("éé", HOW),
        ("c1d1c2", HOW),
        ("0,2,0", HOW),
        ("0,2,0,9", HOW),
        ("0,2,0,-3", HOW),
        ("0;2;0;3", HOW),
        ("(0,2,0,3", HOW),
        ("(0,2,0,3]", HOW),
        ("0(,2),0,3", HOW),
        ("a1b1", "its first cell is not on the board"),
        ("d5e5", "its second cell is not on the board"),
        ("4,4,4,5", "its first cell is not on the board"),
        ("c1c1", "its two cells are the same"),
        ("c1c3", "the two cells are not neighbours"),
        ("0,2,2,2", "the two cells are not neighbours"),
    ],
)
def test_what_is_no_move_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("avalam").parse_move(text)
    assert str(caught.value) == f"'{text}' is not an avalam move: {why}"
    assert not new("avalam").is_legal(text)


ROWS = "rows have 2, 4, 6, 8, 8, 8, 6, 4 and 2 cells, with a '/' between them"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it has 0 cells of 48"),
        (START[:-1], "it has 47 cells of 48"),
        (START + "A", "it has more than 48 cells"),
        (START + "/", ROWS),
        ("/" + START, ROWS),
        (START.replace("/", ""), ROWS),
        (START.replace("/", "//", 1), ROWS),
        ("A" + START, ROWS),
        ("Fa" + START[2:], "cells are A to E (yellow, by height), a to e (red) or '.'"),
        ("éa" + START[2:], "cells are A to E (yellow, by height), a to e (red) or '.'"),
        ("Ba" + START[2:], "its towers contain 49 counters, but there are always 48"),
        (".a" + START[2:], "its towers contain 47 counters, but there are always 48"),
    ],
)
def test_what_is_no_position_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        new("avalam", text)
    assert str(caught.value) == f"'{text}' is not an avalam position: {why}"


def test_an_illegal_move_is_refused_without_a_flood() -> None:
    start = new("avalam")
    with pytest.raises(IllegalMoveError, match=r"illegal move c1c3 at ply 0 of avalam: .* are not neighbours$"):
        start.play("c1c3")
    with pytest.raises(IllegalMoveError) as caught:
        start.play("c1d1").play("c1d1")
    assert str(caught.value) == (
        "illegal move c1d1 at ply 1 of avalam; legal moves: d1c2 c2d1 d1d2 d2d1 d1e2 e2d1 b2c2 c2b2 b2b3 b3b2 b2c3 "
        "c3b2 and 272 more"
    )
    for nonsense in ("x" * 100_000, "c1\n1", (0, 2, 0, 3), None):
        with pytest.raises(IllegalMoveError) as caught:
            start.play(nonsense)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)


# --- What games leave behind ---


def test_games_keep_what_decided_them() -> None:
    result = play_match("avalam", "random", "random", games=60, seed=1)
    assert result.decided_by == Counter(record.result.decided_by for record in result.records)
    assert {"towers", "fives"} <= set(result.decided_by)
    record = play_game("avalam", "random", "random", seed=1)
    *_, final = record.states()
    assert record.result == final.result


# --- The drawing ---


def centre(scene: Scene, name: str) -> tuple[float, float]:
    """The centre of a cell, by the names of its column and its row beside the board."""
    labels = {label.text: label for label in scene.shapes if isinstance(label, Label) and label.fill == COORDINATE}
    return labels[name[0]].x, labels[name[1]].y


def shapes_of(scene: Scene, name: str) -> list[Shape]:
    """What is drawn on a cell: its ground, and the tower or a ring."""
    place = pytest.approx(centre(scene, name))
    return [shape for shape in scene.shapes if _centre_of(shape) == place]


def _centre_of(shape: Shape) -> tuple[float, float]:
    if isinstance(shape, Rect):
        return shape.x + shape.width / 2, shape.y + shape.height / 2
    return shape.x, shape.y


def test_the_drawing_shows_owner_and_height_of_every_tower() -> None:
    for seed in range(2):
        for state in random_game(seed)[::6]:
            scene = state.scene()
            for row, column in CELLS:
                name = move_text((row, column), (row, column))[:2]
                piles = [shape for shape in shapes_of(scene, name) if isinstance(shape, Pile)]
                tower = state.tower_at(row, column)
                drawn = [(pile.height, pile.fill, pile.key) for pile in piles]
                assert drawn == ([(abs(tower), YELLOW if tower > 0 else RED, name)] if tower else [])


def test_the_drawing_tells_towers_that_can_move_from_frozen_ones_and_from_fives() -> None:
    fives, fours = dict.fromkeys(("c1", "i5", "a5", "a6"), 5), dict.fromkeys(("g5", "c7", "e7", "g7", "g9", "e3"), -4)
    scene = board({"d1": 1, "c2": -3, **fives, **fours}).scene()
    grounds = {name: shapes_of(scene, name)[0] for name in ("d1", "c2", "c1", "i5", "g5", "c7", "b3")}
    looks = {name: (type(ground), ground.fill) for name, ground in grounds.items()}
    assert looks["d1"] == looks["c2"] == looks["b3"]  # open, as is an empty cell
    assert looks["c1"] == looks["i5"]
    assert looks["g5"] == looks["c7"]
    assert len(set(looks.values())) == 3
    assert {kind for kind, _ in looks.values()} == {Disc, Rect}  # open cells differ in shape from the others


def test_the_last_move_is_ringed_where_it_began_and_where_it_ended() -> None:
    state = new("avalam").play("c1d1")
    for last_move in ("c1d1", "0,2,0,3", state.parse_move("c1d1")):
        scene = state.scene(last_move)
        ringed = [shape for shape in scene.shapes if getattr(shape, "highlight", False)]
        assert ringed == [shapes_of(scene, "c1")[-1], shapes_of(scene, "d1")[-1]]
        assert [type(shape) for shape in ringed] == [Disc, Pile]


def test_plates_count_towers_and_fives_and_a_triangle_shows_whose_turn_it_is() -> None:
    for state in (*random_game(2)[::5], random_game(2)[-1]):
        scene = state.scene()
        numbers = [label for label in scene.shapes if isinstance(label, Label) and label.fill != COORDINATE]
        towers = [tower for line in state.towers for tower in line]
        for player, colour in enumerate(state.colours):
            sign = 1 - 2 * player
            icons = [pile for pile in scene.shapes if isinstance(pile, Pile) and not pile.key and pile.fill == colour]
            assert [pile.height for pile in icons] == [1, 5]
            y = icons[0].y
            shown = [int(label.text) for label in sorted(numbers, key=lambda label: label.x) if label.y == y]
            assert shown == [sum(sign * tower > 0 for tower in towers), towers.count(5 * sign)]
            marks = [path for path in scene.shapes if isinstance(path, Path) and path.y == y]
            assert len(marks) == (player == state.to_move and not state.is_terminal)
            assert all(mark.x < icons[0].x for mark in marks)


def places(scene: Scene, selected: tuple[float, ...] | None = None) -> set[tuple[float, ...]]:
    """Where a page may be clicked, as the description in scene.py has it."""
    if selected is not None:
        return {(t.x, t.y, t.width, t.height) for t in scene.targets if t.source == selected}
    return {(t.x, t.y, t.width, t.height) if t.source is None else tuple(t.source) for t in scene.targets}


def test_two_clicks_make_every_legal_move_and_no_other() -> None:
    for state in random_game(1)[::5]:
        scene = state.scene()
        made = []
        for source in places(scene):
            for place in places(scene, source):
                moves = [t.move for t in scene.targets if t.source == source and (t.x, t.y, t.width, t.height) == place]
                assert len(moves) == 1
                made += moves
        assert sorted(made) == sorted(texts(state))


def test_a_move_of_one_click_has_no_source() -> None:
    scene = Connect4.new().scene()
    assert all(target.source is None for target in scene.targets)
    assert len(places(scene)) == 7


def test_whole_boards_say_what_single_cells_and_moves_say() -> None:
    for state in random_game(5):
        towers = tuple(tuple(state.tower_at(row, column) for column in range(9)) for row in range(9))
        assert state.towers == towers
        sources = Counter(move.source for move in state.legal_moves)
        assert state.partners == tuple(tuple(sources[row, column] for column in range(9)) for row in range(9))


def test_a_move_names_its_two_cells() -> None:
    state = new("avalam")
    move = state.parse_move("c1d2")
    assert (move.source, move.target) == ((0, 2), (1, 3))
    for move in state.legal_moves:
        (row, column), (to_row, to_column) = move.source, move.target
        assert str(move) == f"{'abcdefghi'[column]}{row + 1}{'abcdefghi'[to_column]}{to_row + 1}"
