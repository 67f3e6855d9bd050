"""Agents by the names users give them: specs, files, classes, programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from joute import Clock, new
from joute.agents.loading import find_source, load_agent
from joute.agents.own_traceback import own_traceback
from joute.errors import SpecError

ONE_CLASS = """
import random
from dataclasses import dataclass

class Helper:
    pass

class Last:
    def choose(self, state, clock):
        return state.legal_moves[-1]
"""

TWO_CLASSES = """
class First:
    def __init__(self, seed):
        self.seed = seed
    def choose(self, state, clock):
        return state.legal_moves[0]

class Last:
    def choose(self, state, clock):
        return state.legal_moves[-1]

def middle(state, clock):
    return state.legal_moves[3]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "one.py").write_text(ONE_CLASS)
    (tmp_path / "two.py").write_text(TWO_CLASSES)
    (tmp_path / "function.py").write_text("def choose(state, clock):\n    return state.legal_moves[1]\n")
    (tmp_path / "takes_one.py").write_text("def choose(moves):\n    return 1\n")
    (tmp_path / "empty.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def move_of(text: str, seed: int = 0) -> str:
    return str(load_agent(text, "connect4", seed).choose(new("connect4"), Clock()))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("one.py", "7"),
        ("two.py:Last", "7"),
        ("two.py:First", "1"),
        ("two.py:middle", "4"),
        ("function.py", "2"),
        ("greedy", "4"),
    ],
)
def test_an_agent_is_loaded_by_file_class_function_or_spec(folder: Path, text: str, move: str) -> None:
    source = find_source(text, "connect4")
    assert source.kind == ("built-in" if text == "greedy" else "python")
    assert move_of(source.text) == move


def test_a_class_path_names_a_module_on_the_path_or_in_the_current_folder(folder: Path) -> None:
    assert find_source("two:Last").kind == "python"
    assert move_of("two:Last") == "7"


def test_a_class_that_takes_a_seed_gets_it(folder: Path) -> None:
    assert load_agent("two.py:First", "connect4", 42).seed == 42  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("two.py", "has several agents .First, Last.; say which: two.py:First"),
        ("two.py:Middle", "has no class or function Middle"),
        ("empty.py", "has no class with a method choose"),
        ("takes_one.py", r"does not take .state, clock.; a program that speaks UGI is named ugi:python3 takes_one.py"),
        ("one.py:Helper", "class Helper of .* has no method choose"),
    ],
)
def test_what_cannot_be_an_agent_gives_one_clear_error(folder: Path, text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        load_agent(text, "connect4", 0)


def test_messages_name_a_file_from_the_current_folder(folder: Path) -> None:
    with pytest.raises(SpecError, match=r"^empty\.py has no class"):
        load_agent(f"{folder}/empty.py", "connect4", 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("missing.py", "there is no agent file missing.py"),
        ("ugi:", "ugi: needs the program"),
        ("ugi:./missing", "program ./missing does not exist"),
        ("./one.txt", r"program ./one.txt cannot be executed \(chmod \+x makes it executable\)"),
        ("ugi:'unclosed", "is not a command line"),
        ("gredy", "did you mean 'greedy'"),
        ("mcts:iteratoins=3", "did you mean 'iterations'"),
        ("perfect", None),
        ("mcts:iterations", "is not of the form key=value"),
    ],
)
def test_wrong_names_are_found_before_anything_runs(folder: Path, text: str, sentence: str | None) -> None:
    (folder / "one.txt").write_text("")
    if sentence is None:
        assert find_source(text, "connect4").kind == "built-in"
        return
    with pytest.raises(SpecError, match=sentence):
        find_source(text, "connect4")


def test_programs_and_the_files_they_are_given_get_absolute_paths(folder: Path) -> None:
    source = find_source("ugi:python3 one.py --fast")
    assert source.kind == "program"
    assert Path(source.command[0]).is_absolute()
    assert source.command[1:] == (str(folder / "one.py"), "--fast")
    assert source.file == folder / "one.py"
    assert Path(find_source("ugi:/bin/true x").command[0]).is_absolute()
    assert find_source("ugi:/bin/true x").files == ()  # of the system
    assert find_source("ugi:python3 -m one").file is None
    (folder / "weights.bin").write_text("")
    assert find_source("ugi:python3 one.py weights.bin").files == (folder / "one.py", folder / "weights.bin")


@pytest.mark.parametrize(
    "text",
    ["one.py", "two.py:Last", "two:Last", "ugi:python3 one.py weights.bin", "./program", "greedy"],
)
def test_looking_again_finds_the_same(folder: Path, text: str) -> None:
    """A tournament stores the text of a source and finds it again by that."""
    (folder / "weights.bin").write_text("")
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    found = find_source(text, "connect4")
    assert find_source(found.text, "connect4") == found
    assert found.files == tuple(file for file in found.files if file.parent == folder)


