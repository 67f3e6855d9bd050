"""Read network files, and explain in one sentence why a file is refused.

A network file is an ONNX model whose metadata states its game and origin:

    joute.format    1, 2 with an encoding, or 3 with a quantised tower
    joute.game      connect4
    joute.rules     the rules options that differ from the default, as `State.network_rules` writes them; mostly empty
    joute.input     2x6x7: planes, rows and columns of a position as the game encodes it; 34x0x0 for boards of any size
    joute.policy    7: the number of the game's policy indices; for boards of any size, that number for each cell
    joute.encoding  the game's encoding of positions, in games that have several
    joute.card      JSON: how the network was trained
    joute.checksum  SHA-256 of the file as 64 hexadecimal digits, computed with zeros in place of these digits

The file is untrusted input. It is read by hand (onnx_wire.py), without a package that would build the model first, and
net_graph.py limits the memory and the time of an evaluation before ONNX Runtime loads it. A malicious network can
therefore play badly, and nothing worse.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from joute._core import one_line
from joute.agents.net_graph import OPSET, GraphError, check_graph
from joute.agents.onnx_wire import Field, MalformedError, Reader
from joute.errors import JouteError, unreadable
from joute.games import State

#: The newest format that this version reads.
FORMAT = 3
#: The formats of quantised networks, of those with an encoding, and of all others.
QUANTISED_FORMAT, ENCODING_FORMAT, FIRST_FORMAT = 3, 2, 1
#: The largest file that is read; Joute's own have about one megabyte.
MOST_MB = 64

_PREFIX = "joute."
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SHAPE = re.compile(r"(\d{1,4})x(\d{1,4})x(\d{1,4})")
_DIGITS = re.compile(r"[0-9a-f]{64}")
_COUNT = re.compile(r"\d{1,6}")

# Field numbers of onnx.proto, for the messages that are read here.
_MODEL_GRAPH, _MODEL_OPERATORS, _MODEL_METADATA, _MODEL_TRAINING, _MODEL_FUNCTIONS = 7, 8, 14, 20, 25
# Version, producer, domain and documentation.
_MODEL_PLAIN = (1, 2, 3, 4, 5, 6)
_ENTRY_KEY, _ENTRY_VALUE = 1, 2
_OPERATORS_DOMAIN, _OPERATORS_VERSION = 1, 2


class NetworkFileError(JouteError):
    """A network cannot be used to play; the message gives the reason."""


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
    #: The memory of intermediate results for one position, in bytes.
    position_bytes: int
    #: How it was trained, as JSON.
    card: str = ""
    #: The game's encoding of positions; empty in games that have one.
    encoding: str = ""

    @property
    def any_size(self) -> bool:
        """Whether the network plays on boards of any size."""
        return self.input_shape[1:] == (0, 0)

    def encoding_index(self, game: type[State]) -> int:
        """The index of the encoding in the game's list; NetworkFileError if the game has none of that name."""
        names: tuple[str, ...] = game.encodings  # type: ignore[attr-defined]  # native games define it
        if self.encoding and self.encoding not in names:
            raise NetworkFileError(f"{self.name} needs the encoding '{self.encoding}', which {game.game} does not have")
        return names.index(self.encoding) if self.encoding else 0

    @property
    def frame_size(self) -> tuple[int, int]:
        """Rows and columns of the frame that the network's search must use; (0, 0) for those of the board."""
        return self.input_shape[1:] if self.encoding else (0, 0)

    def check_for(self, state: State) -> None:
        """Raise NetworkFileError unless the network is for the game and the rules of a position."""
        if self.game != state.game:
            raise NetworkFileError(f"{self.name} is a network for {self.game}, not for {state.game}")
        if self.rules != state.network_rules:
            own = f"{self.game}:{self.rules}" if self.rules else self.game
            raise NetworkFileError(f"{self.name} is a network for {own}, not for {state.spec}, whose rules differ")
        try:
            frame = state.frame(self.encoding_index(type(state)), *self.frame_size)  # type: ignore[attr-defined]
        except NetworkFileError:
            raise
        except JouteError as error:
            raise NetworkFileError(f"{self.name}: {error}") from error
        shown: tuple[int, int, int] = frame[0]
        size: int = frame[1]
        if self.any_size:
            size //= shown[1] * shown[2]
            shown = (shown[0], 0, 0)
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
    """Parse the bytes of a network file; `name` is its name in messages. Nothing in it is computed."""
    reader = Reader(data)
    try:
        metadata = _metadata(reader, name)
        if "format" not in metadata:
            raise NetworkFileError(f"{name} is not a network of Joute")
        _check_format(metadata["format"][0], name)
        _check_sum(data, metadata, name)
        texts = {key: text for key, (text, _) in metadata.items()}
        shape, policy = _SHAPE.fullmatch(texts.get("input", "")), _COUNT.fullmatch(texts.get("policy", ""))
        if not (shape and policy and _NAME.fullmatch(texts.get("game", "")) and "rules" in texts):
            raise NetworkFileError(f"{name} does not name its game and shapes, so it is not a network of Joute")
        planes, rows, columns = map(int, shape.groups())
        cost = check_graph(reader, _graph(reader), (planes, rows, columns), int(policy[0]))
    except MalformedError as error:
        raise NetworkFileError(f"{name} is not a network of Joute, or it is damaged") from error
    except GraphError as error:
        raise NetworkFileError(f"{name} {error}") from error
    return NetworkFile(
        name=name,
        data=data,
        game=texts["game"],
        rules=one_line(texts["rules"]),
        input_shape=(planes, rows, columns),
        policy_size=int(policy[0]),
        position_bytes=cost.bytes,
        card=texts.get("card", ""),
        encoding=one_line(texts.get("encoding", "")),
    )


