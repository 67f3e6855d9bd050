"""Packages as a user would install them: a module and its entry points, in a folder on the path."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent


def plugin(
    folder: Path,
    package: str,
    source: str,
    *,
    games: dict[str, str] | None = None,
    agents: dict[str, str] | None = None,
    languages: dict[str, str] | None = None,
    plans: dict[str, str] | None = None,
    rooms: dict[str, str] | None = None,
    commands: dict[str, str] | None = None,
    books: dict[str, str] | None = None,
    benches: dict[str, str] | None = None,
    schedules: dict[str, str] | None = None,
) -> None:
    """Write a package; `games`, `agents` and so on map names to what the module offers under them."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(dedent(source))
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = []
    groups = {
        "games": games, "agents": agents, "languages": languages, "plans": plans, "rooms": rooms, "commands": commands,
        "books": books, "benches": benches, "schedules": schedules,
    }  # fmt: skip
    for group, entries in groups.items():
        if entries:
            lines += [f"[joute.{group}]", *(f"{name} = {module}:{attribute}" for name, attribute in entries.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
