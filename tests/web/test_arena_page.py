"""The arena in a real browser: from the form to the table and a replayed game, and every state on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any

import pytest
from arena_server import Arena, begun, state_of, until, wish
from page_server import PageServer
from page_visits import Visit, axe_problems, is_narrow

pytest_plugins = ["page_fixtures"]

PHONE = {"width": 390, "height": 844}
SLOW = "mcts:iterations=2000"

Visits = Callable[..., Visit]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    made = Arena(tmp_path_factory.mktemp("arena"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(arena: Arena) -> PageServer:
    return arena.server


@pytest.fixture(scope="module")
def finished(arena: Arena) -> str:
    """The number of a tournament with a game that was forfeited and a name that tries to be a script."""
    agents = [{"agent": "greedy", "name": "<img src=x onerror=alert(1)>"}, {"agent": "random"}, {"agent": SLOW}]
    address = begun(arena.visitor, **wish(agents=agents, title="<b>Bold</b>", games=4))
    until(lambda: state_of(arena.visitor, address) == "finished")
    return address[-16:]


def check_look(guest: Visit) -> None:
    """Nothing is wrong with accessibility, and nobody scrolls sideways."""
    known = len(guest.problems)
    found = axe_problems(guest.page)
    del guest.problems[known:]  # axe-core tries styles that the policy of the page forbids
    assert found == []
    assert is_narrow(guest.page)


def test_a_tournament_from_the_form_to_its_table_and_a_replayed_game(arena: Arena, visit: Visits) -> None:
    """Runs first: there is no tournament yet."""
    guest = visit(viewport=PHONE)
    page = guest.open("#/arena")
    page.get_by_text("No tournament yet").wait_for()
    check_look(guest)
    page.get_by_role("link", name="Begin the first tournament").click()

    page.get_by_label("Game", exact=True).select_option("connect4")
    while page.locator(".entrant").count() > 2:
        page.get_by_role("button", name="Remove agent").last.click()
    for row, agent in enumerate(("greedy", "random")):
        page.locator(".entrant").nth(row).get_by_role("combobox").first.select_option(agent)
    page.get_by_label("Games a pairing").fill("6")
    page.get_by_label("Clock", exact=True).fill("none")
    page.get_by_text("6 games in all").wait_for()
    page.locator("summary", has_text="More settings").click()
    check_look(guest)
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Begin").click()

    page.locator(".badge.state.finished").wait_for()
    page.get_by_text("6 of 6 games").first.wait_for()
    table = page.locator(".standings tbody tr")
    assert table.count() == 2
    assert "greedy" in table.nth(0).inner_text()
    assert page.locator(".ratings svg.row .interval").count() == 2
    page.locator(".games tbody tr").nth(5).wait_for()
    check_look(guest)

    page.locator(".games tbody a", has_text="6").click()
    page.get_by_role("heading", name="Game 6").wait_for()
    plies = page.locator(".move-list tbody tr").count()
    assert page.locator(".steps output").inner_text() == f"0 / {plies}"
    first = page.locator("svg.scene").inner_html()
    page.get_by_role("button", name="To the end").click()
    assert page.locator(".steps output").inner_text() == f"{plies} / {plies}"
    assert page.locator("svg.scene").inner_html() != first
    page.get_by_role("button", name="One move back").click()
    assert page.locator(".steps output").inner_text() == f"{plies - 1} / {plies}"
    check_look(guest)
    page.get_by_role("link", name="Previous game").click()
    page.get_by_role("heading", name="Game 5").wait_for()


def test_a_game_is_replayed_by_keyboard(finished: str, visit: Visits) -> None:
    guest = visit(color_scheme="dark")
    page = guest.open(f"#/arena/{finished}/1")
    place = page.locator(".steps output")
    plies = int(place.inner_text().split("/")[1])
    page.locator("h1").click()
    for key, shown in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", plies), ("Home", 0)):
        page.keyboard.press(key)
        assert place.inner_text() == f"{shown} / {plies}"
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert place.inner_text() == f"1 / {plies}"


def test_names_are_never_html_and_games_are_filtered(finished: str, visit: Visits) -> None:
    guest = visit(color_scheme="dark")
    page = guest.open(f"#/arena/{finished}")
    assert page.locator("h1").inner_text().startswith("<b>Bold</b>")
    assert page.locator(".standings").get_by_text("<img src=x onerror=alert(1)>").count() == 1
    assert page.locator("img[src=x]").count() == 0
    rows = page.locator(".games tbody tr")
    rows.nth(11).wait_for()
    page.get_by_label("Agent", exact=True).select_option("random")
    page.get_by_label("Opponent").select_option(SLOW)
    page.get_by_text("1–4 of 4").wait_for()
    assert rows.count() == 4
    page.get_by_role("link", name="Download the report").wait_for()


def test_a_running_tournament_is_watched_paused_and_continued(arena: Arena, visit: Visits) -> None:
    address = begun(arena.visitor, **wish(SLOW, SLOW, games=5000))  # more than any machine plays meanwhile
    guest = visit(viewport=PHONE)
    page = guest.open(f"#/arena/{address[-16:]}")
    page.locator(".badge.state.running").wait_for()
    page.locator(".live-game svg.scene > *").first.wait_for()
    board = page.locator(".live-game svg.scene").first.inner_html()
    page.wait_for_function("before => document.querySelector('.live-game svg.scene').innerHTML !== before", arg=board)
    page.locator(".standings tbody tr").first.wait_for()
    check_look(guest)

    page.get_by_role("button", name="Pause").click()
    page.locator(".badge.state.paused").wait_for()
    page.get_by_text("All finished games are kept.").wait_for()
    assert not page.locator(".live-part").is_visible()
    page.get_by_role("button", name="Continue").click()
    page.locator(".badge.state.running").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    page.locator(".badge.state.stopped").wait_for()


def test_what_failed_says_why(arena: Arena, visit: Visits) -> None:
    (arena.workspace / "damaged.db").write_bytes(
        next(path for path in arena.workspace.glob("connect4*.db")).read_bytes()[:3000]
    )
    guest = visit()
    page = guest.open("#/arena")
    card = page.locator(".tournament-card", has_text="damaged.db")
    card.wait_for()
    check_look(guest)
    card.click()
    page.get_by_role("alert").get_by_text("damaged.db").wait_for()
    check_look(guest)
    (arena.workspace / "damaged.db").unlink()


def test_the_form_says_what_it_cannot_play(arena: Arena, visit: Visits) -> None:
    guest = visit()
    page = guest.open("#/arena/new")
    page.get_by_label("Clock", exact=True).fill("yesterday")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("alert").get_by_text("'yesterday' is not a clock").wait_for()
    page.locator(".conditions").get_by_label("Schedule").select_option("swiss")
    page.get_by_label("Rounds").wait_for()
    page.locator(".conditions").get_by_label("Openings").select_option("random")
    page.get_by_label("Balance").wait_for()
    check_look(guest)


def test_the_arena_speaks_french(finished: str, visit: Visits) -> None:
    guest = visit(locale="fr-FR", viewport=PHONE)
    page = guest.open(f"#/arena/{finished}")
    page.get_by_role("heading", name="Classement Elo").wait_for()
    page.get_by_text("12 parties sur 12").first.wait_for()
    assert "gagnées" in page.locator(".standings thead").inner_text()
    shown = page.locator("main").inner_text()
    assert "arena." not in shown
    assert is_narrow(guest.page)
    guest = visit(locale="fr-FR")
    page = guest.open("#/arena/new")
    assert "arena." not in page.locator("main").inner_text()


def test_every_text_of_the_arena_is_translated() -> None:
    entries: dict[str, Any] = json.loads(
        resources.files("joute.web").joinpath("texts", "arena.json").read_text("utf-8")
    )
    for key, entry in entries.items():
        assert set(entry) == {"en", "fr"}, key
        assert all(entry.values()), key
        slots = [set(re.findall(r"\{(\w+)", entry[language])) for language in ("en", "fr")]
        assert slots[0] == slots[1], key
