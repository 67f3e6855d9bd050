"""A game of OpenSpiel under one set of options, and which of its games Joute plays."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from joute.errors import SpecError
from joute.openspiel.library import pyspiel, reason
from joute.spec import Parameter, Value, look_up, parse_spec, read_settings, value_text

NAME = "openspiel"
#: How the names of Joute's games begin in OpenSpiel.
PREFIX = "joute_"
#: The game without the option `game`, a small one.
DEFAULT = "dots_and_boxes"

#: Searches of games in Python take no more outcomes of a random event, and no more moves (core/bind/python_game.hpp).
MOST_OUTCOMES = 1024
# OpenSpiel checks few of its options, and some values crash it: sizes of 0, and those beyond the letters that name
# columns.
_LARGEST_SIZE = 26
# An option of many games that puts escape sequences of terminals into the text of a position.
_COLOURS = "ansi_color_output"


@dataclass(frozen=True)
class Rules:
    """A loaded game, and its options as text: ``game=hex,board_size=7``."""

    text: str
    title: str
    has_chance: bool
    actions: int
    first: int  # OpenSpiel's number of the player who moves first: in chess, White is 1
    game: Any

    @property
    def start(self) -> Any:
        """A start position, to be copied and not changed."""
        return self.game.new_initial_state()


def parameters_of(settings: Mapping[str, str]) -> tuple[Parameter, ...]:
    """Return the options of the game that `settings` name, the option `game` first; SpecError if there is none."""
    chosen = settings.get("game", DEFAULT)
    known = all_games()
    return _game_parameter(choices=known if chosen in known else ()), *_options(chosen)


@functools.cache
def all_games() -> tuple[str, ...]:
    """The games that Joute plays with their default options, sorted."""
    kinds = (kind for kind in pyspiel().registered_games() if kind.default_loadable and not _is_of_joute(kind))
    return tuple(sorted(kind.short_name for kind in kinds if not _objection(kind, kind.min_num_players)))


def game_parameter() -> Parameter:
    """The option that names the game, with the choices of a form."""
    return _game_parameter(choices=all_games())


@functools.lru_cache(maxsize=64)
def load(text: str) -> Rules:
    """Load the game of a text of options; SpecError if there is none, or if Joute does not play it."""
    _, pairs = parse_spec(f"{NAME}:{text}")
    values = read_settings(NAME, pairs, parameters_of(pairs))
    chosen = str(values.pop("game", DEFAULT))
    told = ",".join(f"{key}={value_text(value)}" for key, value in {"game": chosen, **values}.items())
    game = _load(chosen, values, told)
    kind = game.get_type()
    if why := _objection(kind, game.num_players()):
        raise SpecError(f"{NAME} does not play {chosen}: {why}")
    if game.max_chance_outcomes() > MOST_OUTCOMES:
        raise SpecError(
            f"{NAME} does not play {told}: a random event has {game.max_chance_outcomes()} outcomes, and searches take "
            f"at most {MOST_OUTCOMES}"
        )
    has_chance = kind.chance_mode == pyspiel().GameType.ChanceMode.EXPLICIT_STOCHASTIC
    first = int(game.new_initial_state().current_player() == 1)
    return Rules(told, f"{kind.long_name} (OpenSpiel)", has_chance, game.num_distinct_actions(), first, game)


def text_of(game: Any) -> str:
    """Return the options of a game that OpenSpiel has loaded; `load` reads them."""
    name, _, options = str(game).partition("(")
    options = options.removesuffix(")")
    if "(" in options:  # it has a game among its options
        return f"game={game}"
    # OpenSpiel writes True and False.
    given = (pair.replace("=True", "=yes").replace("=False", "=no") for pair in filter(None, options.split(",")))
    return ",".join((f"game={name}", *given))


def _game_parameter(choices: tuple[str, ...]) -> Parameter:
    help = "the game, by OpenSpiel's name; its own options follow, as in game=hex,board_size=7"
    return Parameter("game", DEFAULT, help, source="a small game", choices=choices)


@functools.lru_cache(maxsize=64)  # to list OpenSpiel's games takes a millisecond
def _options(chosen: str) -> tuple[Parameter, ...]:
    """The options of a game, with OpenSpiel's defaults; games among them can only be given in parentheses."""
    name, parenthesis, _ = chosen.partition("(")
    if parenthesis and chosen.count("(") != chosen.count(")"):
        raise SpecError(f"{NAME}: options are written after the game, as in game={name},KEY=VALUE, not '{chosen}'")
    kinds = {kind.short_name: kind for kind in pyspiel().registered_games() if not _is_of_joute(kind)}
    kind = look_up("game of OpenSpiel", name, kinds)
    defaults = {key: value for key, value in kind.parameter_specification.items() if isinstance(value, Value)}
    return tuple(_option(key, default) for key, default in defaults.items() if key != "game")


def _option(key: str, default: Value) -> Parameter:
    if isinstance(default, int) and not isinstance(default, bool):
        low, high = (1 if default > 0 else min(default, 0)), max(_LARGEST_SIZE, 2 * default)
        return Parameter(key, default, "an option of OpenSpiel", source="OpenSpiel", low=low, high=high)
    return Parameter(key, default, "an option of OpenSpiel", source="OpenSpiel")


def _load(chosen: str, values: Mapping[str, Value], told: str) -> Any:
    with _refusals(told):
        given = {**pyspiel().game_parameters_from_string(chosen), **values}
    _check_sizes(given)
    if any(option.name == _COLOURS for option in _options(chosen)):
        given.setdefault(_COLOURS, False)
    with _refusals(told):
        game = pyspiel().load_game(given.pop("name"), given)
        start = game.new_initial_state()
        str(start)  # with some sizes, it is not UTF-8
        moves = start.legal_actions()
    if not moves:
        raise SpecError(f"in OpenSpiel, no move is legal at the start of {told}")
    return game


@contextmanager
def _refusals(told: str) -> Iterator[None]:
    """Turn an exception of OpenSpiel, whose checks and bugs end in many kinds, into a SpecError."""
    try:
        yield
    except Exception as error:
        raise SpecError(f"OpenSpiel refuses {told}: {reason(error)}") from error


def _check_sizes(given: Mapping[str, Any]) -> None:
    """Raise SpecError if an option is out of range, in a game among the options too."""
    options = {option.name: option for option in _options(given["name"])}
    for key, value in given.items():
        if isinstance(value, Mapping):
            _check_sizes(value)
        elif key in options:
            options[key].read(value_text(value), NAME)


def _is_of_joute(kind: Any) -> bool:
    """Whether a game is one of Joute's, which `registration` gave to OpenSpiel."""
    return bool(kind.short_name.startswith(PREFIX))


def _objection(kind: Any, players: int) -> str:
    """Return why Joute does not play a game of this type; empty if it does."""
    types = pyspiel().GameType
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "its players move at the same time"
    if players != 2:
        return f"it has {players} player{'s' * (players != 1)}, not two"
    if kind.information != types.Information.PERFECT_INFORMATION:
        return "its players do not know everything about the position (imperfect information)"
    if kind.utility not in (types.Utility.ZERO_SUM, types.Utility.CONSTANT_SUM):
        return "what one player wins, the other does not lose (it is not zero-sum)"
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return "the probabilities of its random events are unknown"
    return ""
