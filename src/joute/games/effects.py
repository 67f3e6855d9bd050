"""What a move does, in the words of its game: the reasons of hints.

A room has a function ``effects(state, move)``, which compares the position before a legal move with the position after
it. Each effect is a fact about these two positions and holds whoever the opponent is and whatever follows. A game
without such a function has no effects, and its hints tell what holds in every game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from joute.errors import SpecError
from joute.plugins import Registry


@dataclass(frozen=True)
class Effect:
    """One thing that a move does. In the texts, ``{my}`` and ``{their}`` stand for the players' possessives.

    >>> effect = Effect("lengthens {their} way by 3", "lengthening {their} way by 3", kind="their way", size=3)
    >>> effect.told(), effect.told(by_opponent=True)
    ('lengthens their way by 3', 'lengthens your way by 3')
    """

    #: With a verb in the singular, and without a subject: ``completes a Divercité at e4``.
    does: str
    #: The same with a participle, after "stops black from": ``completing a Divercité at e4``.
    doing: str
    #: Equal for the same effect of two moves: ``divercité e4``.
    kind: str
    #: Of two effects of a kind, the larger includes the smaller.
    size: int = 1
    #: The place that it is about, if there is one: ``e4``.
    place: str = ""
    #: Whether it is worth stopping.
    is_threat: bool = False
    #: Whether it stops something that the opponent could have done.
    is_guard: bool = False

    def told(self, *, by_opponent: bool = False) -> str:
        """The words of the effect for a reader who makes the move, or whose opponent makes it."""
        return _addressed(self.does, by_opponent=by_opponent)

    def told_as_threat(self) -> str:
        """The words after "stops black from", for a reader whose opponent makes the move."""
        return _addressed(self.doing, by_opponent=True)

    def includes(self, other: Effect) -> bool:
        """Whether this effect is of the same kind as another one and at least as large."""
        return self.kind == other.kind and self.size >= other.size


#: The effects of a legal move, given as an object, most important first.
Effects: TypeAlias = Callable[[Any, Any], Sequence[Effect]]


def _checked(name: str, entry: object) -> Effects:
    if not callable(entry):
        raise TypeError(f"{entry!r} is no function of a position and a move")
    return entry


_effects: Registry[Effects] = Registry("effects", "joute.effects", _checked)


def find_effects(game: str) -> Effects:
    """The function that tells the effects of a game's moves, given as objects or as texts.

    A game whose room has none, or one that does not load, has no effects: hints do without.
    """
    if game not in _effects.names():
        return lambda state, move: ()
    try:
        found = _effects.find(game)
    except SpecError:
        return lambda state, move: ()
    return lambda state, move: found(state, state.legal_move(move))


def register_effects(game: str, effects: Effects) -> None:
    """Add the effects of a game's moves in this process."""
    _effects.register(game, _checked(game, effects))


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a1"]), listed(["a1", "b2", "c3"])
    ('a1', 'a1, b2 and c3')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _addressed(words: str, *, by_opponent: bool) -> str:
    mine, theirs = ("their", "your") if by_opponent else ("your", "their")
    return words.replace("{my}", mine).replace("{their}", theirs)
