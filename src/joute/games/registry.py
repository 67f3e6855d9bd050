"""The registry of games, and the creation of positions from specs.

Games are State classes, found through the entry point group ``joute.games`` and in the rooms of ``joute.rooms``; the
built-in games have rooms. A notebook or a test can also `register` a class for the running process.
"""

from __future__ import annotations

from joute.games.state import State, check_complete
from joute.plugins import Registry, broken_rooms
from joute.spec import parse_spec, read_settings, value_text


def _checked(name: str, entry: object) -> type[State]:
    if not (isinstance(entry, type) and issubclass(entry, State)):
        raise TypeError(f"{entry!r} is not a subclass of joute.State")
    check_complete(entry)
    if entry.game != name:
        raise TypeError(f"{entry.__name__} calls itself '{entry.game}'")
    return entry


_games: Registry[type[State]] = Registry("game", "joute.games", _checked)


def register(game: type[State]) -> type[State]:
    """Register a game in this process; usable as a class decorator."""
    check_complete(game)
    _games.register(game.game, game)
    return game


def game_names() -> list[str]:
    """Return the names of all games, sorted."""
    return _games.names()


def find_game(name: str) -> type[State]:
    """Return the game of that name; SpecError if there is none."""
    return _games.find(name)


def all_games() -> tuple[list[type[State]], dict[str, str]]:
    """Return all games sorted by name, and the error messages of those that do not load, by name."""
    found, problems = _games.find_all()
    return found, broken_rooms() | problems


def new(spec: str, position: str | None = None) -> State:
    """Return the start position of a game, or the given position.

    >>> new("connect4", "4455").to_move
    0
    """
    name, pairs = parse_spec(spec)
    game = find_game(name)
    values = read_settings(name, pairs, game.rule_parameters_of(pairs))
    return game.new(position, ",".join(f"{key}={value_text(value)}" for key, value in values.items()))
