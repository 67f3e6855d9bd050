"""Reads a spec with values in braces, ``mcts:c={0.3..2.0/8},iterations={200,1000}``, and lists its settings.

- ``{x,y,z}``: these values. A value may be any part of a spec, and may have groups of its own.
- ``{1..6}``: the whole numbers from 1 to 6.
- ``{0.3..2.0/8}``: 8 values with equal steps, both ends included.
- ``{100..1600/5 log}``: 5 values with equal ratios.

If both ends of a range are whole numbers, so are its values; ``{0.0..2/5}`` gives decimals.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joute.errors import SpecError

#: The most settings of a sweep.
MOST_SETTINGS = 1000

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:/(\d+)(\s*log)?)?")
# A number of so many digits is no whole number of 64 bits.
_LONG = 19
# The shortest distance between the ends of a range.
_SHORTEST = 1e-12
# Text that can only be meant as a range.
_LIKE_A_RANGE = re.compile(r"[-+]?[\d.]*\d\s*\.\.")
_HOW = "write {low..high/count}, as in {0.3..2.0/8} or {100..1600/5 log}"


@dataclass(frozen=True)
class Variable:
    """A group of values, named after the parameter before it."""

    name: str
    values: tuple[str, ...]

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers; None if one is not a number."""
        try:
            numbers = tuple(map(float, self.values))
        except ValueError:
            return None
        return numbers if all(map(math.isfinite, numbers)) else None

    def read(self, value: str) -> int | float | str:
        """A value as a number if all values are numbers: a whole number if all are written as such."""
        if self.numbers is None:
            return value
        are_whole = not set(".eE") & set("".join(self.values)) and max(map(len, self.values)) < _LONG
        return int(value) if are_whole else float(value)


