"""The ladder of a game's levels: scores against the level below, Elo with intervals, and settings in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joute.agents.level_sets import SEES_REPLIES, Level, Levels
from joute.match.statistics import Z_95, Pentanomial, dispersion, elo_of, wilson_interval
from joute.numbers import noun
from joute.spec import parse_spec


@dataclass(frozen=True)
class Step:
    """A level of a ladder. Scores are against the level below; Elo counts from level 1."""

    number: int
    level: Level
    games: int
    score: float
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float


def steps(levels: Sequence[Level]) -> list[Step]:
    """The ladder of levels, the weakest first.

    Intervals are of 95%. The matches of neighbours are independent, so the variances of their Elo add up. Elo is nan
    from the first level without a match on.
    """
    elo, variance = 0.0, 0.0
    found = []
    for number, level in enumerate(levels, start=1):
        score, low, high, games = 0.5, 0.5, 0.5, 0
        if level.measured:
            pairs = Pentanomial(level.measured.pairs)
            games = round(2 * pairs.pairs)
            score = pairs.score
            low, high = wilson_interval(score, games / dispersion(pairs))
            # A level that won every game has no finite Elo: the lower end of its interval stands for it.
            elo += elo_of(score if score < 1 else low)
            variance += ((elo_of(min(high, 1 - 1e-3)) - elo_of(low)) / (2 * Z_95)) ** 2
        elif number > 1:
            elo = variance = math.nan
        width = Z_95 * math.sqrt(variance)
        found.append(Step(number, level, games, score, low, high, elo, elo - width, elo + width))
    return found


def settings_in_words(number: int, level: Level) -> str:
    """What a level sees and how it errs.

    >>> from joute.agents.level_sets import Stage
    >>> settings_in_words(3, Level(Stage("mcts:depth=2", lines=8, overlooks=0.1, most_loss=0.4), 0.5))
    '2 plies, the 8 best moves, overlooks 10%, temperature 0.5, loses at most 40%'
    """
    stage = level.stage
    name, pairs = parse_spec(stage.agent)
    limits = [
        f"{int(pairs[limit]):,} {noun(int(pairs[limit]), word)}"
        for limit, word in (("depth", "ply"), ("nodes", "node"), ("iterations", "simulation"))
        if limit in pairs
    ]
    words = [" and ".join(limits) or f"the agent {name}"]
    if stage.lines and level.temperature:
        words.append(f"the {stage.lines} best moves")
    if stage.overlooks:
        words.append(f"overlooks {100 * stage.overlooks:g}%")
    if level.temperature:
        words.append(f"temperature {level.temperature:g}")
        if number >= SEES_REPLIES and stage.most_loss < 1:
            words.append(f"loses at most {100 * stage.most_loss:g}%")
    else:
        words.append("the best move")
    return ", ".join(words)


def fitted_agents(levels: Levels) -> list[str]:
    """The specs of the agents that levels use."""
    return [level.stage.agent for level in levels.levels]
