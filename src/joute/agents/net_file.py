"""Read network files, and explain in one sentence why a file is refused.

A network file is an ONNX model whose metadata states its game and origin:

    joute.format    1
    joute.game      connect4
    joute.rules     the rules options that differ from the default, as `State.rules` writes them; mostly empty
    joute.input     2x6x7: planes, rows and columns of a position as the game encodes it
    joute.policy    7: the number of the game's policy indices
    joute.card      JSON: how the network was trained
    joute.checksum  SHA-256 of the file as 64 hexadecimal digits, computed with zeros in place of these digits

The file is untrusted input. It is parsed by hand (onnx.proto: a message is a list of length-prefixed fields), without a
package that would build the model first. Models that read other files, or contain functions, branches or loops, are
refused. A malicious network can therefore play badly or run slowly, and nothing worse.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from joute._core import one_line
from joute.errors import JouteError, unreadable
from joute.games import State

#: The newest format that this version reads.
FORMAT = 1
#: The largest file that is read; Joute's own have about one megabyte.
MOST_MB = 64

_PREFIX = "joute."
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SHAPE = re.compile(r"(\d{1,4})x(\d{1,4})x(\d{1,4})")
_DIGITS = re.compile(r"[0-9a-f]{64}")
_COUNT = re.compile(r"\d{1,6}")

# Field numbers of onnx.proto, for the messages that are checked.
_MODEL_GRAPH, _MODEL_METADATA, _MODEL_TRAINING, _MODEL_FUNCTIONS = 7, 14, 20, 25
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_SPARSE_INITIALIZER = 1, 5, 15
_NODE_ATTRIBUTE, _NODE_DOMAIN = 5, 7
_ATTRIBUTE_TENSOR, _ATTRIBUTE_TENSORS = 5, 10
_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS, _ATTRIBUTE_SPARSE, _ATTRIBUTE_SPARSES = 6, 11, 22, 23
_TENSOR_EXTERNAL_DATA, _TENSOR_DATA_LOCATION = 13, 14
_ENTRY_KEY, _ENTRY_VALUE = 1, 2


class NetworkFileError(JouteError):
    """A network cannot be used to play; the message gives the reason."""


class _MalformedError(Exception):
    """Bytes that are not a valid protobuf message."""


class _Field(NamedTuple):
    """A field of a message: an integer `value`, or the bytes from `begin` to `end` of the file."""

    number: int
    begin: int
    end: int
    value: int


@dataclass(frozen=True)
class NetworkFile:
    """A file that is undamaged, of a known format, and harmless. `check_for` checks its game."""

    #: Its name in messages.
    name: str
    data: bytes
    game: str
    rules: str
    input_shape: tuple[int, int, int]
    policy_size: int
    #: How it was trained, as JSON.
    card: str = ""

    def check_for(self, state: State) -> None:
        """Raise NetworkFileError unless the network is for the game and the rules of a position."""
        if self.game != state.game:
            raise NetworkFileError(f"{self.name} is a network for {self.game}, not for {state.game}")
        if self.rules != state.rules:
            own = f"{self.game}:{self.rules}" if self.rules else self.game
            raise NetworkFileError(f"{self.name} is a network for {own}, not for {state.spec}, whose rules differ")
        shown: tuple[int, int, int] = state.input_shape  # type: ignore[attr-defined]  # native games define it
        size: int = state.policy_size  # type: ignore[attr-defined]
        if (self.input_shape, self.policy_size) != (shown, size):
            raise NetworkFileError(
                f"{self.name} is for another version of {state.game}: it takes {_shape_text(self.input_shape)} planes "
                f"and {self.policy_size} moves, and this Joute has {_shape_text(shown)} and {size}"
            )


def read_network_file(path: Path) -> NetworkFile:
    """Read a network file; NetworkFileError if it is unreadable, damaged, or not a network."""
    return parse_network_file(_bytes_of(path), str(path))


def _bytes_of(path: Path) -> bytes:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
            raise NetworkFileError(f"{path} is not a plain file")
        with path.open("rb") as file:
            data = file.read((MOST_MB << 20) + 1)
    except OSError as error:
        raise NetworkFileError(str(unreadable(path, error))) from error
    if len(data) > MOST_MB << 20:
        raise NetworkFileError(f"{path} has more than {MOST_MB} MB, the most that a network may have")
    return data


def parse_network_file(data: bytes, name: str) -> NetworkFile:
    """Parse the bytes of a network file; `name` is its name in messages."""
    try:
        metadata = _metadata(data, name)
        if "format" not in metadata:
            raise NetworkFileError(f"{name} is not a network of Joute")
        _check_format(metadata["format"][0], name)
        _check_sum(data, metadata, name)
        _check_harmless(data, name)
    except _MalformedError as error:
        raise NetworkFileError(f"{name} is not a network of Joute, or it is damaged") from error
    texts = {key: text for key, (text, _) in metadata.items()}
    shape, policy = _SHAPE.fullmatch(texts.get("input", "")), _COUNT.fullmatch(texts.get("policy", ""))
    if not (shape and policy and _NAME.fullmatch(texts.get("game", "")) and "rules" in texts):
        raise NetworkFileError(f"{name} does not name its game and shapes, so it is not a network of Joute")
    planes, rows, columns = map(int, shape.groups())
    return NetworkFile(
        name=name,
        data=data,
        game=texts["game"],
        rules=one_line(texts["rules"]),
        input_shape=(planes, rows, columns),
        policy_size=int(policy[0]),
        card=texts.get("card", ""),
    )


def _shape_text(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape))


def _metadata(data: bytes, name: str) -> dict[str, tuple[str, int]]:
    """Return Joute's metadata entries: each key's text and the offset where the text begins."""
    found: dict[str, tuple[str, int]] = {}
    for entry in _fields(data, 0, len(data)):
        if entry.number != _MODEL_METADATA:
            continue
        parts = {part.number: part for part in _fields(data, entry.begin, entry.end)}
        key, text = (_text(data, parts[number]) if number in parts else "" for number in (_ENTRY_KEY, _ENTRY_VALUE))
        if not key.startswith(_PREFIX):
            continue
        key = key.removeprefix(_PREFIX)
        if key in found:
            raise NetworkFileError(f"{name} has two entries for {key}, so it is not a network of Joute")
        found[key] = text, parts[_ENTRY_VALUE].begin if text else 0
    return found


def _check_format(text: str, name: str) -> None:
    if not _COUNT.fullmatch(text) or int(text) < 1:
        raise NetworkFileError(f"{name} is not a network of Joute: its format is '{one_line(text)[:20]}'")
    if int(text) > FORMAT:
        raise NetworkFileError(
            f"{name} has format {int(text)}, and this Joute reads networks up to format {FORMAT}; a newer one is needed"
        )


def _check_sum(data: bytes, metadata: dict[str, tuple[str, int]], name: str) -> None:
    digits, begin = metadata.get("checksum", ("", 0))
    if not _DIGITS.fullmatch(digits):
        raise NetworkFileError(f"{name} has no checksum, so it is not a network of Joute, or it is damaged")
    blanked = hashlib.sha256(data[:begin])
    blanked.update(b"0" * len(digits))
    blanked.update(memoryview(data)[begin + len(digits) :])
    if blanked.hexdigest() != digits:
        raise NetworkFileError(f"{name} is damaged: its checksum does not fit its contents")


def _check_harmless(data: bytes, name: str) -> None:
    """Raise NetworkFileError if a model reads other files, or is not a plain sequence of standard ONNX operators."""
    for field in _fields(data, 0, len(data)):
        if field.number in (_MODEL_TRAINING, _MODEL_FUNCTIONS):
            raise NetworkFileError(f"{name} contains functions, which no network of Joute does")
        if field.number == _MODEL_GRAPH:
            _check_graph(data, field, name)


def _check_graph(data: bytes, graph: _Field, name: str) -> None:
    for field in _fields(data, graph.begin, graph.end):
        if field.number == _GRAPH_SPARSE_INITIALIZER:
            raise NetworkFileError(f"{name} has sparse weights, which no network of Joute has")
        if field.number == _GRAPH_INITIALIZER:
            _check_tensor(data, field, name)
        if field.number == _GRAPH_NODE:
            _check_node(data, field, name)


def _check_node(data: bytes, node: _Field, name: str) -> None:
    for field in _fields(data, node.begin, node.end):
        if field.number == _NODE_DOMAIN and _text(data, field) not in ("", "ai.onnx"):
            raise NetworkFileError(f"{name} needs operators that are not ONNX's own, which no network of Joute does")
        if field.number == _NODE_ATTRIBUTE:
            for part in _fields(data, field.begin, field.end):
                if part.number in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS, _ATTRIBUTE_SPARSE, _ATTRIBUTE_SPARSES):
                    raise NetworkFileError(f"{name} has branches or loops, which no network of Joute has")
                if part.number in (_ATTRIBUTE_TENSOR, _ATTRIBUTE_TENSORS):
                    _check_tensor(data, part, name)


def _check_tensor(data: bytes, tensor: _Field, name: str) -> None:
    for field in _fields(data, tensor.begin, tensor.end):
        if field.number == _TENSOR_EXTERNAL_DATA or (field.number == _TENSOR_DATA_LOCATION and field.value):
            raise NetworkFileError(f"{name} refers to other files, which no network of Joute does")


def _text(data: bytes, field: _Field) -> str:
    try:
        return data[field.begin : field.end].decode()
    except UnicodeDecodeError as error:
        raise _MalformedError from error


def _fields(data: bytes, begin: int, end: int) -> Iterator[_Field]:
    """Yield the fields of the message between two offsets."""
    place = begin
    while place < end:
        tag, place = _number(data, place, end)
        if tag >> 32:  # other parsers drop these bits, and would see a different field
            raise _MalformedError
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _number(data, place, end)
            yield _Field(number, place, place, value)
            continue
        if kind == 2:
            length, place = _number(data, place, end)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise _MalformedError
        if number == 0 or length > end - place:
            raise _MalformedError
        yield _Field(number, place, place + length, 0)
        place += length


def _number(data: bytes, place: int, end: int) -> tuple[int, int]:
    """Read the varint (seven bits per byte) at an offset; return it and the offset after it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= end:
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise _MalformedError
