"""Make docs/reliability.svg: predicted and observed results of held-out games, for every fitted win probability.

The numbers are those in the headers of the games' files of win probabilities, which `joute calibrate` wrote.
"""

from __future__ import annotations

import re
from pathlib import Path

from joute.agents.win_probability import calibration_file
from joute.games import find_game
from joute.match.statistics import wilson_interval
from joute.pages.charts import Axis
from joute.plugins import all_rooms
from joute.reproduce.plot import Curve, Panel, Picture, Point, Series, curves_panel, legend_panel

OUT = Path(__file__).parents[1] / "docs" / "reliability.svg"
# A row of the header: decile, positions, games, predicted, observed, difference.
_ROW = re.compile(r"^#\s+\d+–\s*\d+%\s+\d+\s+(\d+)\s+([\d.]+)%\s+([\d.]+)%\s+[-+][\d.]+", re.MULTILINE)
_PERCENT = Axis(0, 100, (0, 20, 40, 60, 80, 100), lambda value: f"{value:g}%")


def points_of(text: str) -> tuple[Point, ...]:
    """The deciles in a header, in percent; the interval is that of as many games as the decile has."""
    found = []
    for games, predicted, observed in _ROW.findall(text):
        low, high = wilson_interval(float(observed) / 100, int(games))
        found.append(Point(float(predicted), float(observed), 100 * low, 100 * high))
    return tuple(found)


def panels() -> list[Panel]:
    """A title and a plot for each game."""
    made = []
    even = Curve(Series("as predicted", 7), (Point(0, 0), Point(100, 100)))
    for place, name in enumerate(name for name, room in all_rooms().items() if room.is_ours and room.calibration):
        file = calibration_file(name)
        assert file is not None
        curve = Curve(Series("observed, with the 95% interval", place), points_of(file.read_text(encoding="utf-8")))
        made.append(legend_panel((curve.series, even.series), find_game(name).title, is_line=True))
        made.append(curves_panel((even, curve), _PERCENT, _PERCENT, ("predicted win probability", "points scored")))
    return made


def picture() -> str:
    """The picture as SVG."""
    label = "Predicted win probabilities and observed results in games that the fit has not seen, by game"
    return Picture(label, tuple(panels())).standalone()


if __name__ == "__main__":
    OUT.write_text(picture(), encoding="utf-8")
