"""A game in C++ lists what it offers besides the concept (core/offers.hpp); the compiler checks the list."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")


def compiled(macro: str = "") -> tuple[bool, str]:
    """Whether the games of refused/offers.cpp compile, and what the compiler says."""
    if not COMPILER:
        if os.environ.get("CI"):
            pytest.fail("there is no C++ compiler")
        pytest.skip("there is no C++ compiler")
    command = [*COMPILER.split(), "-std=c++20", "-fsyntax-only", "-I", "core", "-I", "tests/toys"]
    command += [f"-D{macro}"] * bool(macro) + ["tests/native/refused/offers.cpp"]
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    return done.returncode == 0, done.stderr


def test_a_game_whose_offers_and_members_agree_compiles() -> None:
    assert compiled() == (True, "")


@pytest.mark.parametrize(
    ("macro", "offer", "sentence"),
    [
        ("LISTED_BUT_MISSPELT", "NoisyMoves", "this game lists an offer whose member it does not have"),
        ("LISTED_BUT_MISTYPED", "MoveCount", "this game lists an offer whose member it does not have"),
        ("NOT_LISTED", "NoisyMoves", "this game has the member of an offer that it does not list in `Offers`"),
    ],
)
def test_a_member_that_disagrees_with_the_list_is_refused_with_a_sentence(
    macro: str, offer: str, sentence: str
) -> None:
    compiles, said = compiled(macro)
    assert not compiles
    errors = [line for line in said.splitlines() if "error:" in line]
    assert any(sentence in line for line in errors)
    assert re.search(rf"has_offer.*Noisy.*{offer}", said)
