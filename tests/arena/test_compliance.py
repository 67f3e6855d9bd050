"""The test of a program's UGI: programs that obey pass, and each defect fails the check that is about it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from commands import joute

from joute.agents.loading import find_source
from joute.agents.source import Source
from joute.arena import compliance
from joute.arena.compliance import Compliance, check_ugi
from joute.arena.players.isolation import Isolation
from joute.errors import SpecError

PLAIN = Path(__file__).parents[2] / "examples/plain_agent.py"
ALL = compliance.CHECKS


def program(path: Path) -> Source:
    return find_source(f"ugi:{shlex.join([sys.executable, str(path)])}", "connect4")


def told(found: Compliance) -> str:
    return "; ".join(f"{finding.check}: {finding.detail}" for finding in found.failures)


def test_the_example_passes_every_check() -> None:
    found = check_ugi(program(PLAIN), "connect4", late_s=20)
    assert found.passed, told(found)
    assert [finding.check for finding in found.findings] == [name for name, _ in ALL]


def test_our_engine_passes_every_check() -> None:
    found = check_ugi(find_source("alphabeta"), "connect4", late_s=20, patience_s=60)
    assert found.passed, told(found)
    details = {finding.check: finding.detail for finding in found.findings}
    assert details["info lines have numbers, scores and moves that can be read"] == (
        "depth, nodes, time, score, wdl, value, pv"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("played", "agent"),
    [
        ("vampires", "vampires"),
        ("vampires", "mcts"),
        ("quoridor", "quoridor"),
        ("avalam", "avalam"),
        ("divercite", "divercite"),
        ("connect4", "alphazero"),
        ("tictactoe", "mcts"),
    ],
)
def test_our_engine_passes_with_every_game(played: str, agent: str) -> None:
    found = check_ugi(find_source(agent), played, late_s=20, patience_s=120)
    assert found.passed, told(found)


START, READY = '"id name plain\\nid author you\\nugiok"', 'print("readyok", flush=True)'
ANSWER, QUIT = "        print(held, flush=True)", '    elif words[:1] == ["quit"]:\n        break'
FIRST = "for line in sys.stdin:\n    words = line.split()"


@pytest.mark.parametrize(
    ("line", "instead", "check", "sentence"),
    [
        (START, '"id name plain"', "ugi is answered", "no ugiok within"),
        (START, '"id author you\\nugiok"', "ugi is answered", "no line 'id name …' before ugiok"),
        (START, '"id name x\\noption name Hash type spin default 900 min 1 max 100\\nugiok"', "options have",
         "the default is not between min and max"),
        (START, '"id name x\\noption name Style type combo default bold var calm var wild\\nugiok"', "options have",
         "the default of a combo is one of its var"),
        (START, '"id name x\\noption name Style type colour default red\\nugiok"', "options have",
         "type must be one of check, spin, combo, button, string"),
        (START, '"id name x\\noption name A type check default yes\\nugiok"', "options have",
         "the default of a check is true or false"),
        (START, '"id name x\\noption name A type button\\noption name a type button\\nugiok"', "options have",
         "two options are called 'A'"),
        (START, '"id name x\\noption name Hash\\nugiok"', "options have", "is not of the form"),
        (READY, "pass", "isready is answered", "no readyok within"),
        (START, '"id name x\\noption name Hash type spin default 9 min 1 max 100\\nugiok"', "setoption takes",
         "after values of the option 'Hash'"),
        (ANSWER, '        print("bestmove 9", flush=True)', "position startpos", "'bestmove 9' has no legal move"),
        (ANSWER, '        print("bestmove", flush=True)', "position startpos", "'bestmove' has no legal move"),
        (ANSWER, '        print(held + "\\n" + held, flush=True)', "position startpos", "without a go"),
        (ANSWER, "        pass", "go depth", "no bestmove within"),
        (FIRST, f"{FIRST}\n    assert 'fen' not in words", "position fen", "before it sent bestmove: AssertionError"),
        ('if "infinite" not in words:', "if True:", "go infinite", "before stop"),
        ('words = ["stop"]', 'words = ["stop"] * ("nodes" not in words)', "go nodes", "after 'go nodes 1000'"),
        ('if words[:1] == ["stop"] and held:', "if words[:1] == ['stop']:\n        held = held or 'bestmove 4'",
         "stop without", "'bestmove 4' without a go, after stop without a search"),
        (ANSWER, '        print("info depth x\\n" + held, flush=True)', "info lines", "depth needs a whole number"),
        (ANSWER, '        print("info score cp 1.5\\n" + held, flush=True)', "info lines", "score cp needs"),
        (ANSWER, '        print("info score lots\\n" + held, flush=True)', "info lines", "score needs cp or mate"),
        (ANSWER, '        print("info wdl 500 0 400\\n" + held, flush=True)', "info lines", "add up to 1000"),
        (ANSWER, '        print("info value high\\n" + held, flush=True)', "info lines", "value needs a number"),
        (ANSWER, '        print("info pv 4 4 4 4 4 4 4 4\\n" + held, flush=True)', "info lines", "pv has 4"),
        (FIRST, f"{FIRST}\n    assert not line.startswith('joho')", "unknown commands", "before it sent readyok"),
        (FIRST, f"{FIRST}\n    words[0]", "unknown commands", "IndexError"),
        (FIRST, f"{FIRST}\n    assert 'nonsense' not in line", "an invalid position", "AssertionError"),
        (START, f'{START})\n    elif words[:1] == ["query"]:\n        print("response maybe"', "query",
         "'response maybe' to 'query p1turn', and not false"),
        (QUIT, "", "quit ends the program", "it still runs"),
        (QUIT, f"{QUIT[:-5]}sys.exit(3)", "quit ends the program during", "its exit status is 3"),
        (FIRST, "import itertools, time\nfor line in itertools.chain(sys.stdin, iter(lambda: time.sleep(9), 1)):\n"
         "    words = line.split()", "the end of its input", "it still runs"),
    ],
)  # fmt: skip
def test_a_defect_fails_its_check(
    line: str, instead: str, check: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = PLAIN.read_text()
    if "after values of" in sentence:
        source = source.replace(FIRST, f"{FIRST}\n    if words[:1] == ['setoption']:\n        READY = None")
        source = source.replace(READY, "words and 'READY' not in globals() and " + READY)
    assert line in source
    path = tmp_path / "defective.py"
    path.write_text(source.replace(line, instead))
    (chosen,) = [each for each in ALL if each[0].startswith(check)][:1]
    monkeypatch.setattr(compliance, "CHECKS", (chosen,))
    # Where the program hangs, it hangs at once, and this is how long; where it does not, nothing waits.
    hangs = any(words in sentence for words in ("within", "still runs", "after 'go", "after values"))
    patience_s = 1.0 if hangs else 20
    isolation = Isolation(start_s=patience_s if "ugiok" in sentence else 20)
    found = check_ugi(program(path), "connect4", isolation=isolation, late_s=patience_s, patience_s=patience_s)
    (finding,) = found.findings
    assert not finding.passed
    assert sentence in finding.detail


def test_a_late_move_fails_the_check_of_movetime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "slow.py"
    path.write_text(PLAIN.read_text().replace(ANSWER, f"        __import__('time').sleep(3)\n{ANSWER}"))
    monkeypatch.setattr(compliance, "CHECKS", tuple(each for each in ALL if each[0] == "go movetime"))
    found = check_ugi(program(path), "connect4", late_s=1)
    assert told(found) == "go movetime: no bestmove within 1.1 s after 'go movetime 100'"


def test_after_a_failure_the_program_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crashes.py"
    path.write_text(PLAIN.read_text().replace(FIRST, f"{FIRST}\n    assert 'depth' not in words"))
    monkeypatch.setattr(compliance, "CHECKS", tuple(each for each in ALL if each[0] in ("go depth", "go nodes")))
    found = check_ugi(program(path), "connect4", late_s=20)
    assert [finding.passed for finding in found.findings] == [False, True]
    assert "ended with exit status 1 before it sent bestmove: AssertionError" in told(found)


def test_a_program_that_never_names_itself_fails_the_first_check_and_no_other_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "silent.py"
    path.write_text("import sys\nfor line in sys.stdin:\n    pass\n")
    found = check_ugi(program(path), "connect4", isolation=Isolation(start_s=0.5))
    (finding,) = found.findings
    assert not finding.passed
    assert "no ugiok within 0.5 s" in finding.detail


def test_the_default_of_a_text_is_the_rest_of_its_line() -> None:
    line = "option name Motto type string default at min speed max fun"
    assert compliance._option(line) == ("Motto", ["at min speed max fun"])
    assert compliance._option("option name Motto type string default") == ("Motto", ["<empty>"])


def test_a_program_of_another_protocol_is_refused() -> None:
    with pytest.raises(SpecError, match="speaks another protocol than UGI"):
        check_ugi(find_source("xmlrpc:http://localhost:1"), "avalam")


def test_the_command_prints_a_line_for_each_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    some = tuple(each for each in ALL if each[0].startswith(("ugi is", "go movetime")))
    monkeypatch.setattr(compliance, "CHECKS", some)
    done = joute("check", "--ugi", f"{sys.executable} {PLAIN}", "--game", "connect4")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == ["ok    ugi is answered by id and ugiok: plain", "ok    go movetime"]
    assert "speaks UGI: it passed all 2 checks with connect4" in done.stdout
    found = json.loads(joute("check", "--ugi", f"ugi:{sys.executable} {PLAIN}", "--game", "connect4", "--json").stdout)
    assert found["passed"]
    assert [finding["check"] for finding in found["findings"]] == [name for name, _ in some]
    broken = tmp_path / "broken.py"
    broken.write_text(PLAIN.read_text().replace(ANSWER, "        print('bestmove 0', flush=True)"))
    done = joute("check", "--ugi", f"{sys.executable} {broken}", "--game", "connect4")
    assert done.returncode == 1
    assert "FAIL  go movetime: 'bestmove 0' has no legal move of the position" in done.stdout
    assert "fails 1 of 2 checks" in done.stdout
