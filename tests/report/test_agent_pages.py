"""The page of one agent: its failures, its losses and its time, and nothing that its opponents wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_samples import Page, games_of, invoke, record, rows_of, section, stored

from joute.agents import SearchInfo
from joute.arena.growth import Growth
from joute.arena.plan import make_plan
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.match import GameRecord, MoveRecord, Reason
from joute.match.record import forfeit
from joute.report.agent_data import agent_data
from joute.report.agent_pages import agent_page, agent_pages, file_names, find_row
from joute.report.data import make_report
from joute.report.html import html_report

NAMES = ["Anna", "Ben <&>", "../Cleo"]
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ben/ben.py", line 7, in choose
    return self.secret[0] < 1
IndexError: list index out of range
"""


def crash(ply: int, *, side: int = 1) -> GameRecord:
    return record(
        moves="123"[:ply],
        result=forfeit(side),
        reason=Reason.CRASH,
        detail=f"Ben <&> ended at ply {ply}",
        output=("Anna's plan", TRACEBACK) if side else (TRACEBACK, "Anna's plan"),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Anna beats Ben by two crashes alike; Cleo beats Anna after her value falls, and Ben in time."""
    values = (0.5, 0.75, -0.25, -1e15)
    moves = tuple(
        MoveRecord(ply % 2, move, 0.1 * (ply + 1), (), SearchInfo(values[ply // 2]) if ply % 2 == 0 else None)
        for ply, move in enumerate("1234567"[:6])
    )
    late = record(result=forfeit(1), reason=Reason.TIME, detail="Ben <&> had no move after 2.1 s")
    games = [((0, 1), crash(3)), ((0, 1), crash(2)), ((0, 2), record(-1, moves)), ((2, 1), late)]
    with stored(tmp_path, NAMES, games) as made:
        yield made


def test_failures_alike_are_told_once_with_their_traceback_and_games(store: Store) -> None:
    report = make_report(store)
    crashed, late = [failure for failure in report.failures if failure.agent == 1]
    assert (crashed.reason, crashed.games, crashed.detail) == ("crash", [1, 2], "ended at ply 3")
    assert crashed.crash.startswith('Traceback (most recent call last):\n  File "ben.py", line 7, in choose\n')
    assert (late.reason, late.games, late.crash) == ("time", [4], "")
    made = section(agent_page(report, store, find_row(report, "Ben <&>")), "failures")
    assert "return self.secret[0] &lt; 1" in made
    assert "/home" not in made
    assert made.index('href="#game-1"') < made.index('href="#game-2"')


def test_the_problems_of_a_report_show_a_traceback(store: Store) -> None:
    report = make_report(store)
    assert {problem.reason: bool(problem.crash) for problem in report.problems} == {"crash": True, "time": False}


def test_an_agent_does_not_see_what_its_opponents_wrote(store: Store) -> None:
    report = make_report(store)
    anna, ben = (agent_page(report, store, find_row(report, name)) for name in NAMES[:2])
    for page, own, other in ((anna, "Anna's plan", "secret"), (ben, "secret", "Anna's plan")):
        told = repr(games_of(page))
        assert own in told
        assert other not in told + page


def test_losses_are_told_by_opponent_colour_and_fall_of_value(store: Store) -> None:
    data = agent_data(0, store.games())
    assert {opponent: (own.wins, own.losses, own.lost_games) for opponent, own in data.opponents.items()} == {
        1: (2, 0, []),
        2: (0, 1, [3]),
    }
    assert [(own.games, own.points) for own in data.colours] == [(3, 2.0), (0, 0.0)]
    assert data.lost_lengths == {6: 1}
    (drop,) = data.drops
    assert (drop.game, drop.ply, drop.before, drop.after, drop.fall) == (3, 7, 0.75, -0.25, 1.0)
    report = make_report(store)
    losses = rows_of(agent_page(report, store, find_row(report, "Anna")), "losses")
    assert ["../Cleo", "1", "0", "0 0 1", "3"] in losses
    assert ["3", "7", "0.75", "-0.25", "5"] in losses


def test_a_fall_to_a_lost_position_is_the_worst(tmp_path: Path) -> None:
    infos = (SearchInfo(5.0), None, SearchInfo(0.0), None, SearchInfo(-1e15), None)
    moves = tuple(MoveRecord(ply % 2, move, 0.1, (), infos[ply]) for ply, move in enumerate("123456"))
    with stored(tmp_path, ["a", "b"], [((0, 1), record(-1, moves))]) as made:
        assert [(drop.ply, drop.fall) for drop in agent_data(0, made.games()).drops] == [(7, math.inf)]


def test_time_is_told_by_ply_with_the_slowest_moves_and_forfeits(store: Store) -> None:
    data = agent_data(0, store.games())
    assert [(move.game, move.ply) for move in data.slowest[:2]] == [(3, 7), (3, 5)]
    assert data.longest_by_ply == pytest.approx({3: 0.1, 5: 0.3, 7: 0.5})
    assert (data.longest_game, round(data.longest_game_s, 6)) == (3, 0.9)
    report = make_report(store)
    text = section(agent_page(report, store, find_row(report, "Ben <&>")), "time")
    assert "It forfeited 1 game on time." in text


def test_files_of_pages_stay_in_their_folder_and_apart() -> None:
    names = ["/etc/passwd", "..", "", "a/b", "a:b", "A-B", "index", "é" * 9, "x" * 300]
    files = file_names(names)
    assert all(Path(file).name == file and not file.startswith((".", "-")) and len(file) < 80 for file in files)
    assert len({file.lower() for file in files} | {"index.html"}) == len(files) + 1


def test_a_folder_gets_a_page_for_each_agent_and_an_index(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    assert invoke(store.path, "--per-agent", folder).exit_code == 0
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["Anna.html", "Ben.html", "Cleo.html", "index.html"]
    links = [attributes.get("href") for _, attributes in Page((folder / "index.html").read_text()).elements]
    assert set(names[:3]) <= set(links)
    (folder / "Anna.html").write_text("my notes")
    done = invoke(store.path, "--per-agent", folder)
    assert done.exit_code
    assert "is not a report of Joute's" in done.stderr
    assert (folder / "Anna.html").read_text() == "my notes"


def test_one_agent_gets_a_page_alone(store: Store, tmp_path: Path) -> None:
    page = tmp_path / "ben.html"
    assert invoke(store.path, "--agent", "Ben <&>", "-o", page).exit_code == 0
    assert "index.html" not in page.read_text()
    assert "did you mean 'Anna'?" in invoke(store.path, "--agent", "Ana", "-o", page).stderr
    for words in (
        ("--agent", "Anna", "--live"),
        ("--agent", "Anna", "--format", "md"),
        ("--per-agent", "x", "-o", "y.html"),
    ):
        assert invoke(store.path, *words).exit_code


def test_pages_of_agents_without_games_say_so(tmp_path: Path) -> None:
    with stored(tmp_path, ["a", "b", "idle"], [((0, 1), record(1))]) as made:
        pages = {page.file: page.text for page in agent_pages(make_report(made), made)}
    assert "idle played no game yet." in pages["idle.html"]
    assert 'id="games"' not in pages["idle.html"]


def test_an_agent_that_plays_no_more_has_no_rank_and_no_place_on_the_podium(tmp_path: Path) -> None:
    plan = make_plan("connect4", ["random", "greedy", "mcts:iterations=5"], games=2)
    path = tmp_path / "t.db"
    with Tournament.create(plan, path) as made:
        made.play()
    with Tournament.grow(path, Growth(withdraw=["greedy"])), Store.read(path) as store:
        report = make_report(store)
        pages = {page.file: page.text for page in agent_pages(report, store)}
        page = html_report(report, store)
    assert "Withdrawn, or an old version · " in pages["greedy.html"]
    assert "Rank 2 of 2 · " in pages["random.html"]
    assert rows_of(pages["index.html"], "agents")[-1][:2] == ["–", "greedy"]
    assert section(page, "result").count('<span class="who">') == 2
    assert "1 agent without a rank plays no more" in section(page, "result")
    assert rows_of(page, "colours")[-1][:2] == ["–", "greedy"]
    assert '<b>–</b> <span title="greedy">' in section(page, "ratings")
