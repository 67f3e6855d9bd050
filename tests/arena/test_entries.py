"""The agents that a text enters: patterns, folders, manifests, and clocks of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.arena.entries import entry_of, expanded, folder_entries
from joute.arena.plan import make_plan
from joute.arena.plan_file import read_toml
from joute.errors import SpecError

AGENT = "def choose(state, clock): return state.legal_moves[0]\n"


@pytest.fixture
def students(tmp_path: Path) -> Path:
    for name in ("anna.py", "ben.py", "_helper.py", ".hidden.py", "alice/agent.py", "bob/agent.py", "bob/tools.py"):
        file = tmp_path / "students" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(AGENT)
    (tmp_path / "students" / "data").mkdir()
    return tmp_path / "students"


def names(folder: Path, *texts: str) -> list[str]:
    return [name for _, name, _ in expanded([entry_of(text) for text in texts], folder)]


def test_a_pattern_enters_one_agent_per_file(students: Path) -> None:
    assert names(students.parent, "students/*.py") == ["anna", "ben"]
    plan = make_plan("connect4", ["greedy", "students/*.py"], folder=students.parent)
    assert [entrant.name for entrant in plan.entrants] == ["greedy", "anna", "ben"]
    assert plan.entrants[1].agent == str(students / "anna.py")


def test_a_pattern_of_folders_names_agents_after_the_folders(students: Path) -> None:
    assert names(students.parent, "students/*/agent.py") == ["alice", "bob"]
    assert names(students.parent, "students/*/*.py") == ["alice", "bob/agent", "bob/tools"]


def test_a_folder_enters_its_files_and_the_agents_of_its_subfolders(students: Path) -> None:
    assert names(students.parent, "students/") == ["alice", "anna", "ben", "bob"]


def test_a_file_that_is_named_apart_is_not_entered_twice(students: Path) -> None:
    entries = expanded(
        [("students/anna.py", "Anna", "5"), *map(entry_of, ("students/*.py", "students/"))], students.parent
    )
    assert [(name, clock) for _, name, clock in entries] == [("Anna", "5"), ("ben", ""), ("alice", ""), ("bob", "")]


def test_names_that_clash_are_numbered_in_order(students: Path) -> None:
    (students.parent / "more").mkdir()
    (students.parent / "more" / "anna.py").write_text(AGENT)
    assert names(students.parent, "students/*.py", "more/*.py") == ["anna", "ben", "anna #2"]


def test_a_clock_of_a_pattern_is_the_clock_of_each_agent(students: Path) -> None:
    plan = make_plan("connect4", ["greedy@10", "students/*.py@2/move"], folder=students.parent, clock="60")
    assert [str(plan.control(index)) for index in range(3)] == ["10", "2/move", "2/move"]


@pytest.mark.parametrize("text", ["ugi:ssh me@host", "greedy@", "@5", "greedy@5x", "mcts:eval=a@b"])
def test_text_after_an_at_sign_that_is_no_clock_belongs_to_the_agent(text: str) -> None:
    assert entry_of(text) == (text, "", "")


def test_a_wrong_clock_after_a_python_file_is_an_error() -> None:
    with pytest.raises(SpecError, match="'5x' is not a clock"):
        entry_of("anna.py@5x")


def test_an_agent_of_joute_is_not_mistaken_for_a_folder(students: Path) -> None:
    (students / "random").mkdir()
    assert expanded([("random", "", "")], students) == [("random", "", "")]


@pytest.mark.parametrize(
    ("text", "message"),
    [("students/*.exe", "matches no agent"), ("empty/", "matches no agent"), ("no*/*.py", "matches no")],
)
def test_a_pattern_without_a_match_is_an_error(students: Path, text: str, message: str) -> None:
    (students.parent / "empty").mkdir()
    with pytest.raises(SpecError, match=message):
        names(students.parent, text)


def test_a_pattern_cannot_give_its_agents_one_name(students: Path) -> None:
    with pytest.raises(SpecError, match="matches 2 agents, which cannot all be named 'x'"):
        expanded([("students/*.py", "x", "")], students.parent)


def test_a_manifest_names_the_agent_of_a_folder(students: Path) -> None:
    (students / "bob" / "agent.toml").write_text('agent = "tools.py"\nname = "Bob & Co"\n')
    entries, problems = folder_entries(students)
    assert (str(students / "bob" / "tools.py"), "Bob & Co", "") in entries
    assert problems == []


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('agent = "../anna.py"', "is not a file in"),
        ('agent = "mcts"', "is not a file in"),
        ('agent = "tools.py"\nclock = "1000"', "clock"),
        ('name = "x"', "does not name the agent"),
        ("agent =", "not a TOML file"),
    ],
)
def test_a_manifest_enters_only_the_students_own_files(students: Path, manifest: str, message: str) -> None:
    (students / "bob" / "agent.toml").write_text(manifest)
    entries, problems = folder_entries(students)
    assert [name for _, name, _ in entries] == ["alice", "anna", "ben"]
    assert len(problems) == 1
    assert message in problems[0]


def test_a_folder_with_several_files_must_say_which_is_the_agent(students: Path) -> None:
    (students / "bob" / "agent.py").rename(students / "bob" / "other.py")
    with pytest.raises(SpecError, match=r"has 2 Python files, and none is agent\.py"):
        names(students.parent, "students/")


def test_agents_of_a_toml_file_may_be_texts_and_tables(students: Path) -> None:
    file = students.parent / "class.toml"
    file.write_text('game = "connect4"\nagents = ["students/*.py", "greedy@5", {agent = "random@7", name = "r"}]\n')
    plan, _ = read_toml(file)
    assert [(entrant.name, entrant.clock) for entrant in plan.entrants] == [
        ("anna", ""), ("ben", ""), ("greedy", "5"), ("r", "7"),
    ]  # fmt: skip
