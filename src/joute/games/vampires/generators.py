"""Random maps of Vampires vs Werewolves, with the distributions of the programs that the generators are named after.

They use Joute's random generator, so a seed gives the same map on every machine. Maps are symmetric. None guarantees a
house that a start group can convert; `draw_convertible` draws until there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from joute._core import Random
from joute.errors import SpecError
from joute.games.vampires.maps import MOST, Group, VampiresMap
from joute.spec import parameter, parameters_of

# About half of the official maps with one pair of homes have a convertible one; after this many draws, give up.
_FRUITLESS_DRAWS = 10_000

# The most pairs of homes per cell in a match: 2 to 30 groups on 10×10, as the authors of a twilight server had.
_MOST_HOMES_A_CELL = 0.15

_OFFICIAL = "official generator, whose arguments are width, height and homes"
_TWILIGHT = "twilight's default"


class Generator(Protocol):
    """A generator of maps."""

    def draw(self, rng: Random) -> VampiresMap:
        """A random map."""
        ...


@dataclass(frozen=True)
class OfficialMaps:
    """The course's own generator: maps are point-symmetric.

    Homes and werewolves are drawn in the left half, without a middle column. A home has 1 to 19 humans, a species 2 to
    19 monsters, all equally likely.
    """

    rows: int = parameter(10, help="rows", source="the size of most published maps", low=1, high=MOST)
    columns: int = parameter(10, help="columns", source="the same", low=2, high=MOST)
    homes: int = parameter(6, help="pairs of homes", source=_OFFICIAL, low=0, high=(MOST - 2) // 2)

    most_humans: ClassVar[int] = 19
    least_monsters: ClassVar[int] = 2
    most_monsters: ClassVar[int] = 19

    def __post_init__(self) -> None:
        _check(self)
        if self.homes >= self._half:
            raise SpecError(
                f"the left half of a map of {self.rows} rows and {self.columns} columns has {self._half} cells, "
                f"too few for {self.homes} homes and the werewolves"
            )

    @property
    def _half(self) -> int:
        return self.rows * (self.columns // 2)

    def draw(self, rng: Random) -> VampiresMap:
        """A random map."""
        free = [(x, y) for y in range(self.rows) for x in range(self.columns // 2)]
        houses: list[Group] = []
        for _ in range(self.homes):
            x, y = free.pop(rng.below(len(free)))
            count = 1 + rng.below(self.most_humans)
            houses += [(x, y, count), (*self._opposite(x, y), count)]
        x, y = free.pop(rng.below(len(free)))
        count = self.least_monsters + rng.below(self.most_monsters - self.least_monsters + 1)
        return VampiresMap(
            self.rows,
            self.columns,
            tuple(houses),
            vampires=(*self._opposite(x, y), count),
            werewolves=(x, y, count),
        )

    def _opposite(self, x: int, y: int) -> tuple[int, int]:
        return self.columns - 1 - x, self.rows - 1 - y


@dataclass(frozen=True)
class TwilightMaps:
    """The generator of the twilight server: homes on any cells, and their mirror images.

    A square map is symmetric about its middle row, its centre or its main diagonal, each equally likely; any other map
    about its middle row. A home has 5 to 4 + monsters humans, all equally likely. A later group replaces an earlier one
    on the same cell, so there may be fewer homes; a home on the axis is its own image.
    """

    rows: int = parameter(10, help="rows", source=_TWILIGHT, low=2, high=MOST)
    columns: int = parameter(10, help="columns", source=_TWILIGHT, low=1, high=MOST)
    homes: int = parameter(8, help="pairs of homes", source=f"{_TWILIGHT}, 16 groups", low=0, high=(MOST - 2) // 2)
    monsters: int = parameter(8, help="units of each species", source=_TWILIGHT, low=1, high=MOST - 4)

    least_humans: ClassVar[int] = 5

    def __post_init__(self) -> None:
        _check(self)
        if self.homes > self.rows * self.columns:
            raise SpecError(f"a map of {self.rows} rows and {self.columns} columns has no room for {self.homes} homes")

    def _humans(self, rng: Random) -> int:
        return self.least_humans + rng.below(self.monsters)

    def draw(self, rng: Random) -> VampiresMap:
        """A random map."""
        symmetry = rng.below(3) if self.rows == self.columns else 0
        cells = [(x, y) for x in range(self.columns) for y in range(self.rows)]
        free = list(cells)
        counts: dict[tuple[int, int], int] = {}
        for _ in range(self.homes):
            home = free.pop(rng.below(len(free)))
            counts[home] = counts[self._image(*home, symmetry)] = self._humans(rng)
        werewolves = vampires = rng.choice(cells)
        while (vampires := self._image(*werewolves, symmetry)) == werewolves:
            werewolves = rng.choice(cells)
        homes = sorted(home for home in counts if home not in (werewolves, vampires))
        return VampiresMap(
            self.rows,
            self.columns,
            tuple((*home, counts[home]) for home in homes),
            vampires=(*vampires, self.monsters),
            werewolves=(*werewolves, self.monsters),
        )

    def _image(self, x: int, y: int, symmetry: int) -> tuple[int, int]:
        below = self.rows - 1 - y
        return ((x, below), (self.columns - 1 - x, below), (y, x))[symmetry]


@dataclass(frozen=True)
class LangorouMaps:
    """The maps of the tournaments in which the paper chose Langorou's parameters.

    Twilight's generator draws them. Rows, columns, houses and monsters are uniform in the ranges of the paper's
    program; twilight places half of the houses, rounded down, and their images.
    """

    sides: ClassVar[tuple[int, int]] = (10, 16)
    houses: ClassVar[tuple[int, int]] = (2, 30)
    monsters: ClassVar[tuple[int, int]] = (4, 40)

    def draw(self, rng: Random) -> VampiresMap:
        """A random map."""
        rows, columns, houses, monsters = (
            least + rng.below(most - least + 1) for least, most in (self.sides, self.sides, self.houses, self.monsters)
        )
        return TwilightMaps(rows, columns, houses // 2, monsters).draw(rng)


@dataclass(frozen=True)
class VamperougeMaps:
    """The maps on which the paper's learning player was trained.

    They have the symmetries of twilight's maps, 3 to 16 rows and columns and 3 to 10 monsters, each uniform. A quarter
    of the cells, rounded down, is the most pairs of homes, so up to half of the cells hold humans, 1 to 4 + monsters
    each: many more than a start group can convert.
    """

    sides: ClassVar[tuple[int, int]] = (3, 16)
    monsters: ClassVar[tuple[int, int]] = (3, 10)

    def draw(self, rng: Random) -> VampiresMap:
        """A random map."""
        rows, columns, monsters = (
            least + rng.below(most - least + 1) for least, most in (self.sides, self.sides, self.monsters)
        )
        return _CrowdedMaps(rows, columns, 1 + rng.below(rows * columns // 4), monsters).draw(rng)


class _CrowdedMaps(TwilightMaps):
    """Twilight's maps with homes of 1 to 4 + monsters humans."""

    def _humans(self, rng: Random) -> int:
        return 1 + rng.below(self.least_humans - 1 + self.monsters)