@dataclass(frozen=True)
class Setting:
    """An agent of the sweep, and the value of each variable in it."""

    agent: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of a spec.

    >>> grid = Grid.parse("mcts:c={0.5,1},iterations={100..400/3 log}")
    >>> [variable.name for variable in grid.variables], len(grid.settings)
    (['c', 'iterations'], 6)
    >>> grid.settings[1]
    Setting(agent='mcts:c=0.5,iterations=200', values=('0.5', '200'))
    """

    spec: str
    variables: tuple[Variable, ...]
    settings: tuple[Setting, ...]

    @staticmethod
    def parse(spec: str) -> Grid:
        """The grid of a spec; SpecError if a group is invalid, there is none, or a setting occurs twice."""
        parts = _parts(spec)
        groups = parts[1::2]
        if not groups:
            raise SpecError(f"'{spec}' has nothing to vary; write values in braces, as in 'mcts:c={{0.5,1,2}}'")
        choices = [_values(group) for group in groups]
        settings = tuple(Setting(_filled(parts, values), values) for values in _product(choices, spec))
        agent, times = Counter(setting.agent for setting in settings).most_common(1)[0]
        if times > 1:
            raise SpecError(f"'{spec}' lists the setting '{agent}' {times} times")
        variables = tuple(map(Variable, _names(parts[::2][: len(groups)]), map(tuple, choices)))
        return Grid(spec, variables, settings)


def _parts(text: str) -> list[str]:
    """The text outside groups and the contents of groups, in turn; the first and the last part are outside."""
    parts, begin, depth = [], 0, 0
    for place, character in enumerate(text):
        if character not in "{}":
            continue
        depth += 1 if character == "{" else -1
        if depth < 0:
            raise SpecError(f"'{text}' has a '}}' without its '{{'")
        if depth == (1 if character == "{" else 0):
            parts.append(text[begin:place])
            begin = place + 1
    if depth:
        raise SpecError(f"'{text}' has a '{{' without its '}}'")
    return [*parts, text[begin:]]


def _filled(parts: Sequence[str], values: Sequence[str]) -> str:
    """The text with a value in place of each group."""
    return "".join(itertools.chain.from_iterable(zip(parts[::2], (*values, ""), strict=True)))


def _product(choices: Sequence[Sequence[str]], text: str) -> Iterator[tuple[str, ...]]:
    """All combinations; SpecError if there are too many."""
    if (count := math.prod(map(len, choices))) > MOST_SETTINGS:
        raise SpecError(f"'{text}' has {count:,} settings; a sweep takes at most {MOST_SETTINGS:,}")
    return itertools.product(*choices)


def _names(before: Sequence[str]) -> Iterator[str]:
    """The names of the groups that follow these texts: the parameter, or what else a group can be; all different."""
    taken: Counter[str] = Counter()
    for place, text in enumerate(before):
        key = re.search(r"([^,:=\s\[]+)=$", text)
        name = key[1] if key else "agent" if not place and not text else "choice"
        taken[name] += 1
        yield name if taken[name] == 1 else f"{name} {taken[name]}"


def _values(group: str) -> list[str]:
    """The values of a group."""
    values = [value for part in _alternatives(group) for value in _expanded(part, group)]
    if not all(values):
        raise SpecError(f"'{{{group}}}' has an empty value")
    return values


def _alternatives(group: str) -> list[str]:
    """The group split at the commas that are in no group inside it."""
    parts = _parts(group)
    pieces = [[""]]
    for place, part in enumerate(parts):
        first, *others = [f"{{{part}}}"] if place % 2 else part.split(",")
        pieces[-1].append(first)
        pieces += [[other] for other in others]
    return ["".join(piece).strip() for piece in pieces]


def _expanded(part: str, group: str) -> list[str]:
    if "{" in part:
        parts = _parts(part)
        return [_filled(parts, values) for values in _product([*map(_values, parts[1::2])], part)]
    if found := _RANGE.fullmatch(part):
        low, high, count, log = found.groups()
        return _range(low, high, int(count[:9]) if count else None, is_log=bool(log), group=group)
    if _LIKE_A_RANGE.match(part):
        raise SpecError(f"'{{{group}}}' is not a range; {_HOW}")
    return [part]


def _range(first: str, last: str, count: int | None, *, is_log: bool, group: str) -> list[str]:
    low, high = float(first), float(last)
    are_whole = not set(".eE") & set(first + last)
    if count is None and not are_whole:
        raise SpecError(f"'{{{group}}}' does not say how many values it has; {_HOW}")
    distance = abs(high - low)
    if not _SHORTEST <= distance < math.inf:  # it is nan if both ends are too large
        raise SpecError(f"'{{{group}}}' must have two different ends")
    if count is None:
        count = int(min(distance, MOST_SETTINGS)) + 1
    if not 2 <= count <= MOST_SETTINGS:
        raise SpecError(f"'{{{group}}}' must have from 2 to {MOST_SETTINGS:,} values")
    if is_log and not (low > 0 and high > 0):
        raise SpecError(f"'{{{group}}}' has equal ratios, so both ends must be above 0")
    shares = [number / (count - 1) for number in range(count)]
    values = [_between(low, high, share, is_log=is_log) for share in shares]
    values[-1] = high
    if are_whole:
        whole = [str(round(value)) for value in values]
        if (distinct := len(set(whole))) < count:
            decimals = group.replace(first, f"{first}.0", 1)
            raise SpecError(f"'{{{group}}}' has only {distinct} whole numbers; for decimals write {{{decimals}}}")
        return whole
    return [_decimal(value, abs(value) if is_log else distance / (count - 1)) for value in values]


def _between(low: float, high: float, share: float, *, is_log: bool) -> float:
    if is_log:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
    return low + (high - low) * share


def _decimal(value: float, scale: float) -> str:
    """A value rounded to three significant digits of `scale`: its distance from the next, or itself.

    >>> _decimal(0.5428571, 0.2428571), _decimal(2.0, 0.2428571)
    ('0.543', '2')
    """
    digits = 2 - math.floor(math.log10(scale))
    return f"{round(value, digits):.15g}"
