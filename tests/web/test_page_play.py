"""The play area in Chromium: whole games by clicking, by keyboard, by a link; on a phone, in French, read aloud."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from page_visits import Visit, axe_problems, is_narrow

from joute import Random, new

pytest_plugins = ["page_fixtures"]

Visits = Callable[..., Visit]

# Plies before the end of a random game, from which a quick test plays on.
_LAST_PLIES = 5


def start(page: Any, game: str, kind: str = "Computer", *, agent: str = "") -> None:
    """Fill in the form of the start page and begin."""
    page.click(f'[data-game="{game}"]')
    page.wait_for_function("name => document.querySelector('.wishes h2')?.textContent === name", arg=new(game).title)
    page.get_by_role("radio", name=kind, exact=True).click()
    if agent:
        if page.locator(".levels").count():
            page.locator(".levels > details > summary").click()
        page.locator(".agent select").first.select_option(agent)
    page.click(".wishes button.primary")
    page.wait_for_selector(".panel .moves")


def game_of(page: Any) -> Any:
    """The game that a page shows, as the server has it."""
    found = page.evaluate("fetch(`/api/games/${location.hash.split('/')[2]}`).then((reply) => reply.json())")
    return found["game"]


def wait_for_plies(page: Any, plies: int) -> None:
    page.wait_for_function("plies => document.querySelectorAll('.moves button').length >= plies", arg=plies)


def click_move(page: Any, game: dict[str, Any], move: str) -> None:
    """Play a move by its targets; one without targets by its button."""
    scene = (game["draft"] or game)["scene"]
    found = next((target for target in scene["targets"] if target[1] == move), None)
    if found is None:
        page.locator(".legal button", has_text=move).first.click()
        return
    if len(found) > 2 and found[2] is not None:
        page.locator(f'.pad[data-area="{found[2]}"]').click()
        page.locator(f'.pad.chosen[data-area="{found[0]}"]').click()
    else:
        page.locator(f'.pad[data-area="{found[0]}"]').click()


def play_out(page: Any, choose: Callable[[dict[str, Any]], str]) -> Any:
    """Play the visitor's moves until the game is over."""
    while not (game := game_of(page))["is_over"]:
        plies = len(game["moves"])
        if game["seats"][game["to_move"]]["kind"] == "agent":
            wait_for_plies(page, plies + 1)
            continue
        page.wait_for_function("() => document.querySelector('.pad, .legal button')")
        click_move(page, game, choose(game))
        if game["draft"]:
            page.locator('.builder [data-name="send"]').click()
        wait_for_plies(page, plies + 1)
    page.get_by_role("button", name="Play again").wait_for()
    return game


def at_random(seed: int) -> Callable[[dict[str, Any]], str]:
    """Chooses among the targets, with a generator of its own."""
    rng = Random(seed)

    def choose(game: dict[str, Any]) -> str:
        targets = (game["draft"] or game)["scene"]["targets"]
        moves = sorted({target[1] for target in targets}) or game["legal"]
        return str(rng.choice(moves))

    return choose


def towards_goal(game: dict[str, Any]) -> Any:
    """White walks to its goal, and black from side to side."""
    moves = {target[1] for target in game["scene"]["targets"] if len(target[1]) == 2}
    return max(moves, key=lambda move: int(move[1])) if game["to_move"] == 0 else min(m for m in moves if m[1] >= "8")


def late_position(game: str) -> str:
    """A position a few plies before the end of a random game."""
    state, rng, line = new(game), Random(5), []
    while not state.is_terminal:
        line.append(state)
        state = state.play(state.random_move(rng), rng)
    return str(line[-_LAST_PLIES].position)


@pytest.mark.parametrize(("name", "agent"), [("connect4", "greedy"), ("tictactoe", "random")])
def test_a_whole_game_against_an_agent_by_clicking(visit: Visits, name: str, agent: str) -> None:
    page = visit().open()
    start(page, name, agent=agent)
    game = play_out(page, at_random(3))
    assert game["result"]["reason"] == "normal"
    assert {move["player"] for move in game["moves"]} == {0, 1}


@pytest.mark.slow
def test_a_whole_race_of_pawns_by_clicking(visit: Visits) -> None:
    page = visit().open()
    start(page, "quoridor", "Same screen")
    game = play_out(page, towards_goal)
    assert (game["result"]["winner"], game["result"]["decided_by"]) == (0, "goal")


@pytest.mark.parametrize("name", ["avalam", "divercite"])
def test_the_end_of_a_game_by_clicking(visit: Visits, name: str) -> None:
    page = visit().open(f"#/play?game={name}&position={quote(late_position(name))}")
    start(page, name, "Same screen")
    assert play_out(page, at_random(1))["result"]["reason"] == "normal"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["avalam", "divercite"])
