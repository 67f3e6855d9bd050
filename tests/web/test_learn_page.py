"""Learning in Chromium: rules, puzzles solved and missed, the searches; both languages, axe, phones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from page_server import PageServer
from page_visits import Visit, axe_problems, is_narrow

from joute.learn.lessons import lesson_of
from joute.learn.puzzles import puzzles_of
from joute.plugins import all_rooms

pytest_plugins = ["page_fixtures"]

Visits = Callable[..., Visit]
OURS = [name for name, room in all_rooms().items() if room.is_ours]


def click(root: Any, scene: dict[str, Any], move: str) -> None:
    """Play a move on a board that shows a scene, by the targets of the scene."""
    target = next(each for each in scene["targets"] if each[1] == move)
    for area in ([target[2]] if len(target) > 2 and target[2] is not None else []) + [target[0]]:
        root.locator(f'.pad[data-area="{area}"]').click()


def scene_of(server: PageServer, game: str, number: int, moves: list[str]) -> dict[str, Any]:
    """The scene of a puzzle after some answers."""
    client, address = server.client(), f"/api/puzzles/{game}/{number}"
    if not moves:
        scene: dict[str, Any] = client.get(address).json()["scene"]
    else:
        scene = client.post(address, json={"moves": moves}).json()["frames"][-1]["scene"]
    return scene


@pytest.mark.parametrize("name", OURS)
def test_the_rules_are_shown_and_an_example_is_played_through(visit: Visits, name: str) -> None:
    page = visit().open(f"#/rules/{name}")
    sections = lesson_of(name).sections
    assert page.locator(".section h2").all_inner_texts() == [section.title["en"] for section in sections]
    first = page.locator(".section").first
    for frame in sections[0].frames[1:]:
        first.locator(".next").click()
        assert first.locator(".caption").inner_text() == frame.text["en"]
    first.locator(".next").click()  # from the start
    assert first.get_by_role("button", name="Back").is_disabled()


def test_the_example_is_played_on_the_board_too(visit: Visits, server: PageServer) -> None:
    section = server.client().get("/api/learn/connect4").json()["sections"][0]
    page = visit().open("#/rules/connect4")
    first = page.locator(".section").first
    click(first, section["frames"][0]["scene"], "7")
    assert "goes on with 4" in first.locator(".caption").inner_text()
    click(first, section["frames"][0]["scene"], "4")
    assert first.locator(".caption").inner_text() == section["frames"][1]["text"]["en"]


def test_a_game_without_a_lesson_shows_its_guide_and_no_puzzles(visit: Visits) -> None:
    page = visit().open("#/rules/tictactoe")
    assert page.locator(".guide svg.scene").count() == 1
    assert page.get_by_role("link", name="Puzzles").count() == 0


def test_a_puzzle_is_solved_move_by_move_and_stays_solved(visit: Visits, server: PageServer) -> None:
    number, puzzle = next(
        (number, each) for number, each in enumerate(puzzles_of("connect4"), start=1) if each.asked > 1
    )
    page = visit().open(f"#/puzzles/connect4/{number}")
    answers = list(puzzle.line[: 2 * puzzle.asked : 2])
    for step, move in enumerate(answers):
        page.locator('.targets[aria-label*="choose"] .pad').first.wait_for()  # the reply was shown
        click(page, scene_of(server, "connect4", number, answers[:step]), move)
        words = f"Solved: {move}" if step == puzzle.asked - 1 else f"{move} is right"
        page.locator(".verdict.right", has_text=words).wait_for()
    assert page.locator(".numbers a.solved").count() == 1
    page.reload()
    page.locator(".numbers a.solved").wait_for()
    assert "1 of 10 solved" in page.locator(".meter").inner_text()


def test_a_wrong_answer_is_refuted_and_can_be_tried_again(visit: Visits, server: PageServer) -> None:
    puzzle = puzzles_of("avalam")[0]
    wrong = next(str(move) for move in puzzle.state.legal_moves if str(move) != puzzle.answer)
    page = visit().open("#/puzzles/avalam/1")
    click(page, scene_of(server, "avalam", 1, []), wrong)
    page.locator(".verdict.wrong", has_text=f"{wrong} is not the answer").wait_for()
    assert "The reply is" in page.locator(".verdict").inner_text()
    page.get_by_role("button", name="Try again").click()
    click(page, scene_of(server, "avalam", 1, []), puzzle.answer)
    page.locator(".verdict.right", has_text="Solved").wait_for()
    page.get_by_role("button", name="Forward").click()
    page.get_by_role("link", name="Next puzzle").click()
    page.locator(".numbers a[aria-current]", has_text="2").wait_for()


def test_the_answer_is_shown_on_request(visit: Visits) -> None:
    page = visit().open("#/puzzles/quoridor/1")
    page.get_by_role("button", name="Show the answer").click()
    page.locator(".verdict.shown", has_text=puzzles_of("quoridor")[0].answer).wait_for()
    assert page.locator(".numbers a.missed").count() == 1


def test_a_turn_of_several_orders_is_composed_and_judged(visit: Visits, server: PageServer) -> None:
    number, puzzle = next(
        (number, each) for number, each in enumerate(puzzles_of("vampires"), start=1) if each.kind == "orders"
    )
    page = visit().open(f"#/puzzles/vampires/{number}")
    parts: list[list[Any]] = []
    for at, order in enumerate(puzzle.answer.split("+")):
        text, _, units = order.partition("x")
        draft = server.client().post(f"/api/puzzles/vampires/{number}/build", json={"parts": parts}).json()
        target = next(each for each in draft["scene"]["targets"] if each[1] == text)
        for area in (target[2], target[0]):
            page.locator(f'.pad[data-area="{area}"]').click()
        page.locator(".parts li").nth(at).wait_for()
        box = page.locator(f'[data-name="number-{at}"]')
        if box.count():
            box.fill(units)
            box.dispatch_event("change")
        parts.append([text, int(units)])
    page.locator('[data-name="send"]:not([disabled])').click()
    page.locator(".verdict.right", has_text="Solved").wait_for()


def test_a_source_stays_selected_when_a_late_reply_draws_the_board_anew(visit: Visits, server: PageServer) -> None:
    number, puzzle = next(
        (number, each) for number, each in enumerate(puzzles_of("vampires"), start=1) if each.kind == "orders"
    )
    orders = [order.partition("x") for order in puzzle.answer.split("+")]
    page = visit().open(f"#/puzzles/vampires/{number}")
    texts = [text for text, _, _ in orders]
    scenes = [
        server.client().post(f"/api/puzzles/vampires/{number}/build", json={"parts": parts}).json()["scene"]
        for parts in ([], [[texts[0], int(orders[0][2])]])
    ]
    click(page, scenes[0], texts[0])
    page.locator(".parts li").wait_for()
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/build", hold)
    box = page.locator('[data-name="number-0"]')
    box.fill(orders[0][2])
    box.dispatch_event("change")
    target = next(each for each in scenes[1]["targets"] if each[1] == texts[1])
    page.locator(f'.pad[data-area="{target[2]}"]').click()
    while not held:
        page.wait_for_timeout(20)
    with page.expect_response("**/build"):
        held[0].continue_()
    page.unroute("**/build")
    page.locator(f'.pad.chosen[data-area="{target[0]}"]').click()
    page.locator(".parts li").nth(1).wait_for()


def test_the_keyboard_alone_solves_a_puzzle(visit: Visits, server: PageServer) -> None:
    number, puzzle = next(
        (number, each) for number, each in enumerate(puzzles_of("connect4"), start=1) if each.kind == "save"
    )
    page = visit().open(f"#/puzzles/connect4/{number}")
    target = next(each for each in scene_of(server, "connect4", number, [])["targets"] if each[1] == puzzle.answer)
    page.locator(f'.pad[data-area="{target[0]}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".verdict.right", has_text="Solved").wait_for()


def test_everything_is_in_french_too(visit: Visits) -> None:
    page = visit(locale="fr-FR").open("#/rules/quoridor")
    sections = lesson_of("quoridor").sections
    assert page.locator(".section h2").all_inner_texts() == [section.title["fr"] for section in sections]
    page.goto(page.url.replace("rules/quoridor", "puzzles/quoridor/1"))
    kind = lesson_of("quoridor").kinds[puzzles_of("quoridor")[0].kind]
    page.locator("h1", has_text=kind.title["fr"]).wait_for()
    page.get_by_role("button", name="Voir la réponse").click()
    page.locator(".verdict.shown", has_text="La réponse est").wait_for()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_no_text_of_the_catalogue_is_missing(visit: Visits, language: str) -> None:
    page = visit(locale=language).open("#/learn")
    for address in ("learn", "rules/avalam", "puzzles/divercite/1", "searches"):
        page.goto(f"{page.url.partition('#')[0]}#/{address}")
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert "learn." not in page.locator("main").inner_text()


def test_a_phone_needs_no_scrolling_sideways(visit: Visits) -> None:
    page = visit(viewport={"width": 320, "height": 640}).open("#/learn")
    assert is_narrow(page)
    for address in ("rules/vampires", "rules/divercite", "puzzles/vampires/1", "searches"):
        page.goto(f"{page.url.partition('#')[0]}#/{address}")
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert is_narrow(page), address


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_on_learning(visit: Visits, scheme: str) -> None:
    page = visit(color_scheme=scheme).open("#/learn")
    for address in ("learn", "rules/avalam", "rules/tictactoe", "puzzles/avalam/1", "searches"):
        page.goto(f"{page.url.partition('#')[0]}#/{address}")
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert axe_problems(page) == [], address
    page.goto(f"{page.url.partition('#')[0]}#/puzzles/avalam/1")
    page.get_by_role("button", name="Show the answer").click()
    page.locator(".verdict.shown").wait_for()
    assert axe_problems(page) == []


def test_damaged_progress_in_the_browser_does_no_harm(visit: Visits) -> None:
    page = visit().open("#/learn")
    for damaged in ("{", json.dumps([1, 2]), "null"):
        page.evaluate("text => localStorage.setItem('joute-puzzles', text)", damaged)
        page.reload()
        page.locator(".learn-game").first.wait_for()
