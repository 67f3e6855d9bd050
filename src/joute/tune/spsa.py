"""SPSA, simultaneous perturbation stochastic approximation (Spall 1992), as engine makers use it (fishtest, OpenBench).

Each pair of games perturbs all parameters at once, each up or down by chance: the setting θ + c·δ plays θ − c·δ, with
both colours from one opening. All parameters then move towards the side that won:

    θ ← θ + (a / c) · (wins − losses) · δ        c = c_end · (N / k)^γ        a = a_end · ((A + N) / (A + k))^α

for pair k of N, with γ = 0.101, α = 0.602 and A = N / 10. As in fishtest, a_end = r_end · c_end². The parameters here
run from 0 to 1 in their ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joute._core import Random
from joute.match.game import derive_seed
from joute.spec import parameter
from joute.tune.space import Point, Space
from joute.tune.tuner import Batch, Duel, Points


@dataclass(frozen=True)
class SpsaParameters:
    """The schedule of SPSA."""

    c_end: float = parameter(
        0.1,
        help="perturbation at the end, as a share of the range",
        source="docs/tuning.md: fishtest's 0.05 needs more games",
        low=1e-4,
        high=0.5,
    )
    r_end: float = parameter(
        0.0,
        help="step at the end: a share of the perturbation for each game won; 0: by the number of games",
        source="docs/tuning.md: 0.003 with 20,000 games, near fishtest's 0.002, and more with fewer",
        low=0,
        high=1,
    )
    alpha: float = parameter(0.602, help="how fast steps fall", source="Spall 1998, fishtest", low=0, high=1)
    gamma: float = parameter(0.101, help="how fast perturbations fall", source="Spall 1998, fishtest", low=0, high=1)
    stability: float = parameter(
        0.1,
        help="A, as a share of all pairs: keeps the first steps small",
        source="Spall 1998, fishtest",
        low=0,
        high=1,
    )


# `r_end` falls as one over the number of pairs: with a given slope of strength, all pairs together move the parameters
# by the same share of the range.
_R_END_PAIRS, _LARGEST_R_END = 30.0, 0.1


class Spsa:
    """SPSA over `pairs` pairs of games, from the base setting; `batch` pairs start from the same θ."""

    roles = ("plus", "minus")

    def __init__(
        self, space: Space, pairs: int, *, seed: int, batch: int = 8, parameters: SpsaParameters | None = None
    ) -> None:
        self.space = space
        self.pairs = pairs
        self.batch = batch
        self.parameters = parameters or SpsaParameters()
        self._r_end = self.parameters.r_end or min(_LARGEST_R_END, _R_END_PAIRS / pairs)
        self._seed = seed
        self._asked = self._told = 0
        self.theta = space.units(space.base)
        self._sum = [0.0] * len(self.theta)

    def ask(self) -> Batch:
        """The next pairs, each with its own perturbation."""
        first, self._asked = self._asked, min(self.pairs, self._asked + self.batch)
        return tuple(self._duel(pair) for pair in range(first, self._asked))

    def tell(self, batch: Batch, points: Sequence[Points]) -> None:
        """Move the parameters."""
        moves = [0.0] * len(self.theta)
        for pair, (won,) in enumerate(points, start=self._told):
            gain, flips = self._step(pair), self._flips(pair)
            for index, flip in enumerate(flips):
                moves[index] += gain * self._perturbation(pair, index) * 2 * (won - 1) * flip
        self._told += len(batch)
        self.theta = [min(1.0, max(0.0, unit + move)) for unit, move in zip(self.theta, moves, strict=True)]

    @property
    def best(self) -> Point:
        """The parameters as they are now."""
        return self.space.point(self.theta)

    def _duel(self, pair: int) -> Duel:
        shifts = [self._perturbation(pair, index) * flip for index, flip in enumerate(self._flips(pair))]
        plus = [unit + shift for unit, shift in zip(self.theta, shifts, strict=True)]
        minus = [unit - shift for unit, shift in zip(self.theta, shifts, strict=True)]
        return Duel(self.space.point(plus), self.space.point(minus), (pair,))

    def _flips(self, pair: int) -> list[int]:
        """The direction of each parameter in a pair, 1 or -1: a function of the seed and the pair."""
        rng = Random(derive_seed(self._seed, pair))
        return [2 * rng.below(2) - 1 for _ in self.theta]

    def _perturbation(self, pair: int, index: int) -> float:
        """The perturbation of a parameter; of a whole number, large enough to change it."""
        known = self.parameters
        falling = known.c_end * float((self.pairs / (pair + 1)) ** known.gamma)
        return max(falling, self.space.dimensions[index].step / 2)

    def _step(self, pair: int) -> float:
        """The move for each game won, as a share of the perturbation."""
        known = self.parameters
        stability = known.stability * self.pairs
        falling = float(((stability + self.pairs) / (stability + pair + 1)) ** known.alpha)
        c = float((self.pairs / (pair + 1)) ** known.gamma)  # a / c², where c_end is left out of both
        return self._r_end * falling / c**2
