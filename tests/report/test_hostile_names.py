"""Names with marks of writing direction, terminal escapes and thousands of characters, wherever they are shown."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import joute
from report_samples import record, stored

from joute import Result
from joute.cli.common import shell_word
from joute.match import Reason
from joute.text import html_text, json_text, message, printable, shortened

HOSTILE = "ev\u202eil\x00\x1b[31m\u200b\x9b\u2028" + "n" * 5000
#: The same as a word of a command, which cannot hold NUL.
WORD = HOSTILE.replace("\0", "\n")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament in which every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    games = []
    for number, reason in enumerate((Reason.TIME, Reason.CRASH, Reason.RESIGNATION, Reason.ILLEGAL_MOVE)):
        played = record(reason=reason, detail=HOSTILE, output=(HOSTILE, HOSTILE), result=Result(1, decided_by=HOSTILE))
        games.append(((number % 2, 1 - number % 2), dataclasses.replace(played, players=(HOSTILE, "b"))))
    stored(folder, [HOSTILE, "b"], games).close()
    return folder / "made.db"


def check(text: str, *, is_cut: bool = True) -> None:
    assert {character for character in text if not character.isprintable()} <= {"\n"}
    assert not is_cut or not re.search("n{1001}", text)


@pytest.mark.parametrize("format", ["html", "md", "csv", "json"])
def test_no_report_holds_a_character_that_is_not_printable(db: Path, tmp_path: Path, format: str) -> None:
    done = joute("report", str(db), "-o", str(tmp_path / f"report.{format}"))
    assert (done.returncode, done.stderr) == (0, "")
    check(done.stdout)
    text = (tmp_path / f"report.{format}").read_text(encoding="utf-8")
    check(text, is_cut=format in ("html", "md"))  # the others are data, which a program compares with its own
    if format == "json":
        assert HOSTILE in {agent["name"] for agent in json.loads(text)["agents"]}
    if format == "html":
        data = re.findall(r'"([A-Za-z0-9+/]{40,}=*)"', text)
        assert len(data) >= 3
        for packed in data:
            check_values(json.loads(gzip.decompress(base64.b64decode(packed))))


def check_values(value: object) -> None:
    if isinstance(value, str):
        check(value, is_cut=not value.startswith("ev") or len(value) < 4000)  # an agent's output is cut by itself
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            check_values(each)


@pytest.mark.parametrize(
    "words", [("replay",), ("replay", "--game", "1"), ("tournament", "--resume", "--db"), ("report", "--format", "md")]
)
def test_no_command_prints_a_character_that_is_not_printable(db: Path, words: tuple[str, ...], tmp_path: Path) -> None:
    output = ("-o", str(tmp_path / "it.md")) if words[0] == "report" else ()
    done = joute(*words, str(db), *output)
    assert done.returncode == 0, done.stderr
    check(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("show", WORD),
        ("show", "connect4", WORD),
        ("match", "connect4", "random", WORD),
        ("match", "connect4", "random", f"mcts:{WORD}=3"),
        ("tournament", f"{WORD}.toml"),
        ("report", WORD),
        ("match", "connect4", "random", "random", "--clock", WORD),
    ],
)
def test_a_mistake_with_a_hostile_name_is_one_short_line(words: tuple[str, ...]) -> None:
    done = joute(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("joute: ")
    assert done.stderr.count("\n") == 1
    check(done.stderr)


def test_text_is_made_printable_without_loss() -> None:
    assert printable("a\u202eb\0\x1b[2J") == r"a\u202eb\x00\x1b[2J"
    assert printable("Zoë – ½ ∞") == "Zoë – ½ ∞"
    assert message("a\nb") == r"a\nb"
    assert json.loads(json_text(json.dumps([HOSTILE], ensure_ascii=False))) == [HOSTILE]
    assert html_text("<\u202e>\n") == "&lt;\\u202e&gt;\n"


def test_text_is_cut_to_the_length() -> None:
    for length in (10, 11, 100):
        assert len(shortened("x" * 1000, length)) == length
        assert shortened("x" * length, length) == "x" * length


def test_a_file_with_a_hostile_name_plays_and_its_command_can_be_pasted(tmp_path: Path) -> None:
    file = tmp_path / "ev\u202eil\x1b[31m'.py"
    file.write_text("def choose(state, clock):\n    return state.legal_moves[0]\n")
    done = joute("match", "connect4", str(file), "random", "--games", "1")
    assert done.returncode == 0, done.stderr
    check(done.stdout + done.stderr)
    assert shell_word(file) in done.stdout
    for word in (str(file), "a b", "\udcff", "\U000e0001", "\\'\n"):
        command = ["bash", "-c", f"printf %s {shell_word(word)}"]
        utf8 = os.environ | {"LC_ALL": "C.UTF-8"}
        assert subprocess.run(command, capture_output=True, check=True, env=utf8).stdout == os.fsencode(word)
