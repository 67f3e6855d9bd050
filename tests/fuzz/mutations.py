"""Mutations of an input: bytes, words, numbers, and pieces of other inputs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

#: Inputs are not made longer than this.
LONGEST = 1 << 16

#: Texts that have broken parsers before: ends of strings and lines, numbers at the edges of types or beyond,
#: characters of several bytes, terminal escapes, marks of writing direction, deep nesting.
HOSTILE = (
    b"\0", b"\n", b"\r\n", b"\t", b"\x7f", b"\x1b[2J", b"\xff", b"\xc3", b"\xed\xa0\x80", "€".encode(),
    "\u202e".encode(), "\u2028".encode(), "\ufeff".encode(),
    "😀".encode(), "٣".encode(), "ı".encode(), b"-1", b"0", b"1", b"255", b"256",
    b"65536", b"2147483647", b"2147483648", b"4294967296", b"-9223372036854775808", b"9223372036854775807",
    b"9223372036854775808", b"18446744073709551616", b"1e308", b"1e999", b"-0.0", b"nan", b"inf", b"1_000", b"0x10",
    b"1.5", b"9" * 400, b"9" * 5000, b"[" * 300, b"{" * 300, b"(" * 300, b"[" * 6000, b"<a>" * 300, b"a" * 5000,
    b"'", b'"', b"\\", b"/", b":", b"=", b",", b"#", b"..", b"%s", b"{}", b"", b" " * 50,
)  # fmt: skip

_WORD = re.compile(rb"[A-Za-z_]+|\d+|[^\w\s]+")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


class Mutator:
    """Makes inputs from seeds. The same generator and seeds give the same inputs."""

    def __init__(self, rng: random.Random, seeds: Sequence[bytes], words: Sequence[str] = ()) -> None:
        self._rng = rng
        self._seeds = seeds or [b""]
        found = {word for seed in self._seeds for word in _WORD.findall(seed[:LONGEST])}
        self._words = sorted(found | {word.encode() for word in words})[:2000] or [b"a"]
        self._steps: tuple[Callable[[bytes], bytes], ...] = (
            self._flip, self._flip, self._set, self._insert, self._delete, self._repeat, self._splice, self._swap_words,
            self._swap_words, self._number, self._number, self._hostile, self._truncate, self._move,
        )  # fmt: skip

    def draw(self) -> bytes:
        """A new input."""
        data = self._rng.choice(self._seeds)
        for _ in range(self._rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            data = self._rng.choice(self._steps)(data)[: max(LONGEST, len(data))]
        return data

    def _cut(self, data: bytes, longest: int = 64) -> tuple[int, int]:
        begin = self._rng.randrange(len(data) + 1)
        return begin, min(len(data), begin + self._rng.randrange(1, longest))

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return b"\0"
        place = self._rng.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << self._rng.randrange(8)]) + data[place + 1 :]

    def _set(self, data: bytes) -> bytes:
        place = self._rng.randrange(len(data) + 1)
        return data[:place] + self._rng.choice((b"\0", b"\xff", b"\x80", self._rng.randbytes(1))) + data[place + 1 :]

    def _insert(self, data: bytes) -> bytes:
        place = self._rng.randrange(len(data) + 1)
        return data[:place] + self._rng.choice(self._words) + data[place:]

    def _hostile(self, data: bytes) -> bytes:
        begin, end = self._cut(data)
        return data[:begin] + self._rng.choice(HOSTILE) + data[self._rng.choice((begin, end)) :]

    def _delete(self, data: bytes) -> bytes:
        begin, end = self._cut(data)
        return data[:begin] + data[end:]

    def _repeat(self, data: bytes) -> bytes:
        begin, end = self._cut(data)
        return data[:end] + data[begin:end] * self._rng.choice((1, 1, 2, 10, 300)) + data[end:]

    def _splice(self, data: bytes) -> bytes:
        other = self._rng.choice(self._seeds)
        return data[: self._cut(data)[0]] + other[self._cut(other)[0] :]

    def _move(self, data: bytes) -> bytes:
        begin, end = self._cut(data)
        piece, rest = data[begin:end], data[:begin] + data[end:]
        place = self._rng.randrange(len(rest) + 1)
        return rest[:place] + piece + rest[place:]

    def _swap_words(self, data: bytes) -> bytes:
        return self._replace(data, _WORD, lambda _: self._rng.choice(self._words))

    def _number(self, data: bytes) -> bytes:
        numbers = [text for text in HOSTILE if _NUMBER.fullmatch(text)]
        return self._replace(data, _NUMBER, lambda _: self._rng.choice(numbers))

    def _replace(self, data: bytes, pattern: re.Pattern[bytes], change: Callable[[bytes], bytes]) -> bytes:
        found = list(pattern.finditer(data, 0, LONGEST))
        if not found:
            return self._insert(data)
        match = self._rng.choice(found)
        return data[: match.start()] + change(match[0]) + data[match.end() :]

    def _truncate(self, data: bytes) -> bytes:
        return data[: self._rng.randrange(len(data) + 1)]


def minimised(data: bytes, still_fails: Callable[[bytes], bool], tries: int) -> bytes:
    """A shorter input that fails in the same way: pieces are removed, from halves to single bytes."""
    size = max(1, len(data) // 2)
    while tries > 0 and data:
        removed = False
        for begin in range(0, len(data), size):
            if tries <= 0:
                break
            tries -= 1
            shorter = data[:begin] + data[begin + size :]
            if len(shorter) < len(data) and still_fails(shorter):
                data, removed = shorter, True
                break
        if not removed:
            if size == 1:
                break
            size = max(1, size // 2)
    return data
