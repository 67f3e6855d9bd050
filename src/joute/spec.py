"""Spec strings, ``name:key=value,key=value``, and the parameters they set.

A spec string names a game or an agent everywhere: in Python, on the command line, in files. A parameter is described
once, in a frozen dataclass or in a game's rules; help, validation and spelling suggestions use that description.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from joute.errors import SpecError

Value = bool | int | float | str
T = TypeVar("T")

#: The key of a value that stands first in a spec without a key.
LEADING = ""

_WORDS_FOR_BOOL = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a game or an agent: its meaning, its range, its default and the source of the default."""

    name: str
    default: Value
    help: str
    source: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    is_file: bool = False  # whether it is the path of a file that the agent reads
    leads: bool = False  # whether its value may stand first in a spec without its name: ``level:4``

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return "|".join(self.choices)
        if isinstance(self.default, bool):
            return "yes|no"
        if isinstance(self.default, str):
            return "file" if self.is_file else "text"
        if math.isinf(self.low) and math.isinf(self.high):
            return "any number"
        if math.isinf(self.high):
            return f"≥ {value_text(self.low)}"
        if math.isinf(self.low):
            return f"≤ {value_text(self.high)}"
        return f"{value_text(self.low)}..{value_text(self.high)}"

    @property
    def default_text(self) -> str:
        """The default as a spec writes it."""
        return value_text(self.default)

    def read(self, text: str, owner: str) -> Value:
        """Parse a value; SpecError with the allowed values if it is invalid. `owner` is the agent's or game's name."""
        value = self._convert(text)
        if value is None or (self.choices and value not in self.choices):
            hint = _nearest(text, self.choices) if self.choices else ""
            raise SpecError(f"{owner}: {self.name} must be {self._expected()}, not '{text}'{hint}")
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            raise SpecError(f"{owner}: {self.name} must be {self._expected()}, not {text}")
        return value

    def _convert(self, text: str) -> Value | None:
        if isinstance(self.default, bool):
            return _WORDS_FOR_BOOL.get(text.lower())
        if isinstance(self.default, str):
            switch = _WORDS_FOR_BOOL.get(text.lower())
            choice = text if switch is None or text in self.choices else value_text(switch)
            return choice if choice in self.choices else text
        try:
            number = int(text) if isinstance(self.default, int) else float(text)
        except ValueError:
            return None
        return None if isinstance(number, float) and not math.isfinite(number) else number

    def _expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "yes or no"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if math.isinf(self.low) and math.isinf(self.high):
            return kind
        is_open = math.isinf(self.low) or math.isinf(self.high)
        return f"{kind} {self.range}" if is_open else f"{kind} in {self.range}"


def parameter(
    default: Value,
    *,
    help: str,
    source: str,
    low: float = -math.inf,
    high: float = math.inf,
    choices: tuple[str, ...] = (),
    is_file: bool = False,
    leads: bool = False,
) -> Any:
    """Return a dataclass field that describes a parameter."""
    described = {
        "help": help, "source": source, "low": low, "high": high, "choices": choices, "is_file": is_file, "leads": leads
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=described)


def vary(
    base: type,
    name: str,
    *,
    default: Value | None = None,
    help: str | None = None,
    source: str | None = None,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Return a dataclass field like the one of `base`, with the given changes; presets of a search use this.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Search:
    ...     c: float = parameter(0.7, help="weight of the bonus", source="tuned", low=0)
    >>> @dataclasses.dataclass(frozen=True)
    ... class Preset:
    ...     c: float = vary(Search, "c", default=1.4, source="Kocsis & Szepesvári 2006")
    >>> parameters_of(Preset)[0].help, Preset().c
    ('weight of the bonus', 1.4)
    """
    known = {parameter.name: parameter for parameter in parameters_of(base)}
    if name not in known:
        raise TypeError(f"{base.__name__} has no parameter '{name}' to vary")
    given: dict[str, Any] = {
        "default": default,
        "help": help,
        "source": source,
        "low": low,
        "high": high,
        "choices": choices,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    varied = dataclasses.replace(known[name], **changes)
    if type(varied.default) is not type(known[name].default):
        raise TypeError(f"{base.__name__}.{name} is varied to {varied.default!r}, which is of another type")
    varied.read(varied.default_text, f"a variation of {base.__name__}")
    described = dataclasses.asdict(varied)
    del described["name"], described["default"]
    return dataclasses.field(default=varied.default, metadata=described)


def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """Return the parameters of a dataclass whose fields come from `parameter` or `vary`."""
    described = []
    for field in dataclasses.fields(cls):
        default: Any = field.default
        described.append(Parameter(name=field.name, default=default, **field.metadata))
    return tuple(described)


def value_text(value: Value) -> str:
    """Return a value as a spec writes it; parsing the text gives the same value.

    >>> value_text(2**0.5), value_text(2.0), value_text(True)
    ('1.4142135623730951', '2', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,…`` into the name and its settings, as text.

    A first value without a key is that of the parameter that leads; its key here is empty.

    >>> parse_spec("mcts:iterations=1000,c=1.41")
    ('mcts', {'iterations': '1000', 'c': '1.41'})
    >>> parse_spec("level:4")
    ('level', {'': '4'})
    """
    name, _, settings = spec.strip().partition(":")
    pairs: dict[str, str] = {}
    for pair in filter(None, settings.split(",")):
        key, equals, value = pair.partition("=")
        key = key.strip()
        if not equals and not pairs:
            pairs[LEADING] = pair.strip()
            continue
        if not equals or not key:
            raise SpecError(f"'{pair}' in '{spec}' is not of the form key=value")
        if key in pairs:
            raise SpecError(f"'{spec}' sets {key} twice")
        pairs[key] = value.strip()
    return name.strip(), pairs


def read_settings(owner: str, pairs: Mapping[str, str], parameters: Iterable[Parameter]) -> dict[str, Value]:
    """Parse and check the values that `pairs` set; `owner` is the agent's or game's name in errors."""
    known = {parameter.name: parameter for parameter in parameters}
    leading = next((parameter.name for parameter in known.values() if parameter.leads), None)
    values: dict[str, Value] = {}
    for given, text in pairs.items():
        if given == LEADING and leading is None:
            raise SpecError(f"'{text}' in '{owner}:{text}' is not of the form key=value")
        key = given if given != LEADING or leading is None else leading
        if key in values:
            raise SpecError(f"'{owner}:{text}' sets {key} twice")
        if key not in known:
            if not known:
                raise SpecError(f"{owner} has no parameters, so '{key}' cannot be set")
            hint = _nearest(key, known) or f"; it has {', '.join(known)}"
            raise SpecError(f"{owner} has no parameter '{key}'{hint}")
        values[key] = known[key].read(text, owner)
    return values


def look_up(kind: str, name: str, known: Mapping[str, T]) -> T:
    """Return the entry of that name; SpecError with the nearest known name if there is none."""
    if name in known:
        return known[name]
    names = ", ".join(sorted(known))
    raise SpecError(f"unknown {kind} '{name}'{_nearest(name, known) or f'; there are: {names}'}")


def _nearest(name: str, known: Iterable[str]) -> str:
    import difflib  # imported late: only errors need it

    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else ""
