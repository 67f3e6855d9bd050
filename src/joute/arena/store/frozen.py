"""Frozen agents: copies in the tournament's file, with which a frozen tournament plays even if the originals change.

An agent's file is copied with its folder, which contains what it imports and reads. The copy excludes the files of
other entrants, hidden files, compiled Python and tournament databases. Of a built-in agent, and of an agent in a folder
of unrelated files (`is_crowd`), only the files that its text names are copied. Interpreters and installed packages are
not copied.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from joute._core import one_line
from joute.agents.loading import Source
from joute.arena.players.own_files import COPIES, belongs, is_crowd, is_tournament
from joute.arena.players.sources import source_as_data, source_from_data
from joute.arena.store.database import StoreError
from joute.errors import SpecError

#: The largest total size of one agent's files. A network of 20 million weights fits.
ENTRY_MB = 100

# The root of paths inside an archive: a placeholder that does not exist on any machine.
_ROOT = Path("/entry")
# The agent's folder below the root. Its files from other folders are in numbered folders beside it.
_FOLDER = "agent"

# The most files of one agent that are unpacked; a file may be empty, and still takes a place in the file system.
_MOST_FILES = 20_000
_PIECE_BYTES = 1 << 20

# A constant file time, so that the same files give the same archive.
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class FrozenCopy:
    """The copy of an agent in a frozen tournament: a ZIP archive, and the source that starts the agent from it."""

    #: Its paths are those in the archive, below `_ROOT`.
    source: Source
    archive: bytes

    @property
    def sha256(self) -> str:
        """The SHA-256 of the archive."""
        return hashlib.sha256(self.archive).hexdigest()

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the agent's main file."""
        with zipfile.ZipFile(io.BytesIO(self.archive)) as archive:
            return hashlib.sha256(archive.read(str(self.source.files[0].relative_to(_ROOT)))).hexdigest()

    def values(self) -> dict[str, Any]:
        """The copy as a row of ``entries`` without the column ``agent``."""
        source = json.dumps(source_as_data(self.source))
        return {"source": source, "sha256": self.sha256, "archive": self.archive}

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> FrozenCopy:
        """The inverse of `values`; ValueError if a value is invalid."""
        source = source_from_data(json.loads(values["source"]))
        for path in (*source.files, source.folder):
            if not path.is_relative_to(_ROOT) or ".." in path.parts:
                raise ValueError(f"the copy of an agent has a file outside, {one_line(path)}")
        return FrozenCopy(source, bytes(values["archive"]))


def freeze(
    sources: Sequence[Source], names: Sequence[str], others: Sequence[Source] = ()
) -> tuple[dict[int, FrozenCopy], str]:
    """Copies of the agents with files, by index, and a note about agents that cannot be kept in the file.

    No copy has files of another agent, also not of `others`, which are not copied themselves. SpecError if an agent
    cannot be copied completely.
    """
    entries = {
        index: _frozen(source, names[index], [each for each in (*sources, *others) if each.files != source.files])
        for index, source in enumerate(sources)
        if source.files
    }
    not_kept = {name: source for name, source in zip(names, sources, strict=True) if not source.files}
    servers = [name for name, source in not_kept.items() if source.kind == "remote"]
    installed = [name for name, source in not_kept.items() if source.kind not in ("built-in", "remote")]
    said = [
        f"{', '.join(map(repr, which))} {'is' if len(which) == 1 else 'are'} {what} and not kept in the file"
        for which, what in ((installed, "installed on this machine"), (servers, "on a server"))
        if which
    ]
    return entries, "; ".join(said)


def files_of_others(files: Sequence[Path]) -> list[Source]:
    """Sources that stand for files of people who are not entrants, for `freeze`."""
    return [Source(str(file), "unknown", files=(file,), folder=file.parent) for file in files]


def _frozen(source: Source, name: str, others: Sequence[Source]) -> FrozenCopy:
    """The copy of an agent; `others` are the sources of the other entrants."""
    places: dict[Path, Path] = {}
    for number, file in enumerate(source.files):
        inside = file.is_relative_to(source.folder)
        places[file] = _ROOT / _FOLDER / file.relative_to(source.folder) if inside else _ROOT / str(number) / file.name
    members = dict(places)
    size = sum(path.stat().st_size for path in places)
    try:
        for path in _neighbours(source, name, others):
            members.setdefault(path, _ROOT / _FOLDER / path.relative_to(source.folder))
            size += path.stat().st_size
            if size > ENTRY_MB << 20 or len(members) > _MOST_FILES:
                what = f"{ENTRY_MB} MB" if size > ENTRY_MB << 20 else f"{_MOST_FILES:,} files"
                raise SpecError(
                    f"agent '{name}' cannot be frozen: its folder {source.folder} holds more than {what}; "
                    "move it to a folder that holds only what it needs"
                )
        archive = _packed(members)
    except OSError as error:
        raise SpecError(f"agent '{name}' cannot be frozen: {error.filename}: {error.strerror}") from error
    return FrozenCopy(_moved(source, places, _ROOT / _FOLDER), archive)


