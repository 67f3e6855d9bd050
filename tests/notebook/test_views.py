"""Results, records and analyses print short, show as HTML, and become data frames."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import joute
from joute.arena.plan import Plan, make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.standings import Standings
from joute.arena.store.importing import import_records
from joute.errors import JouteError, SpecError
from joute.match import GameRecord, MatchResult, Reason, play_game, play_match
from joute.match.record import forfeit
from joute.match.record_scenes import scenes_of
from joute.match.record_view import record_html
from joute.tables import Table

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J"


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return play_match("connect4", "mcts:iterations=20", "greedy", games=100, seed=1)


def standings(match: MatchResult) -> Standings:
    plan: Plan = make_plan("connect4", [match.a, match.b, "random"])
    made = Standings(plan)
    for number, (record, a_first) in enumerate(zip(match.records, match.a_first, strict=True)):
        made.add(Pairing(number, (0, 1) if a_first else (1, 0), 0), record)
    return made


def test_a_match_prints_as_a_table_of_a_few_lines(match: MatchResult) -> None:
    text = str(match)
    assert len(text) < 800
    assert match.verdict in text
    wins, draws, losses = map(str, match.tally())
    assert ["mcts:iterations=20", wins, draws, losses] == text.splitlines()[2].split()[:4]
    assert repr(match) == f"<match mcts:iterations=20 – greedy: +{wins} ={draws} -{losses}>"
    assert str(MatchResult("a", "b")).endswith("no game is finished yet")


def test_a_match_shows_as_a_table_in_a_notebook(match: MatchResult) -> None:
    html = match._repr_html_()
    assert html.count("<tr>") == 3
    assert "mcts:iterations=20" in html
    assert len(html) < 3000


def test_a_match_tells_the_reason_of_forfeits() -> None:
    class Broken:
        def choose(self, state: object, clock: object) -> object:
            return dict[str, int]()["x"]

    text = str(play_match("connect4", Broken(), "random", games=2))
    assert "Broken forfeited 2 of 2 games (crash 2)\nthe first is game 1: Broken: KeyError: 'x' (test_views.py:" in text


def test_a_match_with_no_agent_or_no_game_is_refused() -> None:
    class Agent:
        def choose(self, state: object, clock: object) -> object:
            return "1"

    for agent, games, sentence in ((object(), 2, "no method choose"), (Agent, 2, r"Agent\(\)"), (Agent(), 0, "not 0")):
        with pytest.raises(SpecError, match=sentence):
            play_match("connect4", agent, "random", games=games)  # type: ignore[arg-type]


def test_names_cannot_break_out_of_a_table_or_a_board() -> None:
    result = MatchResult(HOSTILE, "b")
    record = GameRecord("connect4", "", (HOSTILE, "b"), 0, (), forfeit(0), Reason.CRASH, f"{HOSTILE}: {HOSTILE}")
    result.add(record, a_first=True)
    for html in (result._repr_html_(), record._repr_html_()):
        assert "<img" not in html
        assert "\x1b" not in html
    assert html.count("</script>") == 1
    for text in (str(result), repr(result), str(record), repr(record), str(Table({"agent": [HOSTILE]}))):
        assert "\x1b" not in text


def test_the_games_of_a_match_become_a_frame(match: MatchResult) -> None:
    frame = match.to_frame()
    assert list(frame["game"]) == list(range(1, 101))
    assert frame["a_points"].sum() == match.score * 100
    assert list(frame["plies"]) == [len(record.moves) for record in match.records]
    assert set(frame["first"]) == {match.a, match.b}


def test_a_match_without_records_says_that_it_has_no_games_to_list(match: MatchResult) -> None:
    without = MatchResult("a", "b", keep_records=False)
    without.add(match.records[0], a_first=True)
    with pytest.raises(JouteError, match="not kept"):
        without.to_frame()


def test_a_record_prints_as_a_headline_and_its_moves(match: MatchResult) -> None:
    record = match.records[0]
    headline, *lines = str(record).splitlines()
    assert headline == record.headline
    assert "connect4" in repr(record)
    assert len(repr(record)) < 200
    moves = [word for line in lines for word in line.split()[1:]]
    assert moves == [played.move for played in record.moves]


def test_the_moves_of_a_record_become_a_frame(match: MatchResult) -> None:
    record = match.records[0]
    frame = record.to_frame()
    assert list(frame["move"]) == [played.move for played in record.moves]
    assert list(frame["agent"][:2]) == list(record.players)
    assert frame["value_for_mover"][0] == record.moves[0].info.value_for_mover  # type: ignore[union-attr]
    silent = play_game("connect4", "random", "random").to_frame()
    assert silent["value_for_mover"].dtype.kind == "f"


def test_a_board_with_a_slider_holds_the_drawing_of_every_position(game: str) -> None:
    record = play_game(game, "random", "random", seed=1)
    html = record_html(record)
    found = re.search(r'<script type="application/json">(.*)</script></figure>$', html)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    scenes = list(scenes_of(record))
    assert f'max="{len(record.moves)}"' in html
    assert len(data["labels"]) == len(scenes) == len(record.moves) + 1
    shapes: list[int] = []
    for (frame, *edits), scene in zip(data["positions"], scenes, strict=True):
        for start, removed, *added in reversed(edits):
            shapes[start : start + removed] = added
        assert [data["shapes"][shape] for shape in shapes] == [shape.svg() for shape in scene.shapes]
        assert data["frames"][frame][1] == scene.title
    assert "".join(shape.svg() for shape in scenes[-1].shapes) in html  # shown where no code runs


def test_an_analysis_prints_as_a_table_and_becomes_a_frame() -> None:
    analysis = joute.agent("mcts:iterations=50", game="connect4", seed=1).analyze(joute.new("connect4"))  # type: ignore[attr-defined]
    assert len(str(analysis).splitlines()) == 3 + len(analysis.moves)
    assert str(analysis).startswith("win share ")
    assert repr(analysis).startswith("<analysis: win share ")
    assert analysis._repr_html_().count("<tr>") == 1 + len(analysis.moves)
    assert list(analysis.to_frame()["visits"]) == [judged.visits for judged in analysis.moves]


def test_standings_print_show_and_become_a_frame(match: MatchResult) -> None:
    made = standings(match)
    assert len(str(made).splitlines()) == 5
    assert len(str(Standings(make_plan("connect4", ["greedy", "random", "mcts"]))).splitlines()) == 5
    assert repr(made) == "<standings of 3 agents after 100 games>"
    assert made._repr_html_().count("<tr>") == 4
    frame = made.to_frame().set_index("agent")
    assert frame.loc["greedy", "wins"] == match.tally()[2]
    assert frame["score"].iloc[0] == max(match.score, 1 - match.score)


def test_a_database_is_read_as_games_moves_and_agents(match: MatchResult, tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    import_records(match.records, path)
    games, moves, agents = (joute.read_db(path, table) for table in ("games", "moves", "agents"))
    assert list(games["outcome"]) == [record.result.outcome for record in match.records]
    assert list(moves.groupby("game").size()) == list(games["plies"])
    assert set(agents["agent"]) == {match.a, match.b}
    with pytest.raises(SpecError, match="did you mean 'games'"):
        joute.read_db(path, "game")


def test_without_pandas_and_matplotlib_a_sentence_says_what_to_install(
    match: MatchResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(JouteError, match="pip install pandas"):
        match.to_frame()
    with pytest.raises(JouteError, match="pip install matplotlib"):
        joute.plot.time_use(match)


def test_columns_of_wide_characters_stay_aligned() -> None:
    lines = str(Table({"agent": ["将棋", "ab"], "n": ["1", "22"]}, left=("agent",))).splitlines()
    assert lines[2:] == [" 将棋     1", " ab      22"]
