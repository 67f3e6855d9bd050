"""Tuned values as a patch of the source."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from joute.agents.loading import find_source
from joute.tune.patch import patch_of

ROOT = Path(__file__).parents[2]


def applied(diff: str, folder: Path, file: str, text: str) -> str:
    """The text of a file after a patch, by the program `patch`'s rules, as git applies it."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)
    subprocess.run(["git", "apply", "--unsafe-paths", "-"], cwd=folder, input=diff, text=True, check=True)
    return (folder / file).read_text()


def test_a_default_of_a_parameter_class_gets_its_new_value_and_source(tmp_path: Path) -> None:
    diff = patch_of(find_source("mcts:iterations=100"), {"c": 0.52}, "joute tune …: confirmed +23 Elo")
    file = "src/joute/agents/mcts.py"
    after = applied(diff, tmp_path, file, (ROOT / file).read_text())
    assert '0.52, help="weight of the exploration bonus, for rewards in [0, 1]", source=\'joute tune' in after
    compile(after, file, "exec")


def test_an_inherited_parameter_becomes_a_variation_of_the_preset(tmp_path: Path) -> None:
    diff = patch_of(find_source("rave"), {"c": 0.3, "bias": 0.05}, "a tuning")
    file = "src/joute/agents/mcts.py"
    after = applied(diff, tmp_path, file, (ROOT / file).read_text())
    preset = after.partition("class RaveParameters")[2].partition("@dataclass")[0]
    assert "default=0.3" in preset
    assert "bias: float = vary(MctsParameters, 'bias', default=0.05, source='a tuning')" in preset
    compile(after, file, "exec")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            'PARAMETERS = {"width": 3, "bonus": 0.5}\n\n\ndef choose(state, clock):\n    return state.legal_moves[0]\n',
            '# a tuning\nPARAMETERS = {"width": 4, "bonus": 0.25}\n',
        ),
        (
            "PARAMETERS = {\n    'width': 3,  # é\n    'bonus': 0.5,\n}\n\ndef choose(state, clock): ...\n",
            "PARAMETERS = {\n    # a tuning\n    'width': 4,  # é\n    'bonus': 0.25,\n}\n",
        ),
        (
            "@dataclass\nclass A:\n    width: int = 3\n    bonus: float = 0.5\n    def choose(self, state, clock): 1\n",
            "@dataclass\nclass A:\n    # a tuning\n    width: int = 4\n    bonus: float = 0.25\n",
        ),
    ],
)
def test_a_users_file_gets_the_values_and_a_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wanted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(text)
    diff = patch_of(find_source("mine.py"), {"width": 4, "bonus": 0.25}, "a tuning")
    assert applied(diff, tmp_path, "mine.py", text).startswith(wanted)


def test_a_program_has_no_patch(tmp_path: Path) -> None:
    assert patch_of(find_source("ugi:python3 x.py"), {"c": 1}, "a tuning") == ""
