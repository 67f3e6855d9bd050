"""The report in a real browser: it opens from a file, asks nobody for anything, and replays games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report_samples import record, stored

from joute.agents import SearchInfo
from joute.agents.loading import find_source
from joute.arena.plan import Entrant, Plan, make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.games.scene import PLAYERS
from joute.match import GameRecord, MoveRecord, Reason, play_game
from joute.match.record import forfeit
from joute.report.data import make_report
from joute.report.html import html_report

HOSTILE = "</script><img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
NAMES = ("greedy", HOSTILE, "mcts:" + ",".join(f"parameter_{number}={number}" for number in range(20)))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 61 games, more than the list shows at once; the last one was forfeited."""
    folder = tmp_path_factory.mktemp("report")
    plan = Plan("connect4", tuple(Entrant(name, "greedy") for name in NAMES), schedule="imported")
    with Store.create(
        folder / "t.db", plan, tuple(find_source("greedy") for _ in NAMES), ("",), command="joute", note=""
    ) as store:
        store.begin_session(workers=1, note="")
        for number in range(60):
            _add(store, number, play_game("connect4", "random", "greedy", seed=number))
        lost = GameRecord(
            "connect4", "", ("a", "b"), 0, (), forfeit(0), Reason.CRASH, f"{HOSTILE}: {HOSTILE}", output=(HOSTILE, "")
        )
        _add(store, 60, lost)
    with Store.read(folder / "t.db") as store:
        (folder / "report.html").write_text(html_report(make_report(store), store), encoding="utf-8")
    return folder / "report.html"


def _add(store: Store, number: int, record: GameRecord) -> None:
    from datetime import UTC, datetime

    players = ((0, 1), (1, 2), (2, 0))[number % 3]
    store.add(Pairing(number, players, 0), record, started=datetime(2026, 1, 1, tzinfo=UTC))


class Opened:
    """A page, with what went wrong in it and what it asked for."""

    def __init__(self, browser: Any, address: str, *, stop_clock: bool = False, **settings: Any) -> None:
        self.page = browser.new_context(**settings).new_page()
        if stop_clock:
            self.page.clock.install()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)

    def ready(self) -> Any:
        self.page.wait_for_selector("html[data-ready]")
        return self.page


COLOURS_OF_SECOND = "all => [...all[1].querySelectorAll('circle')].map(circle => circle.getAttribute('fill'))"


def board(page: Any) -> str:
    return str(page.inner_html("#viewer-board"))


def test_it_opens_from_a_file_without_a_complaint_or_a_request(browser: Any, report: Path) -> None:
    opened = Opened(browser, report.as_uri())
    opened.ready()
    assert opened.complaints == []
    assert opened.requests == [report.as_uri()]


def test_stepping_through_a_game_changes_the_board(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri()).ready()
    start = board(page)
    page.click("#viewer-on")
    after_one = board(page)
    assert after_one != start
    assert page.inner_text("#viewer-ply").startswith("1 / ")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#viewer-ply").startswith("2 / ")
    page.keyboard.press("ArrowLeft")
    assert board(page) == after_one
    page.click("#viewer-end")
    assert "wins" in page.inner_text("#viewer-status") or "draw" in page.inner_text("#viewer-status")
    assert page.is_disabled("#viewer-on")
    page.click("#viewer-start-button")
    assert board(page) == start
    page.focus("#viewer-slider")
    page.keyboard.press("End")
    assert page.locator("#moves-body tr").last.get_attribute("aria-current") == "true"
    page.click("#moves-body tr:nth-child(1) button")
    assert board(page) == after_one


def test_sliders_of_two_games_in_one_notebook_move_their_own_boards(browser: Any) -> None:
    records = [play_game("connect4", "random", "greedy", seed=seed) for seed in (1, 2)]
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content("".join(record._repr_html_() for record in records))
    boards, sliders = page.query_selector_all("svg"), page.query_selector_all("input")
    ends = [board.inner_html() for board in boards]
    sliders[1].focus()
    page.keyboard.press("ArrowLeft")
    assert boards[0].inner_html() == ends[0]
    assert boards[1].inner_html() != ends[1]
    moves = records[1].moves
    assert page.query_selector_all("output")[1].inner_text().startswith(f"{len(moves) - 1} of {len(moves)} plies")
    page.keyboard.press("Home")
    assert not set(PLAYERS) & set(page.eval_on_selector_all("svg", COLOURS_OF_SECOND))
    page.keyboard.press("End")
    assert boards[1].inner_html() == ends[1]
    assert complaints == []
    page.close()


def test_a_game_plays_by_itself_until_it_is_stopped(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri()).ready()
    page.click("#viewer-play")
    page.wait_for_selector("#viewer-ply:has-text('2 / ')")
    page.click("#viewer-play")
    assert page.inner_text("#viewer-play") == "Play"


