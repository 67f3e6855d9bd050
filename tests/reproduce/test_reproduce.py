"""Experiments played again: all their games, once, however often they are stopped; and what is made of them."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import joute, ok

from joute.arena.opening_sets import shipped_set
from joute.arena.store.store import Store
from joute.reproduce.experiments import Contestant, Experiment, Finding, find_paper, paper_names, read_paper
from joute.reproduce.measures import measured
from joute.reproduce.progress import Progress
from joute.reproduce.results import AgentResult, Results, RowResult, read_results, to_json
from joute.reproduce.run import results_of, rows_of

pytestmark = pytest.mark.usefixtures("one_worker")

ROOT = Path(__file__).parents[2]

EXPERIMENTS = """
title = "A paper made for this test"
game = "connect4"

[[experiment]]
name = "match"
title = "Greedy and others"
claim = "Greedy is stronger than random."
games = { quick = 20, full = 40 }
start_games = { quick = 10, full = 10 }
cost_s = { quick = 0.01, full = 0.01 }
figures = ["scores", "batches", "time"]
[[experiment.agent]]
name = "Greedy"
spec = "greedy"
[[experiment.agent]]
name = "Random"
spec = "random"
[[experiment.agent]]
name = "MCTS"
spec = "mcts:iterations=50"
[[experiment.agent]]
name = "Other"
spec = "random"
[[experiment.finding]]
of = ["Greedy", "Random"]
published = { wins = 9, draws = 0, losses = 1 }
expects = "above 0.5"

[[experiment]]
name = "clocks"
title = "Seconds are scaled"
claim = "Time is scaled."
schedule = "round-robin"
games = { quick = 2, full = 2 }
clock = "100+10,nodes=500"
time_scale = { quick = 0.01, full = 0.1 }
openings = "openings.txt"
[[experiment.agent]]
name = "A"
spec = "alphabeta"
[[experiment.agent]]
name = "B"
spec = "random"
[[experiment.agent]]
name = "C"
spec = "greedy"
clock = "2/move"

[[experiment]]
name = "mistakes"
title = "Mistakes"
claim = "Random errs."
kind = "mistakes"
plies = [20, 30]
games = { quick = 50, full = 100 }
figures = ["failures"]
[[experiment.agent]]
name = "Random"
spec = "random"
[[experiment.agent]]
name = "Perfect"
spec = "perfect"
[[experiment.finding]]
measure = "failures"
of = ["Perfect"]
expects = "below 0.2"

[[experiment]]
name = "wins"
title = "Wins in one move"
claim = "Greedy sees them."
kind = "wins"
games = { quick = 30, full = 60 }
[[experiment.agent]]
name = "Greedy"
spec = "greedy"
[[experiment.agent]]
name = "Random"
spec = "random"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(EXPERIMENTS)
    (tmp_path / "openings.txt").write_text("44\n")
    return path


def without_times(data: Any) -> Any:
    """What does not depend on the machine."""
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key != "time_s"}
    return [without_times(value) for value in data] if isinstance(data, list | tuple) else data


def played(file: Path, folder: Path) -> dict[tuple[str, str], RowResult]:
    report = read_paper(file)
    rows = list(rows_of([report], "quick", 3, folder))
    for row in rows:
        row.play(concurrency=0, on_games=lambda _: None)
    found = results_of(rows, "command")
    return {(name, row.protocol): row for name, of in found.rows["mine"].items() for row in of}


def test_every_row_is_played_by_its_protocol_and_collected(file: Path, tmp_path: Path) -> None:
    rows = played(file, tmp_path / "out")
    assert [f"{name} {protocol}" for name, protocol in rows] == [
        "match start", "match openings", "clocks openings", "mistakes openings", "wins openings",
    ]  # fmt: skip
    start, openings = rows["match", "start"], rows["match", "openings"]
    assert [(pairing.a, pairing.b, pairing.games) for pairing in openings.pairings] == [
        ("Greedy", "Random", 20),
        ("MCTS", "Other", 20),
    ]
    assert [pairing.games for pairing in start.pairings] == [10, 10]
    assert openings.pairings[0].low > 0.5
    # The parts of a pairing add up to it.
    for pairing in (*start.pairings, *openings.pairings):
        assert sum(batch.games for batch in pairing.batches) == pairing.games
        wins, draws, _ = pairing.tally
        assert sum(batch.points for batch in pairing.batches) == wins + draws / 2
        assert pairing.plies.count == pairing.games
        assert 0 < pairing.lines <= pairing.distinct <= pairing.games
        assert sum(sum(counts) for counts in pairing.decided_by.values()) == pairing.games
    greedy = openings.agent("Greedy")
    assert greedy.moves == sum(ply.moves for ply in greedy.plies)
    # A clock is scaled, counts and the number of plies are not; a clock of an agent's own too.
    clocks = {agent.name: agent.clock for agent in rows["clocks", "openings"].agents}
    assert clocks == {"A": "1+0.1,nodes=500", "B": "1+0.1,nodes=500", "C": "0.02/move"}
    assert all(agent.elo is not None for agent in rows["clocks", "openings"].agents)
    with Store.read(tmp_path / "out/mine/clocks.openings.db") as store:
        assert {game.record.start for game in store.games()} == {"44"}


