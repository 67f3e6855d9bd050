"""TOML files that people write: read, and checked key by key, with a sentence for every mistake."""

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
    """What the value of a key may be, and that in words."""

    types: tuple[type, ...]
    words: str

    def fits(self, value: Any) -> bool:
        """Whether a value is of this kind; to Python, but not here, true and false are whole numbers."""
        if isinstance(value, bool) and object not in self.types:
            return bool in self.types
        return isinstance(value, self.types)


TEXT = Kind((str,), "text")
WHOLE_NUMBER = Kind((int,), "a whole number")
NUMBER = Kind((int, float), "a number")
SWITCH = Kind((bool,), "true or false")
ANYTHING = Kind((object,), "")


def read_table(path: Path) -> dict[str, Any]:
    """What a file holds; SpecError if it cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # what TOML and UTF-8 complain of
        raise SpecError(f"{path} is not a TOML file: {error}") from error


def check_table(table: Mapping[str, Any], known: Mapping[str, Kind], owner: str) -> None:
    """SpecError if a key is unknown, with the nearest there is, or holds what it cannot; `owner` names the table."""
    for key, value in table.items():
        kind = look_up(f"key of {owner}", key, known)
        if not kind.fits(value):
            raise SpecError(f"{owner}: {key} must be {kind.words}, not {value!r}")