#: The generators by name.
GENERATORS: dict[str, type[OfficialMaps] | type[TwilightMaps] | type[LangorouMaps] | type[VamperougeMaps]] = {
    "official": OfficialMaps,
    "twilight": TwilightMaps,
    "langorou": LangorouMaps,
    "vamperouge": VamperougeMaps,
}


def official_map(rows: int = 10, columns: int = 10, homes: int = 6, seed: int = 0) -> VampiresMap:
    """Return the map that the official generator draws with this seed.

    >>> official_map(4, 5, homes=2, seed=1).text
    '4x5/12v4.2+12w0.1+15h0.0+15h4.0+15h0.3+15h4.3'
    """
    return OfficialMaps(rows, columns, homes).draw(Random(seed))


def twilight_map(rows: int = 10, columns: int = 10, homes: int = 8, monsters: int = 8, seed: int = 0) -> VampiresMap:
    """Return the map that twilight's generator draws with this seed."""
    return TwilightMaps(rows, columns, homes, monsters).draw(Random(seed))


def langorou_map(seed: int = 0) -> VampiresMap:
    """Return the map of Langorou's tournaments with this seed."""
    return LangorouMaps().draw(Random(seed))


def draw_convertible(generator: Generator, rng: Random) -> VampiresMap:
    """Return a random map on which a start group can convert a house; SpecError if none is found."""
    for _ in range(_FRUITLESS_DRAWS):
        drawn = generator.draw(rng)
        if drawn.convertible("v") or drawn.convertible("w"):
            return drawn
    raise SpecError(f"none of {_FRUITLESS_DRAWS:,} random maps has a house that a start group can convert")


def random_start(rows: int, columns: int, rng: Random) -> VampiresMap | None:
    """Return a random official map of this size with a convertible house; None if there is no room for one.

    The number of homes is also random, as in the tournaments of the twilight servers' authors: 1 to 15 pairs on 10×10.
    """
    room = rows * (columns // 2) - 1
    most = min(room, (MOST - 2) // 2, max(1, round(_MOST_HOMES_A_CELL * rows * columns)))
    if most < 1:
        return None
    return draw_convertible(OfficialMaps(rows, columns, 1 + rng.below(most)), rng)


def _check(generator: OfficialMaps | TwilightMaps) -> None:
    for known in parameters_of(type(generator)):
        known.read(str(getattr(generator, known.name)), "a map's generator")