def test_a_whole_game_of_two_on_one_screen_by_clicking(visit: Visits, name: str) -> None:
    page = visit().open()
    start(page, name, "Same screen")
    assert play_out(page, at_random(1))["result"]["reason"] == "normal"


def test_turns_of_parts_are_split_and_sent_by_clicking(visit: Visits) -> None:
    page = visit().open("#/play?game=vampires:plies=4")
    start(page, "vampires", "Same screen")
    game = game_of(page)
    first, second = [target[1] for target in game["draft"]["scene"]["targets"]][:2]
    click_move(page, game, first)
    page.locator(".parts li").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.pad.source').length > 0")
    source = page.locator(".pad.source").first
    source.click()
    page.locator(".pad.chosen").last.click()
    page.wait_for_function("() => document.querySelectorAll('.parts li').length === 2")
    assert first != second
    page.locator('.builder [data-name="send"]').click()
    wait_for_plies(page, 1)
    assert game_of(page)["moves"][0]["move"].count("x") == 2
    assert play_out(page, at_random(2))["result"]


def test_a_move_by_dragging(visit: Visits) -> None:
    page = visit().open()
    start(page, "avalam", "Same screen")
    target = game_of(page)["scene"]["targets"][0]
    boxes = [page.locator(f'.pad[data-area="{area}"]').bounding_box() for area in (target[2], target[0])]
    (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
    page.mouse.move(to_x, to_y)
    page.mouse.up()
    wait_for_plies(page, 1)
    assert game_of(page)["moves"][0]["move"] == target[1]


def test_hovering_previews_a_wall(visit: Visits) -> None:
    page = visit().open()
    start(page, "quoridor", "Same screen")
    wall = next(target for target in game_of(page)["scene"]["targets"] if len(target[1]) == 3)
    page.locator(f'.pad[data-area="{wall[0]}"]').hover()
    page.wait_for_function("() => document.querySelector('.preview').childElementCount > 0")
    page.mouse.move(2, 2)
    page.wait_for_function("() => document.querySelector('.preview').childElementCount === 0")


def test_undo_hint_and_resignation_by_buttons(visit: Visits) -> None:
    page = visit().open("#/play?game=connect4&position=112233")
    start(page, "connect4", "Same screen")
    page.get_by_role("button", name="Hint").click()
    page.locator("div.hint li").first.wait_for()
    assert "Makes four in a row" in page.locator("div.hint").inner_text()
    assert page.locator(".marks .hint").count() == 1
    page.locator('.pad[data-area="0"]').click()
    wait_for_plies(page, 1)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => !document.querySelector('.moves button')")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Play again").wait_for()
    assert "by resignation" in page.locator(".status").inner_text().lower()


def test_a_reload_resumes_and_earlier_positions_are_shown(visit: Visits) -> None:
    page = visit().open()
    start(page, "connect4", "Same screen")
    for ply in range(3):
        page.locator('.pad[data-area="3"]').click()
        wait_for_plies(page, ply + 1)
    page.reload()
    wait_for_plies(page, 3)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.moves [aria-current]')?.dataset.number === '2'")
    assert page.locator(".pad").count() == 0
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelectorAll('.pad').length === 7")


def test_a_lost_connection_is_told_and_resumes(visit: Visits) -> None:
    visitor = visit()
    page = visitor.open()
    start(page, "connect4", "Same screen")
    page.evaluate("import('/static/lib/api.js').then(({ api }) => { window.api = api; })")
    visitor.context.set_offline(True)
    page.evaluate("window.api.socket.drop()")
    page.locator(".connection", has_text="Connection lost").wait_for()
    visitor.context.set_offline(False)
    page.locator(".connection").wait_for(state="hidden")
    page.locator('.pad[data-area="3"]').click()
    wait_for_plies(page, 1)


def test_two_browsers_play_by_a_link(visit: Visits) -> None:
    first, second = visit().open(), visit()
    start(first, "connect4", "Friend")
    link = first.locator(".offer input").input_value()
    other = second.open("#" + link.partition("#")[2])
    other.get_by_role("textbox", name="Your name").fill("<b>Bo</b>")
    other.get_by_role("button", name="Take the seat").click()
    first.locator(".strip", has_text="<b>Bo</b>").wait_for()
    for turn, page in zip(range(4), itertools.cycle((first, other)), strict=False):
        page.wait_for_function("() => document.querySelectorAll('.pad').length === 7")
        page.locator('.pad[data-area="6"]').click()
        wait_for_plies(page, turn + 1)
    wait_for_plies(other, 4)
    assert len(game_of(other)["moves"]) == 4
    assert not other.get_by_role("button", name="Hint").count()
    first.keyboard.press("h")
    first.keyboard.press("ArrowLeft")  # answered after the H
    first.locator('.moves [aria-current][data-number="3"]').wait_for()
    assert not first.locator(".toast").count()


