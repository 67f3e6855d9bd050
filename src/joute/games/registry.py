"""Which games there are, and how a spec becomes a position.

Games are found through the entry point group ``joute.games``, each entry a State class, and in the rooms of
``joute.rooms``, as the built-in ones are. A notebook or a test may also `register` a class for the running process.
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
    """Make a game known to this process; usable as a class decorator."""
    check_complete(game)
    _games.register(game.game, game)
    return game


def game_names() -> list[str]:
    """The names of all games, sorted."""
    return _games.names()


def find_game(name: str) -> type[State]:
    """The game of that name."""
    return _games.find(name)


def all_games() -> tuple[list[type[State]], dict[str, str]]:
    """All games, sorted by name; and why those that could not be loaded could not."""
    found, problems = _games.find_all()
    return found, broken_rooms() | problems


def new(spec: str, position: str | None = None) -> State:
    """The start position of a game, or the given position of it.

    >>> new("connect4", "4455").to_move
    0
    """
    name, pairs = parse_spec(spec)
    game = find_game(name)
    values = read_settings(name, pairs, game.rule_parameters())
    return game.new(position, ",".join(f"{key}={value_text(value)}" for key, value in values.items()))
