"""The notebooks in examples/ run from top to bottom, and are kept with what they print and draw."""

from __future__ import annotations

from pathlib import Path

import notebooks
import pytest

# A shorter training and shorter matches than those whose outputs are kept.
SHORTER = {"reinforcement_learning": {"learn(500_000)": "learn(20_000)", "games=200": "games=10"}}
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_kept_notebook_has_the_outputs_of_its_code_and_no_path_or_error(path: Path) -> None:
    assert list(notebooks.flaws(path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter_and_shows_the_same_kinds_of_results(path: Path, tmp_path: Path) -> None:
    out = tmp_path / path.name
    shorter = SHORTER.get(path.stem, {})
    assert all(text in path.read_text("utf-8") for text in shorter)
    notebooks.run(path, out, shorter)
    assert list(notebooks.flaws(out)) == []
    kept, made = (notebooks.code_cells(notebooks.read(each)) for each in (path, out))
    assert [_kinds(cell["outputs"]) for cell in made] == [_kinds(cell["outputs"]) for cell in kept]
    assert sum(bool(cell["outputs"]) for cell in made) >= 2


def _kinds(outputs: list[dict[str, dict[str, str]]]) -> list[list[str]]:
    """The kinds of each output: a stream, or pictures and texts."""
    return [sorted(output.get("data", {"stream": ""})) for output in outputs]
