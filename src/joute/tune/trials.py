"""Tuning by trials: a sampler of Optuna proposes settings, and each plays the base setting.

All trials play the same openings in the same order. A trial ends early when a sequential test finds it no better than
the best one may be at least. TPE (Bergstra et al. 2011) is for choices, CMA-ES (Hansen) for numbers that depend on each
other. When half of the games are played, no more settings are proposed: the rest goes to the trials that may be the
best, by the upper ends of their intervals, so that the choice among them is not one of luck.
"""

from __future__ import annotations

import math
import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from joute.errors import SpecError
from joute.match.sprt import Sprt
from joute.match.statistics import Pentanomial, elo_of
from joute.tune.space import Point, Space
from joute.tune.tuner import AHEAD, Batch, Duel, Points

#: The samplers, as `--method` names them.
SAMPLERS = ("tpe", "cma-es")

# The share of games in which settings are proposed, and the pairs of a trial as a power of the pairs of that share:
# of five values of each, these lost least with numbers (tests/support/synthetic_tuning.py).
_EXPLORING, _POWER = 0.5, 0.4
# Trials are compared after so many pairs of games each.
_RUNG = 4
# The test that ends a trial: its two errors, and the difference between its hypotheses in standard errors of a trial.
_ERROR = 0.1
_APART = 3.0
# The weight of an even score in each estimate, in pairs of games, and the variance of a pair of coin flips.
_PRIOR, _COINS = 2.0, 0.5


@dataclass
class Trial:
    """A setting, and the numbers of its pairs of games with 0, ½, 1, 1½ and 2 points."""

    point: Point
    number: int | None
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    pending: int = 0
    is_over: bool = False

    @property
    def pairs(self) -> int:
        """The pairs that were played."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Points per game, shrunk towards one half."""
        points = sum(half * count for half, count in enumerate(self.counts)) / 2
        return (points + _PRIOR) / (2 * self.pairs + 2 * _PRIOR)

    @property
    def error(self) -> float:
        """The standard error of the score."""
        pairs = Pentanomial((*self.counts,))  # type: ignore[arg-type]
        squares = pairs.squares(self.score) + _PRIOR * _COINS
        return math.sqrt(squares / (self.pairs + _PRIOR) / (self.pairs + _PRIOR)) / 2


class Trials:
    """Trials of settings that a sampler of Optuna proposes, in `pairs` pairs of games in all."""

    roles = ("trial", "base")

    def __init__(self, space: Space, pairs: int, *, seed: int, sampler: str = "tpe") -> None:
        self.space = space
        self._left = pairs
        self._exploring = pairs * _EXPLORING
        self._asked = 0
        #: The most pairs of a trial while settings are proposed.
        self.most = max(2 * _RUNG, round(self._exploring**_POWER / _RUNG) * _RUNG)
        self._optuna, self._study = _study(space, sampler, seed)
        self.trials: list[Trial] = []
        self._open: deque[Trial] = deque()
        self._by_point: dict[Point, Trial] = {}

    def ask(self) -> Batch:
        """The next pairs of a trial that goes on, or of a new one."""
        pairs = min(_RUNG, self._left)
        if not pairs:
            return ()
        trial = self._next()
        first = trial.pairs + trial.pending
        trial.pending += pairs
        self._left -= pairs
        self._asked += pairs
        self._open.append(trial)
        return (Duel(trial.point, self.space.base, tuple(range(first, first + pairs))),)

    def tell(self, batch: Batch, points: Sequence[Points]) -> None:
        """Count the results of a trial, and end it if it is complete or can be no better than the best."""
        trial = self._open.popleft()
        for won in points[0]:
            trial.counts[round(2 * won)] += 1
        trial.pending -= len(points[0])
        if not trial.is_over and (trial.pairs >= self.most or self._is_worse(trial)):
            trial.is_over = True
            if trial.number is not None:
                self._study.tell(trial.number, trial.score)

    @property
    def best(self) -> Point:
        """The setting with the highest lower end of its interval."""
        if not self.trials:
            return self.space.base
        return max(self.trials, key=lambda trial: trial.score - trial.error).point

    def _next(self) -> Trial:
        """The trial that plays next."""
        if self._asked >= self._exploring and self.trials:
            return max(self.trials, key=lambda trial: trial.score + 2 * trial.error - trial.pending)
        running = [trial for trial in self.trials if not trial.is_over]
        if len(running) >= AHEAD:
            return min(running, key=lambda trial: trial.pending)
        return self._proposed()

    def _proposed(self) -> Trial:
        """A new trial. A setting that was tried already gives the sampler its score at once, and another is asked."""
        for _ in range(100):
            asked = self._study.ask(_distributions(self._optuna, self.space))
            point = tuple(
                each.value(each.unit(asked.params[each.name])) if not each.choices else asked.params[each.name]
                for each in self.space.dimensions
            )
            known = self._by_point.get(point)
            if known is None:
                break
            self._study.tell(asked.number, known.score)
        trial = Trial(point, asked.number if known is None else None)
        self._by_point.setdefault(point, trial)
        self.trials.append(trial)
        return trial

    def _is_worse(self, trial: Trial) -> bool:
        """Whether a sequential test finds a trial no better than the lower end of the best one, or than the base."""
        others = [each.score - each.error for each in self.trials if each is not trial and each.pairs >= self.most]
        low = elo_of(max([0.5, *others]))
        apart = _APART * elo_of(0.5 + math.sqrt(_COINS / self.most) / 2)
        return Sprt(low, low + apart, _ERROR, _ERROR).test(trial.counts).decision == "H0"


def _study(space: Space, sampler: str, seed: int) -> tuple[Any, Any]:
    """Optuna, and a study that knows the score of the base setting; SpecError if Optuna is not installed."""
    try:
        import cmaes  # noqa: F401  # a part of the extra, which Optuna imports late
        import optuna  # imported here: it is slow to import, and an extra
    except ImportError as error:
        raise SpecError(
            f"the method {sampler} needs Optuna: pip install 'joute[tune]', or --method spsa for numbers and switches"
        ) from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed %= 2**32
    if sampler == "cma-es" and (named := [each.name for each in space.dimensions if each.choices]):
        raise SpecError(f"the method cma-es is for numbers, and {', '.join(named)} is none; use tpe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that options are experimental
        made: Any
        if sampler == "tpe":
            made = optuna.samplers.TPESampler(seed=seed, n_startup_trials=8, multivariate=True, constant_liar=True)
        else:
            x0 = dict(zip(space.names, space.base, strict=True))
            made = optuna.samplers.CmaEsSampler(seed=seed, x0=x0)
    study = optuna.create_study(direction="maximize", sampler=made)
    study.add_trial(
        optuna.trial.create_trial(
            params=dict(zip(space.names, space.base, strict=True)),
            distributions=_distributions(optuna, space),
            value=0.5,
        )
    )
    return optuna, study


def _distributions(optuna: Any, space: Space) -> dict[str, Any]:
    """The parameters as Optuna describes them."""
    found = {}
    for each in space.dimensions:
        if each.choices:
            found[each.name] = optuna.distributions.CategoricalDistribution(each.choices)
        elif each.is_whole:
            found[each.name] = optuna.distributions.IntDistribution(int(each.low), int(each.high), log=each.is_log)
        else:
            found[each.name] = optuna.distributions.FloatDistribution(each.low, each.high, log=each.is_log)
    return found
