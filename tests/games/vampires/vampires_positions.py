"""Random positions and turns of Vampires vs Werewolves, legal and not, to compare the core with slow rules."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from typed import New
from vampires_oracle import PROFILES, Board, Cell, Order, Profile, SlowVampires

from joute.errors import NotationError
from joute.games.vampires.state import Vampires

new = New(Vampires)

#: Rows and columns, from the smallest published map to the largest, and the thinnest boards there are.
SIZES = ((3, 3), (5, 6), (7, 5), (5, 10), (8, 8), (11, 11), (15, 10), (15, 29), (1, 7), (6, 1), (2, 2))


def spec(profile: Profile, plies: int = 0) -> str:
    return f"vampires:rules={profile.name}" + (f",plies={plies}" if plies else "")


def core_of(slow: SlowVampires) -> Vampires:
    """The same position in the core."""
    return new(spec(slow.profile, slow.plies), slow.position)


def neighbours(cell: Cell, rows: int, columns: int) -> list[Cell]:
    x, y = cell
    around = ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    return [(to_x, to_y) for to_x, to_y in around if 0 <= to_x < columns and 0 <= to_y < rows]


def random_position(rng: Random, profile: Profile, *, size: tuple[int, int] | None = None) -> SlowVampires:
    """A position that may be crowded, have large groups, be over, or be at its last ply."""
    rows, columns = size or rng.choice(SIZES)
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    density = rng.choice((0.05, 0.3, 0.6, 1.0))
    most = rng.choice((3, 12, 12, 60, 255))
    weights = rng.choice(((1, 1, 1), (3, 1, 1), (1, 1, 6)))
    occupied = rng.sample(cells, max(2, min(255, round(density * len(cells)))))
    board: Board = {cell: (rng.choices("vwh", weights)[0], rng.randint(1, most)) for cell in occupied}
    if rng.random() < 0.97:  # else a species may be missing
        board[occupied[0]] = ("v", rng.randint(1, most))
        board[occupied[1]] = ("w", rng.randint(1, most))
    ply = rng.choice((0, 1, rng.randrange(profile.plies - 1), profile.plies - 1, profile.plies))
    return SlowVampires(rows, columns, board, ply, profile)


def random_turn(rng: Random, slow: SlowVampires) -> list[Order]:
    """A turn that obeys rules 1 to 6, but may send more than a byte's units somewhere; nothing where nobody is left."""
    own = [cell for cell, (species, _) in slow.board.items() if species == slow.mover]
    if not own:
        return []
    most = min(len(own), rng.choice((1, 2, 4, 60)))
    sources = set(rng.sample(own, rng.randint(1, most)))
    orders: list[Order] = []
    for x, y in sources:
        targets = [cell for cell in neighbours((x, y), slow.rows, slow.columns) if cell not in sources]
        rng.shuffle(targets)
        left = slow.board[x, y][1]
        for to_x, to_y in targets[: rng.choice((1, 1, 2, 3, 8))]:
            count = rng.choice((left, max(1, left // 2), rng.randint(1, left))) if left else 0
            left -= count
            if count:
                orders.append((x, y, count, to_x, to_y))
    rng.shuffle(orders)
    return orders


def spoilt(rng: Random, slow: SlowVampires, orders: list[Order]) -> list[Order]:
    """A turn with something changed, which mostly breaks a rule."""
    if not orders:
        return orders
    orders = list(orders)
    at = rng.randrange(len(orders))
    x, y, count, to_x, to_y = orders[at]
    match rng.randrange(9):
        case 0:
            return []
        case 1:
            orders[at] = (x, y, 0, to_x, to_y)
        case 2:
            orders[at] = (x, y, min(255, slow.board.get((x, y), ("", 0))[1] + rng.randint(0, 2)), to_x, to_y)
        case 3:
            orders[at] = (x, y, count, x + rng.randint(-2, 2), y + rng.randint(-2, 2))
        case 4:
            other = rng.choice(list(slow.board))
            orders[at] = (*other, count, *rng.choice(neighbours(other, slow.rows, slow.columns)))
        case 5:
            orders.append((to_x, to_y, 1, x, y))
        case 6:
            # Into a cell that others leave.
            back = rng.choice(neighbours((x, y), slow.rows, slow.columns))
            orders.append((*back, 1, x, y))
        case 7:
            orders.append(orders[at])
        case _:
            orders[at] = (to_x, to_y, count, x, y)
    return orders


def is_legal_in_core(state: Vampires, orders: list[Order]) -> bool:
    try:
        return bool(state.is_legal(state.turn(orders)))
    except NotationError:
        return False


def every_end(state: Vampires) -> Iterator[tuple[Vampires, float]]:
    """The positions after all that is pending, and how probably each is reached, one way."""
    if not state.is_chance:
        yield state, 1.0
        return
    for index, probability in enumerate(state.outcomes):
        if probability > 0:
            yield from ((end, probability * rest) for end, rest in every_end(state.resolve(index)))


ALL = tuple(PROFILES.values())
