"""The command line as its users type it: output, exit status, and one sentence for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest


def joute(*words: str, input: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "joute", *words],
        input=input,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def ok(*words: str, input: str = "") -> str:
    done = joute(*words, input=input)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_help_lists_the_commands() -> None:
    text = ok("--help")
    for command in ("games", "agents", "play", "match", "show", "perft", "demo"):
        assert command in text
    assert ok("--version").startswith("joute ")


def test_games_lists_built_in_and_plug_in_games() -> None:
    text = ok("games")
    assert "Connect Four" in text
    assert "Tic-tac-toe" in text
    names = [game["name"] for game in json.loads(ok("games", "--json"))]
    assert {"connect4", "tictactoe"} <= set(names)


def test_agents_lists_every_parameter_with_default_range_and_source() -> None:
    text = ok("agents", "connect4")
    for word in ("greedy", "block", "yes|no", "source"):
        assert word in text
    listed = {kind["name"]: kind for kind in json.loads(ok("agents", "--json"))}
    block = next(p for p in listed["greedy"]["parameters"] if p["name"] == "block")
    assert block["default"] is True
    assert set(block) == {"name", "default", "range", "help", "source"}


def test_match_prints_the_result_and_the_command_that_reproduces_it() -> None:
    text = ok("match", "connect4", "greedy", "random", "--games", "20", "--seed", "3")
    assert "95% interval" in text
    assert "greedy is stronger (95%)" in text
    assert "joute match connect4 greedy random --games 20 --seed 3" in text


def test_match_as_json_repeats_with_its_seed() -> None:
    first = json.loads(ok("match", "connect4", "greedy", "random", "--games", "10", "--json"))
    again = json.loads(ok("match", "connect4", "greedy", "random", "--games", "10", "--json"))
    for data in (first, again):
        data.pop("mean_time_s")
    assert first == again
    assert first["wins"] + first["draws"] + first["losses"] == first["games"] == 10
    assert 0 <= first["low"] <= first["score"] <= first["high"] <= 1


def test_match_plays_a_plug_in_game() -> None:
    assert json.loads(ok("match", "tictactoe", "greedy", "random", "--games", "10", "--json"))["score"] > 0.5


def test_perft_counts_and_divides() -> None:
    assert "perft(5) = 16,807" in ok("perft", "connect4", "5")
    assert "perft(5) = 16,807" in ok("perft", "connect4", "5", "--no-bulk")
    text = ok("perft", "connect4", "3", "--divide", "--position", "444444")
    assert "4:" not in text
    assert "3: 36" in text
    data = json.loads(ok("perft", "connect4", "3", "--divide", "--json"))
    assert data["count"] == sum(data["divide"].values()) == 343


def test_show_prints_and_draws_a_position(tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    text = ok("show", "connect4", "4455", "--svg", str(picture))
    assert ". . . X X . ." in text
    assert "ply 4: first (X) to move" in text
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    data = json.loads(ok("show", "connect4", "1122334", "--json"))
    assert data["result"] == {"outcome": 1, "score": 18, "margin": 18, "decided_by": "four in a row"}
    assert data["legal_moves"] == []


def test_play_a_game_with_undo_hint_and_an_illegal_move() -> None:
    text = ok("play", "connect4", "--against", "random", "--seed", "1", input="hint\n9\n4\nundo\n1\nmoves\nquit\n")
    assert "hint: 4" in text
    assert "'9' is not a connect4 move" in text
    assert "To go on: joute play connect4 --against random --position '1" in text


def test_play_to_a_win_and_resign() -> None:
    assert "You win!" in ok("play", "connect4", "--position", "112233", input="4\n")
    assert "You resign; greedy wins." in ok("play", "connect4", input="resign\n")
    assert "greedy wins." in ok("play", "connect4", "--second", "--position", "112233")
    assert "no move of yours to take back" in ok("play", "connect4", input="undo\n")


def test_play_ends_quietly_when_the_input_ends() -> None:
    assert "To go on: joute play connect4" in ok("play", "connect4", input="4\n")


def test_the_demo_ends_in_a_table() -> None:
    text = ok("demo", "--games", "10")
    assert "rank" in text
    assert "greedy:block=no" in text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("match", "conect4", "greedy", "random"), "unknown game 'conect4'; did you mean 'connect4'?"),
        (("match", "connect4", "gredy", "random"), "unknown agent 'gredy'; did you mean 'greedy'?"),
        (
            ("match", "connect4", "greedy:blok=no", "random"),
            "greedy has no parameter 'blok'; did you mean 'block'?",
        ),
        (
            ("match", "connect4", "greedy", "random", "--position", "1122334"),
            "the game is over in position '1122334'",
        ),
        (("show", "connect4", "48"), "move 2, '8', is not a column from 1 to 7"),
        (("show", "connect4", "4", "--svg", "/no/such/folder/x.svg"), "No such file or directory"),
        (("play", "connect4", "--against", "randm"), "did you mean 'random'?"),
        (("agents", "conect4"), "did you mean 'connect4'?"),
        (("perft", "connect4:rules=x", "2"), "connect4 has no parameters, so 'rules' cannot be set"),
    ],
)
def test_a_mistake_costs_one_sentence_and_exit_status_2(words: tuple[str, ...], complaint: str) -> None:
    done = joute(*words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("words", [("mach", "connect4"), ("perft", "connect4", "x"), ("match", "connect4", "a")])
def test_wrong_usage_exits_with_status_2(words: tuple[str, ...]) -> None:
    done = joute(*words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_importing_joute_loads_nothing_heavy() -> None:
    code = "import sys, joute; print([m for m in ('rich', 'typer', 'numpy', 'torch', 'asyncio') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_ends_a_long_native_call() -> None:
    code = (
        "import joute, _thread, threading\n"
        "threading.Timer(0.3, _thread.interrupt_main).start()\n"
        "try:\n    joute.playouts(joute.new('connect4'), 10**12)\n"
        "except KeyboardInterrupt:\n    print('stopped')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "stopped"
