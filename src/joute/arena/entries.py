"""The agents that a text enters: one agent, all files that match a pattern, or all agents of a folder.

    anna.py                 one agent, as `find_source` reads it
    anna.py@30              the same with a clock of its own
    students/*.py           one agent per file, named after the file
    students/*/agent.py     one agent per folder, named after the folder
    students/               all agents of a folder: its Python files, and its subfolders

The agent of a subfolder is the one that its file agent.toml names, else its file agent.py, else its only Python file.
Files and folders whose names begin with ``.`` or ``_`` are skipped.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from joute.agents.loading import find_source, is_spec
from joute.agents.source import PYTHON_FILE, language_prefix
from joute.errors import SpecError
from joute.files import user_path
from joute.match.clock import TimeControl
from joute.toml_file import TEXT, check_table, read_table

#: An agent to enter: its text, its name in tables, and its clock; an empty name or clock stands for the default.
Entry: TypeAlias = tuple[str, str, str]

#: The file that names the agent of a folder.
MANIFEST = "agent.toml"

_MAIN = "agent.py"
_WILD = re.compile(r"[*?\[]")


@contextlib.contextmanager
def in_folder(folder: str) -> Iterator[None]:
    """Change the current folder for the duration of the context; SpecError if that fails."""
    before = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as error:
        raise SpecError(f"the folder of the tournament cannot be entered: {error}") from error
    try:
        yield
    finally:
        os.chdir(before)


def entry_of(text: str) -> Entry:
    """The agent and the clock in ``AGENT@CLOCK``, without a name; all of it is the agent if no clock follows the @.

    SpecError if something else follows the @ after a Python file.

    >>> entry_of("mcts:iterations=100@60+0.5"), entry_of("ugi:ssh me@host")
    (('mcts:iterations=100', '', '60+0.5'), ('ugi:ssh me@host', '', ''))
    """
    agent, at, clock = text.rpartition("@")
    if not (at and agent and clock) or user_path(text).exists():
        return text, "", ""
    try:
        TimeControl.parse(clock)
    except SpecError:
        if _python_file(agent):
            raise
        return text, "", ""
    return agent, "", clock


def expanded(entries: Iterable[Entry], folder: Path) -> list[Entry]:
    """The entries with patterns and folders replaced by the agents they stand for, in alphabetical order.

    A pattern or folder leaves out files that another entry names. SpecError if nothing is left.
    """
    listed = list(entries)
    with in_folder(str(folder)):
        taken = {path for text, _, _ in listed if (path := _python_file(text))}
        found: list[Entry] = []
        for text, name, clock in listed:
            made = _made(text)
            if made is None:
                found.append((text, name, clock))
                continue
            kept = [each for each in made if _python_file(each[0]) not in taken]
            if not kept:
                raise SpecError(
                    f"'{text}' matches no agent in {folder}" + (" that is not entered already" if made else "")
                )
            if name and len(kept) > 1:
                raise SpecError(f"'{text}' matches {len(kept)} agents, which cannot all be named '{name}'")
            taken |= {path for agent, _, _ in kept if (path := _python_file(agent))}
            found += [(agent, name or own, clock) for agent, own, _ in kept]
    return _distinct(found, listed)


def folder_entries(folder: Path) -> tuple[list[Entry], list[str]]:
    """The agents of a folder, and a sentence about each subfolder that has Python files but no agent."""
    entries: list[Entry] = []
    problems: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        if path.is_file() and path.suffix == ".py":
            entries.append((str(path.absolute()), path.stem, ""))
        elif path.is_dir():
            try:
                entries += _own_entry(path)
            except SpecError as error:
                problems.append(str(error))
            except PermissionError:
                problems.append(f"{path} cannot be read")
    return entries, problems


def _made(text: str) -> list[Entry] | None:
    """The agents that a pattern or a folder stands for; None if the text is neither."""
    if is_spec(text):
        return None
    path = user_path(text)
    if path.is_dir():
        entries, problems = folder_entries(path)
        if problems:
            raise SpecError(problems[0])
        return entries
    prefix = f"{language}:" if (language := language_prefix(text)) else ""
    pattern = str(user_path(text.removeprefix(prefix)))
    if not _WILD.search(pattern) or path.exists() or " " in pattern:
        return None
    pattern, colon, name = pattern.rpartition(":") if re.search(r":[A-Za-z_]\w*$", pattern) else (pattern, "", "")
    files = [Path(each) for each in sorted(glob.glob(pattern, recursive=True)) if Path(each).is_file()]
    files = [file for file in files if not file.name.startswith("_")]
    names = _names(pattern, files)
    return [(f"{prefix}{file.absolute()}{colon}{name}", own, "") for file, own in zip(files, names, strict=True)]


def _names(pattern: str, files: Sequence[Path]) -> list[str]:
    """The names of files that match a pattern.

    If folders of the pattern have wildcards, a file is named after the last of these folders, followed by its own name
    if the folder has several of the files. Otherwise it is named after itself.
    """
    parts = Path(pattern).parts
    wild = [index for index, part in enumerate(parts[:-1]) if _WILD.search(part)]
    if not wild or "**" in parts:
        return [file.stem for file in files]
    folders = [file.parts[wild[-1]] for file in files]
    counts = Counter(folders)
    return [
        folder if counts[folder] == 1 else f"{folder}/{file.stem}" for folder, file in zip(folders, files, strict=True)
    ]


def _own_entry(folder: Path) -> Iterator[Entry]:
    """The agent of a student's folder, if there is one; SpecError if it is not clear which."""
    manifest = folder / MANIFEST
    if manifest.is_file():
        yield _from_manifest(manifest)
        return
    files = [file for file in sorted(folder.glob("*.py")) if not file.name.startswith((".", "_"))]
    chosen = next((file for file in files if file.name == _MAIN), files[0] if len(files) == 1 else None)
    if chosen is not None:
        yield str(chosen.absolute()), folder.name, ""
    elif files:
        raise SpecError(
            f"{folder} has {len(files)} Python files, and none is {_MAIN}; name the agent in {MANIFEST}, as in: "
            f'agent = "{files[0].name}"'
        )


def _from_manifest(path: Path) -> Entry:
    """The agent in a manifest. Its files must be in the manifest's folder: a student may not enter another's agent."""
    data = read_table(path)
    check_table(data, {"agent": TEXT, "name": TEXT}, str(path))
    if "agent" not in data:
        raise SpecError(f'{path} does not name the agent, as in: agent = "{_MAIN}"')
    folder = path.absolute().parent
    with in_folder(str(folder)):
        source = find_source(data["agent"])
    if not source.files or not all(file.resolve().is_relative_to(folder.resolve()) for file in source.files):
        raise SpecError(f"{path}: agent '{data['agent']}' is not a file in {folder}")
    return source.text, data.get("name", folder.name), ""


def _python_file(text: str) -> Path | None:
    """The absolute path of the Python file that an agent's text names."""
    match = PYTHON_FILE.fullmatch(text.removeprefix(f"{language_prefix(text)}:"))
    return user_path(match[1]).absolute() if match else None


def _distinct(entries: Sequence[Entry], given: Sequence[Entry]) -> list[Entry]:
    """The entries with a number after a name from a file or folder that another entry has."""
    names = {name for _, name, _ in given}
    made = []
    for text, name, clock in entries:
        unique, number = name, 1
        while name and unique in names and (text, name, clock) not in given:
            number += 1
            unique = f"{name} #{number}"
        names.add(unique)
        made.append((text, unique, clock))
    return made
