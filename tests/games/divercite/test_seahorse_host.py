"""Whole games on the real framework of the Divercité course, from PyPI in environments of their own.

The host is ours (tests/seahorse_host): the course's files are not ours to ship.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from commands import ok

from joute.arena.store.game_file import FiledGame, read_game_file
from joute.games.divercite.seahorse.state import GAME
from joute.games.divercite.state import Divercite
from joute.match.record import GameRecord, Reason

HOST = Path(__file__).parent / "seahorse_host"
RANDOM = HOST / "random_player.py"


@pytest.fixture(params=["1.1", "1.2"])
def python(request: pytest.FixtureRequest) -> Path:
    """An interpreter that has the framework, in a version, and Joute."""
    found = Path(sys.prefix) / f"seahorse-{request.param}" / "bin" / "python"
    if not found.exists():
        missing = f"there is no {found}; make test installs it"
        if os.environ.get("CI"):
            pytest.fail(missing)
        warnings.warn(f"NOT TESTED: {missing}", stacklevel=1)
        pytest.skip(missing)
    return found


def run(python: Path, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [python, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def hosted(python: Path, folder: Path, white: Path, black: Path, seconds: float = 60) -> tuple[Any, GameRecord, str]:
    """What the host says of a game, its recording as we read it, and what was written to standard error."""
    done = run(python, folder, HOST / "host.py", white, black, seconds)
    (file,) = folder.glob("__REC__*.json")
    (game,) = read_game_file(file)
    assert isinstance(game, FiledGame), game.error
    return json.loads(done.stdout), game.record, done.stderr


@pytest.mark.parametrize("side", [0, 1])
def test_an_agent_of_ours_plays_a_whole_game_and_the_result_is_that_of_our_rules(
    python: Path, side: int, tmp_path: Path
) -> None:
    mine = tmp_path / "my_player.py"
    ok("course", "divercite", "--agent", "mcts:iterations=300", "--output", str(mine))
    pair = (mine, RANDOM) if side == 0 else (RANDOM, mine)
    told, record, errors = hosted(python, tmp_path, *pair)
    assert "joute: " not in errors, errors
    assert record.reason is Reason.NORMAL
    assert record.players == ("white", "black")
    assert (record.game, len(record.moves), told["step"]) == (GAME, 40, 40)
    *_, final = record.states()
    assert isinstance(final, Divercite)
    assert tuple(told["scores"]) == final.scores
    assert told["winners"] == [record.players[side]]
    assert record.winner == side


def test_an_agent_that_fails_does_not_lose_by_it(python: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return 1 // (state.ply < 20) and 'nonsense'\n")
    mine = tmp_path / "my_player.py"
    ok("course", "divercite", "--agent", str(tmp_path / "broken.py"), "--output", str(mine))
    told, record, errors = hosted(python, tmp_path, mine, RANDOM)
    assert (told["step"], told["winners"], record.reason) == (40, ["white"], Reason.NORMAL)
    if "1.1" in str(python):  # in 1.2 the player's process has the same standard error, but it may come late
        assert errors.count("broken.py failed at step") == 20


def test_two_of_our_players_share_the_process_of_the_framework(python: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my_player.py"
    ok("course", "divercite", "--agent", "alphabeta:depth=1", "--output", str(mine))
    told, record, errors = hosted(python, tmp_path, mine, mine)
    assert "joute: " not in errors, errors
    assert (told["step"], record.reason) == (40, Reason.NORMAL)


def test_a_file_beside_the_courses_own_is_given_the_frameworks_own_states(python: Path, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    shutil.copytree(HOST, folder)
    seen = "import sys, seahorse\n" + RANDOM.read_text().split("from __future__ import annotations\n")[1]
    seen = seen.replace(
        "step = ", "assert sys.modules[type(current_state).__module__].__file__ and seahorse.__file__\n        step = "
    )
    (folder / "mine.py").write_text(seen)
    words = ("match", GAME, f"course:{folder / 'mine.py'}", "random", "--games", "2", "--clock", "60", "--json")
    told = json.loads(run(python, tmp_path, "-m", "joute", *words).stdout)
    assert (told["games"], told["reasons"]) == (2, {}), told
