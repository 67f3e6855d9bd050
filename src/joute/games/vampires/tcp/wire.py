"""The bytes of Vampires vs Werewolves over TCP: frames, their encoding, a parser for each direction. No socket here.

A frame is three ASCII letters, then unsigned bytes: no length, no terminator, no number above 255. Who says what
when is told in docs/vampires_protocol.md.

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

#: The largest number, and the most entries of a list, that a frame can tell.
MAX_BYTE = 255
#: The longest frame there is: a MAP, an UPD or a MOV of 255 entries.
MAX_FRAME_BYTES = 4 + 5 * MAX_BYTE
#: How many characters of a stranger's name are shown.
MAX_SHOWN_NAME = 40

_WORD_BYTES = 3


class WireError(JouteError):
    """Bytes that are no frame, or a frame that bytes cannot express."""


class Cell(NamedTuple):
    """What a cell holds: all zero where it is empty."""

    x: int
    y: int
    humans: int = 0
    vampires: int = 0
    werewolves: int = 0

    @classmethod
    def holding(cls, x: int, y: int, species: str = "h", count: int = 0) -> Self:
        """The cell with so many of a species, `h`, `v` or `w`.

        >>> Cell.holding(4, 3, "v", 2)
        Cell(x=4, y=3, humans=0, vampires=2, werewolves=0)
        """
        at = "hvw".index(species)
        return cls(x, y, *(count if at == other else 0 for other in range(3)))

    @property
    def held(self) -> tuple[str, int] | None:
        """The species in the cell and its count; None where it is empty. Refused: two species in one cell.

        >>> Cell(4, 3, 0, 2, 0).held, Cell(4, 3).held
        (('v', 2), None)
        """
        held = [(species, count) for species, count in zip("hvw", self[2:], strict=True) if count]
        if len(held) > 1:
            raise WireError(f"the cell ({self.x}, {self.y}) holds two species: {tuple(self[2:])}")
        return held[0] if held else None


class Order(NamedTuple):
    """Units to move, as MOV tells it."""

    x: int
    y: int
    units: int
    target_x: int
    target_y: int


@dataclass(frozen=True)
class Frame(ABC):
    """A whole message. Equal frames have equal bytes."""

    word: ClassVar[bytes]
    #: How many bytes follow the word; of a list, how many make an entry, after one byte that counts them.
    size: ClassVar[int] = 0
    is_list: ClassVar[bool] = False

    @abstractmethod
    def entries(self) -> Sequence[Sequence[int]]:
        """The numbers after the word: a list's entries, or one entry for all."""

    @classmethod
    @abstractmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The frame with such numbers."""

    def encode(self) -> bytes:
        """The frame's bytes. Refused: what the wire cannot express.

        >>> Upd((Cell(5, 3, 0, 4, 0),)).encode().hex(" ")
        '55 50 44 01 05 03 00 04 00'
        """
        entries = self.entries()
        name = self.word.decode()
        for entry in entries:
            if bad := [number for number in entry if not 0 <= number <= MAX_BYTE]:
                raise WireError(f"{name} cannot tell {bad[0]}: every number of the protocol is a byte, 0 to {MAX_BYTE}")
        if self.is_list and len(entries) > MAX_BYTE:
            raise WireError(f"{name} cannot tell {len(entries)} entries: the protocol counts to {MAX_BYTE}")
        count = bytes([len(entries)]) if self.is_list else b""
        return self.word + count + b"".join(map(bytes, entries))

    @classmethod
    def length(cls, start: bytes | bytearray) -> int | None:
        """How long a frame is that begins so; None where that is not told yet."""
        if not cls.is_list:
            return _WORD_BYTES + cls.size
        if len(start) <= _WORD_BYTES:
            return None
        return _WORD_BYTES + 1 + cls.size * start[_WORD_BYTES]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The frame of a whole number of bytes, the word included."""
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
        """The frame of a name. Refused: one that is not ASCII, or too long."""
        if not name.isascii():
            raise WireError(f"the protocol's names are ASCII, and '{name}' is not")
        if len(name) > MAX_BYTE:
            raise WireError(f"the protocol's names have at most {MAX_BYTE} characters, and this one has {len(name)}")
        return cls(name.encode("ascii"))

    @property
    def text(self) -> str:
        """The name as records and tables may show it; see `printable`."""
        return printable(self.name)

    def entries(self) -> Sequence[Sequence[int]]:
        """The name's bytes."""
        return [(byte,) for byte in self.name]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The name with such bytes."""
        return cls(bytes(byte for (byte,) in entries))


@dataclass(frozen=True)
class Mov(Frame):
    """A client's turn. Without orders it is a frame of four bytes, whatever the rules think of that."""

    orders: tuple[Order, ...] = ()

    word, size, is_list = b"MOV", 5, True

    @classmethod
    def giving(cls, orders: Iterable[tuple[int, int, int, int, int]]) -> Self:
        """The turn of such orders: (x, y, units, target x, target y)."""
        return cls(tuple(Order(*order) for order in orders))

    def entries(self) -> Sequence[Sequence[int]]:
        """The orders, as they were given."""
        return self.orders

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The turn of such orders."""
        return cls(tuple(Order(*entry) for entry in entries))


@dataclass(frozen=True)
class Set(Frame):
    """The size of the grid: rows first, unlike every pair of coordinates."""

    rows: int
    columns: int

    word, size = b"SET", 2

    def entries(self) -> Sequence[Sequence[int]]:
        """Both sizes."""
        return [(self.rows, self.columns)]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The grid of such sizes."""
        return cls(*entries[0])