def test_the_keyboard_alone_plays_a_game(visit: Visits) -> None:
    page = visit().open()
    page.locator('[data-game="connect4"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.wishes h2')?.textContent === 'Connect Four'")
    page.get_by_role("radio", name="Computer").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.textContent === 'Same screen'")
    page.locator(".wishes button.primary").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".pad")
    for _ in range(40):
        if page.evaluate("document.activeElement.classList.contains('pad')"):
            break
        page.keyboard.press("Tab")
    for ply, key in enumerate(["ArrowRight", "ArrowLeft"] * 3 + ["ArrowRight"]):  # both stack discs, four in column 2
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        wait_for_plies(page, ply + 1)
    page.get_by_role("button", name="Play again").wait_for()
    assert "four in a row" in page.locator(".status").inner_text().lower()
    page.get_by_role("link", name="Review the game").click()
    page.wait_for_function("() => location.hash.startsWith('#/review/')")


def test_the_keyboard_stays_on_the_board_after_the_answer_of_an_agent(visit: Visits) -> None:
    page = visit().open()
    start(page, "connect4", agent="random")
    page.locator(".pad").first.focus()
    for plies, key in ((2, "ArrowRight"), (4, "ArrowLeft")):
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        wait_for_plies(page, plies)
        page.wait_for_function("() => document.activeElement.classList.contains('pad')")


def test_a_typed_move_is_played_or_refused_with_the_reason(visit: Visits) -> None:
    page = visit().open()
    start(page, "connect4", "Same screen")
    page.fill("#typed-move", "9")
    page.keyboard.press("Enter")
    page.locator(".typed .error-text", has_text="Illegal move").wait_for()
    page.fill("#typed-move", "4")
    page.keyboard.press("Enter")
    wait_for_plies(page, 1)


def test_two_agents_pause_step_and_go_on(visit: Visits) -> None:
    page = visit().open()
    start(page, "connect4", "Watch")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    plies = page.locator(".moves button").count()
    page.get_by_role("button", name="One move").click()
    wait_for_plies(page, plies + 1)
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("slider", name="Speed").fill("7")
    wait_for_plies(page, plies + 3)


def test_the_page_speaks_the_language_of_the_browser_and_the_chosen_one(visit: Visits) -> None:
    page = visit(locale="fr-FR").open()
    assert page.locator("html").get_attribute("lang") == "fr"
    assert page.locator("h2").first.inner_text() == "Choisissez un jeu"
    assert page.locator('[data-game="connect4"]').inner_text() == "Puissance 4"
    page.get_by_label("Langue").select_option("en")
    page.locator("h2", has_text="Choose a game").wait_for()
    page.reload()
    page.locator("h2", has_text="Choose a game").wait_for()


def test_a_phone_shows_everything_without_scrolling_sideways(visit: Visits) -> None:
    page = visit(viewport={"width": 320, "height": 740}, has_touch=True).open()
    assert is_narrow(page)
    start(page, "vampires")
    page.locator(".pad").first.tap()
    page.locator(".pad.chosen").first.tap()
    page.locator(".parts li").wait_for()
    assert is_narrow(page)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(visit: Visits, scheme: str) -> None:
    page = visit(color_scheme=scheme).open()
    assert axe_problems(page) == []
    start(page, "connect4", "Same screen")
    page.locator('.pad[data-area="3"]').click()
    wait_for_plies(page, 1)
    assert axe_problems(page) == []
    page.get_by_role("button", name="Export").click()
    page.get_by_role("dialog").wait_for()
    assert axe_problems(page) == []


def test_the_theme_follows_the_system_until_it_is_chosen(visit: Visits) -> None:
    page = visit(color_scheme="dark").open()
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Theme").click()  # light
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert dark != light
    page.reload()
    page.wait_for_selector("header nav")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == light


def test_scripts_in_texts_are_shown_and_not_run(visit: Visits) -> None:
    evil = "<img src=x onerror=\"document.title='run'\">"
    page = visit().open(f"#/play?game=connect4&position={quote(evil)}")
    page.locator(".preview-box .error-text").wait_for()
    assert "onerror" in page.locator(".preview-box").inner_text()
    assert page.title() != "run"


def test_the_description_of_the_api_is_a_page(visit: Visits) -> None:
    visitor = visit()
    visitor.page.goto(f"{visitor.server.address}/api/docs")
    visitor.page.get_by_role("heading", name="POST /api/games", exact=True).wait_for()
    assert axe_problems(visitor.page) == []


@pytest.mark.parametrize("address", ["#/%", "#/nowhere"])
def test_a_wrong_address_says_so_and_leads_back(visit: Visits, address: str) -> None:
    page = visit().open(address)
    assert page.locator("main h1").inner_text()
    assert page.locator('main a[href="#/"]').count() >= 1
