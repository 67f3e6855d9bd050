"""The pages and pictures of fitted data are those of today's data."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import Any

import pytest

from joute.agents.win_probability import calibration_file
from joute.plugins import all_rooms

ROOT = Path(__file__).parents[2]


def tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_levels_has_the_ladders_of_today() -> None:
    made = tool("levels_page")
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run: python tools/levels_page.py"


def test_accuracy_rises_with_the_level_in_reviewed_games() -> None:
    """Neighbours may swap within their errors; the lowest and the highest level may not."""
    import json

    made = tool("levels_page")
    if not made.ACCURACY.is_file():
        pytest.skip("no games of levels are reviewed yet: python tools/levels_page.py --review")
    kept = json.loads(made.ACCURACY.read_text(encoding="utf-8"))
    for game, rows in kept.items():
        accuracies = [row["accuracy"] for row in rows]
        assert accuracies[0] < accuracies[-1], game
        for lower, higher in itertools.pairwise(rows):
            assert higher["accuracy"] > lower["accuracy"] - lower["error"] - higher["error"], game


def test_the_picture_of_reliability_is_that_of_the_files() -> None:
    made = tool("reliability_picture")
    assert made.OUT.read_text(encoding="utf-8") == made.picture(), "run: python tools/reliability_picture.py"


@pytest.mark.parametrize("name", [name for name, room in all_rooms().items() if room.is_ours and room.calibration])
def test_win_probabilities_hold_within_five_points_in_every_decile(name: str) -> None:
    file = calibration_file(name)
    assert file is not None
    points = tool("reliability_picture").points_of(file.read_text(encoding="utf-8"))
    assert len(points) == 10
    assert all(abs(point.x - point.y) <= 5 for point in points)
    assert all(point.low <= point.y <= point.high for point in points)
