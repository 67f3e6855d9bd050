"""The page of a review: well-formed, self-contained, with marks where the moves are, and hostile text as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

from joute import play_game
from joute.agents import exact_agent
from joute.reviews.page import review_page
from joute.reviews.review import Review, review

HOSTILE = '</script><img src=x onerror="document.title=1"><!--\u202e'
VOID = {"meta", "input", "br", "hr", "img", "link"}


class WellFormed(HTMLParser):
    """Fails if elements are not nested; collects them and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def reviewed(game: str, seed: int = 2) -> Review:
    record = play_game(game, "greedy", "random", seed=seed, max_plies=30)
    return review(record, nodes=None if exact_agent(game) else 200)


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="review-data">(.*?)</script>', text, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_of_every_game_is_well_formed_and_complete(game: str) -> None:
    found = reviewed(game)
    text = review_page(found)
    page = WellFormed(text)
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert sum("data-move" in each for _, each in page.elements) == len(found.moves)
    assert not any(name.startswith("on") or name in ("src", "style") for _, each in page.elements for name in each)
    data = data_of(text)
    assert len(data["positions"]) == len(found.record.moves) + 1
    assert len(data["marks"]) == len(data["words"]) == len(data["kinds"]) == len(found.moves)


def test_every_id_that_the_script_uses_is_on_the_page() -> None:
    script = resources.files("joute.pages").joinpath("review.js").read_text("utf-8")
    text = review_page(reviewed("connect4"))
    wanted = set(re.findall(r'\$\("([\w-]+)"\)', script)) | set(re.findall(r'"(viewer-[\w-]+)"', script))
    assert len(wanted) > 10
    assert all(f'id="{name}"' in text for name in wanted)


def test_marks_are_on_the_board() -> None:
    found = reviewed("avalam")
    data = data_of(review_page(found))
    width, height, _ = data["boards"]["frames"][0]
    assert any(played for _, played in data["marks"])
    for best, _ in data["marks"]:
        x, y, from_x, from_y = best
        assert 0 <= x <= width
        assert 0 <= y <= height
        assert (x, y) != (from_x, from_y)


def test_the_graph_has_a_point_for_every_position_and_a_dot_for_every_bad_move() -> None:
    found = reviewed("divercite")
    text = review_page(found)
    (line,) = re.findall(r'<polyline class="line s0" points="([^"]*)"', text)
    assert len(line.split()) == len(found.chances)
    assert text.count("dot-line k-") == len(data_of(text)["bad"])


def test_hostile_names_and_an_interrupted_review_stay_text() -> None:
    found = reviewed("connect4")
    record = replace(found.record, players=(HOSTILE, "b"))
    text = review_page(replace(found, record=record, moves=found.moves[:3], chances=found.chances[:4]))
    WellFormed(text)
    assert "<img" not in text
    assert "\u202e" not in text
    assert "the first 3 of" in text


def test_a_browser_shows_the_page_and_steps_through_the_game(browser: Any, tmp_path: Path) -> None:
    found = reviewed("avalam")
    text = review_page(found)
    file = tmp_path / "review.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    assert page.inner_text("#viewer-status").endswith(data_of(text)["words"][0])
    assert page.locator("#viewer-board [class^=mark]").count() >= 1
    page.click("#viewer-next")
    assert page.input_value("#viewer-slider") == str(data_of(text)["bad"][0])
    page.click("#viewer-end")
    plies = len(found.record.moves)
    assert page.inner_text("#viewer-ply") == f"{plies} / {plies}"
    assert complaints == []
