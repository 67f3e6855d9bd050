"""Networks of the tests: arithmetic that gives priors and values, the same for the same position in any batch.

Where it matters they add whole numbers below 2**53 in float64, so that no order of summation changes the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typed import network_state

from joute import State

Planes = NDArray[np.uint8]  # [batch, planes * rows * columns]
Legal = NDArray[np.int16]  # [batch, moves], -1 where there is none
Answers = tuple[NDArray[Any], NDArray[Any]]  # priors [batch, moves], values [batch]
Evaluator = Callable[[Planes, Legal], Answers]


def shares(weights: NDArray[np.float64], legal: Legal) -> NDArray[np.float64]:
    """Weights of policy indices [batch, policy] as probabilities of the moves."""
    picked = np.where(legal >= 0, np.take_along_axis(weights, np.maximum(legal, 0), axis=1), 0)
    return np.asarray(picked / np.maximum(picked.sum(axis=1, keepdims=True), 1e-9))


def uniform(legal: Legal) -> NDArray[np.float64]:
    return shares(np.ones((len(legal), int(legal.max(initial=0)) + 1)), legal)


def knows_nothing(planes: Planes, legal: Legal) -> Answers:
    return uniform(legal), np.zeros(len(planes))


def scrambled(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 pseudo-random bits of each number: the finaliser of SplitMix64."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


class Noise:
    """Pseudo-random values, and priors of which the largest is a hundred times the smallest and no two are the same."""

    def __init__(self, state: State, seed: int = 1, *, uniform_priors: bool = False) -> None:
        game = network_state(state)
        self.numbers = np.random.default_rng(seed).integers(1, 2**35, len(game.encode())).astype(float)
        self.indices = scrambled(np.arange(1, game.policy_size + 1, dtype=np.uint64))
        self.uniform_priors = uniform_priors

    def position_numbers(self, planes: Planes) -> NDArray[np.uint64]:
        return scrambled((planes.astype(float) @ self.numbers).astype(np.uint64))

    def weights(self, planes: Planes) -> NDArray[np.float64]:
        """Of every policy index, from 0.01 to 1."""
        draws = scrambled(self.position_numbers(planes)[:, None] + self.indices)
        ranks = draws.argsort(axis=1).argsort(axis=1)
        return np.asarray(0.01 ** (ranks / ranks.shape[1]))

    def values(self, planes: Planes) -> NDArray[np.float64]:
        return np.asarray(self.position_numbers(planes) / 2.0**63 - 1)

    def __call__(self, planes: Planes, legal: Legal) -> Answers:
        priors = uniform(legal) if self.uniform_priors else shares(self.weights(planes), legal)
        return priors, self.values(planes)


class Equivariant:
    """Noise that looks alike from every side: that of the image with the smallest number, seen from there."""

    def __init__(self, state: State, seed: int = 1) -> None:
        self.noise = Noise(state, seed)
        game = network_state(state)
        count = game.symmetry_count
        self.input_maps = np.array([game.input_map(g) for g in range(count)])
        self.policy_maps = np.array([game.policy_map(g) for g in range(count)])
        numbers = np.random.default_rng(seed + 1).integers(1, 2**35, self.input_maps.shape[1]).astype(float)
        self.image_weights = numbers[self.input_maps].T

    def __call__(self, planes: Planes, legal: Legal) -> Answers:
        images = planes.astype(float) @ self.image_weights  # [batch, symmetries]
        is_smallest = images == images.min(axis=1, keepdims=True)
        canonical = np.zeros_like(planes)
        chosen = is_smallest.argmax(axis=1)
        np.put_along_axis(canonical, self.input_maps[chosen], planes, axis=1)
        there = self.noise.weights(canonical)
        weights = np.zeros_like(there)
        for row, g in np.argwhere(is_smallest):  # more than one where the position is symmetric itself
            weights[row] += there[row, self.policy_maps[g]]
        return shares(weights, legal), self.noise.values(canonical)


class Lookup:
    """Values from a table by planes, with priors all alike."""

    def __init__(self, values: dict[bytes, float]) -> None:
        self.table = values

    def __call__(self, planes: Planes, legal: Legal) -> Answers:
        return uniform(legal), np.array([self.table.get(row.tobytes(), 0.0) for row in planes])


def judge_of(evaluator: Evaluator) -> Callable[[State], tuple[list[float], float]]:
    """The same for one position at a time, rounded as answers travel."""

    def judge(state: State) -> tuple[list[float], float]:
        planes = np.frombuffer(network_state(state).encode(), np.uint8)[None]
        legal = np.array([[network_state(state).policy_indices(move)[0] for move in state.legal_moves]], np.int16)
        priors, values = evaluator(planes, legal)
        return priors[0].astype(np.float16).astype(float).tolist(), float(np.float16(values[0]))

    return judge
