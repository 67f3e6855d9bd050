"""The editor of positions in Chromium, for every game."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from page_visits import axe_problems, is_narrow

from joute.games import new

pytest_plugins = ["page_fixtures"]

Visit = Callable[..., Any]


def text(page: Any) -> str:
    found: str = page.get_by_label("Position as text").input_value()
    return found


def paint(page: Any, brush: str, spot: str, verdict: str) -> None:
    """Choose a brush, click on a place, and wait for what is said."""
    page.locator(f'.brush[data-brush="{brush}"]').click()
    page.locator(".board .pad").first.wait_for()
    page.get_by_role("button", name=re.compile(rf"^{re.escape(spot.capitalize())}:")).click()
    page.locator(".verdict").get_by_text(verdict).wait_for()


#: For each game: brushes and places, and what is said after each.
STROKES = {
    "avalam": [("a", "c1", "more than 24 towers of one colour"), ("E", "c1", "Not legal yet: its towers contain 52")],
    "connect4": [("first", "4", "Legal position · Ply 1"), ("first", "4", "they take turns"), ("second", "3", "Ply 3")],
    "divercite": [
        ("R0", "e4", "Legal position"),
        ("G0", "e5", "but the players take turns"),
        ("B1", "d4", "Legal position"),
    ],
    "quoridor": [
        ("first", "e5", "Legal position"),
        ("h", "e5", "Legal position"),
        ("h", "f5", "Not possible: the wall f5h"),
    ],
    "vampires": [("v", "0.0", "Legal position"), ("w", "3.3", "Legal position"), ("remove", "0.0", "Legal position")],
}


def test_the_five_games_are_tried() -> None:
    from joute.games import game_names
    from joute.games.editor import find_editor

    assert sorted(STROKES) == [name for name in game_names() if find_editor(new(name)) is not None]


@pytest.mark.parametrize("edited", STROKES)
def test_a_position_is_made_by_clicking_and_a_wrong_one_is_explained(visit: Visit, edited: str) -> None:
    page = visit().open(f"#/edit?game={edited}")
    page.locator(".verdict.good").wait_for()
    assert text(page) == new(edited).position
    for brush, spot, verdict in STROKES[edited]:
        paint(page, brush, spot, verdict)
    is_legal = "Not legal" not in page.locator(".verdict").inner_text()
    assert page.get_by_role("button", name="Analyse").is_enabled() == is_legal
    undo = page.get_by_role("button", name="Undo")
    while undo.is_enabled():
        # A click that comes before the answer to the last one finds the button disabled.
        undo.evaluate("button => button.click()")
        page.wait_for_timeout(30)
    page.locator(".verdict.good").wait_for()
    assert text(page) == new(edited).position


def test_a_typed_position_is_shown_or_explained(visit: Visit) -> None:
    page = visit().open("#/edit?game=quoridor")
    page.locator(".verdict.good").wait_for()
    field = page.get_by_label("Position as text")
    field.fill("//e1e9/10-9/0")
    field.press("Enter")
    page.locator(".verdict.bad").get_by_text("the walls on the board and in hand number 19, not 20").wait_for()
    field.fill("d4/c3/e5e6/9-9/20")
    field.press("Enter")
    page.locator(".verdict.good").get_by_text("Ply 20: white to move").wait_for()
    page.get_by_label("To move", exact=True).select_option(label="black")
    page.locator(".verdict.good").get_by_text("Ply 21: black to move").wait_for()
    assert text(page) == "d4/c3/e5e6/9-9/21"
    field.fill("<script>alert(1)</script>")
    field.press("Enter")
    page.locator(".verdict.bad").wait_for()


def test_an_edited_position_is_analysed_and_played(visit: Visit) -> None:
    page = visit().open("#/edit?game=connect4&position=4435")
    page.locator(".verdict.good").wait_for()
    paint(page, "first", "4", "Legal position · Ply 5")
    page.get_by_role("button", name="Analyse").click()
    page.locator(".scores text").first.wait_for()
    assert "Ply 5" in page.locator(".status").inner_text()
    page.get_by_role("button", name="Edit").click()
    page.locator(".verdict.good").get_by_text("Ply 5").wait_for()
    page.get_by_role("button", name="Play from here").click()
    page.wait_for_url(re.compile(r"#/play\?game=connect4&position=\d{5}$"))


def test_a_game_without_an_editor_is_edited_as_text(visit: Visit) -> None:
    page = visit().open("#/edit?game=tictactoe")
    page.locator(".verdict.good").wait_for()
    assert not page.get_by_text("Put on the board").is_visible()
    field = page.get_by_label("Position as text")
    field.fill("XXX......")
    field.press("Enter")
    page.locator(".verdict.bad").get_by_text("is not a tictactoe position such as").wait_for()
    field.fill("X...O....")
    field.press("Enter")
    page.locator(".verdict.good").get_by_text("Ply 2").wait_for()


def test_the_board_is_edited_with_the_keyboard_alone(visit: Visit) -> None:
    page = visit().open("#/edit?game=connect4")
    page.locator(".verdict.good").wait_for()
    page.locator('.brush[aria-checked="true"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.locator('.board .pad[tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".verdict").get_by_text("Ply 1").wait_for()
    assert text(page) == "2"


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_editor_is_accessible_and_fits_every_screen(visit: Visit, dark: bool) -> None:
    page = visit(color_scheme="dark" if dark else "light").open("#/edit?game=vampires")
    page.locator(".brush svg.scene").first.wait_for()
    for width in (390, 900, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert is_narrow(page)
    assert axe_problems(page) == []


def test_the_editor_speaks_french(visit: Visit) -> None:
    page = visit(locale="fr-FR").open("#/edit?game=quoridor")
    page.locator(".verdict.good").wait_for()
    shown = page.locator("main").inner_text()
    assert "Position légale" in shown
    assert not re.search(r"(analyse|edit)\.[a-z_]+", shown)
