"""Parameters that an agent's file declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joute.agents.file_parameters import file_parameters
from joute.agents.loading import find_source, load_agent
from joute.agents.variation import varied
from joute.errors import SpecError
from joute.protocol.ugi_options import AgentOptions

TABLE = """
raise_if_run = RUN  # the file is not run to read its parameters
PARAMETERS = {"width": 3, "bonus": 0.5, "careful": True, "style": "calm", "names": [1], WIDE: 2}
RANGES = {"width": (1, 10), "style": ("calm", "wild")}
"""
TOLD = """
PARAMETERS = {"width": 3, "style": "calm"}

class Mine:
    def choose(self, state, clock):
        return PARAMETERS

class Other:
    def choose(self, state, clock):
        return "other"
"""
CLASS = """
from dataclasses import dataclass, field

@dataclass
class Mine:
    seed: int
    width: int = 3
    bonus: float = 0.5
    seen: list = field(default_factory=list)

    def choose(self, state, clock):
        return (self.seed, self.width, self.bonus)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine.py"


def test_a_dictionary_declares_parameters_and_is_not_run(mine: Path) -> None:
    mine.write_text(TABLE)
    assert [(each.name, each.default, each.range) for each in file_parameters(mine)] == [
        ("width", 3, "1..10"),
        ("bonus", 0.5, "any number"),
        ("careful", True, "yes|no"),
        ("style", "calm", "calm|wild"),
    ]


def test_the_fields_of_a_dataclass_that_is_the_agent_are_parameters(mine: Path) -> None:
    mine.write_text(CLASS)
    assert [(each.name, each.default) for each in file_parameters(mine)] == [("width", 3), ("bonus", 0.5)]


@pytest.mark.parametrize(
    "text", ["def choose(state, clock): return 1\n", "x = (", "class Mine:\n    width = 3\n", "\x00"]
)
def test_any_other_file_has_none(mine: Path, text: str) -> None:
    mine.write_text(text)
    assert file_parameters(mine) == ()


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ('{"widht": (1, 2)}', "RANGES must be a dictionary with names of parameters: width, style"),
        ('{"width": (5, 1)}', r"RANGES of width must be two numbers, \(1, 10\), not \(5, 1\)"),
        ('{"width": 5}', "RANGES of width must be two numbers"),
        ('{"style": (1, 2)}', "RANGES of style must be its choices"),
        ('{"width": (4, 9)}', r"width must be a whole number in 4\.\.9, not 3"),
    ],
)
def test_a_wrong_range_is_told(mine: Path, ranges: str, message: str) -> None:
    mine.write_text(f"{TOLD}\nRANGES = {ranges}\n")
    with pytest.raises(SpecError, match=message):
        file_parameters(mine)


def test_a_file_that_means_something_else_by_the_names_plays_as_before(mine: Path) -> None:
    mine.write_text(f"RANGES = [1, 2]\n{CLASS}".replace("= 3", "= THREE").replace("= 0.5", "= HALF"))
    assert file_parameters(mine) == ()
    mine.write_text(f"RANGES = [1, 2]\n{TOLD}")
    assert chosen("mine.py:Other") == "other"
    assert [line.split()[2] for line in AgentOptions("mine.py:Other", "connect4").lines()] == ["Seed"]


def test_the_seed_is_no_parameter(mine: Path) -> None:
    mine.write_text(CLASS.replace("seed: int", "seed: int = 0"))
    assert [each.name for each in file_parameters(mine)] == ["width", "bonus"]
    assert chosen("mine.py:width=4", seed=7) == (7, 4, 0.5)


def chosen(text: str, seed: int = 7) -> Any:
    return load_agent(find_source(text).text, "connect4", seed).choose(None, None)  # type: ignore[arg-type]


def test_a_text_sets_the_parameters_of_a_file(mine: Path) -> None:
    mine.write_text(TOLD)
    assert chosen("mine.py:Mine") == {"width": 3, "style": "calm"}
    assert chosen("mine.py:Mine:width=5") == {"width": 5, "style": "calm"}
    mine.write_text(CLASS)
    assert chosen("mine.py:bonus=2,width=4") == (7, 4, 2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mine.py:Mine:widht=4", "mine.py has no parameter 'widht'; did you mean 'width'?"),
        ("mine.py:Mine:width=many", "width must be a whole number, not 'many'"),
        ("course:mine.py:width=4", "a file in this language has no parameters"),
    ],
)
def test_a_wrong_setting_is_told_before_the_file_runs(mine: Path, text: str, message: str) -> None:
    mine.write_text(TOLD)
    with pytest.raises(SpecError) as told:
        find_source(text)
    assert message in str(told.value)


def test_a_file_without_parameters_takes_no_settings(mine: Path) -> None:
    mine.write_text("def choose(state, clock): return 1\n")
    with pytest.raises(SpecError, match="declares no parameters: write PARAMETERS"):
        find_source("mine.py:width=4")


def test_sources_are_varied_by_their_text(mine: Path) -> None:
    mine.write_text(TOLD)
    source = find_source("mine.py:Mine:width=4")
    assert varied(source, "width=5,style=wild").text == f"{mine}:Mine:width=5,style=wild"
    assert varied(find_source("mcts:iterations=10,c=1"), "c=2").text == "mcts:iterations=10,c=2"
    assert varied(find_source("level:4"), "").text == "level:4"
    program = find_source("ugi:cat --fast [Hash=1,Skill Level=3]")
    assert program.command[1:] == ("--fast",)
    assert varied(program, "Hash=2").text.endswith("--fast [Hash=2,Skill Level=3]")


def test_the_parameters_of_a_file_are_ugi_options(mine: Path) -> None:
    mine.write_text(CLASS.replace("    seed: int\n", "").replace("self.seed, ", ""))
    options = AgentOptions("mine.py:width=4", "connect4")
    assert options.lines()[:2] == [
        f"option name width type spin default 4 min {-(2**63)} max {2**63 - 1}",
        "option name bonus type string default 0.5",
    ]
    options.set("Bonus", "2.5")
    assert options.make().choose(None, None) == (4, 2.5)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="width must be a whole number"):
        options.set("width", "x")
