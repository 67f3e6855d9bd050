"""`-m NAME` selects the tests of a game, wherever they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


GENERIC = "tests/games/test_games.py"


@pytest.mark.parametrize(
    ("marker", "path"),
    [("othello", "examples/othello/tests/test_othello.py"), ("quoridor", "tests/games/quoridor/test_qtp.py")],
)
def test_a_marker_selects_the_tests_of_its_game_and_the_generic_ones_on_it(marker: str, path: str) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-m", marker, path, GENERIC]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    tests = [line for line in done.stdout.splitlines() if "::" in line]
    assert {test.partition("::")[0] for test in tests} == {path, GENERIC}
    assert all(test.startswith(path) or f"[{marker}" in test for test in tests)
