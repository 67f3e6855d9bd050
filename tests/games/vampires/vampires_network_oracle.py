"""The evaluation `network` of Vampires vs Werewolves, slowly: from the cells of a position and its weights as text."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

_WEIGHTS = Path(__file__).parents[3] / "core" / "games" / "vampires" / "weights.hpp"
_FEATURES, _HIDDEN, _SECOND = 61, 32, 16
_FAR = 510  # farther than any two cells are apart
_RACERS = 6

Group = tuple[int, int, int]  # x, y, units


def _steps(a: Group, b: Group) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def race(
    own: list[Group], other: list[Group], houses: list[Group], plies_left: int, surplus: int = 0
) -> list[list[tuple[int, int]]]:
    """When each side converts how many, the mover first; of houses alike, the nearest, then the first."""
    return _race(own, other, houses, plies_left, surplus)[0]


def _race(
    own: list[Group], other: list[Group], houses: list[Group], plies_left: int, surplus: int
) -> tuple[list[list[tuple[int, int]]], list[int]]:
    """The gains of a race, and the largest group of each side at its end."""
    racers = []
    for side, (groups, ready) in enumerate(((own, -1), (other, 0))):
        largest = sorted(groups, key=lambda group: -group[2])[:_RACERS]
        racers += [(side, group, ready) for group in largest]
    gains: list[list[tuple[int, int]]] = [[], []]
    left = list(houses)

    def ended() -> tuple[list[list[tuple[int, int]]], list[int]]:
        return gains, [max(group[2] for side, group, _ in racers if side == wanted) for wanted in (0, 1)]

    while True:
        plans = []
        for number, (_, group, ready) in enumerate(racers):
            fits = [house for house in left if house[2] + surplus <= group[2]]
            if fits:
                aim = min(fits, key=lambda house: (-house[2] / _steps(house, group), _steps(house, group)))
                plans.append((ready + 2 * _steps(aim, group), number, aim))
        if not plans:
            return ended()
        arrival, number, house = min(plans)
        if arrival > plies_left:
            return ended()
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


def _odds(attackers: int, defenders: int, profile: str) -> float:
    """The probability that an attack on enemies wins."""
    if 2 * attackers >= 3 * defenders:
        return 1.0
    if profile == "text-strict" and 2 * defenders >= 3 * attackers:
        return 0.0
    if attackers < defenders:
        return attackers / (2 * defenders)
    if attackers == defenders or profile == "twilight-succo":
        return 0.5
    return attackers / defenders - 0.5


def _siege(besieged: list[Group], enemies: list[Group], profile: str) -> list[float]:
    """The share that all adjacent enemies are certain to destroy, and the best share times odds of the others."""
    units = sum(group[2] for group in besieged)
    certain, best = 0, 0.0
    for group in besieged:
        attackers = sum(enemy[2] for enemy in enemies if _steps(enemy, group) == 1)
        if attackers and 2 * attackers >= 3 * group[2]:
            certain += group[2]
        elif attackers:
            best = max(best, _odds(attackers, group[2], profile) * group[2] / units)
    return [certain / units, best]


def _doomed(prey: list[Group], hunters: list[Group]) -> list[float]:
    """The share that is reached before it can merge into a safe group, and the second largest group."""
    units, strongest = sum(group[2] for group in prey), max(group[2] for group in hunters)
    doomed = 0
    for group in prey:
        hunted = [_steps(hunter, group) for hunter in hunters if 2 * hunter[2] >= 3 * group[2]]
        refuges = [
            (_steps(friend, group) + 1) // 2
            for friend in prey
            if friend != group and 2 * strongest < 3 * (friend[2] + group[2])
        ]
        if hunted and min(hunted) <= min(refuges, default=_FAR):
            doomed += group[2]
    sizes = sorted((group[2] for group in prey), reverse=True)
    return [doomed / units, (sizes[1] if len(sizes) > 1 else 0) / units]


def _surroundings(state: Any, side: list[Group], houses: list[Group], all_units: int) -> list[float]:
    """How scattered a side is, and the edges and the houses near its largest group."""
    largest = max(side, key=lambda group: group[2])
    units = sum(group[2] for group in side)
    spread = sum(group[2] * _steps(group, largest) for group in side)
    edges = sorted((min(largest[0], state.columns - 1 - largest[0]), min(largest[1], state.rows - 1 - largest[1])))
    convertible = [house for house in houses if house[2] <= largest[2]]
    humans = sum(house[2] for house in convertible)
    nearest = min((_steps(house, largest) for house in convertible), default=_FAR)
    seen = [min(1.0, spread / (4 * units)), _clamped(edges[0], 5), _clamped(edges[1], 5)]
    return [*seen, humans / (humans + all_units), 1 / nearest]


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
    profile = next((name for name in ("text-strict", "twilight-succo") if name in state.spec), "")
    gains, later = _race(own, other, houses, left, int(profile == "twilight-succo"))
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
    seen += [_lead(*later), 2 * later[0] >= 3 * later[1], 2 * later[1] >= 3 * later[0]]
    seen += [_odds(a[2], b[2], profile), _odds(b[2], a[2], profile)]
    seen += _siege(other, own, profile) + _siege(own, other, profile) + _doomed(other, own) + _doomed(own, other)
    seen += [_lead(units, b[2]), _lead(enemies, a[2])]
    for side in (own, other):
        seen += _surroundings(state, side, houses, units + enemies)
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
