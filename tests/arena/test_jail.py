"""The sandbox from inside: jail/probes.py tries to get out, jail/needs.py does what ordinary programs do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import joute
from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.own_files import shown_parts
from joute.arena.players.players import make_player
from joute.match import play_game

PROBE = Path(__file__).parent / "jail" / "probe.py"
SOURCES = Path(joute.__file__).parents[1]

NOBODY = 65534


def run_as_root(folder: Path) -> dict[str, Any]:
    if os.getuid() != 0:
        pytest.skip("needs root")
    return _told([sys.executable, str(PROBE), str(SOURCES), str(folder)])


def run_as_ordinary_user(folder: Path) -> dict[str, Any]:
    """As the user who runs the tests or, if that is root, as nobody, with sources and a Python that nobody can read."""
    if os.getuid() != 0:
        return _told([sys.executable, str(PROBE), str(SOURCES), str(folder)])
    folder.chmod(0o755)
    shutil.copytree(SOURCES / "joute", folder / "src" / "joute", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copytree(PROBE.parent, folder / "jail")
    own = folder / "own"
    own.mkdir()
    os.chown(own, NOBODY, NOBODY)
    pythons = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")
    python = next((python for python in pythons if _can_nobody_run(python)), None)
    if python is None:
        if os.environ.get("CI"):
            pytest.fail("an ordinary user can run no Python here")
        pytest.skip("an ordinary user can run no Python 3.11 here")
    command = [python, "-B", str(folder / "jail" / "probe.py"), str(folder / "src"), str(own)]
    return _told(command, user=NOBODY, group=NOBODY, extra_groups=())


def _can_nobody_run(python: str) -> bool:
    is_new = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([python, "-c", is_new], user=NOBODY, check=False, cwd="/").returncode == 0
    except OSError:
        return False


def _told(command: list[str], **user: Any) -> dict[str, Any]:
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", timeout=300, **user)
    assert run.returncode == 0, run.stderr
    told: dict[str, Any] = json.loads(run.stdout)
    return told


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("run", [run_as_root, run_as_ordinary_user])
def test_nothing_reaches_out_of_the_jail_and_ordinary_programs_run_in_it(
    run: Callable[[Path], dict[str, Any]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # not in pytest's folder, which is closed to others
        told = run(Path(folder))
    probes, needs = told["probes"], told["needs"]
    assert "told" in probes, probes
    assert len(probes["told"]) > 130
    assert {name: each["told"] for name, each in probes["told"].items() if not each["refused"]} == {}
    assert not told["written"]
    assert needs.get("told", needs) == {}
    *_, agent = probes["status"]
    if run is run_as_root:
        assert all(int(number) > 1_000 for number in (*agent["Uid"].split(), *agent["Gid"].split()))
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(agent[name], 16) == 0, name
    # Bubblewrap's process, which is visible inside, is under the filter as well.
    assert len(probes["status"]) == 2
    assert {(each["NoNewPrivs"], each["Seccomp"], int(each["CapEff"], 16)) for each in probes["status"]} == {
        ("1", "2", 0)
    }


@pytest.mark.usefixtures("jail")
def test_agents_that_play_at_the_same_time_have_different_user_ids(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("needs root")
    file = tmp_path / "agent.py"
    file.write_text(
        "import os, sys\nprint(os.getuid(), file=sys.stderr)\n"
        "def choose(state, clock):\n    return state.legal_moves[0]\n"
    )
    for sandbox in (True, False):
        players = [make_player(find_source(str(file)), name, "connect4", Isolation(sandbox=sandbox)) for name in "ab"]
        record = play_game("connect4", *players, max_plies=2)
        first, second = (int(output) for output in record.output)
        assert first != second
        assert min(first, second) > 1_000


def test_a_folder_is_shown_without_what_is_not_the_agent_s(tmp_path: Path) -> None:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "weights").write_text("")
    for name in ("agent.py", "helper.py", "other.py", ".env", "games.db", "games.db-wal", "data/theirs"):
        (tmp_path / name).write_text("")
    header = b"SQLite format 3\0".ljust(68, b"\0") + b"JOUT"
    (tmp_path / "games.db").write_bytes(header.ljust(100, b"\0"))
    (tmp_path / "link").symlink_to("/etc/shadow")
    os.mkfifo(tmp_path / "pipe")

    def shown(*private: str) -> list[str]:
        parts = shown_parts(tmp_path, [tmp_path / name for name in private])
        return [str(part.relative_to(tmp_path)) for part in parts]

    assert shown("other.py", "data/theirs") == ["agent.py", "data/deep", "helper.py", "link"]
    assert shown() == ["agent.py", "data", "helper.py", "link", "other.py"]
    assert list(shown_parts(tmp_path / "data", [])) == [tmp_path / "data"]
    assert list(shown_parts(tmp_path / "agent.py", [])) == [tmp_path / "agent.py"]
