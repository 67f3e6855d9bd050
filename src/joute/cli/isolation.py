"""Command-line options for agents that are not built in: one option for each setting of `Isolation`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from joute.arena.players.isolation import Isolation
from joute.spec import Value, parameters_of

_PANEL = "Agents that are not built in"
_KNOWN = {parameter.name: parameter for parameter in parameters_of(Isolation)}


def _option(name: str, panel: str | None = _PANEL) -> Any:
    """The option for a setting of `Isolation`, with the setting's help and default."""
    known = _KNOWN[name]
    is_switch = isinstance(known.default, bool)
    text = known.help if is_switch else f"{known.help} (default: {known.default_text})"
    return typer.Option(help=f"{text[0].upper()}{text[1:]}.", rich_help_panel=panel, show_default=False)


SandboxOption = Annotated[bool | None, _option("sandbox")]
MemoryOption = Annotated[int | None, _option("memory_mb")]

# Settings that also apply to built-in agents.
_FOR_ALL = ("stall_s",)


def takes_isolation(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `isolation` of a command by an option for each setting of `Isolation`.

    The command gets a dict of the settings that the user gave.
    """
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[type(known.default) | None, _option(name, None if name in _FOR_ALL else _PANEL)],
        )
        for name, known in _KNOWN.items()
    ]

    def called(*arguments: Any, **settings: Any) -> None:
        isolation = given(**{name: settings.pop(name, None) for name in _KNOWN})
        command(*arguments, **settings, isolation=isolation)

    signature = inspect.signature(command, eval_str=True)
    parameters = [
        parameter
        for own in signature.parameters.values()
        for parameter in (options if own.name == "isolation" else [own])
    ]
    described: Any = called  # Typer reads all of this
    described.__name__, described.__doc__ = command.__name__, command.__doc__
    described.__signature__ = signature.replace(parameters=parameters)
    described.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def given(**options: Value | None) -> dict[str, Value]:
    """The options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}


def isolation_of(options: dict[str, Value], command: str) -> Isolation:
    """The isolation that these options ask for, checked against their ranges."""
    from joute.arena import plan_file

    return plan_file.isolation_of(options, f"joute {command}")


def hang_note(stall_s: float) -> str:
    """The note for games without a clock by agents that are not built in."""
    return f"no clock: an agent that takes more than {stall_s:g} s for a move forfeits; --clock sets a clock"
