"""A target of the fuzzer: a parser, and inputs from which mutations begin."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """A parser to feed with hostile input.

    `run` takes an input and a folder for its files. It may return, or raise a JouteError; everything else is a finding.
    """

    name: str
    run: Callable[[bytes, Path], object]
    #: Inputs that the parser accepts; more are in the folder corpus/NAME.
    seeds: Callable[[], Sequence[bytes]] = tuple
    #: Words of the format, for mutations that stay close to it.
    words: Sequence[str] = ()
    #: A mutation of its own, tried half of the time.
    mutate: Callable[[bytes, random.Random], bytes] | None = None


def text_of(data: bytes) -> str:
    """Bytes as Python decodes arguments of the command line: what is not UTF-8 becomes lone surrogates."""
    return data.decode(errors="surrogateescape")


def encoded(*texts: str) -> Callable[[], Sequence[bytes]]:
    """Seeds from texts."""
    return lambda: [text.encode(errors="surrogateescape") for text in texts]
