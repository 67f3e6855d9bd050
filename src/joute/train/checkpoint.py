"""The folder of a run, from which it goes on after a kill at any instant.

    state.json             counters, parameters, ratings, and the names, sizes and checksums of the other files
    model-000012.pt        the network, its averaged weights, the optimiser
    pool-000012-0.bin      the games in progress of a pool
    games-000009-0.z       finished games to learn from: shards of 15 MiB at most, the oldest are dropped
    progress.jsonl         the course of the run, a line every few seconds (joute.train.progress)
    report.html            the same to look at (joute.train.report)
    lock                   held by the process that trains

A checkpoint writes files under new names, waits until they are on the disk, and only then replaces state.json, which
names them; what it does not name is deleted after that. So there is one whole checkpoint at any instant: the old one,
or the new one. A shard is a row of zlib streams, each of whole games; it is never written again once it is full, and
the last one grows by what is new, so that a checkpoint compresses no game twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from joute.errors import JouteError
from joute.spec import Value, value_text
from joute.train.parameters import FIXED
from joute.version import __version__

#: The most that a file of games takes.
SHARD_BYTES = 15 * 2**20

# Games are compressed in pieces of about so many bytes: large enough to compress well, small beside a shard.
_PIECE_BYTES = 2**20
# No piece is longer than this, though it were one long game: a stranger's few bytes must not fill the memory.
_MOST_PIECE_BYTES = 2**26

_FORMAT = "joute training 1"
_STATE, _LOCK = "state.json", "lock"
_LOCK_TEXT = "Held by the process that trains here (joute train).\n"
_REMEDY = "restore it, or name another folder"
_OURS = re.compile(r"model-\d{6}\.pt|pool-\d{6}-\d+\.bin|games-\d{6}-\d+\.z|state\.json\.part")


@dataclass(frozen=True)
class Saved:
    """What a checkpoint holds, but for finished games."""

    #: The spec of the game, rules included.
    game: str
    parameters: Mapping[str, Value]
    #: What the run remembers: `counters`, `elapsed_s`, and anything else that JSON can hold.
    state: Mapping[str, Any]
    #: See `pack_model`.
    model: bytes
    #: The games in progress of each pool.
    pools: Sequence[bytes]


@dataclass(frozen=True)
class _File:
    """A file as state.json describes it."""

    name: str
    size: int
    sha256: str

    @staticmethod
    def of(name: str, data: bytes) -> _File:
        return _File(name, len(data), hashlib.sha256(data).hexdigest())


class RunFolder:
    """A folder that one process trains in. It is made if it is not there; JouteError if it is something else's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._check_ours()
        with self._explained():
            path.mkdir(exist_ok=True)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise JouteError(f"{path} is in use: its run goes on in another process") from error
        try:
            os.pwrite(self._lock, _LOCK_TEXT.encode(), 0)
            self._content = self._read_state()
            self._serial = self._content["serial"] if self._content else 0
            self._sweep()
        except BaseException:
            self.close()
            raise

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is a run to go on with."""
        return self._content is not None

    @property
    def parameters(self) -> dict[str, Value]:
        """The parameters of the run so far; empty before its first checkpoint."""
        return dict(self._content["parameters"]) if self._content else {}

    @property
    def state(self) -> dict[str, Any]:
        """What the run remembers; empty before its first checkpoint."""
        return dict(self._content["state"]) if self._content else {}

    def check_same_run(self, game: str, parameters: Mapping[str, Value]) -> None:
        """JouteError if the run in this folder is one of another game or shape."""
        if self._content is None:
            return
        if self._content["game"] != game:
            raise JouteError(f"{self.path} holds a run of {self._content['game']}, not of {game}; name another folder")
        for name in FIXED:
            was, wanted = self._content["parameters"][name], parameters[name]
            if was != wanted:
                raise JouteError(
                    f"the run in {self.path} has {name}={value_text(was)} and cannot go on with "
                    f"{name}={value_text(wanted)}; name another folder"
                )

    def load(self) -> Saved:
        """The checkpoint, every file of it compared with its checksum; JouteError if one is missing or damaged."""
        content = self._content
        if content is None:
            raise JouteError(f"{self.path} has no checkpoint")
        model = self._read(_File(**content["model"]))
        pools = [self._read(_File(**entry)) for entry in content["pools"]]
        for entry in content["games"]:
            self._read(_File(**entry))
        return Saved(content["game"], content["parameters"], content["state"], model, pools)

    def games(self) -> Iterator[bytes]:
        """The finished games that are kept, oldest first, in pieces of whole records; not those that were given."""
        for entry in self._content["games"] if self._content else ():
            yield from _inflated(self._read(_File(**entry)), self.path / entry["name"])

    def save(self, saved: Saved, *, games: Iterable[bytes] = (), shards: int = 6) -> None:
        """Write a checkpoint; `games` are blobs of the games that were finished since the last one.

        No more than `shards` files of games are kept, the newest.
        """
        before = self._content["games"] if self._content else []
        self._serial = serial = self._serial + 1  # never again, even if this checkpoint fails
        with self._explained():
            model = self._write(f"model-{serial:06d}.pt", saved.model)
            pools = [self._write(f"pool-{serial:06d}-{n}.bin", data) for n, data in enumerate(saved.pools)]
            kept = self._with_games([_File(**entry) for entry in before], games, serial, shards)
            content = {
                "format": _FORMAT,
                "joute": __version__,
                "serial": serial,
                "game": saved.game,
                "parameters": dict(saved.parameters),
                "state": dict(saved.state),
                "model": vars(model),
                "pools": [vars(file) for file in pools],
                "games": [vars(file) for file in kept],
            }
            text = json.dumps(content | {"checksum": _checksum(content)}, indent=1, allow_nan=False)
            self._write(f"{_STATE}.part", text.encode())
            self._sync_folder()
            os.replace(self.path / f"{_STATE}.part", self.path / _STATE)
            self._sync_folder()
        self._content = content
        self._sweep()

    def close(self) -> None:
        """Let other processes have the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_ours(self) -> None:
        """A folder of ours is empty, has our state.json, or at least our lock: a run that was killed at once."""
        path = self.path
        if path.exists() and not path.is_dir():
            raise JouteError(f"{path} is a file; name a folder for the run")
        if not path.exists():
            if not path.absolute().parent.is_dir():
                raise JouteError(f"there is no folder {path.absolute().parent} for {path.name}")
            return
        with self._explained():
            names = set(os.listdir(path))
        if not names or _STATE in names:  # whether that is ours, reading it tells, and writes nothing before
            self._read_state()
            return
        with contextlib.suppress(OSError):
            if names == {_LOCK} or (path / _LOCK).read_bytes() == _LOCK_TEXT.encode():
                return
        raise JouteError(f"{path} holds other files and no run of training; name another folder")

    def _read_state(self) -> dict[str, Any] | None:
        path = self.path / _STATE
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JouteError(f"{path} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise JouteError(f"{path} is no checkpoint of a run, or damaged; name another folder") from error
        if not isinstance(content, dict) or not str(content.get("format")).startswith("joute training "):
            raise JouteError(f"{path} is no checkpoint of a run; name another folder")
        if content["format"] != _FORMAT:
            raise JouteError(
                f"{path} is of joute {content.get('joute')} ({content['format']}); this is joute {__version__} "
                f"({_FORMAT}): name another folder"
            )
        if content.pop("checksum", None) != _checksum(content):
            raise JouteError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
        if not _is_whole(content):
            raise JouteError(f"{path} is no checkpoint that joute has written; name another folder")
        return content

    def _read(self, file: _File) -> bytes:
        path = self.path / file.name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise JouteError(f"{path} cannot be read: {error.strerror}; {_REMEDY}") from error
        if len(data) != file.size:
            raise JouteError(f"{path} is damaged: it has {len(data)} bytes instead of {file.size}; {_REMEDY}")
        if _File.of(file.name, data) != file:
            raise JouteError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
        return data

    def _with_games(self, files: list[_File], blobs: Iterable[bytes], serial: int, shards: int) -> list[_File]:
        """The files of games after `blobs`, which go to the last one for as long as it has room."""
        last = b""
        if files and files[-1].size < SHARD_BYTES:
            last = self._read(files[-1])
        grown: list[bytes] = []
        for piece in map(_deflated, _pieces(blobs)):
            if not grown and last and len(last) + len(piece) <= SHARD_BYTES:
                files = files[:-1]
                grown.append(last)
            if not grown or len(grown[-1]) + len(piece) > SHARD_BYTES:
                grown.append(b"")
            grown[-1] += piece
        grown = grown[-shards:]
        files = files[len(files) - min(len(files), shards - len(grown)) :]
        return files + [self._write(f"games-{serial:06d}-{n}.z", data) for n, data in enumerate(grown)]

    def _write(self, name: str, data: bytes) -> _File:
        """A file whose bytes are on the disk."""
        with (self.path / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return _File.of(name, data)

    def _sync_folder(self) -> None:
        """New names, too, are on the disk."""
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _sweep(self) -> None:
        """Delete what earlier checkpoints, or ones that were never finished, have left."""
        content = self._content
        named = {entry["name"] for entry in (content["model"], *content["pools"], *content["games"])} if content else ()
        for name in os.listdir(self.path):
            if _OURS.fullmatch(name) and name not in named:
                with contextlib.suppress(OSError):
                    os.unlink(self.path / name)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JouteError(f"{self.path} cannot be written: {error.strerror}") from error


def records(blob: bytes) -> Iterator[bytes]:
    """The games of a blob, each a record that begins with its own length: the bytes after it, as uint32.

    >>> list(records(b"\\x01\\0\\0\\0a" + b"\\x02\\0\\0\\0bc"))
    [b'\\x01\\x00\\x00\\x00a', b'\\x02\\x00\\x00\\x00bc']
    """
    place = 0
    while place < len(blob):
        end = place + 4 + int.from_bytes(blob[place : place + 4], "little")
        if end > len(blob) or place + 4 > len(blob):
            raise JouteError(f"a blob of games ends inside a record, at byte {len(blob)}")
        yield blob[place:end]
        place = end


def pack_model(model: Mapping[str, Any]) -> bytes:
    """Tensors, numbers, texts, lists and dictionaries as bytes."""
    import torch

    packed = io.BytesIO()
    torch.save(dict(model), packed)
    return packed.getvalue()


def unpack_model(data: bytes) -> dict[str, Any]:
    """What `pack_model` was given, on the processor; nothing in it is run. JouteError if it is something else."""
    import pickle

    import torch

    try:
        model = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise JouteError("the model of the checkpoint cannot be read; it is none that joute has written") from error
    if not isinstance(model, dict):
        raise JouteError("the model of the checkpoint is none that joute has written")
    return model


def _is_whole(content: Mapping[str, Any]) -> bool:
    """Whether a checkpoint is of our shape, and names files of ours alone."""
    try:
        files = [_File(**entry) for entry in (content["model"], *content["pools"], *content["games"])]
        kinds = {"serial": int, "game": str, "parameters": dict, "state": dict}
        return all(_OURS.fullmatch(file.name) for file in files) and all(
            isinstance(content[name], kind) for name, kind in kinds.items()
        )
    except (KeyError, TypeError):
        return False


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _pieces(blobs: Iterable[bytes]) -> Iterator[bytes]:
    """The records of blobs in pieces of about the same size."""
    piece: list[bytes] = []
    size = 0
    for blob in blobs:
        for record in records(blob):
            if piece and size + len(record) > _PIECE_BYTES:
                yield b"".join(piece)
                piece, size = [], 0
            piece.append(record)
            size += len(record)
    if piece:
        yield b"".join(piece)


def _deflated(piece: bytes) -> bytes:
    packed = zlib.compress(piece)
    if len(packed) > SHARD_BYTES or len(piece) > _MOST_PIECE_BYTES:
        raise JouteError(f"a game of {len(packed)} bytes is longer than a file of games may be")
    return packed


def _inflated(shard: bytes, path: Path) -> Iterator[bytes]:
    while shard:
        stream = zlib.decompressobj()
        try:
            piece = stream.decompress(shard, _MOST_PIECE_BYTES)
        except zlib.error as error:
            raise JouteError(f"{path} holds no games: {error}") from error
        if not stream.eof:
            raise JouteError(f"{path} holds no games that joute has written")
        yield piece
        shard = stream.unused_data
