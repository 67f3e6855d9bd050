"""Reads the wire format of protobuf, in which ONNX files are written, without building what the file describes.

A message is a list of fields; each has a number, and an integer or the bytes of a text, a list or another message:
https://protobuf.dev/programming-guides/encoding/. The reader copies nothing, and gives up after `MOST_FIELDS` fields,
so that a hostile file costs little more than its own size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

#: The most fields that are read of a file. A network of 100 blocks has about 20,000.
MOST_FIELDS = 200_000
#: The longest text that is read. The longest of Joute's own, the card of a training run, has 2 kB.
MOST_TEXT_BYTES = 100_000


class MalformedError(Exception):
    """Bytes that are not a valid message, or more fields than a network has."""


class Field(NamedTuple):
    """A field of a message: an integer `value`, or the bytes from `begin` to `end` of the file."""

    number: int
    begin: int
    end: int
    value: int


class Reader:
    """Reads the messages of one file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._left = MOST_FIELDS

    def whole(self) -> Iterator[Field]:
        """Yield the fields of the message that is the whole file."""
        return self._between(0, len(self.data))

    def inside(self, field: Field) -> Iterator[Field]:
        """Yield the fields of a message that a field holds."""
        return self._between(field.begin, field.end)

    def single(self, field: Field, number: int) -> Field | None:
        """Return the only field of that number in a message; None if there is none. Other parsers merge several."""
        found = [each for each in self.inside(field) if each.number == number]
        if len(found) > 1:
            raise MalformedError
        return found[0] if found else None

    def text(self, field: Field) -> str:
        """Return the text of a field."""
        if field.end - field.begin > MOST_TEXT_BYTES:
            raise MalformedError
        try:
            return self.data[field.begin : field.end].decode()
        except UnicodeDecodeError as error:
            raise MalformedError from error

    def integers(self, fields: Collection[Field]) -> list[int]:
        """Return a list of integers: one a field, or packed together in the bytes of a field."""
        values = []
        for field in fields:
            if field.begin == field.end:
                values.append(_signed(field.value))
            place = field.begin
            while place < field.end:
                value, place = self._number(place, field.end)
                values.append(_signed(value))
        return values

    def _between(self, begin: int, end: int) -> Iterator[Field]:
        place = begin
        while place < end:
            self._left -= 1
            if self._left < 0:
                raise MalformedError
            tag, place = self._number(place, end)
            if tag >> 32:  # other parsers drop these bits, and would see a different field
                raise MalformedError
            number, kind = tag >> 3, tag & 7
            if kind == 0:
                value, place = self._number(place, end)
                yield Field(number, place, place, value)
                continue
            if kind == 2:
                length, place = self._number(place, end)
            elif kind in (1, 5):
                length = 8 if kind == 1 else 4
            else:
                raise MalformedError
            if number == 0 or length > end - place:
                raise MalformedError
            yield Field(number, place, place + length, 0)
            place += length

    def _number(self, place: int, end: int) -> tuple[int, int]:
        """Read the varint (seven bits per byte) at an offset; return it and the offset after it."""
        value = 0
        for shift in range(0, 70, 7):
            if place >= end:
                break
            byte = self.data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, place
        raise MalformedError


def _signed(value: int) -> int:
    """Return the integer of 64 bits that a varint means."""
    value &= 2**64 - 1
    return value - 2**64 if value >= 2**63 else value
