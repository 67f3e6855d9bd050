"""How a move that has parts, such as orders to several groups, is composed on the page before it is sent.

A room names its builder, a function of a position and the parts so far. It returns a `Draft`: the parts with their
amounts, the parts that can be added, what the move would do, and the move itself once it is legal. So the page needs no
code of a game. A game without a builder has moves of one or two clicks (scene.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from joute.games.scene import Area, Target
from joute.plugins import Registry


@dataclass(frozen=True)
class Part:
    """A part of a move: its text, and how much of something it takes, from `low` to `high`."""

    text: str
    #: In a few words: ``group 4.3 to 5.3``.
    label: str
    amount: int = 1
    low: int = 1
    high: int = 1
    begins: Area | None = None
    ends: Area | None = None


@dataclass(frozen=True)
class Draft:
    """A move that is being composed."""

    parts: tuple[Part, ...]
    #: The parts that can be added. `Target.move` is the text of the part.
    targets: tuple[Target, ...]
    #: The move, if the parts make a legal one; else empty.
    move: str = ""
    #: What the move does, one sentence each.
    lines: tuple[str, ...] = ()
    #: Why the parts make no legal move; empty if they do, or if there are none.
    problem: str = ""
    #: What to do first, while there are no parts.
    prompt: str = ""


#: Returns the draft of parts, each a text and an amount; None stands for the usual amount. Impossible parts are
#: left out.
Builder: TypeAlias = Callable[[Any, Sequence[tuple[str, int | None]]], Draft]


def _checked(name: str, entry: object) -> Builder:
    if not callable(entry):
        raise TypeError(f"{entry!r} is no function")
    return entry


_builders: Registry[Builder] = Registry("builder of moves", "joute.builders", _checked)


def find_builder(game: str) -> Builder | None:
    """The builder of a game, by its name; None if its moves need none."""
    return _builders.find(game) if game in _builders.names() else None