def _shape_text(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape))


def _metadata(reader: Reader, name: str) -> dict[str, tuple[str, int]]:
    """Return Joute's metadata entries: each key's text and the offset where the text begins."""
    found: dict[str, tuple[str, int]] = {}
    for entry in reader.whole():
        if entry.number != _MODEL_METADATA:
            continue
        parts = [reader.single(entry, number) for number in (_ENTRY_KEY, _ENTRY_VALUE)]
        key, text = (reader.text(part) if part else "" for part in parts)
        if not key.startswith(_PREFIX):
            continue
        key = key.removeprefix(_PREFIX)
        if key in found:
            raise NetworkFileError(f"{name} has two entries for {one_line(key)}, so it is not a network of Joute")
        found[key] = text, parts[1].begin if parts[1] else 0
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


def _graph(reader: Reader) -> Field:
    """Return the graph of a model; GraphError if the model has anything besides that could compute or read files."""
    graphs = []
    for field in reader.whole():
        if field.number in (_MODEL_TRAINING, _MODEL_FUNCTIONS):
            raise GraphError("contains functions, which no network of Joute does")
        if field.number == _MODEL_OPERATORS:
            _check_operators(reader, field)
        elif field.number == _MODEL_GRAPH:
            graphs.append(field)
        elif field.number not in (_MODEL_METADATA, *_MODEL_PLAIN):
            raise GraphError("has parts that no network of Joute has")
    if len(graphs) != 1:  # other parsers merge several
        raise MalformedError
    return graphs[0]


def _check_operators(reader: Reader, field: Field) -> None:
    domain, version = (reader.single(field, number) for number in (_OPERATORS_DOMAIN, _OPERATORS_VERSION))
    if domain is not None and reader.text(domain) not in ("", "ai.onnx"):
        raise GraphError("needs operators that are not ONNX's own, which no network of Joute does")
    if version is None or version.value != OPSET:
        raise GraphError(f"uses another version of ONNX's operators than {OPSET}, which no network of Joute does")
