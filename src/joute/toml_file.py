"""Read users' TOML files, and check them key by key, with one sentence for each mistake."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute._core import one_line
from joute.errors import SpecError
from joute.numbers import size_text
from joute.spec import look_up
from joute.text import printable, shortened

#: The largest file that is read; the largest of Joute's own has 43 kB.
MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class Kind:
    """The allowed types of a key's value, and their description."""

    types: tuple[type, ...]
    words: str

    def fits(self, value: Any) -> bool:
        """Whether a value is of this kind. Booleans are not numbers here, although Python's bool is an int."""
        if isinstance(value, bool) and object not in self.types:
            return bool in self.types
        return isinstance(value, self.types)


TEXT = Kind((str,), "text")
WHOLE_NUMBER = Kind((int,), "a whole number")
NUMBER = Kind((int, float), "a number")
SWITCH = Kind((bool,), "true or false")
ANYTHING = Kind((object,), "")


def read_table(path: Path) -> dict[str, Any]:
    """Return the contents of a TOML file; SpecError if it cannot be read or is not TOML."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise SpecError(f"{path} has more than {size_text(MOST_BYTES)}, the most that such a file may have")
    try:
        table = tomllib.loads(data.decode())
        _check_values(table, str(path))
    except SpecError:
        raise
    except RecursionError as error:
        raise SpecError(f"{path} is not a file of Joute's: its values are nested too deeply") from error
    except ValueError as error:  # invalid TOML or UTF-8
        raise SpecError(f"{path} is not a TOML file: {one_line(error)}") from error
    return table


def _check_values(value: Any, place: str) -> None:
    """Raise SpecError if a value below `place` can name nothing: a text with NUL, or an integer beyond 64 bits.

    No path and no argument of a program can hold NUL. TOML promises integers of 64 bits and no more.
    """
    if isinstance(value, dict):
        for key, each in value.items():
            _check_values(key, place)
            _check_values(each, f"{place}: {shortened(printable(key), 60)}")
    elif isinstance(value, list):
        for each in value:
            _check_values(each, place)
    elif isinstance(value, str) and "\0" in value:
        raise SpecError(f"{place} holds the character NUL, which no name and no path may hold")
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise SpecError(f"{place} is a number of more than 64 bits")


def check_table(table: Mapping[str, Any], known: Mapping[str, Kind], owner: str) -> None:
    """Raise SpecError if a key is unknown, with the nearest known key, or has a value of a wrong type.

    `owner` is the table's name in errors.
    """
    for key, value in table.items():
        kind = look_up(f"key of {owner}", key, known)
        if not kind.fits(value):
            raise SpecError(f"{owner}: {key} must be {kind.words}, not {one_line(repr(value))}")