FILES = """
title = "Files beside the experiments"
game = "connect4"

[[experiment]]
name = "files"
title = "An agent and openings in files"
claim = "They are found."
games = { quick = 4, full = 4 }
openings = "openings.txt"
[[experiment.agent]]
name = "mine"
spec = "mine.py"
[[experiment.agent]]
name = "random"
spec = "random"
"""


def test_results_name_files_as_the_experiments_do(tmp_path: Path) -> None:
    """Results are published, so they name no folder of the machine."""
    (tmp_path / "mine.toml").write_text(FILES)
    (tmp_path / "openings.txt").write_text("44\n")
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def choose(self, state, clock):\n        return state.legal_moves[0]\n"
    )
    row = played(tmp_path / "mine.toml", tmp_path / "out")["files", "openings"]
    assert row.agents[0].spec == "mine.py"
    assert row.note == "openings file openings.txt has 1 position for 2 wanted: they are used in turn"


MEASURED = """
title = "Measures of games"
game = "avalam"

[[experiment]]
name = "measures"
title = "Depth, margins and nodes"
claim = "Two plies are deeper than one."
games = { quick = 12, full = 12 }
[[experiment.agent]]
name = "two"
spec = "alphabeta:depth=2,table=off"
[[experiment.agent]]
name = "one"
spec = "alphabeta:depth=1,table=off"
[[experiment.finding]]
measure = "depth_lead"
of = ["two", "one"]
plies = [4, 9]
[[experiment.finding]]
measure = "won_by"
of = ["two", "one"]
margin = 2
"""


def test_depths_and_margins_of_games_are_collected(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MEASURED)
    row = played(file, tmp_path / "out")["measures", "openings"]
    (pairing,) = row.pairings
    assert sum(pairing.margins.values()) == pairing.margin.count == 12
    assert sum(int(margin) * count for margin, count in pairing.margins.items()) == pairing.margin.total
    two, one = row.agent("two"), row.agent("one")
    assert set(two.depths) == set(one.depths) == {"", "4-9"}
    assert (two.depths["4-9"].mean, one.depths["4-9"].mean) == (2, 1)
    assert 1 < two.depths[""].mean < 2  # the last ply of a game has one ply left
    with Store.read(tmp_path / "out/mine/measures.openings.db") as store:
        assert {game.record.start for game in store.games()} <= set(shipped_set("avalam"))
        wins = [game.record.result.margin * (1 if game.pairing.players[0] == 0 else -1) >= 2 for game in store.games()]
    experiment = read_paper(file).experiments[0]
    assert measured(experiment, experiment.findings[1], row).value == pytest.approx(sum(wins) / 12)


def test_positions_are_judged(file: Path, tmp_path: Path) -> None:
    rows = played(file, tmp_path / "out")
    random, perfect = rows["mistakes", "openings"].agents
    assert (random.moves, perfect.moves) == (50, 50)
    assert perfect.failures == 0 < random.failures
    assert sum(asked for asked, _ in random.failures_by_ply.values()) == 50
    assert all(20 <= int(ply) <= 30 for ply in random.failures_by_ply)
    greedy, random = rows["wins", "openings"].agents
    assert greedy.failures == 0 < random.failures