def test_modules_of_the_folder_are_an_agents_own_files(folder: Path) -> None:
    assert find_source("two:Last").files == (folder / "two.py",)
    assert find_source("alphabeta:eval=one:Last", "connect4").files == (folder / "one.py",)
    assert find_source("alphabeta:eval=one:Last", "connect4").folder == folder
    assert find_source("joute.agents.random:RandomAgent").files == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("one", "unknown agent 'one'.*; for the file, write one.py"),
        ("program", "for the program, write ./program"),
        (
            "python3 one.py",
            "for a program that speaks UGI, write ugi:python3 one.py",
        ),
        ("gredy:x", "unknown agent 'gredy'; did you mean 'greedy'"),
        ("./", "program ./ is a folder, not an agent"),
        ("~/no-such-program", "no-such-program does not exist"),
        ("alphabeta:depth=x", "depth must be a whole number"),
    ],
)
def test_a_misspelt_text_is_answered_with_the_nearest_right_one(folder: Path, text: str, sentence: str) -> None:
    (folder / "program").write_text("")
    with pytest.raises(SpecError, match=sentence):
        find_source(text, "connect4")


def test_a_search_with_a_strangers_evaluation_is_a_strangers_code_and_does_not_run_here(folder: Path) -> None:
    (folder / "evil.py").write_text("raise SystemExit('imported')\n")
    assert find_source("alphabeta:eval=evil:f", "connect4").kind == "python"
    assert find_source("alphabeta:depth=3", "connect4").kind == "built-in"


@pytest.mark.parametrize(
    ("code", "text", "sentence"),
    [
        ("class A:\n    def chose(self, state, clock): ...\n", "near.py", "; it has chose: did you mean choose?"),
        ("def Choose(state, clock): ...\n", "near.py", "; it has Choose: did you mean choose?"),
        ("class A:\n    def choose_move(self): ...\n", "near.py:A", "; it has choose_move: did you mean choose?"),
        ("class Careful:\n    def choose(self, state, clock): ...\n", "near.py:Carefull", "; did you mean Careful?"),
        ("from random import choices\n", "near.py", "; a program that speaks UGI is named ugi:python3 near.py"),
        (
            "class A:\n    def __init__(self, depth): ...\n",
            "near.py:A",
            "needs more: missing a required argument: 'depth'",
        ),
    ],
)
def test_a_mistyped_name_or_a_constructor_that_needs_more_is_told(
    folder: Path, code: str, text: str, sentence: str
) -> None:
    (folder / "near.py").write_text(code)
    with pytest.raises(SpecError) as error:
        load_agent(text, "connect4", 0)
    assert str(error.value).endswith(sentence)


def told_when_loaded(code: str, folder: Path) -> list[str]:
    (folder / "broken.py").write_text(code)
    (folder / "helper.py").write_text("import json\n\n\ndef read(text):\n    return json.loads(text)\n")
    with pytest.raises(Exception) as error:  # noqa: PT011  # the traceback of any exception
        load_agent("broken.py", "connect4", 0)
    trace = error.value.__traceback__
    assert trace is not None
    return own_traceback(error.value.with_traceback(trace.tb_next)).splitlines()  # without the frame of this test


def test_a_syntax_error_shows_the_line_of_the_agents_file_and_no_frame(folder: Path) -> None:
    lines = told_when_loaded("class A:\n    def choose(self, state, clock)\n        return 1\n", folder)
    assert lines == [
        "Traceback (most recent call last):",
        '  File "broken.py", line 2',
        "    def choose(self, state, clock)",
        "                                  ^",
        "SyntaxError: expected ':'",
    ]


def test_an_exception_at_import_shows_the_frames_of_the_agents_files_alone(folder: Path) -> None:
    lines = told_when_loaded("import helper\n\nhelper.read('[')\n\n\ndef choose(state, clock): ...\n", folder)
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.strip() for line in lines if line.startswith("  File ")] == [
        'File "broken.py", line 3, in <module>',
        'File "helper.py", line 5, in read',
    ]
    assert lines[-1].startswith("json.decoder.JSONDecodeError: ")


def test_an_exception_in_a_constructor_shows_what_led_to_it(folder: Path) -> None:
    code = (
        "class A:\n    def __init__(self):\n        try:\n            1 / 0\n"
        "        except ZeroDivisionError as error:\n            raise KeyError(3) from error\n"
        "    def choose(self, state, clock): ...\n"
    )
    lines = told_when_loaded(code, folder)
    assert [line.strip() for line in lines if line.startswith("  File ")] == [
        'File "broken.py", line 4, in __init__',
        'File "broken.py", line 6, in __init__',
    ]
    assert "ZeroDivisionError: division by zero" in lines


def test_an_error_of_joute_keeps_its_frames() -> None:
    with pytest.raises(SpecError) as error:
        find_source("greddy")
    assert 'joute/agents/loading.py", line ' in own_traceback(error.value)
