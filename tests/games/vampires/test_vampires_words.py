"""Vampires vs Werewolves in words and pictures: whose battle is pending, what came of it, and names that are wrong."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from commands import ok

from joute import new
from joute.errors import SpecError
from joute.games.scene import COORDINATE, Label, Path, Rect, Scene
from joute.games.vampires.state import COLOURS, find_map

# Three vampires attack four werewolves, and two others two humans.
PENDING = "3x4/5v3.2+4w1.0+2h0.2+3v1.0!+1v0.2!/1"


def test_where_a_battle_is_pending_nobody_is_to_move() -> None:
    assert new("vampires", PENDING).status == "ply 1: a battle of the vampires on 1.0 is pending"
    assert "no player is to move here: a battle of the vampires on 1.0 is pending\n" in ok(
        "analyze", "vampires", PENDING
    )
    werewolves = new("vampires", "3x4/5w3.2+4v1.0+3w1.0!/2")
    assert werewolves.status == "ply 2: a battle of the werewolves on 1.0 is pending"


def test_species_win_and_are_to_move_as_many() -> None:
    won = new("vampires", "3x4/5v3.2/7")
    assert won.status == "ply 7: vampires win (extinction)"
    assert "werewolves have lost" in ok("analyze", "vampires", won.position)
    assert new("connect4", "1122334").status == "ply 7: first (X) wins (four in a row)"


@pytest.mark.parametrize("position", [PENDING, PENDING.replace("4w1.0+2h0.2+3v1.0!+", "4w1.0+2h0.2+")])
def test_every_outcome_of_a_battle_is_told_as_it_is(position: str) -> None:
    state: Any = new("vampires", position)
    x, y, _, defenders, species, _ = state.battle
    for outcome, chance in enumerate(state.outcomes):
        left = {(cell[0], cell[1]): cell[2:] for cell in state.resolve(outcome).cells}
        text = state.outcome_text(outcome)
        if (x, y) not in left:
            assert text == f"nobody is left on {x}.{y}"
            continue
        who, count = left[x, y]
        if who == "v":
            assert text == f"the vampires take {x}.{y} and are {count} there"
        else:
            name = {"w": "werewolves", "h": "humans"}[species]
            assert (who, text) == (species, f"the {name} hold {x}.{y}, {count} of {defenders} left")
        assert chance >= 0


def figures(scene: Scene) -> dict[str, list[tuple[str, str]]]:
    """The figures on the board: colour and number of each, by cell."""
    found: dict[str, list[tuple[str, str]]] = {}
    colours = {colour: letter for letter, colour in COLOURS.items()}
    pieces = {shape.key: shape.fill for shape in scene.shapes if shape.key and shape.fill in colours}
    for shape in scene.shapes:
        if isinstance(shape, Label) and shape.key:
            found.setdefault(shape.key[1:], []).append((colours[pieces[shape.key]], shape.text))
    return found


def test_a_picture_shows_every_group_with_its_number() -> None:
    state: Any = new("vampires", "3x4/5v3.2+4w1.0+120h0.2/1")
    assert figures(state.scene()) == {"1.0": [("w", "4")], "0.2": [("h", "120")], "3.2": [("v", "5")]}


def test_a_picture_shows_who_attacks_in_every_battle_that_is_pending() -> None:
    state: Any = new("vampires", PENDING)
    assert figures(state.scene()) == {
        "1.0": [("w", "4"), ("v", "3")],
        "0.2": [("h", "2"), ("v", "1")],
        "3.2": [("v", "5")],
    }
    assert state.scene().targets == ()


@pytest.mark.parametrize("board", ["3x3/2v0.0+3w2.2+4h1.1", "5x12/2v0.0+3w2.2+1h1.1", "1x1/1v0.0"])
def test_a_legend_names_the_species_with_their_numbers_and_marks_whose_turn_it_is(board: str) -> None:
    state: Any = new("vampires", board)
    scene = state.scene()
    legend = [label for label in scene.shapes if isinstance(label, Label) and label.text[-1].isalpha()]
    names = [label.text.split()[1] for label in legend]
    assert [name[:7] for name in names] == ["vampire", "werewol", "human" + "s" * (state.humans != 1)]
    assert [int(label.text.split()[0]) for label in legend] == [state.units(0), state.units(1), state.humans]
    marks = [path for path in scene.shapes if isinstance(path, Path) and path.fill == COORDINATE]
    if state.is_terminal:
        assert marks == []
    else:
        [mark] = marks
        assert (mark.y, mark.x < legend[0].x) == (legend[0].y, True)


@pytest.mark.parametrize("board", ["10x10/9v0.0+99w9.9+99h5.5", "3x3/9v0.0+99w2.2+99h1.1"])
def test_the_words_of_a_legend_fit_between_its_figures_in_english_and_french(board: str) -> None:
    scene = new("vampires", board).scene()
    legend = [label for label in scene.shapes if isinstance(label, Label) and label.text[-1].isalpha()]
    french = {"vampires": "vampires", "werewolves": "loups-garous", "humans": "humains"}
    for label, following in itertools.zip_longest(legend, legend[1:]):
        wide = max(len(label.text), len(f"99 {french[label.text.split()[1]]}"))
        end = label.x + 0.6 * label.size * wide  # the mean width of a letter of DejaVu Sans, a wide typeface
        is_below = following is not None and following.y > label.y
        # A figure and its gap take 0.75 before a label.
        assert end < (scene.width if following is None or is_below else following.x - 0.75)


def test_every_cell_of_the_last_turn_is_ringed() -> None:
    turn = "0.0-1.0x1+0.0-0.1x2"
    state: Any = new("vampires", "3x4/3v0.0+4w3.2+2h3.0").play(turn)
    plain = set(state.scene().shapes)
    rings = [shape for shape in state.scene(turn).shapes if shape not in plain]
    assert all(isinstance(ring, Rect) and ring.highlight for ring in rings)
    columns = {label.text: label.x for label in plain if isinstance(label, Label) and label.y < 0.5}
    rows = {label.text: label.y for label in plain if isinstance(label, Label) and label.x < 0.5}
    places = {(round(ring.x + ring.width / 2, 6), round(ring.y + ring.height / 2, 6)) for ring in rings}
    assert places == {(columns["0"], rows["0"]), (columns["1"], rows["0"]), (columns["0"], rows["1"])}


def test_play_tells_what_chance_did_and_that_any_turn_may_be_typed() -> None:
    words = ("play", "vampires", "--against", "vampires-greedy", "--position", "3x4/3v0.0+4w1.0+2h3.2")
    text = ok(*words, input="help\nmoves 0.2\nmoves 0.0-\n0.0-1.0\nquit\n")
    assert "list some legal moves, though any may be typed" in text
    assert "No listed move contains 0.2.\nThere are more legal moves; any of them may be typed." in text
    assert "0.0-1.0x3" in text
    assert "3 vampires attack 4 werewolves and win with chance 0.375" in text
    told = next(line for line in text.splitlines() if line.startswith("chance:"))
    assert told.startswith(("chance: nobody is", "chance: the werewolves hold 1.0", "chance: the vampires take"))


def test_names_that_are_wrong_are_answered_with_the_right_ones() -> None:
    state: Any = new("vampires")
    with pytest.raises(ValueError, match=f"^vampires has no generator 'foo'; it has {', '.join(state.generators)}$"):
        state.moves("foo")
    names = ", ".join(name for name, _ in state.evaluations)
    with pytest.raises(ValueError, match=f"^vampires has no evaluation 'foo'; it has {names}$"):
        state.evaluate(0, "foo")
    with pytest.raises(SpecError, match=r"^unknown start group 'x'; there are: v, w$"):
        find_map("village").convertible("x")
