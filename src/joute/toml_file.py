"""Read users' TOML files, and check them key by key, with one sentence for each mistake."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.errors import SpecError
from joute.spec import look_up


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
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # invalid TOML or UTF-8
        raise SpecError(f"{path} is not a TOML file: {error}") from error


def check_table(table: Mapping[str, Any], known: Mapping[str, Kind], owner: str) -> None:
    """Raise SpecError if a key is unknown, with the nearest known key, or has a value of a wrong type.

    `owner` is the table's name in errors.
    """
    for key, value in table.items():
        kind = look_up(f"key of {owner}", key, known)
        if not kind.fits(value):
            raise SpecError(f"{owner}: {key} must be {kind.words}, not {value!r}")
