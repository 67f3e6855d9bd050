"""What a move of Divercité does: points of cities, Divercités completed, and Divercités that become impossible."""

from __future__ import annotations

from joute import _core
from joute.games.divercite.records import City
from joute.games.divercite.state import Divercite
from joute.games.effects import Effect, listed
from joute.numbers import count_of

_COLOURS = "RGBY"
_DIVERCITE = 5  # points
_DIVERCITE_COLOURS = len(_COLOURS)
# A Divercité is worth spoiling from this number of different colours on.
_LEAST_COLOURS = 2


def effects(state: Divercite, move: _core.DiverciteMove) -> list[Effect]:
    """Return the effects of a move."""
    player = state.to_move
    before = {(city.row, city.column): city for city in state.cities}
    after = state.play(move)
    found = []
    gain, gained = 0, []
    for city in after.cities:
        old = before.get((city.row, city.column))
        more = city.points - (old.points if old else 0)
        if city.owner == player and city.points == _DIVERCITE and more > 0:
            found.append(_completed(city))
        elif city.owner == player and more > 0:
            gain += more
            gained.append(_name(city))
        elif city.owner != player and old and _is_spoilt(state, old, after, city):
            found.append(_spoilt(city, sum(old.around)))
    if gain:
        words = f"{count_of(gain, 'point')} at {listed(gained)}"
        found.append(Effect(f"adds {words}", f"adding {words}", kind="points", size=gain))
    return found


def _is_spoilt(before: Divercite, old: City, after: Divercite, new: City) -> bool:
    """Whether a city could become a Divercité before a move, and neither is one nor can become one after it."""
    return _can_become(before, old) and new.points != _DIVERCITE and not _can_become(after, new)


def _completed(city: City) -> Effect:
    name = _name(city)
    words = f"a Divercité at {name}"
    return Effect(f"completes {words}", f"completing {words}", kind=f"divercité {name}", place=name, is_threat=True)


def _spoilt(city: City, colours: int) -> Effect:
    """The effect of a move after which a city can no longer become a Divercité."""
    name = _name(city)
    words = f"{{their}} Divercité at {name}, which has {colours} of four colours"
    return Effect(
        f"spoils {words}",
        f"spoiling {words}",
        kind=f"spoils {name}",
        place=name,
        is_threat=colours == _DIVERCITE_COLOURS - 1,
        is_guard=True,
    )


def _can_become(state: Divercite, city: City) -> bool:
    """Whether a city with some different colours around it can still get all four."""
    if city.points == _DIVERCITE or max(city.around) > 1 or sum(city.around) < _LEAST_COLOURS:
        return False
    hands = [state.hand(player) for player in (0, 1)]
    missing = [colour for colour, count in zip(_COLOURS, city.around, strict=True) if not count]
    return all(any(hand.get(f"{colour}R", 0) for hand in hands) for colour in missing)


def _name(city: City) -> str:
    return f"{'abcdefghi'[city.column]}{city.row + 1}"
