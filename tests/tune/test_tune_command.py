"""``joute tune`` with games: resumed to the same trajectory, reported, and clear about mistakes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import joute, ok

from joute.arena.store.results import as_played
from joute.arena.store.store import Store, StoreError
from joute.tune.plan import Budget
from joute.tune.tuning import TuningResult, tune

MCTS = ("tune", "connect4", "mcts:iterations=2", "--over", "c,solver", "--range", "solver=off|prune")
SPSA = ("tune", "connect4", "mcts:iterations=30", "--over", "c", "--range", "c=0.1..3", "--spsa", "batch=2")
SMALL = ("--budget", "games=24", "--confirm", "games=8", "--seed", "2")

STUDENT = """
PARAMETERS = {"wins": True, "weight": 0.5}
RANGES = {"weight": (0, 1)}

def choose(state, clock):
    if PARAMETERS["wins"] and state.winning_moves:
        return state.winning_moves[0]
    return state.legal_moves[0]
"""

PROGRAM = """
import sys
best = True
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ugi"]:
        print("id name p\\noption name Skill Level type spin default 1 min 0 max 5\\nugiok", flush=True)
    elif words[:4] == ["setoption", "name", "Skill", "Level"]:
        skill = int(words[-1])
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        ply = len(words)
    elif words[:1] == ["go"]:
        print("bestmove", 1 + (ply * skill) % 7, flush=True)
    elif words[:1] == ["quit"]:
        break
