"""The games of a file: a tournament's, a text, or a recording of a course's program.

Where one is damaged, why, and the others all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joute._core import one_line
from joute.arena.store.database import others_of
from joute.arena.store.store import Store, StoredGame, StoreError
from joute.errors import JouteError, SpecError, unreadable
from joute.games import new
from joute.match.record import GameRecord
from joute.match.record_reader import RecordError, read_games, read_text, seems_to_hold_games
from joute.match.record_text import write_record

_SQLITE = b"SQLite format 3\0"
# How recordings of a course's program begin.
_JSON = re.compile(rb'\s*(\[\s*\{|\{\s*"(steps|final_summary)")')
_JSON_BYTES = 256


@dataclass(frozen=True)
class FiledGame:
    """A game of a file: its number there, from 0 on, and what else is told of it, by names of tags."""

    number: int
    record: GameRecord
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def started(self) -> str:
        """When it began, as ISO time or as a date; empty where nobody knows."""
        return self.tags.get("Date", "")


@dataclass(frozen=True)
class DamagedGame:
    """A game of a file that cannot be read, and the sentence that says why."""

    number: int
    error: JouteError


def is_tournament(path: Path) -> bool:
    """Whether a file is a database, as tournaments are kept in; JouteError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise unreadable(path, error) from error


def read_game_file(path: Path, numbers: Collection[int] = ()) -> Iterator[FiledGame | DamagedGame]:
    """The games of a file in order, or those of certain numbers. Every one that is given as it is can be replayed."""
    if is_tournament(path):
        return _of_tournament(path, numbers)
    return _of_recording(path, numbers) if _is_json(path) else _of_text(path, numbers)


def whole_games(path: Path) -> list[FiledGame]:
    """The games of a file; JouteError if one of them is damaged, or there is none."""
    games = []
    for game in read_game_file(path):
        if isinstance(game, DamagedGame):
            raise JouteError(f"{game.error}; {others_of(path)}") from game.error
        games.append(game)
    if not games:
        raise JouteError(f"there is no game in {path}")
    return games


def players_of(path: Path) -> list[str]:
    """Who may have played games of a file: a tournament's entrants, or the players of the games of a text."""
    if is_tournament(path):
        with Store.read(path) as store:
            return [entrant.name for entrant in store.plan.entrants]
    games = (game for game in read_game_file(path) if isinstance(game, FiledGame))
    return list(dict.fromkeys(name for game in games for name in game.record.players))


def _is_json(path: Path) -> bool:
    """Whether a file is a list of JSON's or an object of states: a text of games begins otherwise, with a tag."""
    with path.open("rb") as file:
        return bool(_JSON.match(file.read(_JSON_BYTES)))


def _of_recording(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    """The one game that a course's program recorded."""
    from joute.protocol.course import CourseError, recording_course

    _check_are_there(numbers, range(1), path)
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise JouteError(f"{path} looks like JSON and is none: {one_line(error)}") from error
    course = recording_course(data)
    if course is None:
        raise JouteError(f"{path} is JSON, but no game that a course's program recorded")
    try:
        yield FiledGame(0, course.read_recording(data))
    except CourseError as error:
        yield DamagedGame(0, JouteError(f"{path}: {error}"))


def _of_text(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    number = -1
    for number, game in enumerate(read_games(path)):
        if number == 0 and isinstance(game, RecordError) and not seems_to_hold_games(path):
            why = f"line {game.line}: {game.sentence}"
            raise JouteError(f"{path} is neither a tournament's file nor a text of games ({why})")
        if numbers and number not in numbers:
            continue
        if isinstance(game, RecordError):
            yield DamagedGame(number, game)
        else:
            yield FiledGame(number, game.record, game.tags)
    _check_are_there(numbers, range(number + 1), path)


def _of_tournament(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    with Store.read(path) as store:
        new(store.plan.game)  # a game that is not installed is no damage
        there = store.numbers()
        _check_are_there(numbers, there, path)
        for number in there:
            if numbers and number not in numbers:
                continue
            try:
                stored = store.game(number)
                if stored is not None:
                    _check(stored, path)
                    yield FiledGame(number, stored.record, _tags(store, stored))
            except StoreError as error:
                yield DamagedGame(number, error)


def _check_are_there(numbers: Collection[int], there: Sequence[int], path: Path) -> None:
    for number in numbers:
        if number not in there:
            has = f"it has games {there[0]} to {there[-1]}" if there else "it has none"
            raise SpecError(f"there is no game {number} in {path}; {has}")


def _check(stored: StoredGame, path: Path) -> None:
    """StoreError if a game does not obey the rules: then its file was changed, by accident or not."""
    (read,) = read_text(write_record(stored.record))
    if isinstance(read, RecordError):
        sentence = f"game {stored.pairing.number} cannot be replayed: {read.sentence}"
        raise StoreError(f"{path} is damaged: {sentence}")


def _tags(store: Store, stored: StoredGame) -> dict[str, str]:
    tags = {"Event": f"{store.path.stem}, {store.schedule.title}", "Date": stored.started}
    return {name: text for name, text in tags.items() if text} | {"Round": str(stored.pairing.number)}
