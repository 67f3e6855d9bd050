"""Lessons: the rules of a game in short sections, each with a position and moves to play through.

A room names its lesson, a TOML file such as ``data/lesson.toml``::

    [[section]]
    title = {en = "The goal", fr = "Le but"}
    text = {en = "Reach the other side.", fr = "Atteindre l’autre bord."}
    position = "//e1e9/10-10/0"      # the usual start if it is missing
    rules = "rules=course"           # rules options, if the section is about them

    [[section.step]]
    move = "e2"
    outcomes = [3]                   # of the random events that the move leads to
    text = {en = "The pawn goes up.", fr = "Le pion avance."}

    [kind.wall]                      # a kind of puzzle of the game
    title = {en = "Find the wall", fr = "Trouvez le mur"}
    task = {en = "One wall wins.", fr = "Un seul mur gagne."}

Every text is in English at least. A game without a lesson shows its `Guide`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.plugins import all_rooms
from joute.toml_file import TEXT, Kind, check_table, read_table

#: A text by language.
Texts: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Frame:
    """A position of a section: what was played to get there, and what there is to say."""

    state: State
    #: The position before the move, and the move; None for the first frame.
    before: State | None = None
    move: str | None = None
    text: Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A part of a lesson: a rule in a few sentences, and an example to play through."""

    title: Texts
    text: Texts
    #: The position at first, then after each move.
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class PuzzleKind:
    """The task of puzzles of a kind."""

    title: Texts
    task: Texts


@dataclass(frozen=True)
class Lesson:
    """The rules of a game to play through, and the kinds of its puzzles."""

    game: str
    sections: tuple[Section, ...]
    kinds: Mapping[str, PuzzleKind]


def has_lesson(game: str) -> bool:
    """Whether the room of a game names a lesson."""
    room = all_rooms().get(game)
    return room is not None and bool(room.lesson)


def lesson_of(game: str) -> Lesson:
    """Return the lesson of a game; SpecError if it has none, JouteError if its file is damaged."""
    room = all_rooms().get(game)
    if room is None or not room.lesson:
        raise SpecError(f"{game} has no lesson; a room names one as lesson")
    return _read(game, Path(str(room.file(room.lesson))))


@functools.cache
def _read(game: str, file: Path) -> Lesson:
    try:
        return read_lesson(game, file)
    except SpecError as error:
        raise JouteError(f"the lesson of {game} cannot be read: {error}") from error


_TABLE = Kind((dict,), "a table")
_LIST = Kind((list,), "a list")
_KEYS = {"section": _LIST, "kind": _TABLE}
_SECTION = {"title": _TABLE, "text": _TABLE, "position": TEXT, "rules": TEXT, "step": _LIST}
_STEP = {"move": TEXT, "outcomes": _LIST, "text": _TABLE}
_KIND = {"title": _TABLE, "task": _TABLE}


def read_lesson(game: str, file: Path) -> Lesson:
    """Return the lesson in a TOML file; SpecError with the reason if there is none, or a move in it is illegal."""
    table = read_table(file)
    check_table(table, _KEYS, file.name)
    sections = tuple(
        _section(game, row, f"section {number}") for number, row in enumerate(table.get("section", ()), start=1)
    )
    if not sections:
        raise SpecError(f"{file.name} has no section")
    kinds = {name: _kind(row, f"kind {name}") for name, row in table.get("kind", {}).items()}
    return Lesson(game, sections, kinds)


def _section(game: str, row: Any, owner: str) -> Section:
    row = _checked(row, _SECTION, owner)
    rules = row.get("rules", "")
    try:
        state = new(f"{game}:{rules}" if rules else game, row.get("position") or None)
    except JouteError as error:
        raise SpecError(f"{owner}: {error}") from error
    frames = [Frame(state)]
    for number, step in enumerate(row.get("step", ()), start=1):
        frames.append(_frame(frames[-1].state, step, f"{owner}, step {number}"))
    return Section(_texts(row, "title", owner), _texts(row, "text", owner), tuple(frames))


def _frame(before: State, step: Any, owner: str) -> Frame:
    step = _checked(step, _STEP, owner)
    if "move" not in step:
        raise SpecError(f"{owner} has no move")
    text = _texts(step, "text", owner)
    try:
        move = before.legal_move(step["move"])
        state = before.play(move)
        for outcome in step.get("outcomes", ()):
            state = state.resolve(outcome)
    except (JouteError, IndexError, TypeError, ValueError) as error:
        raise SpecError(f"{owner}: {error}") from error
    return Frame(state, before, str(move), text)


def _kind(row: Any, owner: str) -> PuzzleKind:
    row = _checked(row, _KIND, owner)
    return PuzzleKind(_texts(row, "title", owner), _texts(row, "task", owner))


def _checked(row: Any, known: Mapping[str, Kind], owner: str) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise SpecError(f"{owner} is no table")
    check_table(row, known, owner)
    return row


def _texts(row: Mapping[str, Any], key: str, owner: str) -> Texts:
    found = row.get(key, {})
    if not all(isinstance(text, str) for text in found.values()) or not found.get("en"):
        raise SpecError(f'{owner}: {key} needs a text in English, such as {key} = {{en = "…", fr = "…"}}')
    return MappingProxyType(dict(found))
