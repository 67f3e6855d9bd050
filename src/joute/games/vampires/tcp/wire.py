"""The bytes of Vampires vs Werewolves over TCP: frames, their encoding, and a parser for each direction. No sockets.

A frame is three ASCII letters, then unsigned bytes: no length, no terminator, no number above 255.
docs/vampires_protocol.md describes the sequence of frames.

    client   NME t name                                 MOV n, n × (x, y, units, target x, target y)
    server   SET rows columns                           HUM n, n × (x, y)                  HME x y
             MAP n, n × (x, y, humans, vampires, werewolves)       UPD the same            END       BYE
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

from joute.errors import JouteError
from joute.games.vampires.records import Order

#: The largest number, and the largest number of entries, of a frame.
MAX_BYTE = 255
#: The length of the longest frame: a MAP, an UPD or a MOV of 255 entries.
MAX_FRAME_BYTES = 4 + 5 * MAX_BYTE
#: The number of characters to which a client's name is cut.
MAX_SHOWN_NAME = 40

_WORD_BYTES = 3


class WireError(JouteError):
    """Bytes that are not a frame, or a frame that cannot be encoded."""


class Cell(NamedTuple):
    """The contents of a cell; all zero if it is empty."""

    x: int
    y: int
    humans: int = 0
    vampires: int = 0
    werewolves: int = 0

    @classmethod
    def holding(cls, x: int, y: int, species: str = "h", count: int = 0) -> Self:
        """Return the cell with `count` units of a species, `h`, `v` or `w`.

        >>> Cell.holding(4, 3, "v", 2)
        Cell(x=4, y=3, humans=0, vampires=2, werewolves=0)
        """
        at = "hvw".index(species)
        return cls(x, y, *(count if at == other else 0 for other in range(3)))

    @property
    def held(self) -> tuple[str, int] | None:
        """The species in the cell and its count; None if it is empty. WireError if it holds two species.

        >>> Cell(4, 3, 0, 2, 0).held, Cell(4, 3).held
        (('v', 2), None)
        """
        held = [(species, count) for species, count in zip("hvw", self[2:], strict=True) if count]
        if len(held) > 1:
            raise WireError(f"the cell ({self.x}, {self.y}) holds two species: {tuple(self[2:])}")
        return held[0] if held else None


@dataclass(frozen=True)
class Frame(ABC):
    """A complete message. Equal frames have equal bytes."""

    word: ClassVar[bytes]
    #: The number of bytes after the word; for a list, the bytes per entry, after one byte with the number of entries.
    size: ClassVar[int] = 0
    is_list: ClassVar[bool] = False

    @abstractmethod
    def entries(self) -> Sequence[Sequence[int]]:
        """Return the numbers after the word: a list's entries, or one entry with all numbers."""

    @classmethod
    @abstractmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with these numbers."""

    def encode(self) -> bytes:
        """Return the frame's bytes; WireError if a number or the number of entries does not fit into a byte.

        >>> Upd((Cell(5, 3, 0, 4, 0),)).encode().hex(" ")
        '55 50 44 01 05 03 00 04 00'
        """
        entries = self.entries()
        name = self.word.decode()
        for entry in entries:
            if bad := [number for number in entry if not 0 <= number <= MAX_BYTE]:
                raise WireError(f"{name} cannot hold {bad[0]}: every number of the protocol is a byte, 0 to {MAX_BYTE}")
        if self.is_list and len(entries) > MAX_BYTE:
            raise WireError(f"{name} cannot hold {len(entries)} entries: the protocol allows at most {MAX_BYTE}")
        count = bytes([len(entries)]) if self.is_list else b""
        return self.word + count + b"".join(map(bytes, entries))

    @classmethod
    def length(cls, start: bytes | bytearray) -> int | None:
        """Return the length of a frame from its first bytes; None if more bytes are needed."""
        if not cls.is_list:
            return _WORD_BYTES + cls.size
        if len(start) <= _WORD_BYTES:
            return None
        return _WORD_BYTES + 1 + cls.size * start[_WORD_BYTES]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Decode the bytes of a complete frame, including the word."""
        body = data[_WORD_BYTES + cls.is_list :]
        if not cls.is_list:
            return cls.of([body])
        return cls.of([body[at : at + cls.size] for at in range(0, len(body), cls.size)])


