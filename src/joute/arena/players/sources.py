"""An agent's source as JSON-compatible data, for workers and for the copies in a frozen tournament."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.agents.loading import Source


def source_as_data(source: Source) -> dict[str, Any]:
    """A source as JSON-compatible data. Workers use it and do not search for agents again: a file may be gone."""
    files = [str(file) for file in source.files]
    folder = str(source.folder)
    return {"text": source.text, "kind": source.kind, "command": source.command, "files": files, "folder": folder}


def source_from_data(data: Mapping[str, Any]) -> Source:
    """The inverse of `source_as_data`."""
    files = tuple(map(Path, data["files"]))
    return Source(data["text"], data["kind"], tuple(data["command"]), files, Path(data["folder"]))
