"""Registers the games of Joute with OpenSpiel, as ``joute_connect4`` and so on."""

from __future__ import annotations

import functools
from typing import Any

import pyspiel

from joute.games import find_game, new
from joute.games.registry import all_games
from joute.openspiel.exported import JouteGame
from joute.openspiel.rules import NAME, PREFIX
from joute.spec import Value, parse_spec, read_settings, value_text

#: Ends no game of ours under its own rules, except where they let a game go on forever.
MAX_PLIES = 1000
_LIMIT = "max_plies"


def register_all() -> list[str]:
    """Register all games of Joute, those of plug-ins too; return their names in OpenSpiel."""
    return [_register(game.game) for game in all_games()[0] if game.game != NAME]


def load(spec: str, max_plies: int) -> Any:
    """Load a game of Joute by its spec."""
    name, pairs = parse_spec(spec)
    settings = read_settings(name, pairs, find_game(name).rule_parameters_of(pairs))
    limit = {} if max_plies == MAX_PLIES else {_LIMIT: max_plies}
    return pyspiel.load_game(_register(name), {**settings, **limit})


@functools.cache  # OpenSpiel keeps what is registered
def _register(name: str) -> str:
    """Register a game; return its name in OpenSpiel."""
    types = pyspiel.GameType
    game = find_game(name)
    options: dict[str, Value] = {option.name: option.default for option in game.rule_parameters()}
    has_chance = new(name).has_chance
    kind = types(
        short_name=PREFIX + name,
        long_name=f"{game.title} (Joute)",
        dynamics=types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else types.ChanceMode.DETERMINISTIC,
        information=types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**options, _LIMIT: MAX_PLIES},
    )

    # OpenSpiel lets go of the creator after the end of Python, when nothing may be freed. A class refers to itself, so
    # it is not freed; a function would crash the process at its end.
    class Registered(JouteGame):
        def __init__(self, parameters: dict[str, Any]) -> None:
            given = {key: value_text(parameters[key]) for key in options if parameters[key] != options[key]}
            rules = ",".join(f"{key}={text}" for key, text in given.items())
            super().__init__(kind, ":".join(filter(None, (name, rules))), parameters[_LIMIT], parameters)

    pyspiel.register_game(kind, Registered)
    return str(kind.short_name)
