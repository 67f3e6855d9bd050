"""The page of a report: its boards are those of the games, and what strangers write stays text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
from report_samples import Page, record, stored, tournament, unpacked

from joute.arena.store.store import Store
from joute.games import new
from joute.games.scene import PLAYERS, RED, YELLOW, Label, Scene, Shape, Target
from joute.match import MoveRecord, Reason, play_game
from joute.match.record import forfeit
from joute.match.record_scenes import scenes_of
from joute.pages.boards import BoardTable
from joute.pages.charts import Line, apart, bar_chart, legend, linear_axis, log_axis
from joute.report.data import Report, make_report
from joute.report.games import GAMES_A_PACK, chosen_games, page_games
from joute.report.html import html_report
from joute.report.markdown import markdown_report

HOSTILE = '</script><img src=x onerror="document.title=1"><!--'
LONG = "mcts:" + ",".join(f"parameter_{number}={number}" for number in range(30))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return tournament(tmp_path_factory.mktemp("three"), "connect4", "greedy", "random", "alphabeta:depth=2", games=20)


def decoded(table: dict[str, Any], positions: list[list[Any]]) -> list[Scene]:
    """The scenes of a game, from the data alone: a reader beside scene.js, written from the description."""
    classes: dict[str, Callable[..., Shape]] = {kind.__name__: kind for kind in get_args(Shape)}
    shapes = list(table["base"])
    scenes = []
    for frame, *edits in positions:
        for start, removed, *added in sorted(edits, reverse=True):
            shapes[start : start + removed] = added
        width, height, title = table["frames"][frame]
        drawn = tuple(classes[kind](*fields) for kind, *fields in (table["shapes"][number] for number in shapes))
        scenes.append(Scene(width, height, drawn, title=title))
    return scenes


def without_targets(scene: Scene) -> Scene:
    return Scene(scene.width, scene.height, scene.shapes, title=scene.title)


# --- Boards ---


def test_boards_decode_to_the_scenes_of_every_game(game: str, tmp_path: Path) -> None:
    records = [((0, 1), play_game(game, "random", "greedy", seed=seed)) for seed in range(2)]
    with stored(tmp_path, ["random", "greedy"], records, game=game) as store:
        data = page_games(store, make_report(store), 100)
        boards = unpacked(data["boards"])
        kept = [one for pack in data["packs"] for one in unpacked(pack)]
        for held, original in zip(kept, store.records(), strict=True):
            states = list(original.states())
            moves = [
                None,
                *(state.parse_move(played.move) for state, played in zip(states, original.moves, strict=False)),
            ]
            expected = [without_targets(state.scene(move)) for state, move in zip(states, moves, strict=True)]
            assert _rounded(decoded(boards, held["positions"])) == _rounded(expected)
            assert held["moves"] == [played.move for played in original.moves]


def _rounded(scenes: list[Scene]) -> list[str]:
    return [re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.3f}", scene.svg()) for scene in scenes]


def test_boards_decode_where_shapes_come_and_go() -> None:
    def scene(*texts: str) -> Scene:
        return Scene(
            1, 1, tuple(Label(0, 0, text) for text in texts), (Target(0, 0, 1, 1, "a"),), title=" ".join(texts)
        )

    games = [
        [scene("a", "b", "c"), scene("a", "c"), scene("a", "x", "y", "c"), scene(), scene("z")],
        [scene("b"), scene("b", "b"), scene("b"), scene("q", "b", "r")],
        [scene(), scene("a", "b", "c", "d"), scene("x", "b", "y", "d")],
    ]
    boards = BoardTable()
    kept = [boards.encode(iter(one)) for one in games]
    table = json.loads(json.dumps(boards.as_data()))
    assert [decoded(table, one) for one in kept] == [[without_targets(each) for each in one] for one in games]


def test_a_position_takes_a_few_numbers() -> None:
    state = new("connect4")
    scenes = [state.scene()]
    for move in "4433521":
        state = state.play(move)
        scenes.append(state.scene(move))
    positions = BoardTable().encode(iter(scenes))
    assert max(len(json.dumps(position)) for position in positions) < 40


def test_a_game_that_cannot_be_replayed_is_drawn_as_far_as_it_goes() -> None:
    moves = tuple(MoveRecord(ply % 2, move, 0.0) for ply, move in enumerate(("1", "2", "nonsense", "3")))
    assert len(list(scenes_of(record(moves=moves)))) == 3


def test_the_page_can_draw_every_kind_of_shape() -> None:
    script = resources.files("joute.pages").joinpath("scene.js").read_text("utf-8")
    for kind in get_args(Shape):
        assert f"{kind.__name__}:" in script


# --- Players ---


def test_players_have_the_colours_that_the_drawing_gives_them(three: Store, tmp_path: Path) -> None:
    data = page_games(three, make_report(three), 1000)
    assert (data["players"], data["colours"]) == (["first (X)", "second (O)"], list(PLAYERS))
    games = [((0, 1), play_game("noughts", "random", "greedy"))]
    with stored(tmp_path, ["random", "greedy"], games, game="noughts") as store:
        drawn_as_text = page_games(store, make_report(store), 1000)
    assert (drawn_as_text["players"], drawn_as_text["colours"]) == (["first", "second"], [])


def test_a_game_may_say_which_player_has_which_colour(tmp_path: Path) -> None:
    games = [((0, 1), play_game("avalam", "random", "random"))]
    with stored(tmp_path, ["a", "b"], games, game="avalam") as store:
        data = page_games(store, make_report(store), 1000)
    assert (data["players"], data["colours"]) == (["yellow", "red"], [YELLOW, RED])


def test_one_colour_of_a_player_alone_says_nothing(tmp_path: Path) -> None:
    one_move = replace(record(moves="4"), start="")
    with stored(tmp_path, ["a", "b"], [((0, 1), one_move)]) as store:
        data = page_games(store, make_report(store), 1000)
        assert {PLAYERS[0]} == {field for shape in unpacked(data["boards"])["shapes"] for field in shape} & set(PLAYERS)
        assert data["colours"] == []


# --- Strangers' text ---


def hostile_report(folder: Path) -> tuple[Report, Store]:
    detail = f"{HOSTILE}: crash {HOSTILE}"
    lost = record(result=forfeit(0), reason=Reason.CRASH, detail=detail, output=(HOSTILE, "\udcff\x00\x1b[31m"))
    store = stored(folder, [HOSTILE, LONG], [((0, 1), record(1)), ((1, 0), record(1)), ((0, 1), lost)])
    return make_report(store), store


def test_names_and_output_of_agents_never_become_markup(tmp_path: Path) -> None:
    report, store = hostile_report(tmp_path)
    with store:
        text = html_report(report, store)
        page = Page(text)
        assert not [tag for tag, _ in page.elements if tag in ("img", "iframe", "object", "link", "base")]
        assert HOSTILE in "".join(page.text)
        assert HOSTILE not in text
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert unpacked(json.loads(page.scripts["games-data"])["list"])["agents"] == [row.name for row in report.agents]
        assert "<img" not in markdown_report(report)


def test_the_page_needs_nothing_but_itself_and_its_policy_names_its_scripts(three: Store) -> None:
    text = html_report(make_report(three), three)
    page = Page(text)
    assert not [name for _, attributes in page.elements for name in attributes if name in ("src", "style", "srcset")]
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
    assert all(link and link.startswith("#") for link in links)
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none';")


def test_scripts_set_text_as_text() -> None:
    for name in ("scene.js", "chart.js", "page.js", "report.js"):
        script = resources.files("joute.pages").joinpath(name).read_text("utf-8")
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert forbidden not in script


def test_the_same_games_give_the_same_page(three: Store) -> None:
    assert html_report(make_report(three), three) == html_report(make_report(three), three)


# --- Many games ---


def test_of_too_many_games_the_odd_ones_are_kept_and_the_others_spread(three: Store) -> None:
    rows = make_report(three).games
    assert chosen_games(rows, 1000) == {row.number for row in rows}
    some = chosen_games(rows, 7)
    assert len(some) == 7
    assert max(some) - min(some) > len(rows) // 2
    page = html_report(make_report(three), three, replays=7)
    assert "7 of the 60 games can be replayed here" in page
    assert 'id="games-data"' not in html_report(make_report(three), three, replays=0)


def test_games_are_packed_in_the_order_of_the_list(three: Store) -> None:
    data = page_games(three, make_report(three), 1000)
    listed = unpacked(data["list"])
    assert [len(unpacked(pack)) for pack in data["packs"]] == [GAMES_A_PACK, GAMES_A_PACK, 10]
    games = [game for pack in data["packs"] for game in unpacked(pack)]
    assert [len(game["moves"]) for game in games] == listed["plies"]


# --- Charts ---


def test_axes_have_round_ticks_that_enclose_the_values() -> None:
    for low, high in ((0, 1), (-137, 512), (3, 3), (0.001, 0.0042)):
        axis = linear_axis(low, high)
        assert axis.low <= low
        assert axis.high >= high
        assert 2 <= len(axis.ticks) <= 12
    assert log_axis(1e-6, 30).place(1e-6) == 0
    assert log_axis(5, 5).place(5) > 0


def test_labels_move_apart_as_little_as_possible() -> None:
    assert apart([0, 100], 10) == [0, 100]
    assert apart([50, 50, 50], 10) == [40, 50, 60]
    assert apart([], 10) == []


def test_a_legend_counts_the_lines_that_are_grey() -> None:
    lines = [Line(f"agent {place}", place, [(0, 0)]) for place in range(10)]
    assert "others" not in legend(lines[:8])
    assert legend(lines[:9]).endswith("</svg>1 other</li></ul>")
    assert legend(lines).endswith("</svg>2 others</li></ul>")


def test_bars_count_everything_whatever_the_range() -> None:
    for counts in ({5: 3}, {0: 1, 1: 2}, {3: 1, 500: 7, 501: 2}, {-4: 2, 9: 1}):
        chart = bar_chart("title", counts, across_label="x")
        assert sum(int(count) for count in re.findall(r"<title>[^:]*: (\d+)</title>", chart)) == sum(counts.values())
