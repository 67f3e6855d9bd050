"""Reads the games of a file: a tournament's database, a text of records, or a recording of a course's program.

A damaged game is returned as `DamagedGame` with its error, and the other games are still read.
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
from joute.numbers import game_number

_SQLITE = b"SQLite format 3\0"
# The first characters of a recording by a course's program.
_JSON = re.compile(rb'\s*(\[\s*\{|\{\s*"(steps|final_summary)")')
_JSON_BYTES = 256
# The first bytes of a Python pickle: protocols 2 to 5, or an object in protocol 0.
_PICKLE = re.compile(rb"\x80[\x02-\x05]|ccopy_?reg\n")


@dataclass(frozen=True)
class FiledGame:
    """A game of a file: its number there, starting at 1, its record and its other tags."""

    number: int
    record: GameRecord
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def started(self) -> str:
        """When it began, as ISO time or as a date; empty if unknown."""
        return self.tags.get("Date", "")


@dataclass(frozen=True)
class DamagedGame:
    """A game of a file that cannot be read, and the error."""

    number: int
    error: JouteError


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, as tournaments are; JouteError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise unreadable(path, error) from error


def read_game_file(path: Path, numbers: Collection[int] = ()) -> Iterator[FiledGame | DamagedGame]:
    """The games of a file in order, or only those in `numbers`. Every `FiledGame` has been replayed successfully."""
    if is_database(path):
        return _of_tournament(path, numbers)
    _refuse_pickle(path)
    return _of_recording(path, numbers) if _is_json(path) else _of_text(path, numbers)


def whole_games(path: Path) -> list[FiledGame]:
    """All games of a file; JouteError if one is damaged, or if there is none."""
    games = []
    for game in read_game_file(path):
        if isinstance(game, DamagedGame):
            raise JouteError(f"{game.error}; {others_of(path)}") from game.error
        games.append(game)
    if not games:
        raise JouteError(f"there is no game in {path}")
    return games


def players_of(path: Path) -> list[str]:
    """The names of a tournament's entrants, or of the players in the other kinds of files."""
    if is_database(path):
        with Store.read(path) as store:
            return [entrant.name for entrant in store.plan.entrants]
    games = (game for game in read_game_file(path) if isinstance(game, FiledGame))
    return list(dict.fromkeys(name for game in games for name in game.record.players))


def _refuse_pickle(path: Path) -> None:
    """Raise JouteError if a file is a pickle. To load one executes the code that it names, so Joute never does."""
    with path.open("rb") as file:
        if _PICKLE.match(file.read(_JSON_BYTES)):
            raise JouteError(
                f"{path} is a Python pickle, such as the trace that a course's game.py writes with -w; Joute does not "
                "open pickles, because they can execute any code: play such games with 'joute match --records FILE'"
            )


def _is_json(path: Path) -> bool:
    """Whether a file begins as a JSON recording does; a text of games begins with a tag."""
    with path.open("rb") as file:
        return bool(_JSON.match(file.read(_JSON_BYTES)))


def _of_recording(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    """The game in a recording, which has exactly one."""
    from joute.protocol.course import CourseError, recording_course

    _check_are_there(numbers, range(1, 2), path)
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise JouteError(f"{path} looks like JSON but is invalid: {one_line(error)}") from error
    course = recording_course(data)
    if course is None:
        raise JouteError(f"{path} is JSON, but not a game recorded by a course's program")
    try:
        yield FiledGame(1, course.read_recording(data))
    except CourseError as error:
        yield DamagedGame(1, JouteError(f"{path}: {error}"))


def _of_text(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    number = 0
    for number, game in enumerate(read_games(path), start=1):
        if number == 1 and isinstance(game, RecordError) and not seems_to_hold_games(path):
            why = f"line {game.line}: {game.sentence}"
            raise JouteError(f"{path} is neither a tournament's file nor a text of games ({why})")
        if numbers and number not in numbers:
            continue
        if isinstance(game, RecordError):
            yield DamagedGame(number, game)
        else:
            yield FiledGame(number, game.record, game.tags)
    _check_are_there(numbers, range(1, number + 1), path)


def _of_tournament(path: Path, numbers: Collection[int]) -> Iterator[FiledGame | DamagedGame]:
    with Store.read(path) as store:
        new(store.plan.game)  # raises if the game is not installed, which is not damage
        indices = store.numbers()
        _check_are_there(numbers, list(map(game_number, indices)), path)
        for index in indices:
            number = game_number(index)
            if numbers and number not in numbers:
                continue
            try:
                stored = store.game(index)
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
    """StoreError if a game cannot be replayed by the rules, because its file was changed."""
    (read,) = read_text(write_record(stored.record))
    if isinstance(read, RecordError):
        sentence = f"game {game_number(stored.pairing.number)} cannot be replayed: {read.sentence}"
        raise StoreError(f"{path} is damaged: {sentence}")


def _tags(store: Store, stored: StoredGame) -> dict[str, str]:
    tags = {"Event": f"{store.path.stem}, {store.schedule.title}", "Date": stored.started}
    return {name: text for name, text in tags.items() if text} | {"Round": str(game_number(stored.pairing.number))}
