"""Where an agent comes from, as JSON: for workers, and for the copies that a frozen tournament keeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.agents.loading import Source


def source_as_data(source: Source) -> dict[str, Any]:
    """A source as JSON: workers do not look for agents again, for a file may go away meanwhile."""
    files = [str(file) for file in source.files]
    folder = str(source.folder)
    return {"text": source.text, "kind": source.kind, "command": source.command, "files": files, "folder": folder}


def source_from_data(data: Mapping[str, Any]) -> Source:
    """The source that `source_as_data` gave."""
    files = tuple(map(Path, data["files"]))
    return Source(data["text"], data["kind"], tuple(data["command"]), files, Path(data["folder"]))
