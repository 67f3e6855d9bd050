"""Turns of Vampires vs Werewolves on the page: orders to several groups, splits, and the odds of each battle."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from joute import _core
from joute.errors import JouteError
from joute.games.builder import Draft, Part
from joute.games.scene import Area, Target
from joute.games.vampires.effects import effects
from joute.games.vampires.state import SPECIES, Vampires

# A coordinate is at most 255.
_ORDER = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})-([0-9]{1,3})\.([0-9]{1,3})")

Cell = tuple[int, int]


def build(state: Vampires, parts: Sequence[tuple[str, int | None]]) -> Draft:
    """Return the draft of a turn; a part is an order without its units, such as ``4.3-5.3``."""
    units = {(cell.x, cell.y): cell.units for cell in state.groups[state.to_move]}
    places = _places(state)
    orders = _orders(units, parts)
    sent: Counter[Cell] = Counter()
    for (source, _), count in orders.items():
        sent[source] += count
    shown = tuple(
        Part(
            _text(source, target),
            f"{_text(source, target).replace('-', ' to ')}",
            count,
            1,
            count + units[source] - sent[source],
            places.get(source),
            places.get(target),
        )
        for (source, target), count in orders.items()
    )
    move, lines, problem = _judged(state, orders) if orders else ("", (), "")
    targets = tuple(_targets(state, orders, units, places))
    species = SPECIES[state.species(state.to_move)]
    return Draft(shown, targets, move, lines, problem, f"click a group of your {species}, then a cell beside it")


def _judged(state: Vampires, orders: dict[tuple[Cell, Cell], int]) -> tuple[str, tuple[str, ...], str]:
    """The move of some orders and what it does, or why it is illegal."""
    try:
        turn = _turn(state, orders)
        return str(turn), tuple(effect.told() for effect in effects(state, turn)), ""
    except JouteError as error:
        return "", (), str(error)


def _turn(state: Vampires, orders: dict[tuple[Cell, Cell], int]) -> _core.VampiresMove:
    """The turn of some orders; JouteError if it is illegal."""
    turn = state.turn([(*source, count, *target) for (source, target), count in orders.items()])
    legal: _core.VampiresMove = state.legal_move(turn)
    return legal


def _orders(units: dict[Cell, int], parts: Sequence[tuple[str, int | None]]) -> dict[tuple[Cell, Cell], int]:
    """The units of each order. A new order takes what is left of its group, else half of its largest order."""
    orders: dict[tuple[Cell, Cell], int] = {}
    for text, amount in parts:
        found = _ORDER.fullmatch(text)
        if found is None:
            continue
        x, y, target_x, target_y = map(int, found.groups())
        source, target = (x, y), (target_x, target_y)
        if source not in units or (source, target) in orders:
            continue
        mine = {key: count for key, count in orders.items() if key[0] == source}
        left = units[source] - sum(mine.values())
        if left == 0 and amount is None:
            largest = max(mine, key=mine.__getitem__)
            left = mine[largest] // 2
            orders[largest] -= left
        count = left if amount is None else min(amount, left)
        if count > 0:
            orders[source, target] = count
    return orders


def _targets(
    state: Vampires, orders: dict[tuple[Cell, Cell], int], units: dict[Cell, int], places: dict[Cell, Area]
) -> Iterator[Target]:
    """The orders that can be added: they leave the turn legal, or may do so once units are changed."""
    sources, aims = {source for source, _ in orders}, {target for _, target in orders}
    for source, count in units.items():
        alone = count == 1 and source in sources
        if source in aims or alone or source not in places:
            continue
        for target in _beside(source, places):
            if (source, target) in orders or target in sources:
                continue
            if source not in sources and not _is_legal(state, {**orders, (source, target): count}):
                continue
            area = places[target]
            label = f"{count} to {target[0]}.{target[1]}"
            yield Target(
                *area, _text(source, target), places[source], label, f"group of {count} on {source[0]}.{source[1]}"
            )


def _is_legal(state: Vampires, orders: dict[tuple[Cell, Cell], int]) -> bool:
    try:
        _turn(state, orders)
    except JouteError:
        return False
    return True


def _beside(cell: Cell, places: dict[Cell, Area]) -> Iterator[Cell]:
    x, y = cell
    yield from ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx or dy) and (x + dx, y + dy) in places)


def _places(state: Vampires) -> dict[Cell, Area]:
    """The areas of own groups and the cells beside them, as the drawing has them."""
    found: dict[Cell, Area] = {}
    for target in state.scene().targets:
        order = _ORDER.match(target.move)
        assert order is not None
        assert target.source is not None
        x, y, target_x, target_y = map(int, order.groups())
        found[x, y] = target.source
        found[target_x, target_y] = Area(target.x, target.y, target.width, target.height)
    return found


def _text(source: Cell, target: Cell) -> str:
    return f"{source[0]}.{source[1]}-{target[0]}.{target[1]}"
