"""The folder of a run; the run can be resumed after a kill at any instant.

    state.json             counters, parameters, ratings, and the names, sizes and checksums of the other files
    model-000012.pt        the network, its averaged weights, the optimiser
    pool-000012-0.bin      the games in progress of a pool
    games-000009-0.z       finished games to learn from: shards of at most 15 MiB, the oldest are dropped
    progress.jsonl         the progress of the run, a line every few seconds (joute.train.progress)
    report.html            the progress as a page (joute.train.report)
    lock                   held by the training process

A checkpoint writes files under new names, syncs them to disk, and only then replaces state.json, which names them.
Files that state.json does not name are deleted after that. So the folder holds a complete checkpoint at any instant:
the old one or the new one. A shard is a sequence of zlib streams of whole games. A full shard is never rewritten; new
games are appended to the last one, so a checkpoint compresses no game twice.
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

#: The largest size of a shard.
SHARD_BYTES = 15 * 2**20

# Approximate size of the pieces in which games are compressed: large enough to compress well, small beside a shard.
_PIECE_BYTES = 2**20
# The largest size of a piece, even for one long game. It keeps a crafted small file from filling the memory.
_MOST_PIECE_BYTES = 2**26

_FORMAT = "joute training 1"
_STATE, _LOCK = "state.json", "lock"
_LOCK_TEXT = "Held by the process that trains here (joute train).\n"
_REMEDY = "restore it, or choose another folder"
_OURS = re.compile(r"model-\d{6}\.pt|pool-\d{6}-\d+\.bin|games-\d{6}-\d+\.z|state\.json\.part")


class CheckpointedError(JouteError):
    """A run cannot go on; its checkpoint is written."""


@dataclass(frozen=True)
class Saved:
    """The contents of a checkpoint except the finished games."""

    #: The spec of the game, rules included.
    game: str
    parameters: Mapping[str, Value]
    #: The state of the run as JSON: `counters`, `elapsed_s` and more.
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
    """The folder of a run, locked by one process. It is created if missing; JouteError if it holds other files."""

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
            raise JouteError(f"{path} is in use: another process is training there") from error
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
        """Whether there is a run to resume."""
        return self._content is not None

    @property
    def parameters(self) -> dict[str, Value]:
        """The parameters of the run so far; empty before its first checkpoint."""
        return dict(self._content["parameters"]) if self._content else {}

    @property
    def state(self) -> dict[str, Any]:
        """The state of the run; empty before its first checkpoint."""
        return dict(self._content["state"]) if self._content else {}

    def check_same_run(self, game: str, parameters: Mapping[str, Value]) -> None:
        """Raise JouteError if the run in this folder has another game or differs in a parameter of `FIXED`."""
        if self._content is None:
            return
        if self._content["game"] != game:
            raise JouteError(
                f"{self.path} holds a run of {self._content['game']}, not of {game}; choose another folder"
            )
        for name in FIXED:
            wanted = parameters[name]
            was = self._content["parameters"].get(name, wanted)  # older runs lack newer parameters
            if was != wanted:
                raise JouteError(
                    f"the run in {self.path} has {name}={value_text(was)} and cannot go on with "
                    f"{name}={value_text(wanted)}; choose another folder"
                )

    def load(self) -> Saved:
        """Read the checkpoint and verify all checksums; JouteError if a file is missing or damaged."""
        content = self._content
        if content is None:
            raise JouteError(f"{self.path} has no checkpoint")
        model = self._read(_File(**content["model"]))
        pools = [self._read(_File(**entry)) for entry in content["pools"]]
        for entry in content["games"]:
            self._read(_File(**entry))
        return Saved(content["game"], content["parameters"], content["state"], model, pools)

    def games(self) -> Iterator[bytes]:
        """The finished games of the checkpoint, oldest first, in pieces of whole records."""
        for entry in self._content["games"] if self._content else ():
            yield from _inflated(self._read(_File(**entry)), self.path / entry["name"])

    def save(self, saved: Saved, *, games: Iterable[bytes] = (), shards: int = 6) -> None:
        """Write a checkpoint; `games` are blobs of the games finished since the last one.

        Only the newest `shards` files of games are kept.
        """
        before = self._content["games"] if self._content else []
        self._serial = serial = self._serial + 1  # not reused, even if this checkpoint fails
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
        """Release the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_ours(self) -> None:
        """Raise JouteError unless the folder is missing, empty, or has our state.json or (killed early) our lock."""
        path = self.path
        if path.exists() and not path.is_dir():
            raise JouteError(f"{path} is a file; name a folder for the run")
        if not path.exists():
            if not path.absolute().parent.is_dir():
                raise JouteError(f"there is no folder {path.absolute().parent} for {path.name}")
            return
        with self._explained():
            names = set(os.listdir(path))
        if not names or _STATE in names:  # reading checks the format, before anything is written
            self._read_state()
            return
        with contextlib.suppress(OSError):
            if names == {_LOCK} or (path / _LOCK).read_bytes() == _LOCK_TEXT.encode():
                return
        raise JouteError(f"{path} holds other files and no training run; choose another folder")

    def _read_state(self) -> dict[str, Any] | None:
        path = self.path / _STATE
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JouteError(f"{path} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise JouteError(f"{path} is not a checkpoint of a run, or it is damaged; choose another folder") from error
        if not isinstance(content, dict) or not str(content.get("format")).startswith("joute training "):
            raise JouteError(f"{path} is not a checkpoint of a run; choose another folder")
        if content["format"] != _FORMAT:
            raise JouteError(
                f"{path} is of joute {content.get('joute')} ({content['format']}); this is joute {__version__} "
                f"({_FORMAT}): name another folder"
            )
        if content.pop("checksum", None) != _checksum(content):
            raise JouteError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
        if not _is_whole(content):
            raise JouteError(f"{path} was not written by joute; choose another folder")
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
        """Append `blobs` to the last shard while it has room, then to new ones; returns the shards to keep."""
        last = b""
        packed, is_whole = _newest(_pieces(blobs), shards)
        if not is_whole:
            files = []
        elif files and files[-1].size < SHARD_BYTES:
            last = self._read(files[-1])
        grown: list[bytes] = []
        for piece in packed:
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
        """Write a file and sync it to disk."""
        with (self.path / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return _File.of(name, data)

    def _sync_folder(self) -> None:
        """Sync the folder, so that new file names are on disk."""
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _sweep(self) -> None:
        """Delete files of earlier and of unfinished checkpoints."""
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
    """The games of a blob. Each record begins with the number of bytes that follow, as little-endian uint32.

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


def steps_of(record: bytes) -> int:
    """The learner steps of the network that began a game; 0 if its record does not have them (game_record.hpp).

    >>> steps_of(b"\\x09\\0\\0\\0" + b"\\x82\\0\\0\\0\\0" + b"\\x07\\x01\\0\\0")
    263
    """
    return int.from_bytes(record[9:13], "little") if record[4] & 0x80 else 0


def pack_model(model: Mapping[str, Any]) -> bytes:
    """Serialize tensors, numbers, texts, lists and dictionaries."""
    import torch

    packed = io.BytesIO()
    torch.save(dict(model), packed)
    return packed.getvalue()


def unpack_model(data: bytes) -> dict[str, Any]:
    """The inverse of `pack_model`, with tensors on the CPU. It executes no pickled code; JouteError if invalid."""
    import pickle

    import torch

    try:
        model = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise JouteError("the model of the checkpoint cannot be read; joute did not write it") from error
    if not isinstance(model, dict):
        raise JouteError("the model of the checkpoint was not written by joute")
    return model


def _is_whole(content: Mapping[str, Any]) -> bool:
    """Whether the content of state.json has all fields and names only files of a checkpoint."""
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


def _newest(pieces: Iterable[bytes], shards: int) -> tuple[list[bytes], bool]:
    """The last pieces, compressed, as far as so many shards hold them; and whether these are all.

    Minutes of self-play are many times what a checkpoint keeps, and to compress them takes longer than to play them.
    """
    packed: list[bytes] = []
    size = largest = 0
    for piece in reversed(list(pieces)):
        deflated = _deflated(piece)
        size, largest = size + len(deflated), max(largest, len(deflated))
        if size > shards * (SHARD_BYTES - largest) and packed:  # each shard may lack nearly a piece
            return packed[::-1], False
        packed.append(deflated)
    return packed[::-1], True


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
            raise JouteError(f"{path} was not written by joute")
        yield piece
        shard = stream.unused_data
