"""The options of commands that run agents which are not built in: one for each setting of `Isolation`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from joute.arena.players.isolation import Isolation
from joute.spec import Value, parameters_of

_PANEL = "Agents that are not built in"
_KNOWN = {parameter.name: parameter for parameter in parameters_of(Isolation)}


def _option(name: str, panel: str | None = _PANEL) -> Any:
    """An option that the parameter of that name describes; its heading says whom it concerns."""
    known = _KNOWN[name]
    is_switch = isinstance(known.default, bool)
    text = known.help if is_switch else f"{known.help} (default: {known.default_text})"
    return typer.Option(help=f"{text[0].upper()}{text[1:]}.", rich_help_panel=panel, show_default=False)


SandboxOption = Annotated[bool | None, _option("sandbox")]
MemoryOption = Annotated[int | None, _option("memory_mb")]
CpuOption = Annotated[int | None, _option("cpu_s")]
FileOption = Annotated[int | None, _option("file_mb")]
ProcessesOption = Annotated[int | None, _option("processes")]
StartOption = Annotated[float | None, _option("start_s")]
StallOption = Annotated[float | None, _option("stall_s", panel=None)]


def given(**options: Value | None) -> dict[str, Value]:
    """The options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}


def isolation_of(options: dict[str, Value], command: str) -> Isolation:
    """The isolation that these options ask for, checked against their ranges."""
    from joute.arena import plan_file

    return plan_file.isolation_of(options, f"joute {command}")


def hang_note(stall_s: float) -> str:
    """What is to be said where an agent that is not built in plays without a clock."""
    return f"no clock: an agent that hangs is given up after {stall_s:g} s a move; --clock sets one"