def test_results_are_kept_as_text(file: Path, tmp_path: Path) -> None:
    report = read_paper(file)
    rows = list(rows_of([report], "quick", 3, tmp_path / "out"))
    for row in rows:
        row.play(concurrency=0, on_games=lambda _: None)
    found = results_of(rows, "command")
    path = tmp_path / "results.json"
    path.write_text(to_json(found))
    again = read_results(path)
    assert to_json(again) == path.read_text()
    asked, answered = (results.rows["mine"]["wins"][0].agents[1] for results in (again, found))
    assert asked.failures_by_ply == answered.failures_by_ply
    of_again, of_found = (results.rows["mine"]["match"][1].pairings for results in (again, found))
    assert [pairing.decided_by for pairing in of_again] == [pairing.decided_by for pairing in of_found]
    assert [pairing.score for pairing in of_again] == pytest.approx([pairing.score for pairing in of_found])


def test_a_line_that_a_kill_cut_off_is_asked_again(file: Path, tmp_path: Path) -> None:
    whole = played(file, tmp_path / "out")["wins", "openings"]
    path = tmp_path / "out/mine/wins.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 3  # the plan, and positions in two parts
    for cut in (lines[2][:20], lines[2].rstrip("\n")):
        path.write_text("".join(lines[:2]) + cut)
        again = played(file, tmp_path / "out")["wins", "openings"]
        assert without_times(dataclasses.asdict(again)) == without_times(dataclasses.asdict(whole))
        assert path.read_text().count("\n") == 3
    path.write_text("".join(lines[:2]) + "[1, 2\n")
    failed = joute("reproduce", str(file), "--only", "wins", "--seed", "3", "--out", "out", cwd=tmp_path)
    assert failed.returncode == 2
    assert "wins.jsonl is damaged" in failed.stderr


def test_a_tournament_that_was_killed_while_it_was_created_begins_again(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "out/mine/match.start.db"
    path.parent.mkdir(parents=True)
    path.touch()
    ok("reproduce", str(file), "--only", "match", "--out", "out", cwd=tmp_path)
    with Store.read(path) as store:
        assert store.count == 20


def test_a_killed_run_resumes_and_gives_the_same_report(file: Path, tmp_path: Path) -> None:
    quiet = ok("reproduce", str(file), "--out", "quiet", "--seed", "3", cwd=tmp_path)
    command = [sys.executable, "-m", "joute", "reproduce", str(file), "--out", "killed", "--seed", "3"]
    for wanted in (1, 35):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            while process.poll() is None and finished_games(tmp_path / "killed") < wanted:
                time.sleep(0.005)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    before = finished_games(tmp_path / "killed")
    assert before >= 1
    resumed = ok("reproduce", str(file), "--out", "killed", "--seed", "3", cwd=tmp_path)
    assert "games were played before" in resumed
    one, other = (
        without_times(json.loads((tmp_path / name / "results.json").read_text())["rows"])
        for name in ("quiet", "killed")
    )
    assert one == other
    assert [line for line in quiet.splitlines() if "stronger" in line] == [
        line for line in resumed.splitlines() if "stronger" in line
    ]
    # Finished, the command makes the report again, of the same bytes, and so does the file of results.
    files = [
        path for path in sorted((tmp_path / "killed").rglob("*")) if path.suffix in {".md", ".html", ".svg", ".json"}
    ]
    assert len(files) > 5
    bytes_before = [path.read_bytes() for path in files]
    ok("reproduce", str(file), "--out", "killed", "--seed", "3", cwd=tmp_path)
    assert [path.read_bytes() for path in files] == bytes_before
    ok("reproduce", str(file), "--from", "killed/results.json", "--out", "third", cwd=tmp_path)
    assert (tmp_path / "third/report.md").read_bytes() == (tmp_path / "killed/report.md").read_bytes()


def test_the_page_of_the_full_run_says_what_its_results_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number of docs/reproduction.md comes from the results that are kept with it."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    spec = importlib.util.spec_from_file_location("reproduction_page", ROOT / "tools" / "reproduction_page.py")
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    pages = tool.pages()
    assert {path.read_text(encoding="utf-8") == text for path, text in pages.items()} == {True}
    assert set(tool.FOLDER.glob("*.svg")) < pages.keys()
    results = read_results(tool.FOLDER / "results.json")
    assert results.scale == "full"
    # On two cores it takes about three hours, as docs/experiments.md says; some rows were played on busy cores.
    rows = [row for experiments in results.rows.values() for rows in experiments.values() for row in rows]
    assert sum(agent.time_s for row in rows for agent in row.agents) / 2 < 3.25 * 60 * 60
    # What is in the files of the experiments is what was played.
    for report in map(find_paper, paper_names()):
        for experiment in report.experiments:
            (row, *_) = results.rows[report.name][experiment.name]
            assert [agent.spec for agent in row.agents] == [agent.spec for agent in experiment.agents], experiment.name


def finished_games(folder: Path) -> int:
    games = 0
    for path in folder.rglob("*.db"):
        try:
            with Store.read(path) as store:
                games += store.count
        except Exception:  # not yet a store
            continue
    return games


def test_the_time_left_follows_the_cost_of_what_is_left(file: Path, tmp_path: Path) -> None:
    rows = list(rows_of([read_paper(file)], "quick", 3, tmp_path / "out"))
    clock = iter(range(0, 1000, 10))
    progress = Progress(rows, now=lambda: float(next(clock)))
    assert progress.left_s is None
    assert [row.length() for row in rows] == [20, 40, 6, 50, 30]
    progress.begin(rows[0])
    progress.add(10)  # of 0.01 s each; 50 are left of these, and 86 of 1 s
    left_s = progress.left_s
    assert left_s == pytest.approx(20 * (0.5 + 86) / 0.1)
    assert progress.games == (10, 146)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["conect4"], "unknown paper 'conect4'; did you mean 'connect4'"),
        (["connect4", "--scale", "big"], "the scale is quick or full, not big"),
        (["connect4", "--only", "ravee"], "unknown experiment 'ravee'; did you mean 'rave'"),
        (["nowhere.toml"], "nowhere.toml cannot be read: No such file or directory"),
        (["connect4", "--from", "nowhere.json"], "nowhere.json cannot be read"),
        (["connect4", "--from", "mine.toml"], "mine.toml is not a file of results"),
        ([], "name a paper: joute reproduce connect4, or joute reproduce all"),
        (["mine.toml", "./mine.toml"], "two files of experiments are named mine"),
    ],
)
def test_a_wrong_word_gives_one_clear_error(words: list[str], message: str, file: Path) -> None:
    failed = joute("reproduce", *words, cwd=file.parent)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('measure = "failures"', 'measure = "failure"', "unknown measure 'failure'; did you mean 'failures'"),
        ('figures = ["failures"]', 'figures = ["failure"]', "unknown figure 'failure'; did you mean 'failures'"),
        ('expects = "below 0.2"', 'expects = "below 20"', "expects a share of 20: shares lie between 0 and 1"),
        (
            'openings = "openings.txt"',
            'openings = "opening.txt"',
            "openings 'opening.txt' are neither start",
        ),
        ('spec = "perfect"', 'spec = "perfect.py"', "asks for moves in positions, which only built-in agents can do"),
    ],
)
def test_what_cannot_be_played_or_shown_is_said_before_the_first_game(
    before: str, after: str, message: str, file: Path
) -> None:
    assert before in EXPERIMENTS
    file.write_text(EXPERIMENTS.replace(before, after, 1))
    failed = joute("reproduce", str(file), "--out", "out", cwd=file.parent)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert not (file.parent / "out").exists()


