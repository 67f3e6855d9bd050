"""An agent's source as JSON-compatible data, for workers and for the copies in a frozen tournament."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from joute._core import one_line
from joute.agents.source import Kind, Source


def source_as_data(source: Source) -> dict[str, Any]:
    """A source as JSON-compatible data. Workers use it and do not search for agents again: a file may be gone."""
    files = [str(file) for file in source.files]
    folder = str(source.folder)
    return {"text": source.text, "kind": source.kind, "command": source.command, "files": files, "folder": folder}


def source_from_data(data: Mapping[str, Any]) -> Source:
    """The inverse of `source_as_data`; ValueError if a value is of a wrong type."""
    texts = [data[key] for key in ("text", "kind", "folder")]
    if not all(isinstance(text, str) for text in [*texts, *data["files"], *data["command"]]):
        raise ValueError("the source of an agent is not made of texts")
    if data["kind"] not in get_args(Kind):
        raise ValueError(f"{one_line(data['kind'])} is no kind of agent")
    files = tuple(map(Path, data["files"]))
    return Source(data["text"], data["kind"], tuple(data["command"]), files, Path(data["folder"]))
