"""Vampires vs Werewolves as a beginner would write it, from the rules alone: what the core is compared with.

The board is a dictionary, a turn a list of orders, a battle a list of fractions. Nothing is packed and nothing is fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import NamedTuple

#: Column and row, from 0, from the upper left corner.
Cell = tuple[int, int]
#: Who stands on a cell, and how many.
Group = tuple[str, int]
#: Column and row of the source, how many, column and row of the target: as on the wire.
Order = tuple[int, int, int, int, int]
Board = dict[Cell, Group]
#: What may become of something, and how probably.
Chances = dict[Group | None, Fraction]

MOST_UNITS = 255
MOST_CELLS = 255
MOST_ORDERS = 255


@dataclass(frozen=True)
class Profile:
    """In what the servers differ."""

    name: str
    first: str = "v"
    plies: int = 200
    #: What a count beyond a byte becomes.
    wraps: bool = True
    #: With what probability a defender survives an attack that it repels, where attackers win with probability P.
    repelled_survive_with_p: bool = False
    #: Whether attackers of monsters die for nothing where there are half as many defenders more.
    hopeless_attacks_fail: bool = False
    equal_humans_fight: bool = False
    larger_attacks_are_even: bool = False
    may_pass: bool = False
    entering_a_source_destroys: bool = False
    both_extinct_wins_for: str | None = "w"


_TWILIGHT = Profile(
    "twilight-langorou",
    first="w",
    plies=102,
    may_pass=True,
    entering_a_source_destroys=True,
    both_extinct_wins_for=None,
)
PROFILES = {
    profile.name: profile
    for profile in (
        Profile("official"),
        Profile("official-2019", repelled_survive_with_p=True),
        Profile("text-strict", wraps=False, hopeless_attacks_fail=True, both_extinct_wins_for=None),
        replace(_TWILIGHT, name="twilight-succo", equal_humans_fight=True, larger_attacks_are_even=True),
        _TWILIGHT,
    )
}


class Verdict(NamedTuple):
    """How a game ended: 1, 0 or -1 for who plays first, by how many units, and why."""

    outcome: int
    margin: int
    decided_by: str


def stored(count: int, profile: Profile) -> int:
    """A count as a cell keeps it."""
    return count % 256 if profile.wraps else min(count, MOST_UNITS)


def win_probability(attackers: int, defenders: int, profile: Profile) -> Fraction:
    """P of a random battle."""
    if attackers == defenders:
        return Fraction(1, 2)
    if attackers < defenders:
        return Fraction(attackers, 2 * defenders)
    return Fraction(1, 2) if profile.larger_attacks_are_even else Fraction(attackers, defenders) - Fraction(1, 2)


@cache
def binomial(n: int, p: Fraction) -> tuple[Fraction, ...]:
    """How probably so many of n survive, each by itself with probability p."""
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def is_certain(attackers: int, defenders: int, species: str, profile: Profile) -> bool:
    """Whether attackers win without a battle."""
    if species == "h":
        return attackers > defenders or (attackers == defenders and not profile.equal_humans_fight)
    return 2 * attackers >= 3 * defenders


def is_hopeless(attackers: int, defenders: int, species: str, profile: Profile) -> bool:
    """Whether attackers lose without a battle."""
    return profile.hopeless_attacks_fail and species != "h" and 2 * defenders >= 3 * attackers


def is_random(attackers: int, defenders: int, species: str, profile: Profile) -> bool:
    return not is_certain(attackers, defenders, species, profile) and not is_hopeless(
        attackers, defenders, species, profile
    )


class Survivors(NamedTuple):
    """What is left of a random battle: who stands on the cell, and how probably so many do, from 0 on."""

    attackers: tuple[Fraction, ...]
    defenders: tuple[Fraction, ...]


@cache
def random_battle(attackers: int, defenders: int, species: str, profile: Profile) -> Survivors:
    p = win_probability(attackers, defenders, profile)
    fighting = attackers + defenders if species == "h" else attackers
    spared = p if profile.repelled_survive_with_p else 1 - p
    return Survivors(
        tuple(p * chance for chance in binomial(fighting, p)),
        tuple((1 - p) * chance for chance in binomial(defenders, spared)),
    )


def arrival(attackers: int, mover: str, there: Group | None, profile: Profile) -> Chances:
    """What becomes of a cell on which units arrive."""

    def group(species: str, count: int) -> Group | None:
        kept = stored(count, profile)
        return (species, kept) if kept else None

    if there is None:
        return {group(mover, attackers): Fraction(1)}
    species, defenders = there
    if species == mover:
        return {group(mover, attackers + defenders): Fraction(1)}
    if is_certain(attackers, defenders, species, profile):
        return {group(mover, attackers + defenders if species == "h" else attackers): Fraction(1)}
    if is_hopeless(attackers, defenders, species, profile):
        return {there: Fraction(1)}
    survivors = random_battle(attackers, defenders, species, profile)
    chances: Chances = {}
    for owner, distribution in ((mover, survivors.attackers), (species, survivors.defenders)):
        for count, chance in enumerate(distribution):
            left = group(owner, count)
            chances[left] = chances.get(left, Fraction(0)) + chance
    return chances


@dataclass(frozen=True)
class SlowVampires:
    """A position."""

    rows: int
    columns: int
    board: Board = field(hash=False)
    ply: int = 0
    profile: Profile = PROFILES["official"]
    plies: int = 0

    @property
    def limit(self) -> int:
        return self.plies or self.profile.plies

    def species(self, player: int) -> str:
        return self.profile.first if player == 0 else "wv"["vw".index(self.profile.first)]

    @property
    def mover(self) -> str:
        return self.species(self.ply % 2)

    def units(self, species: str) -> int:
        return sum(count for owner, count in self.board.values() if owner == species)

    def result(self) -> Verdict | None:
        """How the game ended, if it did."""
        left = {species: self.units(species) for species in "vw"}
        if all(left.values()) and self.ply < self.limit:
            return None
        return self.verdict()

    def verdict(self) -> Verdict:
        """What the game is worth if it ends here."""
        own, other = (self.units(self.species(player)) for player in (0, 1))
        margin = own - other
        if own == 0 and other == 0:
            wins_for = self.profile.both_extinct_wins_for
            outcome = 0 if wins_for is None else 1 if wins_for == self.species(0) else -1
            return Verdict(outcome, margin, "both extinct")
        outcome = (margin > 0) - (margin < 0)
        if own == 0 or other == 0:
            return Verdict(outcome, margin, "extinction")
        return Verdict(outcome, margin, "more units" if margin else "equal units")

    def broken_rule(self, orders: Sequence[Order]) -> int:
        """The first rule of 1 to 6 that a turn breaks, 7 for what bytes cannot tell; 0 where it is legal."""
        if not orders and not self.profile.may_pass:
            return 1
        for x, y, _, _, _ in orders:
            if self.board.get((x, y), ("", 0))[0] != self.mover:
                return 2
        leaving: Counter[Cell] = Counter()
        for x, y, count, _, _ in orders:
            leaving[x, y] += count
        if any(count > self.board[cell][1] for cell, count in leaving.items()):
            return 3
        for x, y, _, to_x, to_y in orders:
            is_inside = 0 <= to_x < self.columns and 0 <= to_y < self.rows
            if not is_inside or max(abs(to_x - x), abs(to_y - y)) != 1:
                return 4
        targets = {(to_x, to_y) for _, _, _, to_x, to_y in orders}
        if targets & leaving.keys() and not self.profile.entering_a_source_destroys:
            return 5
        if any(count < 1 for _, _, count, _, _ in orders):
            return 6
        if any(count > MOST_UNITS for count in self.arriving(orders).values()):
            return 7
        if len(self.departed(orders).keys() | self.arriving(orders).keys()) > MOST_CELLS:
            return 7
        if len({(x, y, to_x, to_y) for x, y, _, to_x, to_y in orders}) > MOST_ORDERS:
            return 7
        return 0

    def is_legal(self, orders: Sequence[Order]) -> bool:
        return self.result() is None and not self.broken_rule(orders)

    def arriving(self, orders: Sequence[Order]) -> Counter[Cell]:
        """How many units arrive where: not on the cells that others leave, where they die."""
        sources = {(x, y) for x, y, _, _, _ in orders}
        arriving: Counter[Cell] = Counter()
        for _, _, count, to_x, to_y in orders:
            if (to_x, to_y) not in sources:
                arriving[to_x, to_y] += count
        return arriving

    def departed(self, orders: Sequence[Order]) -> Board:
        """The board when those who leave have left."""
        board = dict(self.board)
        for x, y, count, _, _ in orders:
            species, there = board[x, y]
            board[x, y] = (species, there - count)
        return {cell: group for cell, group in board.items() if group[1]}

    def arrivals(self, orders: Sequence[Order]) -> dict[Cell, Chances]:
        """What becomes of each cell that units come to, which does not depend on the others."""
        board = self.departed(orders)
        return {
            cell: arrival(count, self.mover, board.get(cell), self.profile)
            for cell, count in self.arriving(orders).items()
        }

    def after(self, orders: Sequence[Order]) -> dict[SlowVampires, Fraction]:
        """The positions that a legal turn may lead to, and how probably."""
        arrivals = self.arrivals(orders)
        distribution: dict[SlowVampires, Fraction] = {}
        for combination in product(*(chances.items() for chances in arrivals.values())):
            chosen = {cell: group for cell, (group, _) in zip(arrivals, combination, strict=True)}
            chance = Fraction(1)
            for _, each in combination:
                chance *= each
            reached = replace(self, board=self._settled(orders, chosen), ply=self.ply + 1)
            distribution[reached] = distribution.get(reached, Fraction(0)) + chance
        return distribution

    def _settled(self, orders: Sequence[Order], chosen: dict[Cell, Group | None]) -> Board:
        board = self.departed(orders)
        for cell, group in chosen.items():
            board.pop(cell, None)
            if group:
                board[cell] = group
        return board

    def passed(self) -> SlowVampires:
        """A lost turn."""
        return replace(self, ply=self.ply + 1)

    @property
    def position(self) -> str:
        """In the notation of the core: vampires, werewolves, humans, each row by row."""
        cells = sorted(self.board.items(), key=lambda item: ("vwh".index(item[1][0]), item[0][1], item[0][0]))
        text = f"{self.rows}x{self.columns}/" + "+".join(f"{n}{species}{x}.{y}" for (x, y), (species, n) in cells)
        return f"{text}/{self.ply}" if self.ply else text


def turn_text(orders: Iterable[Order]) -> str:
    """A turn in the notation of the core: sorted by source, row by row, then target; equal orders are one."""
    summed: Counter[tuple[int, int, int, int]] = Counter()
    for x, y, count, to_x, to_y in orders:
        summed[y, x, to_y, to_x] += count
    texts = [f"{x}.{y}-{to_x}.{to_y}x{count}" for (y, x, to_y, to_x), count in sorted(summed.items())]
    return "+".join(texts) or "pass"