@dataclass(frozen=True)
class Hum(Frame):
    """Where the houses of humans are at the start, as (x, y)."""

    houses: tuple[tuple[int, int], ...] = ()

    word, size, is_list = b"HUM", 2, True

    def entries(self) -> Sequence[Sequence[int]]:
        """The houses."""
        return self.houses

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The houses at such places."""
        return cls(tuple((x, y) for x, y in entries))


@dataclass(frozen=True)
class Hme(Frame):
    """Where the units of the one who is told stand at the start."""

    x: int
    y: int

    word, size = b"HME", 2

    def entries(self) -> Sequence[Sequence[int]]:
        """The place."""
        return [(self.x, self.y)]

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The start at such a place."""
        return cls(*entries[0])


@dataclass(frozen=True)
class _Cells(Frame):
    cells: tuple[Cell, ...] = ()

    size, is_list = 5, True

    def entries(self) -> Sequence[Sequence[int]]:
        """The cells, in the order in which they are told."""
        return self.cells

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The frame of such cells."""
        return cls(tuple(Cell(*entry) for entry in entries))


class Map(_Cells):
    """Every cell that is not empty."""

    word = b"MAP"


class Upd(_Cells):
    """What the cells touched by the two last turns hold now, and the permission to play."""

    word = b"UPD"


@dataclass(frozen=True)
class _Bare(Frame):
    def entries(self) -> Sequence[Sequence[int]]:
        """Nothing."""
        return ()

    @classmethod
    def of(cls, entries: Sequence[Sequence[int]]) -> Self:
        """The word alone."""
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
    """Makes frames of a stream of bytes, however the network has cut it.

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
        """Take these frames for right from now on, also in the bytes that have come already."""
        self._frames = {frame.word: frame for frame in frames}

    def feed(self, data: bytes) -> None:
        """Take the bytes that have come."""
        self._buffer += data

    @property
    def pending(self) -> int:
        """How many bytes are not yet part of a frame that was handed out."""
        return len(self._buffer)

    def clear(self) -> int:
        """Forget the bytes that are pending, and return how many they were."""
        pending = len(self._buffer)
        self._buffer.clear()
        return pending

    def next_frame(self) -> Frame | None:
        """The next whole frame; None until more bytes have come. Refused, as early as it shows: a wrong word."""
        start = bytes(self._buffer[:_WORD_BYTES])
        if not any(word.startswith(start) for word in self._frames):
            words = ", ".join(word.decode() for word in self._frames)
            raise WireError(f"'{printable(start)}' begins no word that may be said here: {words}")
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
    """A stranger's name as one line of plain ASCII: other bytes are escaped, blanks joined, and what is long is cut.

    >>> printable(b"\\x1b[31mevil\\n"), printable("Zoé".encode()), printable(b"")
    ('\\\\x1b[31mevil\\\\x0a', 'Zo\\\\xc3\\\\xa9', 'nameless')
    """
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in name)
    text = " ".join(text.split()) or "nameless"
    return text if len(text) <= MAX_SHOWN_NAME else f"{text[: MAX_SHOWN_NAME - 3]}..."
