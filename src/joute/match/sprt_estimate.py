"""How much stronger an agent is after a sequential test, without the error of having stopped at a good moment.

A test stops when the score looks convincing, so the score at its end is too high if H1 is accepted, and too low if H0
is. The outcomes of a test are ordered by how much they speak for A: H1 accepted early, H1 late, undecided, H0 late, H0
early (Siegmund 1978). The estimate is the strength at which an outcome like this or a better one has probability one
half, and the interval ends where it has 2.5% and 97.5%. The probabilities are those of Brownian motion between the two
bounds, to which the log-likelihood ratio is close: Stockfish's fishtest does the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from joute.match.sprt import SprtState
from joute.match.statistics import COIN_FLIP_PAIR, Pentanomial, elo_of, score_of

_LOW, _MIDDLE, _HIGH = 0.025, 0.5, 0.975
# A series ends with terms whose size has this logarithm, or after so many.
_SMALLEST, _MOST_TERMS = -32.0, 3000
# The pairs of coin flips that the variance is shrunk towards.
_PRIOR_PAIRS = 2


def sprt_elo(state: SprtState, counts: tuple[float, ...]) -> tuple[float, float, float]:
    """The difference in Elo after a test with these counts of pairs, and its 95% interval: (Elo, low, high)."""
    pairs = Pentanomial((*counts,))  # type: ignore[arg-type]
    if not pairs.pairs:
        return 0.0, -math.inf, math.inf
    squares = pairs.squares(pairs.score) + _PRIOR_PAIRS * COIN_FLIP_PAIR
    variance = squares / (pairs.pairs + _PRIOR_PAIRS) / 4  # of the points per game in a pair
    score0, score1 = score_of(state.sprt.elo0), score_of(state.sprt.elo1)
    time = pairs.pairs * (score1 - score0) ** 2 / variance
    start, length = -state.lower, state.upper - state.lower

    def at_least(score: float) -> float:
        """The probability of an outcome that speaks at least as much for A, if this is the expected score."""
        drift = (score - (score0 + score1) / 2) / (score1 - score0)
        if state.llr >= state.upper:
            return _reaches(start, length, drift, time)
        if state.llr <= state.lower:
            return 1 - _reaches(length - start, length, -drift, time)
        above = _between(state.llr - state.lower, start, length, drift, time)
        return _reaches(start, length, drift, time) + above

    elo, low, high = (elo_of(_solved(at_least, share)) for share in (_MIDDLE, _LOW, _HIGH))
    return elo, low, high


def _reaches(start: float, length: float, drift: float, time: float) -> float:
    """The probability that Brownian motion from `start` reaches `length` by a time, and not 0 before.

    Its variance per unit of time is 1.
    """
    near, far = (min(700.0, max(-700.0, -2 * drift * distance)) for distance in (start, length))
    ever = start / length if abs(drift) < 1e-9 else math.expm1(near) / math.expm1(far)
    later = 0.0
    for term in range(1, _MOST_TERMS):
        rate = drift**2 / 2 + (term * math.pi / length) ** 2 / 2
        exponent = drift * (length - start) - rate * time
        later += math.exp(min(700.0, exponent)) * term / rate * math.sin(term * math.pi * (length - start) / length)
        if exponent < _SMALLEST:
            break
    return min(1.0, max(0.0, ever - later * math.pi / length**2))


def _between(low: float, start: float, length: float, drift: float, time: float) -> float:
    """The probability that it has reached neither 0 nor `length` by a time, and is above `low` then."""
    total = 0.0
    for term in range(1, _MOST_TERMS):
        wave = term * math.pi / length
        rate = (drift**2 + wave**2) / 2

        def primitive(place: float, wave: float = wave, rate: float = rate) -> float:
            """Of the density of this term, which is exp(drift · place) · sin(wave · place) but for a factor."""
            size = math.exp(min(700.0, drift * (place - start) - rate * time))
            return size * (drift * math.sin(wave * place) - wave * math.cos(wave * place)) / (2 * rate)

        total += math.sin(wave * start) * (primitive(length) - primitive(low))
        if drift * (length - start) - rate * time < _SMALLEST:
            break
    return min(1.0, max(0.0, 2 * total / length))


def _solved(probability: Callable[[float], float], wanted: float) -> float:
    """The score at which a probability that rises with it has a value."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if probability(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2