def test_filters_leave_the_games_that_are_asked_for(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri()).ready()
    assert page.inner_text("#games-count") == "1–50 of 61 games"
    page.click("#games-on")
    assert page.inner_text("#games-count") == "51–61 of 61 games"
    page.select_option("#filter-reason", label="crash")
    assert page.inner_text("#games-count") == "1–1 of 1 game"
    page.select_option("#filter-reason", label="any")
    page.select_option("#filter-agent", label="greedy")
    assert page.inner_text("#games-count") == "1–41 of 41 games"
    counts = []
    for result in ("won", "drawn", "lost"):
        page.select_option("#filter-result", label=result)
        counts.append(page.locator("#games-body tr").count())
    assert sum(counts) == 41
    page.select_option("#filter-result", label="any")
    page.select_option("#filter-opponent", label=NAMES[2])
    assert page.inner_text("#games-count") == "1–20 of 20 games"
    page.select_option("#filter-opponent", label="greedy")
    assert page.inner_text("#games-count") == "No game passes these filters."


def test_a_link_opens_its_game(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri() + "#game-42").ready()
    assert page.inner_text("#viewer-title") == "Game 42"
    page.evaluate("location.hash = '#game-7'")
    page.wait_for_selector("#viewer-title:text-is('Game 7')")


@pytest.mark.parametrize("shown", [1, 42])
def test_a_link_to_no_game_says_so_where_it_is_seen(shown: int, browser: Any, report: Path) -> None:
    if shown > 1:
        page = Opened(browser, report.as_uri() + f"#game-{shown}").ready()
        page.evaluate("scrollTo(0, 0)")
        page.evaluate("location.hash = '#game-999'")
    else:
        page = Opened(browser, report.as_uri() + "#game-999").ready()
    sentence = f"There is no game 999 in this report; below is game {shown}."
    message = page.wait_for_selector(f"#games-message:has-text('{sentence}')")
    assert 0 <= message.bounding_box()["y"] < page.viewport_size["height"]
    assert page.inner_text("#viewer-title") == f"Game {shown}"
    page.evaluate("location.hash = '#game-7'")
    page.wait_for_selector("#viewer-title:text-is('Game 7')")
    assert not page.is_visible("#games-message")


def test_the_viewer_says_who_plays_which_colour(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri() + "#game-2").ready()
    assert page.inner_text("#viewer-second").endswith("second (O)")
    assert page.inner_text("#viewer-first").split() == [*HOSTILE.split(), "first", "(X)"]
    fills = "discs => discs.map(disc => disc.getAttribute('fill'))"
    assert page.eval_on_selector_all(".versus circle", fills) == list(PLAYERS)
    played = play_game("connect4", "random", "greedy", seed=1).moves
    assert page.eval_on_selector_all("#moves-body circle", fills) == [PLAYERS[move.player] for move in played]


def test_names_and_output_of_agents_do_not_run_as_script(browser: Any, report: Path) -> None:
    opened = Opened(browser, report.as_uri() + "#game-61")
    page = opened.ready()
    assert page.title().startswith("Connect Four")
    assert page.locator("img").count() == 0
    assert HOSTILE in page.inner_text("#viewer-ending")
    assert HOSTILE in page.inner_text("#viewer-second")
    assert page.inner_text("#viewer-crash pre") == HOSTILE
    page.click("#viewer-output summary")
    assert page.inner_text("#viewer-output pre") == HOSTILE
    assert opened.complaints == []


def test_the_policy_stops_what_would_slip_through(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri()).ready()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title = 1\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 1'}))")
    page.wait_for_timeout(100)
    assert page.title().startswith("Connect Four")


def test_tables_and_charts_need_no_script(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri(), java_script_enabled=False).page
    assert page.locator("#standings tbody tr").count() == 3
    assert page.locator("#ratings .dot, #ratings .arrow").count() >= 3
    assert not page.is_visible("#course polyline >> nth=0")
    page.click("#course summary")
    assert page.is_visible("#course polyline >> nth=0")
    assert page.is_visible("noscript p")
    assert not page.is_visible("#viewer")


def test_a_link_to_a_folded_section_opens_it(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri() + "#ratings").ready()
    assert page.is_visible("#ratings .rows")
    assert not page.is_visible("#lengths figure >> nth=0")
    page.click("nav a[href='#lengths']")
    assert page.is_visible("#lengths figure >> nth=0")


def test_points_are_on_the_screen_of_a_phone(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri(), viewport={"width": 390, "height": 844}).ready()
    for places in (page.locator(".podium .points"), page.locator("#standings tbody td:nth-child(3)")):
        assert places.count() == 3
        boxes = [places.nth(number).bounding_box() for number in range(3)]
        assert all(box["x"] + box["width"] <= 390 for box in boxes)
    assert page.locator(".podium .points").last.bounding_box()["y"] < 844


def test_the_board_fits_the_window_and_is_no_light_card_in_the_dark(browser: Any, report: Path) -> None:
    window = {"width": 1600, "height": 1000}
    page = Opened(browser, report.as_uri() + "#game-2", viewport=window, color_scheme="dark").ready()
    box = page.locator("#viewer-board").bounding_box()
    assert 600 < box["height"] < 1000
    assert page.locator("#viewer-play").bounding_box()["y"] - box["y"] < 900
    colour = "element => getComputedStyle(element).backgroundColor"
    assert page.eval_on_selector("#viewer-board-box", colour) == page.eval_on_selector("body", colour)
    fill = "element => getComputedStyle(element).fill"
    assert page.eval_on_selector("#viewer-board text", fill) == page.eval_on_selector(
        "body", "e => getComputedStyle(e).color"
    )


