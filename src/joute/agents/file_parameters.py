"""The parameters that an agent's Python file declares, read without running the file.

Either the file has a dictionary of them, or the class of the agent is a dataclass with default values:

    PARAMETERS = {"width": 3, "bonus": 0.5}        @dataclass
                                                   class Mine:
                                                       width: int = 3
                                                       bonus: float = 0.5

`RANGES = {"width": (1, 10), "style": ("calm", "wild")}` beside either gives their ranges and choices. All values are
literals, because nothing of the file is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from joute.errors import SpecError
from joute.spec import Parameter, Value, parse_spec, read_settings

# Larger numbers are no parameters.
_LARGEST = 1e15

#: The names in a file.
PARAMETERS, RANGES = "PARAMETERS", "RANGES"


def file_parameters(file: Path, name: str | None = None) -> tuple[Parameter, ...]:
    """Return the parameters of the agent in a file, of its class `name` if one is named; SpecError if one is invalid.

    A file that cannot be read as Python has none: its games tell the mistake.
    """
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, MemoryError, RecursionError):
        return ()
    values = declared_values(tree, name)
    if not values:
        return ()
    ranges = _literal(_assigned(tree, RANGES)) or {}
    if not isinstance(ranges, dict) or not ranges.keys() <= values.keys():
        raise SpecError(f"{file.name}: {RANGES} must be a dictionary with names of parameters: {', '.join(values)}")
    return tuple(_parameter(key, value, ranges.get(key), file.name) for key, (value, _) in values.items())


def file_settings(file: Path, name: str | None, settings: str) -> dict[str, Value]:
    """Return the values that ``key=value,…`` gives to the parameters of a file; SpecError if one is wrong."""
    known = file_parameters(file, name)
    if settings and not known:
        raise SpecError(f"{file.name} declares no parameters: write {PARAMETERS} = {{…}}, as docs/tuning.md shows")
    return read_settings(file.name, parse_spec(f"{file.stem}:{settings}")[1], known)


def declared_values(tree: ast.Module, name: str | None = None) -> dict[str, tuple[Value, ast.expr]]:
    """Return the default value of each parameter, and the expression in the file that gives it."""
    table = _assigned(tree, PARAMETERS)
    if isinstance(table, ast.Dict):
        keys = [_literal(key) for key in table.keys]
        return dict(_plain(zip(keys, table.values, strict=True)))
    body = _agent_dataclass(tree, name)
    fields = [(each.target, each.value) for each in body if isinstance(each, ast.AnnAssign)]
    return dict(_plain((target.id, value) for target, value in fields if isinstance(target, ast.Name) and value))


def _plain(pairs: Any) -> Iterator[tuple[str, tuple[Value, ast.expr]]]:
    """The pairs whose value is a literal that a parameter can have."""
    for key, expression in pairs:
        value = _literal(expression)
        is_sensible = isinstance(value, bool | str) or (isinstance(value, int | float) and abs(value) <= _LARGEST)
        # The seed is the referee's.
        if isinstance(key, str) and key.isidentifier() and key.lower() != "seed" and is_sensible:
            yield key, (value, expression)


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    """The value that a name gets at the top of a module; None if there is none."""
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return statement.value  # type: ignore[attr-defined,no-any-return]
    return None


def _agent_dataclass(tree: ast.Module, name: str | None) -> list[ast.stmt]:
    """The body of the agent's class if it is a dataclass: the named class, or the only one with a method `choose`."""
    classes = [
        each
        for each in tree.body
        if isinstance(each, ast.ClassDef)
        and (each.name == name or (name is None and any(_is_choose(part) for part in each.body)))
    ]
    if len(classes) != 1 or not any("dataclass" in ast.unparse(each) for each in classes[0].decorator_list):
        return []
    return classes[0].body


def _is_choose(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and part.name == "choose"


def _literal(expression: ast.expr | None) -> Any:
    """The value of a literal; None for any other expression."""
    if expression is None:
        return None
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None


def _parameter(name: str, default: Value, limits: Any, owner: str) -> Parameter:
    if limits is None:
        return Parameter(name, default, help=f"of {owner}")
    is_text = isinstance(default, str)
    fitting = str if is_text else (int, float)
    if not isinstance(limits, tuple | list) or not all(isinstance(each, fitting) for each in limits):
        raise SpecError(f"{owner}: {RANGES} of {name} must be {_example(is_text=is_text)}, not {limits!r}")
    if is_text:
        known = Parameter(name, default, help=f"of {owner}", choices=tuple(limits))
    else:
        if len(limits) != 2 or not -_LARGEST <= limits[0] < limits[1] <= _LARGEST:
            raise SpecError(f"{owner}: {RANGES} of {name} must be {_example(is_text=False)}, not {limits!r}")
        known = Parameter(name, default, help=f"of {owner}", low=limits[0], high=limits[1])
    known.read(known.default_text, owner)
    return known


def _example(*, is_text: bool) -> str:
    return 'its choices, ("calm", "wild")' if is_text else "two numbers, (1, 10)"
