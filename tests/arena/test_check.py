"""The admission test: what would forfeit in a tournament is said before it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from commands import joute

from joute.arena.check import check_agent
from joute.cli.check import print_admission
from joute.match.clock import TimeControl
from joute.match.record import Reason

MISBEHAVING = Path(__file__).parent / "misbehaving"


def joute_check(*words: str, status: int = 0) -> str:
    done = joute("check", *words, "--game", "connect4")
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback (most recent call last):\n  File" not in done.stderr
    return done.stdout + done.stderr


def test_an_agent_that_behaves_is_ready_and_plays_both_sides_on_both_clocks(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    text = joute_check(str(tmp_path / "mine.py"), "--games", "1", "--clock", "5", "--low-clock", "0.5")
    assert "mine.py is ready to play connect4 with --clock 5; played in a process of its own, margin 0.1 s" in text
    assert re.search(r"the same seeds gave the same games: (\d) of \1 played again", text)
    rows = [re.search(r"(first|second) +(\S+) +1 ", line) for line in text.splitlines()]
    played = [match.groups() for match in rows if match]
    assert played == [("first", "5"), ("second", "5"), ("first", "0.5"), ("second", "0.5")]


def test_what_would_forfeit_is_said_with_the_reason_and_fails(tmp_path: Path) -> None:
    text = joute_check(str(MISBEHAVING / "crashes_at_ply_10.py"), "--games", "1", status=1)
    assert "forfeit by crash (games, little time), 4 times, for example: " in text
    assert "ValueError: nobody told me that games are this long" in text
    assert "would forfeit games of connect4 with --clock 10; played" in text
    assert "the same seed" not in text


def test_forfeits_that_differ_in_numbers_alone_are_told_once(tmp_path: Path) -> None:
    code = "def choose(state, clock):\n    return str(40 + state.ply if state.ply > 4 else 4)\n"
    (tmp_path / "mine.py").write_text(code)
    text = joute_check(str(tmp_path / "mine.py"), "--games", "2", status=1)
    assert len(re.findall("forfeit by illegal move", text)) == 1
    assert re.search(r"forfeit by illegal move \(games, little time\), \d times, for example: ", text)


def test_the_last_words_of_a_program_are_told_once(tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text("import sys\nsys.exit('the weights are at home')\n")
    text = joute_check(f"ugi:{sys.executable} {program}", status=1)
    assert text.count("the weights are at home") == 1


def test_an_agent_that_is_only_slow_is_ready_for_the_clock_that_suffices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "slow.py"
    file.write_text(
        "import time\n\n\ndef choose(state, clock):\n    time.sleep(0.03)\n    return state.legal_moves[0]\n"
    )
    found = check_agent(
        str(file), "connect4", clock=TimeControl.parse("60"), low_clock=TimeControl.parse("0.001/move"), games=1,
        margin_s=0.01,
    )  # fmt: skip
    assert [[record.reason for record in stage.forfeits] for stage in found.stages] == [[], [], [Reason.TIME]]
    assert found.passed
    print_admission(found, 0.01)
    text = capsys.readouterr().out
    assert "slow.py is ready to play connect4 with --clock 60; " in text
    assert "with --clock 0.001/move it would lose on time: 1 of 1 game\n" in text
    found.stages[0].records[:] = found.stages[2].records
    assert not found.passed  # too slow for the clock of the tournament
    print_admission(found, 0.01)
    assert "it lost on time alone: if the clock of your tournament is longer, name it" in capsys.readouterr().out


def test_an_agent_that_cannot_begin_is_not_tried_again(tmp_path: Path) -> None:
    data = json.loads(joute_check(str(MISBEHAVING / "crashes_at_import.py"), "--json", status=1))
    assert [stage["games"] for stage in data["stages"]] == [1]
    assert "the weights are at home" in data["stages"][0]["forfeits"][0]["detail"]
    assert "Traceback" in data["output"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.py"], "joute: there is no agent file missing.py"),
        (["greedy", "--clock", "soon"], "joute: 'soon' is not a clock such as 300"),
        (["greddy"], "did you mean 'greedy'?"),
    ],
)
def test_a_wrong_command_gives_one_clear_error(words: list[str], sentence: str) -> None:
    text = joute_check(*words, status=2)
    assert sentence in text
    assert len(text.strip().splitlines()) == 1


def test_a_program_that_plays_at_random_is_detected_even_if_it_wins_at_once() -> None:
    program = Path(__file__).parents[2] / "examples" / "plain_agent.py"
    text = joute_check(f"ugi:{program}", "--games", "1")
    assert "the same seed gave another game" in text


def test_what_an_agent_wrote_is_shown_without_its_control_characters_and_no_wrong_count(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "def choose(state, clock):\n    print('\\x1b[31mred', state.ply, flush=True)\n    return 4\n"
        "for line in range(100): print('\\x1b[2Jline', line)\n"
    )
    text = joute_check(str(tmp_path / "loud.py"), status=1)
    assert "\x1b" not in text
    assert "the end of what it wrote:" in text
    assert "  \\x1b[31mred 0" in text
    assert "  hint: return one of state.legal_moves, or its text, '4', not a number" in text


def test_the_limits_of_a_tournament_hold_in_the_check(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text("import time\n\ntime.sleep(1000)\n\n\ndef choose(state, clock): ...\n")
    text = joute_check(str(tmp_path / "late.py"), "--start-s", "0.5", status=1)
    assert "within 0.5 s" in text
    assert "memory_mb must be a whole number in 16..1048576, not 1" in joute_check(
        "greedy", "--memory-mb", "1", status=2
    )
