"""The evaluation `network` of Vampires vs Werewolves, slowly: from the cells of a position and its weights as text."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

_WEIGHTS = Path(__file__).parents[3] / "core" / "games" / "vampires" / "weights.hpp"
_FEATURES, _HIDDEN, _SECOND = 36, 16, 8
_RACERS = 6

Group = tuple[int, int, int]  # x, y, units


def _steps(a: Group, b: Group) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def race(
    own: list[Group], other: list[Group], houses: list[Group], plies_left: int, surplus: int = 0
) -> list[list[tuple[int, int]]]:
    """When each side converts how many, the mover first; of houses alike, the nearest, then the first."""
    racers = []
    for side, (groups, ready) in enumerate(((own, -1), (other, 0))):
        largest = sorted(groups, key=lambda group: -group[2])[:_RACERS]
        racers += [(side, group, ready) for group in largest]
    gains: list[list[tuple[int, int]]] = [[], []]
    left = list(houses)
    while True:
        plans = []
        for number, (_, group, ready) in enumerate(racers):
            fits = [house for house in left if house[2] + surplus <= group[2]]
            if fits:
                aim = min(fits, key=lambda house: (-house[2] / _steps(house, group), _steps(house, group)))
                plans.append((ready + 2 * _steps(aim, group), number, aim))
        if not plans:
            return gains
        arrival, number, house = min(plans)
        if arrival > plies_left:
            return gains
        side, group, _ = racers[number]
        gains[side].append((arrival, house[2]))
        racers[number] = (side, (house[0], house[1], group[2] + house[2]), arrival)
        left.remove(house)


def _lead(one: int, other: int) -> float:
    return (one - other) / (one + other)


def _clamped(value: int, most: int) -> float:
    return max(-most, min(most, value)) / most


def _threats(hunters: list[Group], prey: list[Group]) -> list[float]:
    shares = [0.0] * 5
    for victim in prey:
        reach = [_steps(hunter, victim) for hunter in hunters if 2 * hunter[2] >= 3 * victim[2]]
        if reach:
            nearest = min(reach)
            shares[next((i for i, most in enumerate((1, 2, 3, 5)) if nearest <= most), 4)] += victim[2]
    return [share / sum(group[2] for group in prey) for share in shares]


def features(state: Any, plies: int) -> list[float]:
    """What the network sees, from the mover's side."""
    kinds = state.species(state.to_move), state.species(1 - state.to_move), "h"
    own, other, houses = (
        sorted(
            ((x, y, count) for x, y, kind, count in state.cells if kind == wanted), key=lambda cell: (cell[1], cell[0])
        )
        for wanted in kinds
    )
    units, enemies = state.units(state.to_move), state.units(1 - state.to_move)
    a, b = (max(groups, key=lambda group: group[2]) for groups in (own, other))
    left = max(0, plies - state.ply)
    seen = [_lead(units, enemies), _clamped(units - enemies, 1), _clamped(units - enemies, 4), _lead(a[2], b[2])]
    seen += [a[2] / units, b[2] / enemies, 2 * a[2] >= 3 * b[2], 2 * b[2] >= 3 * a[2]]
    seen += [_clamped(len(own), 8), _clamped(len(other), 8)]
    gains = race(own, other, houses, left, surplus=int("twilight-succo" in state.spec))
    for deadline in (4, 8, 16, math.inf):
        ends = [sum(count for when, count in side if when <= deadline) for side in gains]
        final = units + ends[0], enemies + ends[1]
        seen.append(_lead(*final))
    seen += [_clamped(final[0] - final[1], 1), _clamped(final[0] - final[1], 8)]
    seen += [2 * final[0] >= 3 * final[1], 2 * final[1] >= 3 * final[0]]
    seen += _threats(own, other) + _threats(other, own)
    pairs = [(x, y) for x in own for y in other if _steps(x, y) == 1 and 2 * x[2] < 3 * y[2]]
    contact = max(pairs, key=lambda pair: min(pair[0][2], pair[1][2]), default=None)
    seen += [contact is not None, _lead(contact[0][2], contact[1][2]) if contact else 0.0]
    seen += [1 / _steps(a, b), _steps(a, b) % 2 == 1, state.humans / (state.humans + units + enemies)]
    seen += [10 / (10 + left), _clamped(left, 200), 10 / (10 + max(state.rows, state.columns))]
    assert len(seen) == _FEATURES
    return [float(each) for each in seen]


def _layer(inputs: list[float], rows: list[list[float]], bias: list[float]) -> list[float]:
    sums = [bias[j] + sum(x * row[j] for x, row in zip(inputs, rows, strict=True)) for j in range(len(bias))]
    return [min(max(total, 0.0), 1.0) for total in sums]


def _load() -> list[float]:
    body = _WEIGHTS.read_text().split("vampires_weights{")[1]
    return [float(number) for number in re.findall(r"(-?\d[\d.e+-]*)f", body)]


_NUMBERS = _load()


def value(state: Any, plies: int) -> float:
    """What the mover may expect."""
    numbers = iter(_NUMBERS)

    def take(count: int) -> list[float]:
        return [next(numbers) for _ in range(count)]

    of_feature, bias = [take(_HIDDEN) for _ in range(_FEATURES)], take(_HIDDEN)
    to_second, second_bias = [take(_SECOND) for _ in range(_HIDDEN)], take(_SECOND)
    to_value, value_bias = take(_SECOND), take(1)[0]
    assert not list(numbers)
    second = _layer(_layer(features(state, plies), of_feature, bias), to_second, second_bias)
    logit = value_bias + sum(x * weight for x, weight in zip(second, to_value, strict=True))
    return 2 / (1 + math.exp(-logit)) - 1
