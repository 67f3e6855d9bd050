"""Fits the levels of a game to matches: each level scores about 75% against the one below.

Level 1 is given. The next level takes the first stage that beats the level below clearly if it errs little, and its
temperature is fitted: games are played in batches of pairs from balanced openings, each batch at the temperature that a
logistic regression on all games so far expects to score 75%. Then the level plays a match from other openings, whose
score is in the file. If that score is 6 points off, the temperature is fitted once more with these games, and the
match is played again, up to three times in all. If no temperature of a stage reaches the score, the next stage is
tried. The highest level is the engine itself. It replaces the level below if it does not beat it clearly, so the last
step may be larger than the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from joute.agents.level_sets import MOST_LEVELS, SEES_REPLIES, Level, LevelSet, Measured, Stage
from joute.fits.games import Game, Play, play_here
from joute.match.game import derive_seed
from joute.match.statistics import Pentanomial
from joute.spec import parameter


@dataclass(frozen=True)
class FitParameters:
    """The numbers of games and the bounds of a fit."""

    tolerance: float = parameter(
        0.06,
        help="distance of a measured score from the goal that calls for another fit",
        source="one and a half standard errors",
        low=0,
    )
    attempts: int = parameter(
        3, help="fits of a temperature, each followed by a match", source="the first one misses often", low=1
    )
    batch: int = parameter(10, help="pairs of games of a batch", source="a guess", low=1)
    batches: int = parameter(3, help="batches of a fit", source="60 games: the score is then known to ±6 points", low=1)
    measured: int = parameter(50, help="pairs of games of a measured match", source="an interval of ±8 points", low=1)
    last: int = parameter(
        50, help="pairs of games of the match of the highest level", source="an interval of ±8 points", low=1
    )
    least: float = parameter(
        0.003, help="lowest temperature of a level", source="below, moves differ from the best one seldom", low=0
    )
    most: float = parameter(12.0, help="highest temperature of a level", source="close to random moves", low=0)
    max_plies: int = parameter(400, help="plies after which a game is a draw", source="weak players may dither", low=1)

    def with_pairs(self, pairs: int) -> FitParameters:
        """The same with another number of pairs of a measured match; the batches of the fit change as much."""
        tolerance = self.tolerance * math.sqrt(self.measured / pairs)
        return replace(self, measured=pairs, last=pairs, batch=max(4, pairs // 5), tolerance=tolerance)


#: Told about the progress of a fit: a sentence.
Told = Callable[[str], None]

# The slope of the log-odds of a win in the logarithm of the temperature, before any game: mean and standard deviation.
_SLOPE, _SLOPE_SD = 2.0, 1.5
_INTERCEPT_SD = 1.5
_LEAST_SLOPE = 0.3
# The first guess of a level's temperature, as a share of that of the level below.
_LESS = 0.6
_NEWTON_STEPS = 60
_MOST_LOG_ODDS = 20.0


@dataclass(frozen=True)
class Pair:
    """Two games from one opening with colours swapped: the points of the higher level, 0 to 2."""

    points: float


class Arena:
    """Plays pairs of games between levels of one game."""

    def __init__(self, game: str, *, seed: int, max_plies: int, play: Play = play_here) -> None:
        self._game = game
        self._seed = seed
        self._max_plies = max_plies
        self._play = play
        self.played = 0

    def pairs(self, higher: tuple[int, Level], lower: tuple[int, Level], count: int) -> list[Pair]:
        """Play `count` pairs between two numbered levels. No two pairs of an arena share a seed."""
        first = self.played + 1
        self.played += count
        points = self._play(
            [
                Game(self._game, derive_seed(self._seed, number), is_swapped, higher, lower, self._max_plies)
                for number in range(first, first + count)
                for is_swapped in (False, True)
            ]
        )
        return [Pair(one + other) for one, other in zip(points[::2], points[1::2], strict=True)]


def measured(pairs: Iterable[Pair]) -> Measured:
    """Count pairs by their points."""
    counts = [0] * 5
    for pair in pairs:
        counts[round(2 * pair.points)] += 1
    return Measured((counts[0], counts[1], counts[2], counts[3], counts[4]))


def score_of(match: Measured) -> float:
    """The score of a match, from 0 to 1."""
    return Pentanomial(match.pairs).score


def expected_temperature(tried: Sequence[tuple[float, float]], goal: float, guess: float) -> float:
    """Return the temperature that should score `goal`, from pairs of a temperature and the score of a pair of games.

    The log-odds of the score are linear in the logarithm of the temperature; the prior expects `goal` at `guess`.

    >>> 1.2 < expected_temperature([(1.0, 0.9)] * 20, 0.75, 1.0) < 4
    True
    """
    wanted = math.log(goal / (1 - goal))
    centre = math.log(guess)
    intercept, slope = wanted, _SLOPE
    for _ in range(_NEWTON_STEPS):
        # The log posterior of score = logistic(intercept - slope * x), with two games a pair.
        g0, g1 = (wanted - intercept) / _INTERCEPT_SD**2, (_SLOPE - slope) / _SLOPE_SD**2
        h00, h01, h11 = 1 / _INTERCEPT_SD**2, 0.0, 1 / _SLOPE_SD**2
        for temperature, score in tried:
            x = math.log(temperature) - centre
            p = 1 / (1 + math.exp(-max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, intercept - slope * x))))
            g0 += 2 * (score - p)
            g1 -= 2 * (score - p) * x
            weight = 2 * p * (1 - p)
            h00, h01, h11 = h00 + weight, h01 - weight * x, h11 + weight * x * x
        determinant = h00 * h11 - h01 * h01
        step0, step1 = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        # Short steps: Newton's method may leave the region where it converges.
        length = max(1.0, abs(step0), abs(step1))
        intercept, slope = intercept + step0 / length, max(_LEAST_SLOPE, slope + step1 / length)
        if abs(step0) + abs(step1) < 1e-9:
            break
    return math.exp(centre + max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, (intercept - wanted) / slope)))


def fit_levels(
    game: str,
    plan: LevelSet,
    *,
    seed: int = 0,
    parameters: FitParameters | None = None,
    known: Sequence[Level] = (),
    play: Play = play_here,
    told: Told = lambda sentence: None,
) -> Iterator[tuple[Level, ...]]:
    """Fit the levels of a game, and yield the ladder after each change; the last one is complete.

    `known` are the lowest levels of an earlier fit, to go on from.
    """
    settings = parameters or FitParameters()
    full = Level(Stage(plan.full), 0.0)
    levels = [level for level in known if (level.stage, level.temperature) != (full.stage, full.temperature)]
    levels = levels or [Level(plan.stages[0], plan.first_temperature)]
    yield tuple(levels)
    while len(levels) < MOST_LEVELS - 1:
        # Each level has seeds of its own, so that an interrupted fit goes on as if it had not stopped.
        arena = Arena(game, seed=derive_seed(seed, len(levels)), max_plies=settings.max_plies, play=play)
        found = _next_level(levels, plan, arena, settings, told)
        if found is None:
            break
        levels.append(found)
        yield tuple(levels)
    while True:
        arena = Arena(game, seed=derive_seed(seed, MOST_LEVELS + len(levels)), max_plies=settings.max_plies, play=play)
        number = len(levels) + 1
        match = measured(arena.pairs((number, full), (number - 1, levels[-1]), settings.last))
        told(f"full strength scores {100 * score_of(match):.1f}% against level {number - 1}")
        if score_of(match) >= plan.goal - settings.tolerance or len(levels) == 1:
            break
        levels.pop()
    yield (*levels, replace(full, measured=match))


def measure_levels(
    game: str,
    levels: Sequence[Level],
    *,
    seed: int = 0,
    pairs: int,
    play: Play = play_here,
    told: Told = lambda sentence: None,
) -> Iterator[tuple[Level, ...]]:
    """Play `pairs` more pairs of games between neighbours, and yield the levels after each match.

    The games add to those that are measured already, and no game is played twice.
    """
    known = list(levels)
    for index in range(1, len(known)):
        number, before = index + 1, known[index].measured or Measured((0, 0, 0, 0, 0))
        played = sum(before.pairs)
        fresh = derive_seed(seed, 1000 * number + played)
        arena = Arena(game, seed=fresh, max_plies=FitParameters().max_plies, play=play)
        more = measured(arena.pairs((number, known[index]), (index, known[index - 1]), pairs))
        a, b, c, d, e = (old + new for old, new in zip(before.pairs, more.pairs, strict=True))
        known[index] = replace(known[index], measured=Measured((a, b, c, d, e)))
        score = 100 * score_of(Measured((a, b, c, d, e)))
        told(f"level {number} scores {score:.1f}% against level {index} in {2 * (played + pairs)} games")
        yield tuple(known)


def _next_level(
    levels: Sequence[Level], plan: LevelSet, arena: Arena, settings: FitParameters, told: Told
) -> Level | None:
    """The level above `levels`; None if no stage beats the highest of them clearly."""
    number, below = len(levels) + 1, (len(levels), levels[-1])
    for stage in _stages_for(number, levels[-1].stage, plan):
        sharpest = Level(stage, settings.least)
        match = measured(arena.pairs((number, sharpest), below, settings.batch))
        told(f"level {number}: {stage.agent} scores up to {100 * score_of(match):.0f}%")
        if score_of(match) < plan.goal:
            continue
        found = _fitted(stage, number, below, plan.goal, arena, settings, told)
        if found.measured is not None and score_of(found.measured) >= plan.goal - settings.tolerance:
            return found
    return None


def _stages_for(number: int, last: Stage, plan: LevelSet) -> tuple[Stage, ...]:
    """The stages that a level may take: none below that of the level below, and two plies from `SEES_REPLIES` on."""
    reached = plan.stages[plan.stages.index(last) :]
    return tuple(stage for stage in reached if stage.most_loss < 1 or number < SEES_REPLIES)


def _fitted(
    stage: Stage,
    number: int,
    below: tuple[int, Level],
    goal: float,
    arena: Arena,
    settings: FitParameters,
    told: Told,
) -> Level:
    # Where only the temperature changes, a step of the ladder takes about half of it away.
    guess = below[1].temperature * (_LESS if below[1].stage == stage else 1.0)
    guess = min(settings.most, max(settings.least, guess))
    tried: list[tuple[float, float]] = []
    temperature = guess
    for attempt in range(settings.attempts):
        for _ in range(settings.batches if attempt == 0 else max(1, settings.batches // 2)):
            level = Level(stage, temperature)
            tried += [(temperature, pair.points / 2) for pair in arena.pairs((number, level), below, settings.batch)]
            wanted = expected_temperature(tried, goal, guess)
            # No step is larger than by a factor of 2: the regression is not trusted far from the games.
            wanted = min(2 * temperature, max(temperature / 2, wanted))
            temperature = min(settings.most, max(settings.least, float(f"{wanted:.3g}")))
        level = Level(stage, temperature)
        pairs = arena.pairs((number, level), below, settings.measured)
        match = measured(pairs)
        told(f"level {number}: {stage.agent}, temperature {temperature:g}, scores {100 * score_of(match):.1f}%")
        if abs(score_of(match) - goal) <= settings.tolerance or attempt + 1 == settings.attempts:
            break
        tried += [(temperature, pair.points / 2) for pair in pairs]
        wanted = expected_temperature(tried, goal, guess)
        temperature = min(settings.most, max(settings.least, float(f"{wanted:.3g}")))
    return Level(stage, temperature, match)
