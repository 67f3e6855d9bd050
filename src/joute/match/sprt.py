"""The sequential probability ratio test (SPRT): play until one of two hypotheses about strength is accepted.

The hypotheses are H0, A is stronger by `elo0`, and H1, A is stronger by `elo1`. After each colour-swapped pair of games
the test computes the log-likelihood ratio (LLR) of H1 to H0, and stops when it crosses one of two bounds (Wald 1945).
The probabilities of 0, ½, 1, 1½ and 2 points per pair are unknown, so each hypothesis uses the maximum-likelihood
probabilities among those with its expected score: the generalized test of Stockfish's fishtest (M. Van den Bergh,
cantate.be/Fishtest/support_MLE_multinomial.pdf). Draws, and openings that decide games, therefore do not reduce its
accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from joute.errors import SpecError
from joute.match.statistics import score_of
from joute.spec import parameter, parameters_of, parse_spec, read_settings, value_text

# The count of a result that has not occurred, to avoid a zero probability; as in fishtest.
_UNSEEN = 1e-3

_MOST_STEPS = 200

# A test is futile only after at least this many repeated pairs in a row, even with few openings.
_FUTILE_PAIRS = 10

# Points per game of a pair, by index in the counts.
_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Sprt:
    """The hypotheses and error probabilities of a test."""

    elo0: float = parameter(
        0.0, help="A is stronger by no more than this: H0", source="no better", low=-1000, high=1000
    )
    elo1: float = parameter(
        10.0,
        help="A is stronger by this at least: H1; the nearer to elo0, the more games",
        source="about 6,500 games where nobody is better and no game drawn (docs/ratings.md)",
        low=-1000,
        high=1000,
    )
    alpha: float = parameter(
        0.05, help="how often H1 may be accepted where H0 is true", source="fishtest", low=0.0001, high=0.4
    )
    beta: float = parameter(
        0.05, help="how often H0 may be accepted where H1 is true", source="fishtest", low=0.0001, high=0.4
    )

    def __post_init__(self) -> None:
        if self.elo0 >= self.elo1:
            raise SpecError(f"sprt: elo0 must be less than elo1, not {self.elo0:g} and {self.elo1:g}")

    @staticmethod
    def parse(text: str) -> Sprt:
        """The test of a text such as ``elo0=0,elo1=10,alpha=0.05,beta=0.05``; every part is optional.

        >>> str(Sprt.parse("elo1=20"))
        'elo0=0,elo1=20,alpha=0.05,beta=0.05'
        """
        _, pairs = parse_spec(f"sprt:{text.removeprefix('sprt:')}" if text != "sprt" else text)
        settings: Any = read_settings("sprt", pairs, parameters_of(Sprt))
        return Sprt(**settings)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def test(self, counts: Sequence[float]) -> SprtState:
        """The state of the test after pairs; `counts` are the numbers of pairs with 0, ½, 1, 1½ and 2 points.

        >>> print(Sprt(elo0=0, elo1=50).test((5, 12, 40, 45, 30)))
        SPRT: H1 accepted, A is stronger than B (LLR 12.38, bounds -2.94 and 2.94, 132 pairs)
        """
        lower, upper = self.bounds
        return SprtState(self, log_likelihood_ratio(counts, self.elo0, self.elo1), lower, upper, sum(counts))

    def __str__(self) -> str:
        return ",".join(f"{p.name}={value_text(getattr(self, p.name))}" for p in parameters_of(Sprt))


@dataclass
class Evidence:
    """The pairs of a match as a test counts them: a game that repeats another move by move is no evidence."""

    #: The number of pairs, and of pairs in which both games are repetitions.
    pairs: int = 0
    repeats: int = 0
    _counts: list[int] = field(default_factory=lambda: [0] * 5)
    _new_games: int = 0
    _repeats_in_a_row: int = 0

    def add(self, points: float, *, new_games: int) -> None:
        """Count a pair by A's points; `new_games` of its two games are not repetitions."""
        self.pairs += 1
        if not new_games:
            self.repeats += 1
            self._repeats_in_a_row += 1
            return
        self._repeats_in_a_row = 0
        self._new_games += new_games
        self._counts[round(2 * points)] += 1

    @property
    def counts(self) -> tuple[float, ...]:
        """The pairs with 0, ½, 1, 1½ and 2 points; all that count are weighted by the share of new games in them."""
        told = self.pairs - self.repeats
        share = self._new_games / (2 * told) if told else 0.0
        return tuple(count * share for count in self._counts)

    def test(self, sprt: Sprt) -> SprtState:
        """The state of a test."""
        return sprt.test(self.counts)

    def is_futile(self, openings: int) -> bool:
        """Whether a whole cycle through this number of openings, at least ten pairs, gave only repetitions."""
        return self._repeats_in_a_row >= max(openings, _FUTILE_PAIRS)


