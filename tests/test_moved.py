"""Files of users that were made with an older version: their imports and pickles still work.

The files in old_version/ are of Joute 0.1: its modules, pickles of states and moves, and an agent for a course.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import joute

OLD = Path(__file__).parent / "old_version"
MODULES = (OLD / "modules_0.1.txt").read_text(encoding="utf-8").split()
PICKLES = json.loads((OLD / "pickles_0.1.json").read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_module_of_the_older_version_is_found() -> None:
    assert len(MODULES) > 200
    assert [name for name in MODULES if importlib.util.find_spec(name) is None] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("joute.protocol.seahorse_agent", "joute.games.divercite.seahorse.agent"),
        ("joute.protocol.seahorse_course.modules", "joute.games.divercite.seahorse.stand_in.modules"),
        ("joute.games.connect4_book", "joute.games.connect4.book"),
        ("joute.agents.perfect", "joute.games.connect4.agents.perfect"),
        ("joute.agents.report_version", "joute.agents.paper_version"),
        ("joute.arena.importing", "joute.arena.store.importing"),
        ("joute.arena.report.data", "joute.report.data"),
        ("joute.arena.report.charts", "joute.pages.charts"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_name_gives_the_module_itself(old: str, new: str) -> None:
    module = importlib.import_module(new)
    own = module.__spec__
    assert importlib.import_module(old) is module
    assert (module.__name__, module.__spec__) == (new, own)


def test_an_old_name_is_warned_of_once_where_it_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "old.py"
    file.write_text("import joute.games.vampires_maps\n" * 2, encoding="utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    sentence = "DeprecationWarning: joute.games.vampires_maps is joute.games.vampires.maps now"
    assert done.stderr.count(sentence) == 1
    assert f"{file}:1" in done.stderr


def test_old_names_are_not_looked_at_unless_an_import_fails() -> None:
    program = "import joute, sys; print([name for name in sys.modules if name.endswith('.room')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_there_never_was_is_an_error_as_ever() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'joute\.agents\.perfekt'"):
        importlib.import_module("joute.agents.perfekt")


@pytest.mark.parametrize(
    ("package", "name"),
    [("players", "make_player"), ("pool", "Pool"), ("store", "StoredGame"), ("schedules", "KINDS")],
)
def test_a_module_that_became_a_package_still_has_its_names(package: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"joute\.arena\.{package}\.{name} is in joute\.arena\.{package}\."):
        assert getattr(importlib.import_module(f"joute.arena.{package}"), name)
    with pytest.raises(AttributeError):
        _ = importlib.import_module(f"joute.arena.{package}").never


@pytest.mark.parametrize("name", PICKLES)
def test_pickles_of_the_older_version_are_read(name: str) -> None:
    sample = PICKLES[name]
    state = pickle.loads(base64.b64decode(sample["state"]))
    assert state == joute.new(name, sample["position"])
    move = pickle.loads(base64.b64decode(sample["move"]))
    assert str(move) == sample["move_text"]
    assert move in state.legal_moves


def test_a_course_file_that_the_older_version_wrote_plays(tmp_path: Path) -> None:
    file = tmp_path / "my_player.py"
    file.write_text((OLD / "my_player_0.1.py.txt").read_text(encoding="utf-8"), encoding="utf-8")
    assert "from joute.protocol.seahorse_agent import" in file.read_text(encoding="utf-8")
    words = ("-m", "joute", "match", "divercite", f"course:{file}", "random", "--games", "2", "--clock", "iterations=1")
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "crash" not in done.stdout
