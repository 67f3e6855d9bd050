"""``joute review``: what it prints, what it writes, and what it says about bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import joute
from processor_time import wait_for_work

TEXT = '[Game "connect4"]\n[First "Anna"]\n[Second "Ben"]\n4 4 3 3 5 5 {oh no} 6 1-0\n'


@pytest.fixture
def typed(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_text(TEXT)
    return path


def test_the_review_is_a_graph_a_table_accuracies_and_moments(typed: Path) -> None:
    done = joute("review", str(typed))
    assert (done.returncode, done.stderr) == (0, "")
    assert "100% ┤" in done.stdout
    assert re.search(r"^   2 Anna   3      0\.0% 100\.0%  blunder     4 ", done.stdout, re.MULTILINE)
    assert re.search(r"^accuracy +75\.0% +0\.0%$", done.stdout, re.MULTILINE)
    assert "Ply 2: 3 by Anna is a blunder" in done.stdout
    assert "judged by perfect" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_data_are_stable(typed: Path) -> None:
    done = joute("review", str(typed), "--json")
    data = json.loads(done.stdout)
    assert (data["kind"], data["schema"], data["number"], data["complete"]) == ("joute review", 1, 1, True)
    assert data["players"] == ["Anna", "Ben"]
    assert data["chances"] == [1, 1, 1, 0, 1, 1, 1, 1]
    assert data["accuracy"][0] == {"game": 75.0, "opening": 50.0, "middle": 100.0, "end": 100.0}
    assert data["counts"][1]["blunder"] == 1
    line = data["moves"][2].pop("line")
    assert line[:3] == ["4", "4", "4"]
    assert data["moves"][2] == {
        "ply": 2, "player": 0, "move": "3", "before": 1.0, "after": 0.0, "luck": 0.0, "loss": 1.0, "class": "blunder",
        "best": "4", "proven": True, "forced": False, "counts": True, "phase": "opening",
    }  # fmt: skip
    assert joute("review", str(typed), "--json", "--jobs", "3").stdout == done.stdout


def test_page_and_annotated_game_are_written_and_only_their_own_kind_replaced(typed: Path, tmp_path: Path) -> None:
    page, text = tmp_path / "review.html", tmp_path / "annotated.txt"
    words = ("review", str(typed), "--html", str(page), "--annotate", str(text))
    for _ in range(2):
        done = joute(*words)
        assert (done.returncode, done.stderr) == (0, "")
    assert f"page: {page}\nannotated game: {text}\n" in done.stdout
    assert page.read_text().startswith("<!doctype html>")
    assert "class=blunder" in text.read_text()
    assert "1-0" in joute("replay", str(text)).stdout
    for path, kind in ((page, "a page of Joute"), (text, "an annotated game")):
        before, _ = path.read_text(), path.write_text("mine")
        refused = joute(*words)
        assert (refused.returncode, path.read_text()) == (2, "mine")
        assert f"exists and is not {kind}" in refused.stderr
        path.write_text(before)


def test_a_game_of_a_tournament_is_named_by_its_number(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    words = ("connect4", "greedy", "random", "--games", "4", "--seed", "1", "--db", str(db))
    assert joute("tournament", *words).returncode == 0
    done = joute("review", str(db), "--game", "3", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["number"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("missing.txt",), "missing.txt"),
        (("two.txt",), "two.txt has 2 games; choose one with --game"),
        (("two.txt", "--game", "7"), "there is no game 7 in two.txt; it has games 1 to 2"),
        (("bad.txt",), "bad.txt, line 1: move 3: illegal move 8 at ply 2 of connect4"),
        (("no.txt",), "no.txt is neither a tournament's file nor a text of games"),
        (("one.txt", "--agent", "random"), "agent 'random' does not tell the values of positions"),
        (("one.txt", "--agent", "perfekt"), "did you mean 'perfect'"),
        (("one.txt", "--agent", "mcts", "--nodes", "9", "--seconds", "1"), "give one of them"),
        (("one.txt", "--html", "nowhere/x.html"), "there is no folder nowhere"),
        (("one.txt", "--nodes", "0"), "--nodes"),
    ],
)
def test_bad_input_gets_one_sentence(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text(TEXT)
    Path("two.txt").write_text(TEXT + "\n" + TEXT)
    Path("bad.txt").write_text('[Game "connect4"] [First "Anna"] [Second "Ben"] 4 4 8 1-0')
    Path("no.txt").write_text("hello")
    done = joute("review", *words)
    assert done.returncode != 0
    assert done.stdout == ""
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_prints_what_is_judged(tmp_path: Path) -> None:
    game = tmp_path / "game.txt"
    assert joute("match", "quoridor", "greedy", "greedy", "--games", "1", "--records", str(game)).returncode == 0
    command = [sys.executable, "-m", "joute", "review", str(game), "--nodes", "100000", "--jobs", "1", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_work(process.pid, 1.2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    data = json.loads(output)
    assert not data["complete"]
    assert 1 <= len(data["moves"]) < 40
    assert f"stopped after {len(data['moves'])} of " in errors
    assert f"the whole review: joute review {game}" in errors


def test_colours_are_for_terminals_that_want_them(typed: Path) -> None:
    pty = pytest.importorskip("pty")
    shown = {}
    for colour in ("", "1"):
        reader, writer = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": colour}
        done = subprocess.run(
            [sys.executable, "-m", "joute", "review", str(typed)],
            stdout=writer,
            env=environment,
            check=False,
            timeout=60,
        )
        os.close(writer)
        text = b""
        while chunk := _read(reader):
            text += chunk
        os.close(reader)
        assert done.returncode == 0
        shown[colour] = text.decode()
    assert "\x1b[31m" in shown[""]
    assert "\x1b[" not in shown["1"]
    plain = re.sub(r"\x1b\[\d*m", "", shown[""]).replace("\r", "")
    assert max(map(len, plain.splitlines())) <= 80


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65536)
    except OSError:  # Linux: the other end is closed
        return b""
