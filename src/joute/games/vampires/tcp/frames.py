"""Convert between a game of Vampires vs Werewolves and the frames of its protocol: a server's messages, and MOV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from joute._core import VampiresMove
from joute.errors import IllegalMoveError, NotationError
from joute.games import State
from joute.games.vampires.state import Vampires
from joute.games.vampires.tcp.wire import Bye, Cell, End, Frame, Hme, Hum, Map, Mov, Set, Upd

Place = tuple[int, int]

_ORDER = re.compile(r"(\d+)\.(\d+)-(\d+)\.(\d+)")


def is_twilight(state: State) -> bool:
    """Whether a game has the rules of the students' servers."""
    return "rules=twilight" in state.rules


def greeting(
    start: Vampires, player: int, *, houses: Sequence[Place] | None = None, now: Vampires | None = None
) -> list[Frame]:
    """Return the frames sent to a player before the game: SET, HUM, HME and MAP; MAP shows `now` if given.

    The official server lists the cells of MAP row by row; the students' servers list humans, vampires, then werewolves.
    Houses are in the order of the map's file if it is known, else column by column, as in the only known transcript.
    """
    cells = list((now or start).cells)
    if is_twilight(start):
        cells.sort(key=lambda cell: "hvw".index(cell[2]))  # stable: row by row within a species
    own = start.species(player)
    home = next(((x, y) for x, y, species, _ in start.cells if species == own), (0, 0))
    if houses is None:
        houses = sorted((x, y) for x, y, species, _ in start.cells if species == "h")
    told = tuple(Cell.holding(*cell) for cell in cells)
    return [Set(start.rows, start.columns), Hum(tuple(houses)), Hme(*home), Map(told)]


def goodbye(start: State) -> bytes:
    """Return the last bytes of a connection; the twilight servers never send END."""
    return Bye().encode() if is_twilight(start) else End().encode() + Bye().encode()


def update(state: Vampires, places: Iterable[Place]) -> Upd:
    """Return an UPD with the current contents of these cells, each once."""
    held = {(x, y): Cell.holding(x, y, species, count) for x, y, species, count in state.cells}
    return Upd(tuple(held.get(place, Cell(*place)) for place in dict.fromkeys(places)))


def touched(move: str) -> list[Place]:
    """Return the cells that a turn touches: the target, then the source of each order, as the server lists them.

    >>> touched("4.3-5.3x2+4.3-3.2x2"), touched("pass"), touched("#3")
    ([(5, 3), (4, 3), (3, 2)], [], [])
    """
    found = [(int(tx), int(ty), int(x), int(y)) for x, y, tx, ty in _ORDER.findall(move)]
    return list(dict.fromkeys(place for tx, ty, x, y in found for place in ((tx, ty), (x, y))))


def turn_of(state: Vampires, mov: Mov) -> VampiresMove:
    """Convert a MOV to a turn. The rules check its legality when it is played.

    IllegalMoveError if no turn can have these orders. The students' servers execute the orders in sequence up to the
    first illegal one, and ignore the rest.
    """
    if is_twilight(state):
        return _longest_legal(state, mov.orders)
    try:
        return state.turn(mov.orders)
    except NotationError as error:
        raise IllegalMoveError(str(error)) from error


def _longest_legal(state: Vampires, orders: Sequence[tuple[int, int, int, int, int]]) -> VampiresMove:
    legal = state.turn([])
    for count in range(1, len(orders) + 1):
        try:
            turn = state.turn(orders[:count])
        except NotationError:
            break
        if not state.is_legal(turn):
            break
        legal = turn
    return legal
