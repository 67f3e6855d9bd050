"""scene.js draws the shapes that Python draws, and marks and moves pieces over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from importlib import resources
from typing import Any, get_args
from xml.etree import ElementTree

import pytest

from joute.games import new
from joute.games.scene import Disc, Label, Path, Pile, Rect, Scene, Shape
from joute.match import play_game
from joute.match.record_scenes import scenes_of
from joute.pages.boards import BoardTable

SAMPLES: tuple[Shape, ...] = (
    Rect(1, 2, 3, 0.5, "#123456"),
    Rect(0.1, 2, 3, 0.5, "none", 0.125, True, "#654321", 0.07, key="wall"),
    Disc(1, 2, 0.4, "#123456"),
    Disc(1, 2.5, 0.4, "none", True, "#654321", 0.02, key="disc"),
    Path("M0 0L1 1V2Z", "#123456"),
    Path("M0 0L1 1V2Z", "none", 1.25, 2, 0.5, "#654321", 0.06, 0.5, True, key="pawn"),
    Path("M0 0L1 1V2Z", "#123456", 0, 3),
    Pile(3, 3, 0.4, "#ff0000", 1),
    Pile(4, 3, 0.35, "#ff0000", 5, True, "#990000", "#ffffff", key="tower"),
    Label(1, 1, "a <b> & c"),
    Label(2, 1, "two  words", 0.3, "#123456", False, True, True, key="name"),
)


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """A page with scene.js and an empty drawing."""
    made = browser.new_page(viewport={"width": 500, "height": 500})
    made.set_content('<svg id="board" width="500" height="500"></svg>')
    made.add_script_tag(content=resources.files("joute.pages").joinpath("scene.js").read_text("utf-8"))
    yield made
    made.close()


def drawn(page: Any, scene: Scene, *, keys: bool = False) -> ElementTree.Element:
    """A scene as scene.js draws it."""
    table = BoardTable(keys=keys)
    positions = table.encode(iter([scene]))
    markup = page.evaluate(
        "([boards, positions]) => { const board = document.getElementById('board');"
        "JouteScene.draw(board, boards, JouteScene.decode(boards, positions)[0]);"
        "return new XMLSerializer().serializeToString(board); }",
        [table.as_data(), positions],
    )
    return ElementTree.fromstring(markup)


def flat(root: ElementTree.Element) -> list[tuple[str, str, str]]:
    """The elements of a drawing, each followed by its attributes, without what the script adds."""
    found = []
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag not in ("svg", "title"):
            found.append((tag, "text", element.text or ""))
            kept = sorted(element.attrib.items())
            found += [(tag, name, text) for name, text in kept if name not in ("class", "data-key")]
    return found


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, or numbers that differ by less than a hundredth of a pixel."""
    try:
        return abs(float(one) - float(other)) < 1e-3
    except ValueError:
        return one == other


def assert_alike(page: Any, scene: Scene) -> None:
    script, python = flat(drawn(page, scene)), flat(ElementTree.fromstring(scene.svg()))
    assert [entry[:2] for entry in script] == [entry[:2] for entry in python]
    assert [pair for pair in zip(script, python, strict=True) if not same(pair[0][2], pair[1][2])] == []


def test_blanks_of_a_label_take_room(page: Any) -> None:
    lengths = []
    for text in ("x", "  x", "x  x"):
        drawn(page, Scene(4, 2, (Label(0, 1, text, centred=False, monospace=True),)))
        lengths.append(page.evaluate("document.querySelector('#board text').getComputedTextLength()"))
    assert lengths == pytest.approx([lengths[0], 3 * lengths[0], 4 * lengths[0]], rel=0.01)


def test_the_samples_have_every_kind_of_shape_with_every_field_set() -> None:
    for kind in get_args(Shape):
        samples = [shape for shape in SAMPLES if type(shape) is kind]
        for field in dataclasses.fields(kind):
            assert len({getattr(shape, field.name) for shape in samples}) > 1 or not _has_default(field), field.name


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING


def test_every_kind_of_shape_is_drawn_as_python_draws_it(page: Any) -> None:
    for shape in SAMPLES:
        assert_alike(page, Scene(5, 5, (shape,), title="one shape"))


def test_positions_of_every_game_are_drawn_as_python_draws_them(page: Any, game: str) -> None:
    *_, last = scenes_of(play_game(game, "random", "random", seed=1))
    assert_alike(page, last)


def test_pieces_have_their_keys_where_the_data_has_them(page: Any) -> None:
    scene = Scene(5, 5, SAMPLES)
    keys = [element.get("data-key") for element in drawn(page, scene, keys=True)]
    assert keys == [shape.key or None for shape in SAMPLES]
    assert "keys" not in BoardTable().as_data()
    assert not any(element.get("data-key") for element in drawn(page, scene))


def test_a_label_on_the_page_takes_the_colour_of_the_page(page: Any) -> None:
    scene = Scene(5, 5, (Rect(0, 0, 2, 2, "#123456"), Label(1, 1, "on"), Rect(2, 2, 2, 2, "none"), Label(3, 3, "off")))
    assert [element.get("class") for element in drawn(page, scene)] == [None, None, None, "free"]


def test_a_mark_is_an_arrow_from_place_to_place_or_a_ring(page: Any) -> None:
    def marked(*arguments: Any) -> ElementTree.Element:
        script = "arguments => new XMLSerializer().serializeToString(JouteScene.mark(...arguments))"
        return ElementTree.fromstring(page.evaluate(script, arguments))

    arrow = marked([2, 0, 1, 1], [0, 0, 1, 1], "best")
    line, tip = arrow
    assert arrow.get("class") == "mark arrow best"
    assert (line.get("x1"), line.get("y1"), line.get("y2")) == ("0.5", "0.5", "0.5")
    assert (tip.get("points") or "").startswith("2.5,0.5 ")
    (round_ring,) = marked([2, 0, 1, 1])
    assert (round_ring.get("cx"), round_ring.get("cy")) == ("2.5", "0.5")
    (long_ring,) = marked([2, 0, 1.8, 0.2])
    assert (long_ring.get("x"), long_ring.get("width")) == ("2", "1.8")


def test_a_piece_slides_from_place_to_place_unless_motion_is_unwelcome(page: Any) -> None:
    script = """() => {
      JouteScene.slide(document.getElementById("board"), [0, 0, 1, 1], [3.5, 2.5, 1, 1], 1000);
      return document.getAnimations().map((one) => one.effect.target.firstChild.getAttribute("data-key"));
    }"""
    drawn(page, Scene(5, 5, SAMPLES), keys=True)
    assert page.evaluate(script) == ["tower"]
    page.emulate_media(reduced_motion="reduce")
    drawn(page, Scene(5, 5, SAMPLES), keys=True)
    assert page.evaluate(script) == []
    page.emulate_media(reduced_motion="no-preference")


def test_the_titles_of_positions_are_their_names(page: Any) -> None:
    assert drawn(page, new("connect4").scene()).get("aria-label") == "Connect Four, ply 0: first (X) to move"


def test_every_drawing_of_every_game_is_within_its_frame(page: Any, game: str) -> None:
    script = """() => {
      const board = document.getElementById("board");
      const [, , width, height] = board.getAttribute("viewBox").split(" ").map(Number);
      board.setAttribute("width", 20 * width);
      board.setAttribute("height", 20 * height);
      const frame = board.getBoundingClientRect();
      return [...board.children].filter((shape) => {
        const box = shape.getBoundingClientRect();
        return box.left < frame.left - 1 || box.top < frame.top - 1 || box.right > frame.right + 1 ||
          box.bottom > frame.bottom + 1;
      }).map((shape) => shape.outerHTML);
    }"""
    for scene in [*scenes_of(play_game(game, "random", "random", seed=1))][::10]:
        drawn(page, scene)
        assert page.evaluate(script) == []
