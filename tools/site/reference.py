"""The pages of reference on the site: commands, agents, games and the Python interface, from what the code says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import typer

import joute
from joute.agents import agent_types
from joute.agents.search import generators_of
from joute.cli import command_line
from joute.games import all_games
from joute.plugins import all_rooms
from joute.spec import Parameter


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; empty without rows."""
    head = list(head)
    lines = [" | ".join(_cell(each) for each in row) for row in rows]
    if not lines:
        return ""
    return "\n".join(f"| {line} |" for line in [" | ".join(head), " | ".join("---" for _ in head), *lines]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _broken(text: str) -> str:
    """The text of a range, which lines may break between its choices."""
    return text.replace("|", " | ").replace("..", " .. ")


# --- Commands ---


def commands() -> str:
    """Return the page of all commands with their options."""
    group = typer.main.get_command(command_line())
    parts = ["# Commands", "What each does in a line: [Commands](../commands.md). Every command has `--help`."]
    for path, command in _commands(group, ("joute",)):
        parts += _command(path, command)
    return "\n\n".join(parts) + "\n"


# Typer's commands are click's in some versions of Typer and its own in others.
def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in sorted(group.commands):
        command = group.commands[name]
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


def _command(path: tuple[str, ...], command: Any) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(typer.Context(command)))
    described = [each for each in command.params if not getattr(each, "hidden", False)]
    rows = [(_code(_named(each)), inspect.cleandoc(getattr(each, "help", "") or "")) for each in described]
    return [
        f"## {' '.join(path)}",
        f"```text\n{' '.join(path)} {usage}\n```",
        inspect.cleandoc(command.help or "").replace("\b\n", ""),
        table(("option", "meaning"), rows),
    ]


def _named(each: Any) -> str:
    if each.param_type_name == "argument":
        return str(each.human_readable_name)
    names = [*each.opts, *each.secondary_opts]
    value = "" if each.is_flag else each.metavar or ""
    return ", ".join(names) + (f" {value}" if value else "")


# --- Agents ---


def agents() -> str:
    """Return the page of all agents with their parameters."""
    known = agent_types()
    ours = {name for name, room in all_rooms().items() if room.is_ours}
    parts = [
        "# Agents",
        "A spec names an agent and sets parameters: `mcts:iterations=1000,c=0.5`. By idea: [Searches](../searches.md).",
    ]
    for title, chosen in [
        ("Agents for every game", [each for each in known if not each.games]),
        *((f"Agents for {game}", [each for each in known if each.games == (game,)]) for game in sorted(ours)),
    ]:
        parts.append(f"## {title}")
        for each in chosen:
            parts += [
                f"### {each.name}",
                f"{each.summary[:1].upper()}{each.summary[1:]}.",
                _parameters(each.described_parameters),
            ]
    return "\n\n".join(parts) + "\n"


def _parameters(parameters: Iterable[Parameter]) -> str:
    return table(
        ("parameter", "default", "meaning", "range", "source of the default"),
        ((_code(p.name), _code(p.default_text), p.help, _broken(p.range), p.source) for p in parameters),
    )


# --- Games ---


def games() -> str:
    """Return the page of Joute's games: rules options, evaluations and move generators."""
    found, _ = all_games()
    rooms = all_rooms()
    parts = [
        "# Games",
        "A spec names a game and its rules: `quoridor:rules=course`. What positions can tell: [Agents](../agents.md).",
    ]
    for game in found:
        if game.game not in rooms or not rooms[game.game].is_ours:
            continue
        parts += [
            f"## {game.title}",
            f"`{game.game}`. The rules: [{game.title}](../{game.game}.md).",
            table(
                ("rules option", "default", "meaning", "range"),
                ((_code(p.name), _code(p.default_text), p.help, _broken(p.range)) for p in game.rule_parameters()),
            ),
            table(("evaluation (`eval`)", "meaning"), ((_code(name), meaning) for name, meaning in game.evaluations)),
            "Move generators (`generator`): " + ", ".join(_code(name) for name in generators_of(game)) + ".",
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


# --- Python ---


def python() -> str:
    """Return the page of the Python interface: the names of `joute`, and the concept of a game."""
    parts = ["# Python", "The names of the package `joute`. By example: [Joute in Python](../python.md)."]
    for name in sorted(joute.__all__, key=str.lower):
        if not name.startswith("_"):
            parts += _described(f"joute.{name}", getattr(joute, name), level=2)
    return "\n\n".join(parts) + "\n"


def _described(name: str, item: Any, *, level: int) -> list[str]:
    mark = "#" * level
    if inspect.isclass(item):
        parts = [f"{mark} {name}", _documented(item)]
        for member, value in inspect.getmembers(item):
            found = value.fget if isinstance(value, property) else value
            is_own = member in vars(item) or any(member in vars(base) for base in item.__mro__[1:-1] if _is_ours(base))
            if member.startswith("_") or not is_own or not inspect.getdoc(found):
                continue
            if isinstance(value, property) or callable(value):
                parts += _described(member, value, level=level + 1)
        return parts
    if isinstance(item, property):
        return [f"{mark} {name}", _documented(item)]
    return [f"{mark} {name}", f"```python\n{name.rpartition('.')[2]}{_signature(item)}\n```", _documented(item)]


def _is_ours(base: type) -> bool:
    return base.__module__.partition(".")[0] == "joute"


class _Annotation(str):
    """The text of an annotation, which a signature shows without quotes."""

    __repr__ = str.__str__


def _signature(item: Callable[..., Any]) -> str:
    try:
        found = inspect.signature(item)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        each.replace(annotation=_shown(each.annotation)) for each in found.parameters.values() if each.name != "self"
    ]
    return str(found.replace(parameters=parameters, return_annotation=_shown(found.return_annotation)))


def _shown(annotation: Any) -> Any:
    return _Annotation(annotation) if isinstance(annotation, str) else annotation


def _documented(item: Any) -> str:
    """The docstring as Markdown: examples become blocks of code."""
    lines: list[str] = []
    is_example = False
    for line in (inspect.getdoc(item) or "").splitlines():
        begins, ends = line.lstrip().startswith(">>>"), is_example and not line.strip()
        if begins and not is_example:
            lines += ["", "```pycon"]
            is_example = True
        elif ends:
            lines.append("```")
            is_example = False
        lines.append(line)
    return "\n".join([*lines, "```"] if is_example else lines)


PAGES = {"commands.md": commands, "agents.md": agents, "games.md": games, "python.md": python}