def _packed(members: Mapping[Path, Path]) -> bytes:
    """A ZIP archive of files; `members` maps each file to its path in the archive. Deterministic."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, place in sorted(members.items(), key=lambda member: member[1]):
            info = zipfile.ZipInfo(str(place.relative_to(_ROOT)), _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            is_program = path.stat().st_mode & stat.S_IXUSR
            info.external_attr = (stat.S_IFREG | (0o555 if is_program else 0o444)) << 16
            packed.writestr(info, path.read_bytes())
    return archive.getvalue()


def _neighbours(source: Source, name: str, others: Sequence[Source]) -> Iterator[Path]:
    """The files of an agent's folder to copy; none for a built-in agent, which needs only the files it names."""
    if source.kind == "built-in" or is_crowd(source.folder):
        return
    private = {file for other in others for file in other.files}
    # Skip folders of other entrants below this folder.
    private |= {other.folder for other in others if other.files and other.folder != source.folder}
    for folder, folders, files in os.walk(source.folder):
        here = Path(folder)
        folders[:] = sorted(entry for entry in folders if belongs(here / entry, private))
        for path in (here / entry for entry in (*folders, *sorted(files))):
            if path.is_symlink() and belongs(path, private):
                _check_link(path, source, name, private)
        for path in (here / entry for entry in sorted(files)):
            if path.is_file() and belongs(path, private) and not is_tournament(path):
                yield path


def _check_link(path: Path, source: Source, name: str, private: set[Path]) -> None:
    """SpecError unless a link leads to a file in the agent's folder that is copied; other targets may be secret."""
    goal = path.resolve()
    is_inside = goal.is_file() and goal.is_relative_to(source.folder.resolve())
    if path in source.files or (is_inside and goal not in {other.resolve() for other in private}):
        return
    raise SpecError(
        f"agent '{name}' cannot be frozen: {path} is a link, but not to a file of its folder; replace it by a copy"
    )


def copies_folder(db: Path) -> Path:
    """The folder of the unpacked copies of agents while a tournament is played."""
    return db.absolute().with_name(db.name + COPIES)


def unpack(entries: Mapping[int, FrozenCopy], folder: Path) -> dict[int, Source]:
    """Unpack each agent into its own read-only folder below `folder`, replacing earlier copies."""
    remove_copies(folder)
    sources = {}
    for index, entry in entries.items():
        own = folder / str(index)
        sources[index] = unpack_entry(entry, own)
        for below, _, files in os.walk(own):
            for path in (Path(below), *(Path(below, file) for file in files)):
                path.chmod(path.stat().st_mode & 0o555)
    return sources


def unpack_entry(entry: FrozenCopy, folder: Path) -> Source:
    """Unpack an agent into a folder; returns its source there. StoreError if the archive is not one that `freeze` made.

    The database may come from a stranger. What is unpacked is counted, because an archive of a kilobyte can unpack to
    terabytes and its own figures may be wrong.
    """
    name = f"the copy of agent '{one_line(entry.source.text)}'"
    left = ENTRY_MB << 20
    try:
        with zipfile.ZipFile(io.BytesIO(entry.archive)) as packed:
            members = packed.infolist()
            if len(members) > _MOST_FILES:
                raise StoreError(f"{name} is damaged: it has more than {_MOST_FILES:,} files")
            for info in members:
                left -= _unpack_file(packed, info, folder, left)
                if left < 0:
                    raise StoreError(f"{name} is damaged: it unpacks to more than {ENTRY_MB} MB, the most that is kept")
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{folder} cannot be filled with an agent: {error.strerror}") from error
    except Exception as error:  # zipfile and zlib raise many types for damaged archives
        raise StoreError(f"{name} is damaged: {one_line(error)}") from error
    places = {file: folder / file.relative_to(_ROOT) for file in entry.source.files}
    return _moved(entry.source, places, folder / entry.source.folder.relative_to(_ROOT))


def _unpack_file(packed: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path, most: int) -> int:
    """Unpack one file, of which at most `most` + 1 bytes are written; returns the number of its bytes."""
    place = PurePosixPath(info.filename)
    if place.is_absolute() or ".." in place.parts or not place.parts or info.is_dir():
        raise ValueError(f"'{info.filename}' is not a file inside it")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in another way than Joute does")
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with packed.open(info) as source, path.open("xb") as goal:
        while piece := source.read(min(_PIECE_BYTES, most + 1 - size)):
            goal.write(piece)
            size += len(piece)
    path.chmod(0o755 if info.external_attr >> 16 & stat.S_IXUSR else 0o644)
    return size


def remove_copies(folder: Path) -> None:
    """Remove the unpacked copies of agents, and the folder if it is empty then."""
    import shutil

    for own in folder.glob("[0-9]*") if folder.is_dir() else ():
        for below, _, _ in os.walk(own):
            Path(below).chmod(0o755)
        shutil.rmtree(own, ignore_errors=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _moved(source: Source, places: Mapping[Path, Path], folder: Path) -> Source:
    """The source with its files and command moved as `places` says, and with another folder."""
    command = tuple(str(places.get(Path(word), word)) for word in source.command)
    text = f"{source.language}:{shlex.join(command)}" if source.kind == "program" else source.text
    if source.kind in ("python", "built-in") and source.file:
        text = source.with_file(places[source.file])
    return Source(text, source.kind, command, tuple(places[file] for file in source.files), folder)
