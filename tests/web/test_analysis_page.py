"""The analysis of games in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from page_visits import axe_problems, is_narrow

from joute import review
from joute.games import new
from joute.match.record_reader import TextGame, read_text
from joute.reviews.data import review_data

pytest_plugins = ["page_fixtures"]

Visit = Callable[..., Any]

RECORD = """
[Game "connect4"]
[First "Anna"]
[Second "Ben"]
[Reason "resignation"]

1. 4 2. 4 3. 3 4. 5 5. 4 6. 2 7. 2 8. 2 1-0
"""


def address(game: str, line: str = "", position: str = "") -> str:
    return f"#/analyse?{urlencode({'game': game, 'line': line, 'position': position})}"


def moves(page: Any) -> list[str]:
    found: list[str] = page.locator(".study-moves .move").evaluate_all("all => all.map((each) => each.firstChild.data)")
    return found


def wait_for_line(page: Any, line: str) -> None:
    """Wait until the position after a line is shown."""
    page.locator(f'.workbench[data-line="{line}"]').wait_for()


def open_record(page: Any, text: str) -> None:
    page.get_by_role("button", name="Open a game").click()
    page.get_by_label("Game", exact=True).select_option("connect4")
    page.get_by_label("A game, a position or moves").fill(text)
    page.get_by_role("button", name="Open", exact=True).click()


def drop(page: Any, column: int) -> None:
    page.get_by_role("button", name=f"Column {column}", exact=True).click()


def test_a_search_without_values_yet_shows_no_lines(visit: Visit) -> None:
    page = visit().open(address("connect4"))
    page.locator(".lines li").first.wait_for()
    shown = page.evaluate(
        """async () => {
            const { Lines } = await import("/static/areas/analyse/evaluation.js");
            const lines = new Lines(() => {});
            lines.open({ players: ["first", "second"] });
            const unknown = { verdict: "", value: "", value_for_mover: null, outcome_for_mover: null };
            const move = { ...unknown, move: "d3d4", line: [] };
            const answer = { ...unknown, kind: "partial", agent: "avalam:nodes=9", to_move: 0, unit: "towers", pv: [],
                chance_for_first: null, exact: false, depth: 0, nodes: 650, seconds: 1.5, moves: [move] };
            lines.show(answer, { isRunning: true, onMore: () => {} });
            return lines.element.innerText || lines.element.textContent;
        }"""
    )
    assert shown == "Thinking…avalam · 650 positions · 1.5 s"


def test_lines_appear_while_the_engine_thinks_and_stop_with_it(visit: Visit) -> None:
    page = visit().open(address("quoridor", "e2_e8"))
    page.locator(".lines li").nth(2).wait_for()
    before = page.locator(".work span").inner_text()
    page.wait_for_function("(before) => document.querySelector('.work span').textContent !== before", arg=before)
    assert re.fullmatch(r"\d+(\.\d)?%", page.locator(".engine .told .share").inner_text())
    assert page.locator(".mark.line-1").count() == 1
    assert re.match(r"white wins with \d+%", page.locator(".evaluation").get_attribute("aria-label"))
    page.get_by_label("Number of lines").select_option("1")
    page.wait_for_function("() => document.querySelectorAll('.lines li').length === 1")
    page.get_by_role("button", name="Engine").click()
    assert page.locator(".lines li").count() == 0
    assert "The engine is off." in page.locator(".engine").inner_text()


def test_a_search_ends_when_the_position_changes_and_when_the_tab_is_hidden(visit: Visit) -> None:
    visitor = visit()
    sent: list[dict[str, Any]] = []
    visitor.page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(json.loads(text))))
    page = visitor.open(address("quoridor", "e2_e8"))
    page.locator(".lines li").first.wait_for()
    page.keyboard.press("ArrowLeft")
    wait_for_line(page, "e2")
    page.locator(".lines li").first.wait_for()
    searches = [message for message in sent if message["type"] in ("stop", "analyse")]
    assert [message["type"] for message in searches] == ["analyse", "stop", "analyse"]
    assert searches[0]["stream"] == searches[1]["stream"] != searches[2]["stream"]
    assert searches[2]["study"]["line"] == ["e2"]
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    page.wait_for_timeout(50)
    assert (sent[-1]["type"], sent[-1]["stream"]) == ("stop", searches[2]["stream"])


def test_a_search_begins_again_when_the_connection_is_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open(address("quoridor", "e2_e8"))
    page.locator(".lines li").first.wait_for()
    page.evaluate("import('/static/lib/api.js').then(({ api }) => { window.api = api; })")
    sent: list[dict[str, Any]] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(json.loads(text))))
    page.evaluate("""() => {
        api.socket.observe((state) => state === "open" && api.socket.on("analyse", () => { window.isBack = true; }));
        api.socket.drop();
    }""")
    page.wait_for_function("() => window.isBack")
    assert [message["type"] for message in sent] == ["analyse"]


def test_a_reply_to_a_move_that_comes_late_leaves_the_position_alone(visit: Visit) -> None:
    page = visit().open(address("connect4", "4_4"))
    page.locator(".lines li").first.wait_for()
    held: list[Any] = []
    page.route("**/api/analyse/position", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/api/analyse/position"):
        drop(page, 5)
    page.keyboard.press("Home")
    page.locator('[data-line=""]').wait_for()
    with page.expect_response("**/api/analyse/position"):
        held[0].continue_()
    page.wait_for_timeout(50)
    assert page.locator(".workbench").get_attribute("data-line") == ""


def test_connect_four_shows_the_exact_score_of_every_column(visit: Visit) -> None:
    line = "444354"
    page = visit().open(address("connect4", "_".join(line)))
    page.locator(".scores text").nth(6).wait_for()
    assert not any(dot.is_visible() for dot in page.locator(".marks .dot").all())
    from joute import agent

    analysis = agent("perfect", game="connect4").analyze(new("connect4", line))  # type: ignore[attr-defined]  # an analyst
    wanted = {int(str(judged.move)): judged.value for judged in analysis.moves}
    shown = [text.replace("−", "-").replace("+", "") for text in page.locator(".scores text").all_text_contents()]
    assert [int(text) for text in shown] == [wanted[column] for column in sorted(wanted)]
    assert page.locator(".badge.exact").inner_text() == "exact"


@pytest.mark.parametrize("solved", ["avalam", "divercite"])
def test_an_ending_that_is_solved_is_called_exact(visit: Visit, solved: str) -> None:
    from joute import Random

    state, rng = new(solved), Random(2)
    while state.ply < 32:
        state = state.play(state.random_move(rng))
    page = visit().open(address(solved, position=state.position))
    page.locator(".badge.exact").wait_for()


def test_a_game_is_stepped_through_with_keys_and_buttons(visit: Visit) -> None:
    page = visit().open("#/analyse")
    open_record(page, RECORD)
    page.get_by_role("heading", name=re.compile("Anna – Ben")).wait_for()
    wait_for_line(page, "")
    assert moves(page) == list("44354222")
    page.keyboard.press("ArrowRight")
    wait_for_line(page, "4")
    page.keyboard.press("End")
    wait_for_line(page, "4 4 3 5 4 2 2 2")
    assert "Ply 8" in page.locator(".status").inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    wait_for_line(page, "4 4 3 5 4 2")
    page.get_by_role("button", name="One move back").click()
    wait_for_line(page, "4 4 3 5 4")
    page.locator(".study-moves .move").nth(1).click()
    wait_for_line(page, "4 4")
    page.get_by_role("button", name="To the start").click()
    wait_for_line(page, "")
    assert page.get_by_role("button", name="One move back").is_disabled()


def test_another_move_makes_a_variation_that_can_be_promoted(visit: Visit) -> None:
    page = visit().open(address("connect4", "4_4_3"))
    wait_for_line(page, "4 4 3")
    page.keyboard.press("ArrowLeft")
    wait_for_line(page, "4 4")
    drop(page, 7)
    wait_for_line(page, "4 4 7")
    assert moves(page) == ["4", "4", "3", "7"]
    assert re.sub(r"\s", "", page.locator(".study-moves .variation").inner_text()) == "3.7"
    page.keyboard.press("ArrowUp")
    wait_for_line(page, "4 4 3")
    page.keyboard.press("ArrowDown")
    wait_for_line(page, "4 4 7")
    page.get_by_role("button", name="Make main line").click()
    assert moves(page) == ["4", "4", "7", "3"]


def test_a_reload_keeps_variations_and_the_place_until_they_are_deleted(visit: Visit) -> None:
    page = visit().open("#/analyse")
    open_record(page, RECORD)
    page.get_by_role("heading", name=re.compile("Anna – Ben")).wait_for()
    wait_for_line(page, "")
    page.keyboard.press("ArrowRight")
    wait_for_line(page, "4")
    drop(page, 1)
    wait_for_line(page, "4 1")
    page.reload()
    wait_for_line(page, "4 1")
    assert moves(page) == ["4", "4", "1", "3", "5", "4", "2", "2", "2"]
    page.get_by_role("button", name="Delete from here").click()
    wait_for_line(page, "4")
    assert moves(page) == list("44354222")


def test_the_review_on_the_page_is_that_of_the_command(visit: Visit) -> None:
    page = visit().open("#/analyse")
    open_record(page, RECORD)
    page.get_by_role("heading", name=re.compile("Anna – Ben")).wait_for()
    wait_for_line(page, "")
    page.get_by_role("button", name="Review the game").click()
    page.locator(".accuracy").wait_for()
    (game,) = read_text(RECORD)
    assert isinstance(game, TextGame)
    told = review_data(review(game.record, jobs=1))
    assert page.locator(".moments li").all_inner_texts() == told["moments"]
    cells = page.locator(".accuracy tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert cells[0] == ["Accuracy", *(f"{both['game']:.1f}%".replace(".0%", "%") for both in told["accuracy"])]
    counts = {name: [int(first), int(second)] for name, first, second in cells[4:]}
    assert counts == {kind: [side[kind] for side in told["counts"]] for kind in told["counts"][0]}
    bad = [judged for judged in told["moves"] if judged["class"] not in ("best", "good")]
    assert page.locator(".win-graph .dot").count() == len(bad) > 0
    points = page.locator(".win-graph .line").get_attribute("points").split()
    heights = [(200 - 3 - float(point.split(",")[1])) / 194 for point in points]
    assert heights == pytest.approx(told["chances"], abs=0.01)
    page.get_by_role("button", name="Next mistake").click()
    wait_for_line(page, " ".join("44354222"[: bad[0]["ply"] + 1]))
    assert bad[0]["class"] in page.locator(".judgement").inner_text()
    page.locator(".moments button").last.click()
    wait_for_line(page, " ".join("44354222"[: int(told["moments"][-1].split(":")[0].split()[1]) + 1]))
    box = page.locator(".win-graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + 20)
    wait_for_line(page, " ".join("44354222"))
    assert page.get_by_role("button", name="One move on").is_disabled()


def test_a_text_that_is_no_game_is_explained(visit: Visit) -> None:
    page = visit().open("#/analyse")
    open_record(page, "4 4 9")
    told = page.locator("dialog .error-text")
    told.get_by_text("illegal move 9 at ply 2").wait_for()
    page.get_by_label("A game, a position or moves").fill('[Game "connect4"] 1. 4 1-0')
    page.get_by_role("button", name="Open", exact=True).click()
    told.get_by_text("this game has no tag").wait_for()
    page.get_by_label("A game, a position or moves").fill('[Game "connect4"]<script>alert(1)</script>')
    page.get_by_role("button", name="Open", exact=True).click()
    told.get_by_text("line 1").wait_for()


def test_the_outcome_of_a_battle_is_chosen(visit: Visit) -> None:
    page = visit().open(address("vampires", position="1x3/5v0.0+4w1.0+3h2.0/2", line="0.0-1.0x5"))
    outcome = page.locator(".outcomes button")
    outcome.first.wait_for()
    assert re.match(r"\d+(\.\d)?%\s", outcome.first.inner_text())
    outcome.first.click()
    page.locator(".study-moves .outcome").wait_for()
    assert page.locator(".outcomes button").count() == 0


def test_a_line_is_exported_as_text_and_picture(visit: Visit) -> None:
    page = visit().open(address("connect4", "4_4_3"))
    wait_for_line(page, "4 4 3")
    page.get_by_role("button", name="Export").click()
    assert page.get_by_label("Position", exact=True).input_value() == "443"
    with page.expect_download() as record:
        page.get_by_role("button", name="Save the record").click()
    (game,) = read_text(Path(record.value.path()).read_text())
    assert isinstance(game, TextGame)
    assert [played.move for played in game.record.moves] == ["4", "4", "3"]
    with page.expect_download() as picture:
        page.get_by_role("button", name="Save the picture").click()
    assert Path(picture.value.path()).read_text() == new("connect4", "44").play("3").svg("3")


def test_a_game_of_the_page_opens_in_the_analysis(visit: Visit) -> None:
    page = visit().open()
    game = page.evaluate("""async () => {
        const headers = { "content-type": "application/json" };
        const post = async (path, body) => {
            const reply = await fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
            return reply.json();
        };
        const { id } = await post("games", { game: "connect4", seats: [{ kind: "me" }, { kind: "me" }] });
        for (const [index, move] of ["4", "4", "5"].entries()) {
            await post(`games/${id}/commands`, { type: "play", game: id, move, index });
        }
        return id;
    }""")
    page.goto(page.url.split("#")[0] + f"#/analyse/{game}")
    wait_for_line(page, "4 4 5")
    assert moves(page) == ["4", "4", "5"]
    page.goto(page.url.split("#")[0] + f"#/review/{game}")
    page.locator(".accuracy").wait_for()


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_analysis_is_accessible_and_fits_every_screen(visit: Visit, dark: bool) -> None:
    page = visit(color_scheme="dark" if dark else "light").open(address("connect4", "4_4_3_5_4_2_2_2"))
    page.locator(".scores text").first.wait_for()
    page.get_by_role("button", name="Review the game").click()
    page.locator(".accuracy").wait_for()
    for width in (390, 900, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert is_narrow(page)
    assert axe_problems(page) == []


def test_the_analysis_speaks_french(visit: Visit) -> None:
    page = visit(locale="fr-FR").open(address("connect4", "4_4"))
    page.locator(".lines li").first.wait_for()
    text = page.locator("main").inner_text()
    assert "Passer la partie en revue" in text
    assert "Moteur" in text
    assert not re.search(r"(analyse|edit)\.[a-z_]+", text)
    assert page.locator("svg.scene").first.get_attribute("aria-label") == "Puissance 4, coup 2 : trait, premier (X)"
    page.goto(f"{page.url.partition('#')[0]}{address('connect4', '1_2_1_2_1_2_1')}")
    page.get_by_text("Coup 7 : victoire, premier (X) (quatre alignés)").first.wait_for()
    page.get_by_role("button", name="Passer la partie en revue").click()
    page.locator(".moments li").first.wait_for()
    moments = " ".join(page.locator(".moments li").all_inner_texts())
    assert re.search(r"Coup \d : \d \(\w+ \([XO]\)\) est une gaffe : de 100,0\s% à 0,0\s% ; le meilleur était", moments)