"""


def games(path: Path) -> dict[int, Any]:
    """The settings, opening, seed and moves of each game."""
    with Store.read(path) as store:
        length = store.schedule.length(
            {game.pairing.number: as_played(game.pairing, game.record) for game in store.games()}
        )
        return {
            game.pairing.number: (game.pairing.settings, game.pairing.opening, game.record.seed, game.record.line)
            for game in store.games()
            if length is None or game.pairing.number < length
        }


def count(path: Path) -> int:
    try:
        with Store.read(path) as store:
            return store.count
    except StoreError:
        return 0


def test_a_tuning_that_is_killed_goes_on_to_the_same_games(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    ok(*SPSA, *SMALL, "--concurrency", "1", "--db", str(whole))
    command = [sys.executable, "-m", "joute", *SPSA, *SMALL, "--concurrency", "2", "--db", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while count(killed) < 7 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    output = ok(*SPSA, *SMALL, "--concurrency", "2", "--db", str(killed))
    assert "of them played" in output
    assert games(killed) == games(whole)
    assert len(games(whole)) == 32


def test_the_command_prints_the_result_and_writes_a_report(tmp_path: Path) -> None:
    output = ok(*SPSA, *SMALL, "--db", str(tmp_path / "t.db"))
    assert "connect4: 24 games; then a test of 0 against 40 Elo, at most 8 games" in output
    assert "method: SPSA: all parameters are numbers or switches" in output
    assert re.search(r"^not confirmed.*8 games$|^confirmed", output, re.MULTILINE)
    assert re.search(r"^setting: mcts:iterations=30,c=[\d.]+$", output, re.MULTILINE)
    page = (tmp_path / "t.html").read_text()
    for part in (
        "Values over the games",
        "Strength by parameter",
        "Tests on openings of their own",
        "--budget games=24",
    ):
        assert part in page
    again = ok(*SPSA, *SMALL, "--db", str(tmp_path / "t.db"))
    assert "24 games, 32 of them played" in again
    assert re.findall("^setting.*", again, re.MULTILINE) == re.findall("^setting.*", output, re.MULTILINE)


def test_choices_are_tuned_by_trials_and_shown_as_a_surface(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    words = (*MCTS, *SMALL, "--db", str(tmp_path / "t.db"), "--json", "--confirm-at", "iterations=1")
    data = json.loads(ok(*words))
    assert data["method"] == "tpe"
    assert data["parameters"][1]["range"] == "prune|off"
    assert data["is_tuned"]
    assert [test["clock"] for test in data["tests"]] in ([], ["none", "iterations=1"])
    assert "The two that matter most" in (tmp_path / "t.html").read_text()


def test_a_students_file_is_tuned(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STUDENT.replace("True", "False"))
    words = ("tune", "connect4", "mine.py", "--over", "wins,weight", "--budget", "games=4", "--confirm", "none")
    output = ok(*words, cwd=tmp_path)
    assert re.search(r"setting: .*mine\.py:wins=(yes|no),weight=0\.\d+$", output, re.MULTILINE)
    assert "not tested: the gain is not confirmed" in output
    (tmp_path / "mine.py").write_text(STUDENT)
    done = joute(*words, cwd=tmp_path)
    assert re.search(r"mine\.py has changed since the games in tune-connect4-\w+\.db", done.stderr)


def test_the_options_of_a_program_are_tuned(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PROGRAM)
    words = ("tune", "connect4", f"ugi:{sys.executable} p.py", "--over", "Skill Level", "--budget", "games=4")
    done = joute(*words, "--confirm", "none", "--db", "t.db", cwd=tmp_path)
    assert "0..5" in done.stdout
    assert re.search(r"setting: ugi:.*p\.py \[Skill Level=\d\]$", done.stdout, re.MULTILINE)


def test_an_option_that_a_program_does_not_have_loses_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PROGRAM)
    done = joute("match", "connect4", f"ugi:{sys.executable} p.py [Skil=3]", "random", "--games", "2", cwd=tmp_path)
    assert "has no option 'Skil'" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--over", "widht"), "unknown parameter of mcts:iterations=2 'widht'"),
        (("--over", "c", "--budget", "lots"), "--budget must be games=20000 or hours=2, not 'lots'"),
        (("--over", "c", "--budget", "games=5"), "--budget games=5 must be an even number"),
        (("--over", "c", "--range", "c"), "--range 'c' is not of the form NAME=RANGE"),
        (("--over", "c", "--range", "c=0..1", "--range", "c=0..2"), "--range is given twice for c"),
        (("--over", "c", "--confirm", "elo=3"), "--confirm has no parameter 'elo'"),
        (("--over", "c", "--confirm", "games=3"), "--confirm: games must be even"),
        (("--over", "c", "--confirm", "elo0=5,elo1=5"), "elo0 must be less than elo1"),
        (("--over", "c", "--spsa", "a=1"), "--spsa has no parameter 'a'"),
        (("--over", "c", "--method", "sgd"), "--method must be auto, spsa, tpe, cma-es, not 'sgd'"),
        (("--over", "playout", "--method", "spsa"), "playout has no order; use --method tpe"),
        (("--over", "c", "--confirm-at", "soon"), "soon"),
        (("--over", "c", "--output", "no/where.html"), "there is no folder no"),
    ],
)
def test_a_mistake_is_a_sentence_before_the_first_game(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = joute("tune", "connect4", "mcts:iterations=2", *words, cwd=tmp_path)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode not in (0, 70)
    assert list(tmp_path.iterdir()) == []


def test_a_method_that_is_not_installed_is_named_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    done = joute(*MCTS, *SMALL, cwd=tmp_path)
    assert "the method tpe needs Optuna: pip install 'joute[tune]', or --method spsa for numbers" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("greedy", "unknown parameter of greedy 'c'; there are: block, eval"),
        ("mine.py", "mine.py declares no parameters: write PARAMETERS"),
        ("xmlrpc:http://localhost:1", "has no parameters that Joute can set"),
    ],
)
def test_an_agent_that_cannot_be_tuned_is_told(tmp_path: Path, agent: str, message: str) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock): return state.legal_moves[0]\n")
    assert message in joute("tune", "connect4", agent, "--over", "c", cwd=tmp_path).stderr


def test_another_tuning_in_the_same_file_is_refused(tmp_path: Path) -> None:
    words = ("--budget", "games=4", "--confirm", "none", "--db", "t.db")
    ok(*SPSA, *words, cwd=tmp_path)
    done = joute(*SPSA, *words, "--seed", "9", cwd=tmp_path)
    assert "t.db holds another tournament; name another file with --db; it was made by: joute tune" in done.stderr


def test_games_of_another_trajectory_are_refused(tmp_path: Path) -> None:
    ok(*SPSA, "--budget", "games=8", "--confirm", "none", "--db", "t.db", cwd=tmp_path)
    import sqlite3

    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("UPDATE games SET settings_first = 'c=0.123' WHERE number = 3")
    connection.execute("DELETE FROM moves WHERE game = 7")
    connection.execute("DELETE FROM games WHERE number = 7")
    connection.commit()
    connection.close()
    done = joute(*SPSA, "--budget", "games=8", "--confirm", "none", "--db", "t.db", cwd=tmp_path)
    assert "t.db cannot go on: game 4 was played with" in done.stderr


def test_hours_become_games_by_a_measurement_that_the_file_keeps(tmp_path: Path) -> None:
    words = (*SPSA, "--budget", "hours=0.0002", "--confirm", "none", "--db", "t.db")
    first, again = ok(*words, cwd=tmp_path), ok(*words, cwd=tmp_path)
    assert re.search(r"0\.0002 h are about [\d,]+ games: \d+ games of the base setting gave", first)
    assert "are about" not in again
    assert "of them played" in again


def test_budgets_are_read() -> None:
    assert Budget.parse("games=20000") == Budget(games=20000)
    assert Budget.parse("hours=.5") == Budget(hours=0.5)


def test_a_tuning_can_be_followed_in_python(tmp_path: Path) -> None:
    seen: list[TuningResult] = []
    result = tune(
        "connect4",
        "mcts:iterations=2",
        over=["c", "decisive"],
        budget="games=16",
        test={"games": 4},
        on_game=seen.append,
        seed=1,
    )
    assert [each.games for each in seen] == list(range(1, len(seen) + 1))
    assert result.is_finished
    assert result.as_data()["tuned"] == result.tuned_spec
    assert result.history[-1][0] == 16


def test_sigterm_ends_a_tuning_like_an_interrupt(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "joute", *SPSA, "--budget", "games=100000", "--db", "t.db"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while count(tmp_path / "t.db") < 3 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGTERM)
    output, errors = process.communicate()
    assert process.returncode == 143
    assert "not yet tuned" in output
    assert "which are kept; to go on: joute tune connect4" in output
    assert "Traceback" not in errors
