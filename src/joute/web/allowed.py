"""Which games and agents a visitor may name: none that reads a file, runs a program or uses up the machine.

A visitor names games and agents by specs. A spec may set numbers, switches and choices. Text that an agent or a game
interprets, such as a path, is refused, except the names of evaluations.
"""

from __future__ import annotations

from typing import Any

from joute.agents import agent_types
from joute.agents.level_sets import has_levels, levels_of
from joute.agents.loading import is_spec
from joute.agents.registry import find_agent, is_agent_name, is_built_in, strongest_agent
from joute.errors import JouteError, SpecError
from joute.games import State, new
from joute.games.registry import find_game
from joute.spec import LEADING, Parameter, parse_spec
from joute.web.errors import PageError
from joute.web.settings import Settings


def found_game(name: str) -> type[State]:
    """The game of a name; PageError if there is none."""
    try:
        return find_game(name)
    except JouteError as error:
        raise PageError("bad_game", str(error), 404) from error


def start_of(spec: str, position: str = "") -> State:
    """The start of a game that a visitor names; PageError if there is none or the visitor may not name it."""
    try:
        name, pairs = parse_spec(spec)
        game = find_game(name)
        for parameter in game.rule_parameters_of(pairs):
            if parameter.name in pairs and not _is_bounded(parameter, pairs[parameter.name]):
                raise PageError(
                    "bad_game", f"{name}: {parameter.name} cannot be set on the page; give a position instead"
                )
        return new(spec, position or None)
    except JouteError as error:
        raise PageError("bad_game", str(error)) from error


def check_agent(text: str, state: State, settings: Settings) -> None:
    """PageError unless the visitor may play against the agent of that text in this game."""
    if text in settings.agents:
        return
    try:
        if not is_spec(text) or not is_agent_name(text.partition(":")[0]) or not is_built_in(text):
            raise PageError("bad_agent", "only built-in agents and those that the server's owner listed play here")
        name, pairs = parse_spec(text)
        # Without the check of the values, which may open the files that they name.
        agent_type, parameters = find_agent(text, state.spec, check=False)
    except JouteError as error:
        raise PageError("bad_agent", str(error)) from error
    if not agent_type.keeps_time:
        raise PageError("bad_agent", f"{name} does not obey the clock, so it does not play here")
    described = {each.name: each for each in agent_type.described_parameters}
    evaluations = [known for known, _ in state.evaluations]
    for key, value in pairs.items():
        found = next((each for each in described.values() if each.leads), None) if key == LEADING else described[key]
        assert found is not None  # find_agent has read the spec
        if found.name == "eval" and value in evaluations:
            continue
        if not _is_bounded(found, value) and not found.leads:
            raise PageError("bad_agent", f"{name}: {found.name} cannot be set on the page")
        if found.name == "threads" and int(value) > 1:
            raise PageError("bad_agent", f"{name}: agents on the page use one thread")
        if found.name == "memory_mb" and int(value) > settings.limits.memory_mb:
            raise PageError("bad_agent", f"{name}: memory_mb is at most {settings.limits.memory_mb} on the page")
    if settings.is_shared and text.replace("number=", "") == "level:auto":
        raise PageError("bad_agent", "level:auto follows one person; choose a level by its number")
    try:
        agent_type.check_for(parameters, state.spec)
    except JouteError as error:
        raise PageError("bad_agent", str(error)) from error


def _is_bounded(parameter: Parameter, value: str) -> bool:
    """Whether a value is a number, a switch or one of the listed choices."""
    if not isinstance(parameter.default, str):
        return True
    return not parameter.is_file and (value in parameter.choices or value == parameter.default)


def game_data(game: type[State]) -> dict[str, Any]:
    """The entry of a game in the list of games."""
    try:
        state = new(game.game)
    except JouteError as error:
        raise SpecError(f"{game.game}: {error}") from error
    return {
        "name": game.game,
        "title": game.title,
        "players": list(state.players),
        "colours": list(state.colours),
        "levels": len(levels_of(game.game).levels) if has_levels(game.game) else 0,
        "has_chance": state.has_chance,
        "flips": game.flips,
    }


def game_details(game: type[State], settings: Settings) -> dict[str, Any]:
    """The rules and the agents of a game, with their parameters."""
    best = strongest_agent(game.game)
    return {
        **game_data(game),
        "rules": [parameter_data(each) for each in game.rule_parameters() if _can_be_set(each)],
        "agents": [
            {
                "name": known.name,
                "summary": known.summary,
                "is_strongest": known.name == best,
                "parameters": [parameter_data(each) for each in known.described_parameters if _can_be_set(each)],
            }
            for known in agent_types(game.game)
            if known.name != "level" and known.keeps_time and is_built_in(known.name)
        ],
        "listed": list(settings.agents),
    }


def _can_be_set(parameter: Parameter) -> bool:
    return not isinstance(parameter.default, str) or bool(parameter.choices)


def parameter_data(parameter: Parameter) -> dict[str, Any]:
    """A parameter as JSON, for forms."""
    return {
        "name": parameter.name,
        "default": parameter.default_text,
        "help": parameter.help,
        "range": parameter.range,
        "choices": list(parameter.choices),
        "kind": type(parameter.default).__name__,
        "low": parameter.low if abs(parameter.low) < 2**62 else None,
        "high": parameter.high if abs(parameter.high) < 2**62 else None,
    }
