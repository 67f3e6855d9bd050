"""The levels of a game: the settings of each one, and the file that keeps them.

A level is a search of the game's engine with a small budget, and errors on purpose (joute.agents.levels). Budgets are
plies, nodes or simulations, never seconds, so that a level plays alike on every machine. A game's room names a
`LevelSet`. `joute levels GAME --fit FILE` fits the temperature of each level to matches, so that each level scores
about 75% against the one below (joute.fits.levels).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute._core import Random
from joute.errors import JouteError, SpecError
from joute.games import Move, State
from joute.plugins import Registry, instance_of
from joute.spec import parse_spec
from joute.toml_file import NUMBER, TEXT, WHOLE_NUMBER, Kind, check_table, read_table

#: From this level on, a level takes a win in one move.
TAKES_WINS = 2
#: From this level on, a level searches at least two plies and obeys `most_loss`.
SEES_REPLIES = 3
#: The most levels of a game.
MOST_LEVELS = 12


@dataclass(frozen=True)
class Stage:
    """The fixed settings of a level: what it sees of a position, and what it overlooks."""

    #: The spec of the agent that judges the moves; its limits are plies, nodes or simulations.
    agent: str
    #: How many moves get a value and may be played; 0 for all of them.
    lines: int = 0
    #: The probability to overlook a move.
    overlooks: float = 0.0
    #: The most win probability that a move may give away, by the values of `agent`.
    most_loss: float = 1.0


@dataclass(frozen=True)
class Measured:
    """The score of a level against the level below it, from pairs of games with colours swapped."""

    #: The pairs with 0, ½, 1, 1½ and 2 points.
    pairs: tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Level:
    """A level of a game: its stage, its temperature and its measured score."""

    stage: Stage
    #: The temperature of the softmax over the log-odds of the moves; 0 plays the best move.
    temperature: float
    #: The match against the level below; None for level 1.
    measured: Measured | None = None


@dataclass(frozen=True)
class Levels:
    """The levels of a game, the weakest first, as its file has them."""

    game: str
    levels: tuple[Level, ...]
    #: The fingerprint of the agents that they were fitted with; empty if it is unknown.
    fingerprint: str = ""


@dataclass(frozen=True)
class LevelSet:
    """How the levels of a game are made, and the file that keeps them; registered in its room as `levels`."""

    #: What levels may see, the weakest first. A level takes the first stage that can reach `goal`.
    stages: tuple[Stage, ...]
    #: The highest level: the agent's best move.
    full: str
    #: The temperature of level 1, which is chosen and not fitted.
    first_temperature: float
    #: The reason for stages and first temperature.
    source: str
    #: The file of the levels that come with the game.
    file: Path
    #: The score of a level against the one below.
    goal: float = 0.75
    #: The reason for a goal other than 75%.
    goal_source: str = ""
    #: Draws the start of a game between levels, where the game's balanced openings do not suit.
    start: Callable[[Random], State] | None = None
    #: The reason for starts other than balanced openings.
    start_source: str = ""
    #: The kind of a move, where kinds differ much in number: each kind gets the same weight before values count.
    kind: Callable[[Move], str] | None = None
    #: The value of a move in log-odds for its player, where the search gives all moves the same value, and the order of
    #: the moves that win: a player who has won or lost a race already still runs.
    progress: Callable[[Any, Any], float] | None = None


_sets: Registry[LevelSet] = Registry(
    "level set", "joute.levels", instance_of(LevelSet, "joute.agents.level_sets.LevelSet")
)


def has_levels(game: str) -> bool:
    """Whether a game, by its name or spec, has levels."""
    return parse_spec(game)[0] in _sets.names()


def level_set(game: str) -> LevelSet:
    """Return how the levels of a game are made; SpecError if it has none."""
    name = parse_spec(game)[0]
    if not has_levels(name):
        known = ", ".join(_sets.names())
        raise SpecError(f"{name} has no levels; {known} have, and a room names its own as levels")
    return _sets.find(name)


def levels_of(game: str) -> Levels:
    """Return the levels that come with a game; SpecError if it has none, JouteError if their file is damaged."""
    name = parse_spec(game)[0]
    return _read(name, level_set(name).file)


@functools.cache
def _read(name: str, file: Path) -> Levels:
    try:
        return read_levels(file)
    except SpecError as error:
        raise JouteError(f"the levels of {name} cannot be read: {error}") from error


_KEYS = {"game": TEXT, "fingerprint": TEXT, "level": Kind((list,), "a list of tables")}
_ROW = {
    "agent": TEXT,
    "lines": WHOLE_NUMBER,
    "overlooks": NUMBER,
    "most_loss": NUMBER,
    "temperature": NUMBER,
    "pairs": Kind((list,), "five counts"),
}


def read_levels(file: Path) -> Levels:
    """Return the levels in a TOML file; SpecError with the reason if there are none."""
    table = read_table(file)
    try:
        return _levels(table)
    except SpecError as error:
        raise SpecError(f"{file.name}: {error}") from error


def _levels(table: Mapping[str, Any]) -> Levels:
    check_table(table, _KEYS, "the file")
    missing = [key for key in ("game", "level") if key not in table]
    if missing:
        raise SpecError(f"the file has no {missing[0]}")
    levels = tuple(_level(row, number) for number, row in enumerate(table["level"], start=1))
    if not 1 <= len(levels) <= MOST_LEVELS:
        raise SpecError(f"the file has {len(levels)} levels, not 1 to {MOST_LEVELS}")
    return Levels(table["game"], levels, table.get("fingerprint", ""))


def _level(row: Any, number: int) -> Level:
    owner = f"level {number}"
    if not isinstance(row, Mapping):
        raise SpecError(f"{owner} is no table")
    check_table(row, _ROW, owner)
    if "agent" not in row or "temperature" not in row:
        raise SpecError(f"{owner} needs an agent and a temperature")
    pairs = row.get("pairs")
    if pairs is not None and (len(pairs) != 5 or not all(type(each) is int and each >= 0 for each in pairs)):
        raise SpecError(f"{owner}: pairs must be five counts, not {pairs}")
    settings = {key: row[key] for key in ("agent", "lines", "overlooks", "most_loss") if key in row}
    level = Level(Stage(**settings), float(row["temperature"]), Measured(tuple(pairs)) if pairs else None)
    stage = level.stage
    if not (math.isfinite(level.temperature) and level.temperature >= 0):
        raise SpecError(f"{owner}: temperature must be a number ≥ 0, not {row['temperature']}")
    if stage.lines < 0 or not 0 <= stage.overlooks < 1 or not 0 <= stage.most_loss <= 1:
        raise SpecError(f"{owner}: lines must be ≥ 0, overlooks in 0..1 and most_loss in 0..1")
    return level


def levels_text(levels: Levels, comments: tuple[str, ...]) -> str:
    """Return the text of the file of levels; `read_levels` gives the same levels."""
    lines = [*(f"# {comment}" for comment in comments), f'game = "{levels.game}"']
    if levels.fingerprint:
        lines.append(f'fingerprint = "{levels.fingerprint}"')
    for level in levels.levels:
        stage = level.stage
        lines += [
            "",
            "[[level]]",
            f'agent = "{stage.agent}"',
            f"lines = {stage.lines}",
            f"overlooks = {stage.overlooks:g}",
            f"most_loss = {stage.most_loss:g}",
            f"temperature = {level.temperature:g}",
        ]
        if level.measured:
            lines.append(f"pairs = {list(level.measured.pairs)}")
    return "\n".join([*lines, ""])
