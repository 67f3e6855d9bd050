"""``joute play --resume``: a saved game that was left goes on, with its opponent, its times and its history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from joute.cli.play_files import PLAYER, is_unfinished
from joute.errors import JouteError
from joute.games import State, new
from joute.match.clock import controls_of
from joute.match.game import GameInProgress, derive_seed
from joute.match.record import GameRecord, is_lost_turn


@dataclass(frozen=True)
class LeftGame:
    """A saved game that can go on."""

    file: Path
    record: GameRecord

    @property
    def human(self) -> int:
        """The side of the person."""
        return self.record.players.index(PLAYER)

    @property
    def opponent(self) -> str:
        """The spec of the opponent."""
        return self.record.players[1 - self.human]

    def game(self) -> GameInProgress[State]:
        """The game as it was left. Later random events are new ones, as nobody knows how many were drawn and undone."""
        record = self.record
        game: GameInProgress[State] = GameInProgress(
            new(record.game, record.start),
            seed=record.seed,
            chance_seed=derive_seed(record.seed, 1 + len(record.moves)),
            draws_at_once=False,
            controls=controls_of(record.clocks),
        )
        for outcome in record.start_outcomes:
            game.resolve(outcome)
        for played in record.moves:
            game.charge(played.time_s)
            if is_lost_turn(game.state, played.move):
                game.lose_turn()
            else:
                game.play(played.move, info=played.info)
            for outcome in played.outcomes:
                game.resolve(outcome)
        return game


def left_game(text: str | None, folder: Path) -> LeftGame:
    """The game to resume: that of a file, or the last one of `folder` that was left, of a game named `text` if given.

    JouteError in a sentence if there is none.
    """
    if text is not None and Path(text).is_file():
        return _in_file(Path(text))
    if text is not None and ("/" in text or text.endswith(".txt")):
        raise JouteError(f"there is no file {text} with a saved game")
    files = sorted(folder.glob("*.txt"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for file in files:
        try:
            found = _in_file(file)
        except JouteError:  # finished, damaged, or of another program
            continue
        if text is None or found.record.game.partition(":")[0] == text.partition(":")[0]:
            return found
    of_game = f" of {text}" if text else ""
    raise JouteError(f"there is no unfinished game{of_game} in {folder}")


def _in_file(file: Path) -> LeftGame:
    from joute.arena.store.game_file import whole_games

    games = whole_games(file)
    if len(games) != 1:
        raise JouteError(f"{file} has {len(games)} games; a saved game is alone in its file")
    record = games[0].record
    if record.players.count(PLAYER) != 1:
        raise JouteError(f"no person plays in {file}, so nobody can go on; a saved game is of 'joute play'")
    if not is_unfinished(record):
        raise JouteError(f"the game in {file} is over; 'joute review' tells what decided it")
    return LeftGame(file, record)