def test_values_are_drawn_from_the_first_players_view(browser: Any, tmp_path: Path) -> None:
    values = (0.5, -2.0, 0.75, 1e15, 1.0, None)
    moves = tuple(
        MoveRecord(ply % 2, move, 0.1, (), None if value is None else SearchInfo(value))
        for ply, (move, value) in enumerate(zip("123456", values, strict=True))
    )
    with stored(tmp_path, ["a", "b"], [((0, 1), record(1, moves)), ((1, 0), record(1, "123"))]) as store:
        (tmp_path / "r.html").write_text(html_report(make_report(store), store), encoding="utf-8")
    page = Opened(browser, (tmp_path / "r.html").as_uri()).ready()
    lines = page.eval_on_selector_all("#values-chart polyline", "all => all.map(line => line.getAttribute('points'))")
    heights = [[(1 - float(point.split(",")[1]) / 100) / 0.94 for point in line.split()] for line in lines]
    # The first one reports shares of the points, which have a half in the middle; the second one a loss, then a win.
    assert heights == [pytest.approx([0, 0.5, 1], abs=0.01), pytest.approx([1, -1], abs=0.01)]
    chart = page.locator("#values-chart")
    chart.click(position={"x": chart.bounding_box()["width"] / 2, "y": 10})
    assert page.inner_text("#viewer-ply").startswith("3 / ")
    page.evaluate("location.hash = '#game-2'")
    page.wait_for_selector("#viewer-title:text-is('Game 2')")
    assert not page.is_visible("#viewer-values")


def test_a_live_page_loads_itself_again_and_keeps_the_readers_place(browser: Any, report: Path, tmp_path: Path) -> None:
    page = tmp_path / "live.html"
    text = report.read_text(encoding="utf-8")
    page.write_text(text.replace("<body>", '<body data-live-s="5">'), encoding="utf-8")
    opened = Opened(browser, page.as_uri(), stop_clock=True)
    shown = opened.ready()
    shown.evaluate("location.hash = '#game-7'")
    shown.wait_for_selector("#viewer-title:text-is('Game 7')")
    shown.click("#lengths summary")
    shown.click("#viewer-on")
    shown.select_option("#filter-agent", label="greedy")
    shown.evaluate("scrollTo(0, 300)")
    page.write_text(text.replace("Tournament report", "Written again"), encoding="utf-8")
    shown.clock.fast_forward(5000)
    shown.wait_for_selector("text=Written again")
    opened.ready()
    assert shown.inner_text("#viewer-title") == "Game 7"
    assert shown.inner_text("#viewer-ply").startswith("1 / ")
    assert shown.is_visible("#lengths figure >> nth=0")
    assert shown.inner_text("#games-count") == "1–41 of 41 games"
    assert shown.evaluate("scrollY") == 300
    assert opened.complaints == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_page_is_never_wider_than_the_screen(width: int, browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri(), viewport={"width": width, "height": 800}).ready()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_result_of_a_game_is_on_the_screen_of_a_phone(browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri(), viewport={"width": 390, "height": 844}).ready()
    box = page.locator("#games-body tr:nth-child(3) td:nth-child(4)").bounding_box()
    assert box["x"] + box["width"] <= 390


def test_a_ranking_keeps_its_columns_on_a_phone(browser: Any, tmp_path: Path) -> None:
    agents = ["greedy", "random", "alphabeta:depth=1,nodes=100000"]
    with Tournament.create(make_plan("connect4", agents, schedule="swiss"), tmp_path / "t.db") as made:
        made.play()
    with Store.read(tmp_path / "t.db") as store:
        (tmp_path / "swiss.html").write_text(html_report(make_report(store), store), encoding="utf-8")
    page = Opened(browser, (tmp_path / "swiss.html").as_uri(), viewport={"width": 390, "height": 844}).ready()
    lines = page.locator("#tournament .columns")
    assert lines.count() == 3
    assert max(lines.nth(number).bounding_box()["height"] for number in range(3)) < 25  # one line of text
    assert page.eval_on_selector("#tournament pre", "box => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_themes(scheme: str, browser: Any, report: Path) -> None:
    page = Opened(browser, report.as_uri(), color_scheme=scheme).ready()
    page.evaluate(CONTRAST)
    worst = page.evaluate("worstContrast()")
    assert worst["contrast"] >= 4.5, worst


# Every text against what lies behind it, as WCAG 2 measures it.
CONTRAST = """
window.worstContrast = () => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let worst = { contrast: 99 };
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length) continue;
    if (element.closest("script, style, #viewer-board, .stack, :disabled")) continue;
    const style = getComputedStyle(element);
    const colour = numbers(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(colour), light(behind(element))].sort((one, other) => other - one);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < worst.contrast) worst = { contrast, text: element.textContent.slice(0, 40), colour };
  }
  return worst;
};
"""