def test_a_scale_without_games_gives_one_clear_error(file: Path) -> None:
    file.write_text(EXPERIMENTS.replace("full = 100", "full = 0"))
    failed = joute("reproduce", str(file), "--only", "mistakes", "--scale", "full", cwd=file.parent)
    assert failed.returncode == 2
    assert "no chosen experiment has games at this scale" in failed.stderr


MINE = """
title = "Is mine better?"
game = "connect4"
[[experiment]]
name = "mine"
title = "Mine"
claim = "Mine is better."
games = { quick = 20, full = 20 }
[[experiment.agent]]
name = "Mine"
spec = "mine.py"
[[experiment.agent]]
name = "Random"
spec = "random"
[[experiment.finding]]
of = ["Mine", "Random"]
expects = "above 0.5"
"""


def test_an_agent_that_has_changed_needs_another_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE.replace("quick = 20", "quick = 6"))
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    ok("reproduce", "mine.toml", cwd=tmp_path)
    assert "# Is mine better?" in (tmp_path / "reproduction-mine-quick" / "report.md").read_text()
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return state.legal_moves[-1]\n")
    failed = joute("reproduce", "mine.toml", cwd=tmp_path)
    assert failed.returncode == 2
    assert "agent 'Mine' has changed since its games were played; choose another folder with --out" in failed.stderr


def test_an_agent_that_forfeits_most_games_gets_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return 1 / 0\n")
    shown = ok("reproduce", "mine.toml", cwd=tmp_path)
    assert "undecided" in shown
    text = (tmp_path / "reproduction-mine-quick" / "report.md").read_text()
    assert "Mine forfeited 20 of its 20 games: no verdict" in text