@dataclass(frozen=True)
class Nme(Frame):
    """A client's name, its first frame."""

    name: bytes

    word, size, is_list = b"NME", 1, True

    @classmethod
    def called(cls, name: str) -> Self:
        """Return the frame of a name; WireError if it is not ASCII or too long."""
        if not name.isascii():
            raise WireError(f"the protocol's names are ASCII, and '{name}' is not")
        if len(name) > MAX_BYTE:
            raise WireError(f"the protocol's names have at most {MAX_BYTE} characters, and this one has {len(name)}")
        return cls(name.encode("ascii"))

    @property
    def text(self) -> str:
        """The name as shown in records and tables; see `printable`."""
        return printable(self.name)

    def entries(self) -> Sequence[Sequence[int]]:
        """Return the name's bytes."""
        return [(byte,) for byte in self.name]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with these bytes."""
        return cls(bytes(byte for (byte,) in entries))


@dataclass(frozen=True)
class Mov(Frame):
    """A client's turn. A turn without orders, which some rules forbid, is a frame of four bytes."""

    orders: tuple[Order, ...] = ()

    word, size, is_list = b"MOV", 5, True

    @classmethod
    def giving(cls, orders: Iterable[tuple[int, int, int, int, int]]) -> Self:
        """Return the turn with these orders: (x, y, units, target x, target y)."""
        return cls(tuple(Order(*order) for order in orders))

    def entries(self) -> Sequence[Sequence[int]]:
        """Return the orders."""
        return self.orders

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the turn with these orders."""
        return cls(tuple(Order(*entry) for entry in entries))


@dataclass(frozen=True)
class Set(Frame):
    """The size of the grid: rows first, unlike every pair of coordinates."""

    rows: int
    columns: int

    word, size = b"SET", 2

    def entries(self) -> Sequence[Sequence[int]]:
        """Return both sizes."""
        return [(self.rows, self.columns)]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with these sizes."""
        return cls(*entries[0])


@dataclass(frozen=True)
class Hum(Frame):
    """Where the houses of humans are at the start, as (x, y)."""

    houses: tuple[tuple[int, int], ...] = ()

    word, size, is_list = b"HUM", 2, True

    def entries(self) -> Sequence[Sequence[int]]:
        """Return the houses."""
        return self.houses

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with houses at these places."""
        return cls(tuple((x, y) for x, y in entries))


@dataclass(frozen=True)
class Hme(Frame):
    """The start cell of the receiving player's units."""

    x: int
    y: int

    word, size = b"HME", 2

    def entries(self) -> Sequence[Sequence[int]]:
        """Return the place."""
        return [(self.x, self.y)]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with this place."""
        return cls(*entries[0])


@dataclass(frozen=True)
class _Cells(Frame):
    cells: tuple[Cell, ...] = ()

    size, is_list = 5, True

    def entries(self) -> Sequence[Sequence[int]]:
        """Return the cells in order."""
        return self.cells

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame with these cells."""
        return cls(tuple(Cell(*entry) for entry in entries))


class Map(_Cells):
    """All cells that are not empty."""

    word = b"MAP"


class Upd(_Cells):
    """The contents of the cells that the last two turns touched; also asks for a move."""

    word = b"UPD"


@dataclass(frozen=True)
class _Bare(Frame):
    def entries(self) -> Sequence[Sequence[int]]:
        """Return no entries."""
        return ()

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """Return the frame, which is only a word."""
        return cls()


class End(_Bare):
    """The game is over."""

    word = b"END"


class Bye(_Bare):
    """The server is about to close the connection."""

    word = b"BYE"


FROM_CLIENT: tuple[type[Frame], ...] = (Nme, Mov)
FROM_SERVER: tuple[type[Frame], ...] = (Set, Hum, Hme, Map, Upd, End, Bye)


class Parser:
    """Splits a stream of bytes into frames, however the network fragments it.

    >>> parser = Parser(FROM_CLIENT)
    >>> parser.feed(b"NME\\x02me")
    >>> parser.feed(b"MOV")
    >>> parser.next_frame(), parser.next_frame()
    (Nme(name=b'me'), None)
    """

    def __init__(self, frames: Sequence[type[Frame]]) -> None:
        self._buffer = bytearray()
        self.expect(frames)

    def expect(self, frames: Sequence[type[Frame]]) -> None:
        """Accept only these frames from now on, also in bytes that are already buffered."""
        self._frames = {frame.word: frame for frame in frames}

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._buffer += data

    @property
    def pending(self) -> int:
        """The number of bytes that are not yet part of a returned frame."""
        return len(self._buffer)

    def clear(self) -> int:
        """Discard the pending bytes and return their number."""
        pending = len(self._buffer)
        self._buffer.clear()
        return pending

    def next_frame(self) -> Frame | None:
        """Return the next complete frame; None if more bytes are needed. WireError as soon as a word is wrong."""
        start = bytes(self._buffer[:_WORD_BYTES])
        if not any(word.startswith(start) for word in self._frames):
            words = ", ".join(word.decode() for word in self._frames)
            raise WireError(f"'{printable(start)}' does not begin a frame that is allowed here: {words}")
        frame = self._frames.get(start)
        if frame is None:
            return None
        length = frame.length(self._buffer)
        if length is None or len(self._buffer) < length:
            return None
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return frame.decode(data)


def printable(name: bytes) -> str:
    """Return a client's name as one line of ASCII: other bytes are escaped, blanks merged, long names cut.

    >>> printable(b"\\x1b[31mevil\\n"), printable("Zoé".encode()), printable(b"")
    ('\\\\x1b[31mevil\\\\x0a', 'Zo\\\\xc3\\\\xa9', 'nameless')
    """
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in name)
    text = " ".join(text.split()) or "nameless"
    return text if len(text) <= MAX_SHOWN_NAME else f"{text[: MAX_SHOWN_NAME - 3]}..."