@dataclass(frozen=True)
class SprtState:
    """The state of a test."""

    sprt: Sprt
    llr: float
    lower: float
    upper: float
    #: The number of pairs that count as evidence; a fraction if some games are repetitions.
    pairs: float

    @property
    def decision(self) -> str | None:
        """The accepted hypothesis, ``H0`` or ``H1``; None if the test is not decided."""
        if self.llr >= self.upper:
            return "H1"
        return "H0" if self.llr <= self.lower else None

    def words(self, a: str = "A", b: str = "B") -> str:
        """The state of the test as a sentence about two agents."""
        elo0, elo1 = self.sprt.elo0, self.sprt.elo1
        said = {
            "H1": f"H1 accepted, {a} is {_more_than(elo0)} than {b}",
            "H0": f"H0 accepted, {a} is {_less_than(elo1)} than {b}",
            None: f"not decided between {elo0:g} and {elo1:g} Elo for {a} against {b}",
        }[self.decision]
        pairs = f"{self.pairs:.0f} pair{'s' * (round(self.pairs) != 1)}"
        return f"SPRT: {said} (LLR {self.llr:.2f}, bounds {self.lower:.2f} and {self.upper:.2f}, {pairs})"

    def __str__(self) -> str:
        return self.words()


def _more_than(elo: float) -> str:
    """The words for an advantage of more than `elo`."""
    if elo == 0:
        return "stronger"
    return f"more than {elo:g} Elo stronger" if elo > 0 else f"less than {-elo:g} Elo weaker, if weaker at all,"


def _less_than(elo: float) -> str:
    """The words for an advantage of less than `elo`."""
    if elo == 0:
        return "weaker"
    return f"less than {elo:g} Elo stronger, if stronger at all," if elo > 0 else f"more than {-elo:g} Elo weaker"


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """The generalized log-likelihood ratio of A being stronger by `elo1` to A being stronger by `elo0`.

    `counts` are the numbers of pairs with 0, ½, 1, 1½ and 2 points.
    """
    if not any(counts):
        return 0.0
    seen = [count or _UNSEEN for count in counts]
    pairs = sum(seen)
    shares = [count / pairs for count in seen]
    under0, under1 = _explained(shares, score_of(elo0)), _explained(shares, score_of(elo1))
    return pairs * sum(share * math.log(p1 / p0) for share, p0, p1 in zip(shares, under0, under1, strict=True))


def _explained(shares: Sequence[float], score: float) -> list[float]:
    """The maximum-likelihood probabilities for the observed shares, subject to this expected score.

    They are ``share / (1 + x (points - score))``, where x, a Lagrange multiplier, makes them add up to 1.
    """
    ahead = [points - score for points in _SCORES]
    # Between these bounds all probabilities are positive, and the mean of `ahead`, which must be 0, decreases in x.
    low, high = -1 / ahead[-1], -1 / ahead[0]
    x = 0.0
    for _ in range(_MOST_STEPS):
        mean = fall = 0.0
        for share, lead in zip(shares, ahead, strict=True):  # one plain loop, because a match asks after every pair
            part = lead / (1 + x * lead)
            weighted = share * part
            mean += weighted
            fall += weighted * part
        low, high = (x, high) if mean > 0 else (low, x)
        # A Newton step, or bisection if that leaves the bounds.
        before, x = x, x + mean / fall
        if abs(x - before) <= 1e-14 * abs(before):
            break
        if not low < x < high:
            x = (low + high) / 2
    return [share / (1 + x * part) for share, part in zip(shares, ahead, strict=True)]