def test_results_of_another_file_are_refused(file: Path, tmp_path: Path) -> None:
    ok("reproduce", str(file), "--only", "wins", "--out", "out", cwd=tmp_path)
    failed = joute("reproduce", "connect4", "--from", "out/results.json", "--out", "again", cwd=tmp_path)
    assert failed.returncode == 2
    assert "the results are of mine, not of connect4" in failed.stderr


def test_a_folder_of_another_plan_is_not_changed(file: Path, tmp_path: Path) -> None:
    ok("reproduce", str(file), "--only", "match", "--only", "wins", "--out", "out", cwd=tmp_path)
    databases = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.db")}
    for words in (["--seed", "9"], ["--scale", "full"]):
        for only in ("match", "wins"):
            failed = joute("reproduce", str(file), "--only", only, "--out", "out", *words, cwd=tmp_path)
            assert failed.returncode == 2
            assert "was made by another plan; choose another folder with --out" in failed.stderr
    assert {path: path.read_bytes() for path in databases} == databases


def test_games_are_kept_when_an_experiment_renames_an_agent(file: Path, tmp_path: Path) -> None:
    ok("reproduce", str(file), "--only", "match", "--out", "out", cwd=tmp_path)
    file.write_text(EXPERIMENTS.replace('"Greedy"', '"Renamed"'))
    text = ok("reproduce", str(file), "--only", "match", "--out", "out", cwd=tmp_path)
    assert "60 of 60 games were played before" in text
    found = read_results(tmp_path / "out/results.json").rows["mine"]["match"][1]
    assert [agent.name for agent in found.agents] == ["Renamed", "Random", "MCTS", "Other"]
    assert (found.pairings[0].a, found.pairings[0].b) == ("Renamed", "Random")


def test_results_of_0_1_are_read_under_the_names_of_today(tmp_path: Path) -> None:
    today = (ROOT / "docs/reproduction/results.json").read_text()
    path = tmp_path / "results.json"
    path.write_text(today.replace("the paper's", "the report's"))
    assert path.read_text() != today
    assert to_json(read_results(path)) == today


def test_depths_in_results_of_0_1_have_no_interval(tmp_path: Path) -> None:
    rows = {"mine": {"one": (RowResult("openings", 2, (AgentResult("A", "greedy"),)),)}}
    path = tmp_path / "results.json"
    path.write_text(to_json(Results("full", 1, "0.1.0", "", "", rows)).replace('"depths":{}', '"depth":2.5'))
    row = read_results(path).rows["mine"]["one"][0]
    experiment = Experiment("one", "One", "It looks ahead.", (Contestant("A", "greedy"),))
    depth = measured(experiment, Finding("depth", ("A",)), row)
    assert (depth.value, depth.has_interval) == (2.5, False)


def test_a_deterministic_agent_that_plays_itself_plays_every_game_twice(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """title = "Mirrors"
        game = "connect4"
        [[experiment]]
        name = "mirror"
        title = "Mirror"
        claim = "It is drawn."
        games = { quick = 8, full = 8 }
        [[experiment.agent]]
        name = "A"
        spec = "alphabeta:depth=3"
        [[experiment.agent]]
        name = "B"
        spec = "alphabeta:depth=3"
        [[experiment.finding]]
        measure = "first_score"
        """
    )
    (pairing,) = played(path, tmp_path / "out")["mirror", "openings"].pairings
    assert (pairing.distinct, pairing.lines) == (8, 4)
    assert pairing.as_first == pairing.as_second[::-1]


def test_results_of_other_experiments_give_one_clear_error(file: Path, tmp_path: Path) -> None:
    ok("reproduce", str(file), "--only", "match", "--out", "out", cwd=tmp_path)
    file.write_text(EXPERIMENTS.replace('"Greedy"', '"Gready"'))
    failed = joute("reproduce", str(file), "--from", "out/results.json", "--out", "again", cwd=tmp_path)
    assert failed.returncode == 2
    assert "the results have no agent 'Gready': they are of other experiments" in failed.stderr


def test_experiments_are_listed(file: Path) -> None:
    listed = ok("reproduce", str(file), "--list", cwd=file.parent)
    assert "Greedy and others" in listed
    assert not (file.parent / "reproduction-quick").exists()
