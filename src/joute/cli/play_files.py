"""The games of ``joute play`` are saved as texts of games in the user's folder of data, one file a game."""

from __future__ import annotations

import copy
import os
from datetime import date
from pathlib import Path
from typing import Any

from joute._core import Result
from joute.errors import JouteError
from joute.files import data_folder, user_path, whole_file
from joute.match.game import GameInProgress
from joute.match.record import GameRecord, Reason
from joute.match.record_text import write_record

#: The person's name in records.
PLAYER = "player"
#: How a game that was left is marked; it has no winner.
UNFINISHED = "unfinished"


def games_folder() -> Path:
    """The folder of saved games: $JOUTE_GAMES, or ``games`` in the folder of the user's data."""
    own = os.environ.get("JOUTE_GAMES")
    return user_path(own) if own else data_folder() / "games"


class SavedGame:
    """The file of one game, which is written again after every move: whatever happens, the game is kept.

    The name has the game, the day and a number. A file is made by the first move.
    """

    def __init__(self, folder: Path, players: tuple[str, str], path: Path | None = None) -> None:
        """`path` is the file of a game that goes on."""
        self._folder = folder
        self._players = players
        self.path = path
        #: Why the game could not be saved, in a sentence; empty if it was.
        self.problem = ""

    def write(self, game: GameInProgress[Any]) -> None:
        """Write the game as it is now, unless no move was played; a failure is kept in `problem`.

        Not while a random event is pending: a record needs its outcome.
        """
        if not game.moves or game.state.is_chance:
            return
        try:
            if self.path is None:
                self.path = _new_file(self._folder, game.start.game)
            with whole_file(self.path) as file:
                file.write(write_record(record_of(game, self._players)))
        except (JouteError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self.problem = f"the game could not be saved in {self._folder}: {why}"


def record_of(game: GameInProgress[Any], players: tuple[str, str]) -> GameRecord:
    """The record of a game, which may be in progress: then nobody has won."""
    if not game.is_over:
        game = copy.copy(game)
        game.end(Result(0, decided_by=UNFINISHED), Reason.ADJUDICATED, "left before its end")
    return game.record(players)


def is_unfinished(record: GameRecord) -> bool:
    """Whether a record is that of a game that was left."""
    return record.reason is Reason.ADJUDICATED and record.result.decided_by == UNFINISHED


def _new_file(folder: Path, game: str) -> Path:
    """Make an empty file with a name that no game has."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = folder / f"{game}-{date.today():%Y-%m-%d}-{number}.txt"
        try:
            path.open("x").close()
        except FileExistsError:
            number += 1
        else:
            return path
