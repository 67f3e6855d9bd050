"""Which games there are, and how a spec becomes a position.

Games are found through the entry point group ``joute.games``, the built-in ones included; each entry
is a State class. A notebook or a test may also `register` a class for the running process.
"""

from __future__ import annotations

from joute._core import Result
from joute.games.state import Move, State
from joute.plugins import Registry
from joute.spec import parse_spec, read_settings, value_text

_games: Registry[type[State]] = Registry("game", "joute.games")


def register(game: type[State]) -> type[State]:
    """Make a game known to this process; usable as a class decorator."""
    _games.register(game.game, game)
    return game


def game_names() -> list[str]:
    """The names of all games, sorted."""
    return _games.names()


def find_game(name: str) -> type[State]:
    """The game of that name."""
    return _games.find(name)


def new(spec: str, position: str | None = None) -> State:
    """The start position of a game, or the given position of it.

    >>> new("connect4", "4455").to_move
    0
    """
    name, pairs = parse_spec(spec)
    game = find_game(name)
    values = read_settings(name, pairs, game.rule_parameters())
    return game.new(position, ",".join(f"{key}={value_text(value)}" for key, value in values.items()))


def restore_state(spec: str, position: str) -> State:
    """Unpickle a state."""
    return new(spec, position)


def restore_move(game: str, text: str) -> Move:
    """Unpickle a native move."""
    move: Move = new(game).parse_move(text)
    return move


def restore_result(outcome: int, score: int, margin: int, decided_by: str) -> Result:
    """Unpickle a result."""
    return Result(outcome, score=score, margin=margin, decided_by=decided_by)
