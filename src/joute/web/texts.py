"""The catalogue: every text of the page in every language, one file an area in the folder texts.

A file maps keys to texts by language: ``{"play.undo": {"en": "Undo", "fr": "Annuler"}}``. Keys begin with the name of
their file. Other English texts of Joute, such as names of players and reasons of hints, are *phrases*: the file
phrases.json, and the file of that name in a game's room, map the English sentence to its translations. Slots such as
``{move}`` stand for any text, which is translated too.
"""

from __future__ import annotations

import functools
import json
import re
from importlib import resources
from typing import Any

from joute.plugins import all_rooms

LANGUAGES = ("en", "fr")
_PHRASES = "phrases"


def areas() -> dict[str, dict[str, dict[str, str]]]:
    """The entries of each file, by area."""
    folder = resources.files("joute.web").joinpath("texts")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")), key=lambda file: file.name)
    found = {file.name.removesuffix(".json"): json.loads(file.read_text("utf-8")) for file in files}
    found.pop(_PHRASES, None)
    return found


def phrases() -> dict[str, dict[str, str]]:
    """The translations of English phrases by language: those of every game, then those of rooms."""
    own = resources.files("joute.web").joinpath("texts", f"{_PHRASES}.json")
    found: dict[str, dict[str, str]] = json.loads(own.read_text("utf-8"))
    for room in all_rooms().values():
        file = room.file(f"{_PHRASES}.json")
        if file.is_file():
            found.update(json.loads(file.read_text("utf-8")))
    return found


def _generality(phrase: str) -> tuple[bool, int]:
    """Orders phrases that may match the same text: those that begin with a slot match much, and so do short ones."""
    return phrase.startswith("{"), -len(re.sub(r"\{\w+\}", "", phrase))


@functools.cache
def catalogue(language: str) -> dict[str, Any]:
    """All texts in a language by their keys, and all phrases with their translations, the most specific first."""
    ordered = sorted(phrases().items(), key=lambda each: _generality(each[0]))
    return {
        "texts": {key: entry[language] for entries in areas().values() for key, entry in entries.items()},
        "phrases": [[english, entry[language]] for english, entry in ordered if language in entry],
    }
