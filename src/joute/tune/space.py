"""The parameters that a tuning varies, with their ranges, and how their values become numbers from 0 to 1.

``--range`` takes them as ``c=0.1..2``, ``bias=1e-5..1 log`` or ``playout=uniform|mast``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from joute.errors import SpecError
from joute.spec import Parameter, Value, look_up, value_text

#: The values of all parameters of a space, in its order.
Point = tuple[Value, ...]

# A range from a positive number to one so many times as large is taken logarithmically.
_WIDE = 100
# Larger numbers are no ends of a range.
_LARGEST = 1e15
# The digits that a value keeps, relative to its range or, on a logarithmic scale, to itself.
_DIGITS = 3

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(\s+log)?")
_PLAIN = " ./+-_"  # characters of names and choices that are kept in the text of a space


@dataclass(frozen=True)
class Dimension:
    """A parameter and the values that a tuning tries: numbers from `low` to `high`, or `choices`.

    `base` is the value to improve on. A switch has the choices False and True.
    """

    name: str
    base: Value
    low: float = 0.0
    high: float = 1.0
    is_log: bool = False
    choices: tuple[Value, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all its values are whole numbers."""
        return isinstance(self.base, int) and not isinstance(self.base, bool)

    @property
    def is_ordered(self) -> bool:
        """Whether it is a number or a switch, which steps in two directions can change."""
        return not self.choices or isinstance(self.base, bool)

    @property
    def step(self) -> float:
        """The smallest step from 0 to 1 that changes the value: 0 for a number with decimals."""
        if isinstance(self.base, bool):
            return 1.0
        return 1 / max(1.0, self.high - self.low) if self.is_whole and not self.is_log else 0.0

    def value(self, unit: float) -> Value:
        """The value at a place from 0 to 1, rounded to what a spec shows."""
        unit = min(1.0, max(0.0, unit))
        if self.choices:
            return self.choices[min(len(self.choices) - 1, int(unit * len(self.choices)))]
        if self.is_log:
            value = math.exp(math.log(self.low) + unit * (math.log(self.high) - math.log(self.low)))
            scale = value
        else:
            value = self.low + unit * (self.high - self.low)
            scale = self.high - self.low
        if self.is_whole:
            return math.floor(value + 0.5)
        rounded = round(value, _DIGITS - math.floor(math.log10(scale)))
        return min(self.high, max(self.low, rounded))

    def unit(self, value: Value) -> float:
        """The place of a value, from 0 to 1."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices)
        assert not isinstance(value, str)
        if self.is_log:
            return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    @property
    def text(self) -> str:
        """The dimension in the text of a space."""
        if self.choices:
            return "|".join([_quoted(self.name), _quoted(self.base), *map(_quoted, self.choices)])
        low, high = (int(self.low), int(self.high)) if self.is_whole else (self.low, self.high)
        return "|".join([_quoted(self.name), _quoted(self.base), f"{low!r}..{high!r}{' log' if self.is_log else ''}"])

    @property
    def range(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return "|".join(map(value_text, self.choices))
        return f"{value_text(self.low)}..{value_text(self.high)}{' log' if self.is_log else ''}"


@dataclass(frozen=True)
class Space:
    """The parameters of a tuning."""

    dimensions: tuple[Dimension, ...]

    @property
    def base(self) -> Point:
        """The values to improve on."""
        return tuple(each.base for each in self.dimensions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(each.name for each in self.dimensions)

    @property
    def unordered(self) -> list[str]:
        """The names of the choices."""
        return [each.name for each in self.dimensions if not each.is_ordered]

    def settings(self, point: Point) -> str:
        """A point as ``key=value,…``."""
        return ",".join(f"{name}={value_text(value)}" for name, value in zip(self.names, point, strict=True))

    def point(self, units: Sequence[float]) -> Point:
        """The values at places from 0 to 1."""
        return tuple(each.value(unit) for each, unit in zip(self.dimensions, units, strict=True))

    def units(self, point: Point) -> list[float]:
        """The places of values, from 0 to 1."""
        return [each.unit(value) for each, value in zip(self.dimensions, point, strict=True)]

    @property
    def text(self) -> str:
        """The space as a text without commas, which `Space.parse` reads."""
        return ";".join(each.text for each in self.dimensions)

    @staticmethod
    def parse(text: str) -> Space:
        """The space of a text made by `text`; SpecError if it is invalid."""
        try:
            return Space(tuple(_dimension(part) for part in text.split(";")))
        except (ValueError, IndexError) as error:
            raise SpecError(f"'{text}' does not describe parameters: {error}") from error


def make_space(
    parameters: Sequence[Parameter],
    base: Mapping[str, Value],
    over: Sequence[str],
    ranges: Mapping[str, str],
    owner: str,
    *,
    wide: float = 20.0,
) -> Space:
    """The space of the parameters named in `over`; `base` are the values that the agent's text sets.

    A range comes from `ranges`, else from the parameter. If that is more than `wide` times the value, it says what is
    possible and not what is sensible, and the range is from 0 to twice the value, as fishtest's. SpecError if a
    parameter cannot be tuned.
    """
    known = {each.name: each for each in parameters}
    for name in ranges:
        if name not in over:
            raise SpecError(f"--range is given for {name}, which is not tuned: --over {','.join(over)}")
    if len(set(over)) < len(over) or not over:
        raise SpecError(f"--over must name different parameters, not '{','.join(over)}'")
    if not known:
        raise SpecError(f"{owner} has no parameters to tune")
    found = [look_up(f"parameter of {owner}", name, known) for name in over]
    return Space(
        tuple(_tuned(each, base.get(each.name, each.default), ranges.get(each.name), owner, wide) for each in found)
    )


def _tuned(known: Parameter, base: Value, wanted: str | None, owner: str, wide: float) -> Dimension:
    """The dimension of a parameter."""
    if isinstance(base, bool):
        return Dimension(known.name, base, choices=(False, True))
    if isinstance(base, str):
        choices = tuple(wanted.split("|")) if wanted else known.choices
        if len(set(choices)) < 2:
            raise SpecError(f"{owner}: {known.name} is a text; name its choices: --range '{known.name}=one|other'")
        for choice in choices:
            known.read(choice, owner)
        return Dimension(known.name, base, choices=tuple(dict.fromkeys((base, *choices))))
    low, high, is_log = _limits(known, base, wanted, owner, wide)
    for limit in (low, high):
        known.read(value_text(int(limit) if isinstance(base, int) else limit), owner)
    if not low <= base <= high:
        raise SpecError(f"{owner}: {known.name} is {value_text(base)}, outside its range {low:g}..{high:g}")
    return Dimension(known.name, base, float(low), float(high), is_log)


def _limits(known: Parameter, base: float, wanted: str | None, owner: str, wide: float) -> tuple[float, float, bool]:
    """The ends of a range, and whether it is logarithmic."""
    example = f"--range '{known.name}={0.5 * base or -1:g}..{2 * base or 1:g}'"
    if wanted is not None:
        match = _RANGE.fullmatch(wanted.strip())
        if not match:
            raise SpecError(f"'{known.name}={wanted}' is no range of numbers; write {example}")
        low, high, is_log = float(match[1]), float(match[2]), bool(match[3])
        if not -_LARGEST <= low < high <= _LARGEST or (is_log and low <= 0):
            raise SpecError(
                f"'{known.name}={wanted}' is no range: the first end must be less than the second, above 0 for log"
            )
    else:
        width = known.high - known.low
        is_given = width <= (2 * _LARGEST if math.isinf(wide) else wide * abs(base))
        low, high = (known.low, known.high) if is_given else sorted((0.0, 2.0 * base))
        low, high, is_log = max(low, known.low), min(high, known.high), False
        if not low < high:
            raise SpecError(f"{owner}: {known.name} is {base:g} and has no range; give one: {example}")
    if isinstance(base, int):
        low, high = math.ceil(low), math.floor(high)
        if not low < high:
            raise SpecError(f"{owner}: {known.name} has no two whole numbers in its range; write {example}")
    return low, high, is_log or (low > 0 and high >= _WIDE * low)


def _quoted(value: Value) -> str:
    return quote(value_text(value), safe=_PLAIN, errors="surrogatepass")


def _unquoted(text: str) -> str:
    return unquote(text, errors="surrogatepass")


def _dimension(text: str) -> Dimension:
    name, base, *rest = text.split("|")
    name, base = _unquoted(name), _unquoted(base)
    match = _RANGE.fullmatch(rest[0])
    if not match:
        choices = tuple(map(_unquoted, rest))
        if set(choices) == {"yes", "no"}:
            return Dimension(name, base == "yes", choices=(False, True))
        if base not in choices or len(choices) < 2:
            raise ValueError(f"{name} has no choices with {base}")
        return Dimension(name, base, choices=choices)
    value = float(base) if set(".eE") & set(match[1]) else int(base)  # a number with decimals ends as in 2.0
    return Dimension(name, value, float(match[1]), float(match[2]), bool(match[3]))
