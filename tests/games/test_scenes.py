"""The drawings of all games: moves have words and targets, pieces have keys, and the docs show what Joute draws."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import pytest

from joute import Random
from joute.games import State, new
from joute.games.scene import PLAYERS, Area, Scene, Target
from joute.games.scene_edits import edits

ROOT = Path(__file__).parents[2]


def pictures() -> Any:
    """The tool that draws the boards of the documentation."""
    spec = spec_from_file_location("board_pictures", ROOT / "tools" / "board_pictures.py")
    assert spec
    assert spec.loader
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def positions(game: str) -> list[State]:
    """Positions of a random game, the first and the last among them."""
    rng, states = Random(1), [new(game)]
    while not states[-1].is_terminal and len(states) < 120:
        state = states[-1]
        states.append(state.resolve(0) if state.is_chance else state.play(state.random_move(rng)))
    return [*states[:-1:7], states[-1]]


def is_inside(area: Area, scene: Scene) -> bool:
    least, tiny = 0.1, 1e-9
    return (
        area.x > -tiny
        and area.y > -tiny
        and area.x + area.width < scene.width + tiny
        and area.y + area.height < scene.height + tiny
        and min(area.width, area.height) > least
    )


def area_of(target: Target) -> Area:
    return Area(target.x, target.y, target.width, target.height)


def test_every_move_has_words_and_places_within_the_frame(game: str) -> None:
    for state in positions(game):
        scene = state.scene()
        for target in scene.targets:
            assert target.label
            assert is_inside(area_of(target), scene)
            assert is_inside(target.ends, scene)
            if target.source is not None:
                assert is_inside(target.source, scene)
                assert target.source_label
        moves = {target.move for target in scene.targets}
        assert len({target.label: target.move for target in scene.targets}) == len(moves)
        if state.complete and moves:
            assert moves == set(map(str, state.legal_moves))
        # A source has the same words in all its targets, and no other source has them.
        sources = {(target.source, target.source_label) for target in scene.targets}
        assert len(sources) == len({source for source, _ in sources}) == len({label for _, label in sources})


def clickable(scene: Scene) -> Iterator[list[tuple[Area, str]]]:
    """The areas that can be clicked at one time, each with the move or the source that it stands for."""
    sources = {target.source for target in scene.targets if target.source is not None}
    yield [
        *((source, str(source)) for source in sources),
        *((area_of(target), target.move) for target in scene.targets if target.source is None),
    ]
    for source in sources:
        yield [(area_of(target), target.move) for target in scene.targets if target.source == source]


def overlap(one: Area, other: Area) -> bool:
    tiny = 1e-9
    return (
        one.x < other.x + other.width - tiny
        and other.x < one.x + one.width - tiny
        and one.y < other.y + other.height - tiny
        and other.y < one.y + one.height - tiny
    )


def test_no_two_moves_can_be_clicked_at_one_place(game: str) -> None:
    for state in positions(game)[::3]:
        for areas in clickable(state.scene()):
            for (one, stands_for), (other, for_other) in combinations(areas, 2):
                assert stands_for == for_other or not overlap(one, other)


def test_the_shapes_of_a_piece_have_one_key_and_lie_upon_each_other(game: str) -> None:
    """A page may treat the neighbouring shapes of one key as one piece."""
    for state in positions(game):
        keys = [key for key, _ in groupby(shape.key for shape in state.scene().shapes) if key]
        assert len(keys) == len(set(keys))


def test_drawings_of_one_position_are_equal_and_the_last_move_changes_them(game: str) -> None:
    start = new(game)
    assert start.scene() == start.scene()
    move = start.legal_moves[0]
    state = start.play(move)
    if not state.is_chance:
        assert state.scene(move) != state.scene()
        assert state.scene(str(move)) == state.scene(move)


def test_a_ring_marks_the_last_move_and_nothing_else(game: str) -> None:
    rng, state = Random(2), new(game)
    is_drawn = any(getattr(shape, "key", "") for shape in state.play(state.legal_moves[0]).scene().shapes)
    for _ in range(12):
        if state.is_terminal or state.is_chance:
            break
        move = state.random_move(rng)
        state = state.play(move)
        ringed = [shape for shape in state.scene(move).shapes if getattr(shape, "highlight", False)]
        assert bool(ringed) == is_drawn
        assert not any(getattr(shape, "highlight", False) for shape in state.scene().shapes)


def lightness(colour: str) -> float:
    """L* of CIELAB, 0 for black to 100 for white."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return float(116 * luminance ** (1 / 3) - 16)


def test_the_players_differ_in_lightness_for_people_who_see_no_hues(game: str) -> None:
    first, second = map(lightness, new(game).colours)
    assert abs(first - second) > 25
    assert abs(lightness(PLAYERS[0]) - lightness(PLAYERS[1])) > 25


@pytest.mark.parametrize("shown", ["connect4", "avalam", "divercite", "quoridor", "vampires"])
def test_a_picture_of_the_documentation_is_what_joute_draws(shown: str) -> None:
    kept = (ROOT / "docs" / f"{shown}.svg").read_text(encoding="utf-8")
    assert kept == pictures().picture(shown), f"run {Path(sys.executable).name} tools/board_pictures.py"


def test_edits_turn_any_list_of_shapes_into_any_other() -> None:
    rng = Random(1)
    for _ in range(500):
        before = [rng.below(9) for _ in range(rng.below(12))]
        after = [rng.below(9) for _ in range(rng.below(12))]
        made = list(before)
        for start, removed, *added in reversed(edits(before, after)):
            made[start : start + removed] = added
        assert made == after


def test_edits_are_short_where_shapes_come_and_go() -> None:
    before = list(range(100))
    assert edits(before, before) == []
    after = [*before[:20], 200, *before[20:50], *before[51:], 300]
    assert edits(before, after) == [[20, 0, 200], [50, 1], [100, 0, 300]]
