"""The result of a tuning as a patch of the source that declares the parameters.

A field ``parameter(default, source=…)`` of a parameter class gets the new default, and a line that says where it comes
from. In a user's file the value changes where it is declared, with the same line as a comment.
"""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path

from joute.agents.file_parameters import declared_values
from joute.agents.registry import find_agent
from joute.agents.source import PYTHON_FILE, Source
from joute.spec import Value

# A replacement in a source: from and to a place in the text, and the new text.
_Edit = tuple[int, int, str]


def patch_of(source: Source, values: Mapping[str, Value], provenance: str) -> str:
    """A unified diff that makes these values the defaults; empty if the agent has no source to change."""
    if source.kind == "python" and source.file and PYTHON_FILE.fullmatch(source.text):
        return _diff(source.file, _file_edits(source.file.read_text("utf-8"), source.name_in_file, values, provenance))
    if source.kind != "built-in":
        return ""
    agent_type, _ = find_agent(source.text)
    file = Path(inspect.getfile(agent_type.parameters))
    return _diff(file, _class_edits(file.read_text("utf-8"), agent_type.parameters.__name__, values, provenance))


def _class_edits(text: str, owner: str, values: Mapping[str, Value], provenance: str) -> list[_Edit]:
    """The edits of a parameter class: other defaults of its fields, and a variation of each field that it inherits."""
    tree = ast.parse(text)
    node = next(each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and each.name == owner)
    fields = {
        each.target.id: each.value
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    edits: list[_Edit] = []
    end = _place(text, node.end_lineno, node.end_col_offset)
    for name, value in values.items():
        call = fields.get(name)
        if isinstance(call, ast.Call):
            edits += _call_edits(text, call, value, provenance)
        else:
            base, kind = ast.unparse(node.bases[0]), type(value).__name__
            line = f"{name}: {kind} = vary({base}, {name!r}, default={value!r}, source={provenance!r})"
            edits.append((end, end, f"\n    {line}"))
    return edits


def _call_edits(text: str, call: ast.Call, value: Value, provenance: str) -> list[_Edit]:
    named = {each.arg: each.value for each in call.keywords}
    is_vary = isinstance(call.func, ast.Name) and call.func.id == "vary"
    default = named.get("default") or (None if is_vary else call.args[0])
    edits, missing = [], []
    for name, expression, new in (("default", default, repr(value)), ("source", named.get("source"), repr(provenance))):
        if expression is None:
            missing.append(f", {name}={new}")
        else:
            edits.append((*_span(text, expression), new))
    if missing:
        end = _place(text, call.end_lineno, call.end_col_offset) - 1
        before = text[:end].rstrip()
        edits.append((len(before), len(before), "".join(missing) if not before.endswith(",") else "".join(missing)[1:]))
    return edits


def _file_edits(text: str, name: str | None, values: Mapping[str, Value], provenance: str) -> list[_Edit]:
    """The edits of the literals that declare the parameters of a user's file, and one comment above the first."""
    declared = declared_values(ast.parse(text), name)
    expressions = [(declared[key][1], value) for key, value in values.items() if declared[key][0] != value]
    edits = [(*_span(text, expression), repr(value)) for expression, value in expressions]
    if edits:
        first = min(begin for begin, _, _ in edits)
        line = text.rfind("\n", 0, first) + 1
        indent = text[line : len(text) - len(text[line:].lstrip())] if text[line:first].strip() else ""
        indent = indent if indent.isspace() else ""
        edits.append((line, line, f"{indent}# {provenance}\n"))
    return edits


def _span(text: str, expression: ast.expr) -> tuple[int, int]:
    begin = _place(text, expression.lineno, expression.col_offset)
    return begin, _place(text, expression.end_lineno, expression.end_col_offset)


def _place(text: str, line: int | None, column: int | None) -> int:
    """The index of a place that `ast` gives: a line from 1, and a column in bytes of UTF-8."""
    assert line is not None
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def _diff(file: Path, edits: Iterable[_Edit]) -> str:
    text = file.read_text("utf-8")
    changed = text
    for begin, end, new in sorted(edits, reverse=True):
        changed = changed[:begin] + new + changed[end:]
    lines = difflib.unified_diff(
        text.splitlines(True), changed.splitlines(True), f"a/{_shown(file)}", f"b/{_shown(file)}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _shown(file: Path) -> str:
    """The path as a patch names it: from the folder of the project or, of a user's file, the current one."""
    for folder in (Path(__file__).parents[3], Path.cwd()):
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return file.name
