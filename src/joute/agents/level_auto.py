"""``level:auto``: the level that suits the player, estimated from game to game.

The estimate is a rating on the ladder of levels: 3.4 stands between levels 3 and 4. The nearest level plays. After a
game the rating moves by the surprise of the result, as Elo's does: up after a win, down after a loss, little after a
draw. The first games move it by more, so that a strong player meets a strong level soon.

The ratings are in ``levels.json`` in the user's data folder, one for each game. A file that is missing, damaged or not
writable never costs a game: the estimate then starts anew, or stays.
"""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

from joute.agents.level_sets import level_set, levels_of
from joute.errors import JouteError
from joute.files import data_folder, whole_file
from joute.spec import parameter, parse_spec

#: The word for the level that adapts.
AUTO = "auto"

_FILE = "levels.json"
# The file is a few lines; anything larger is not ours.
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class AutoParameters:
    """How fast the level adapts."""

    start: float = parameter(2.0, help="rating before the first game", source="beginners come first", low=1, high=12)
    first_step: float = parameter(
        2.0, help="levels that the first surprise moves", source="an even game won raises by a level", low=0, high=12
    )
    step: float = parameter(
        0.8, help="levels that a later surprise moves", source="two or three wins raise by a level", low=0, high=12
    )
    games: int = parameter(6, help="games until `step` holds", source="a first evening", low=1, high=1000)


@dataclass(frozen=True)
class Standing:
    """A player's rating in a game, in levels, and the number of games behind it."""

    rating: float
    games: int = 0

    def level(self, count: int) -> int:
        """The level that plays, of `count` levels.

        >>> Standing(3.4).level(10), Standing(40).level(10)
        (3, 10)
        """
        return max(1, min(count, math.floor(self.rating + 0.5)))


def after_game(standing: Standing, points: float, count: int, *, step_score: float = 0.75) -> Standing:
    """Return a player's standing after a game: `points` are 1 for a win of the player, ½ for a draw, 0 for a loss.

    `step_score` is the score of a level against the one below.

    >>> after_game(Standing(2.0), 1.0, 10).level(10), after_game(Standing(2.0), 0.0, 10).level(10)
    (3, 1)
    """
    settings = AutoParameters()
    lead = standing.rating - standing.level(count)
    expected = 1 / (1 + (step_score / (1 - step_score)) ** -lead)
    share = min(1.0, standing.games / settings.games)
    step = settings.first_step + share * (settings.step - settings.first_step)
    rating = min(float(count), max(1.0, standing.rating + step * (points - expected)))
    return Standing(round(rating, 3), standing.games + 1)


def current_level(game: str, count: int) -> int:
    """Return the level that suits the player in a game with `count` levels."""
    return standing_in(game).level(count)


def standing_in(game: str) -> Standing:
    """Return the player's standing in a game, by its name or spec; that before the first game if none is known."""
    entry = _entries().get(parse_spec(game)[0])
    if isinstance(entry, dict):
        rating, games = entry.get("rating"), entry.get("games")
        if isinstance(rating, int | float) and math.isfinite(rating) and type(games) is int and games >= 0:
            return Standing(float(rating), games)
    return Standing(AutoParameters().start)


def tell_result(spec: str, game: str, points: float) -> int | None:
    """Adapt the level after a game of a person against the agent `spec`; returns the level of the next game.

    `points` are those of the person. Does nothing, and returns None, unless the agent is ``level:auto``. If the file
    cannot be written, the level stays.
    """
    if parse_spec(spec) not in [("level", {"": AUTO}), ("level", {"number": AUTO})]:
        return None
    name = parse_spec(game)[0]
    count = len(levels_of(name).levels)
    standing = after_game(standing_in(name), points, count, step_score=level_set(name).goal)
    entries = _entries() | {name: {"rating": standing.rating, "games": standing.games}}
    with contextlib.suppress(JouteError, OSError):
        path = _path()
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(json.dumps(entries, indent=1, sort_keys=True) + "\n")
    return current_level(name, count)


def _path() -> Path:
    return data_folder() / _FILE


def _entries() -> dict[str, object]:
    """What the file holds; nothing if it is missing or damaged."""
    try:
        path = _path()
        if path.stat().st_size > _MOST_BYTES:
            return {}
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}
