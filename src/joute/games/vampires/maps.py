"""Maps of Vampires vs Werewolves: their contents, their text, and the XML files of the course's server.

    <Map Rows="5" Columns="10">             5x10/4v4.3+4w4.1+2h9.0+4h2.2+1h9.2+2h9.4
      <Humans X="2" Y="2" Count="4"/>
      …                                     (the text of the same map, as in positions: vampires, werewolves,
      <Vampires X="4" Y="3" Count="4"/>     humans, each row by row)
      <Werewolves X="4" Y="1" Count="4"/>
    </Map>

X is the column and Y the row, from 0 at the top left. Every number, and the number of occupied cells, is at most 255,
because the protocol encodes it in one byte. Names are case-sensitive, as at the official server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from joute._core import Vampires, one_line
from joute.errors import NotationError, unreadable
from joute.spec import look_up

#: The largest number in the protocol and in map files.
MOST = 255

# A map with 255 cells takes about 10 kB; a much larger file is not a map.
_MOST_BYTES = 1_000_000

_ELEMENTS = {"Humans": "h", "Vampires": "v", "Werewolves": "w"}
_SPECIES = {"h": "humans", "v": "vampires", "w": "werewolves"}
_NUMBER = re.compile(r"\s*0*(\d{1,3})\s*", re.ASCII)

#: x, y and count of a group.
Group = tuple[int, int, int]


@dataclass(frozen=True)
class VampiresMap:
    """The start of a game: the size of the grid, the houses, and one group of each species, as (x, y, count).

    `houses` are in the order of the file, in which the server announces them. NotationError if the map is invalid.
    """

    rows: int
    columns: int
    houses: tuple[Group, ...]
    vampires: Group
    werewolves: Group

    def __post_init__(self) -> None:
        grid = _Grid(self.rows, self.columns)
        for species, (x, y, count) in self._groups():
            grid.put(species, x, y, count)

    @property
    def text(self) -> str:
        """The map in the notation of positions; equal for maps that differ only in the order of their houses.

        >>> VampiresMap(1, 4, ((2, 0, 3), (1, 0, 2)), vampires=(0, 0, 5), werewolves=(3, 0, 5)).text
        '1x4/5v0.0+5w3.0+2h1.0+3h2.0'
        """
        row_by_row = sorted(self.houses, key=lambda house: (house[1], house[0]))
        groups = [("v", self.vampires), ("w", self.werewolves), *(("h", house) for house in row_by_row)]
        return f"{self.rows}x{self.columns}/" + "+".join(f"{count}{letter}{x}.{y}" for letter, (x, y, count) in groups)

    @classmethod
    def from_text(cls, text: str) -> VampiresMap:
        """Return the map of a text, with its cells in any order; NotationError if it is not a map."""
        start = Vampires(text)  # the core parses the notation
        if start.ply or start.is_chance:
            raise NotationError(f"a map must be at ply 0 and without a battle; '{text}' is not")
        groups: dict[str, list[Group]] = {letter: [] for letter in _SPECIES}
        for x, y, letter, count in start.cells:
            groups[letter].append((x, y, count))
        for letter in "vw":
            if len(groups[letter]) != 1:
                found = f"{len(groups[letter])} in '{text}'"
                raise NotationError(f"a map has one group of {_SPECIES[letter]}, and there are {found}")
        return cls(start.rows, start.columns, tuple(groups["h"]), groups["v"][0], groups["w"][0])

    @classmethod
    def read(cls, path: Path) -> VampiresMap:
        """Read an XML file; JouteError with the file's name and the line of an error."""
        try:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from error
        return cls.from_xml(data, str(path))

    @classmethod
    def from_xml(cls, data: bytes, source: str = "the map") -> VampiresMap:
        """Parse XML; NotationError with `source` and the line of an error."""
        if len(data) > _MOST_BYTES:
            raise NotationError(f"{source} is not a map: it has more than {_MOST_BYTES:,} bytes")
        return _Reader(source).read(data)

    def xml(self) -> str:
        """Return the map as a file of the official server."""
        lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<Map Rows="{self.rows}" Columns="{self.columns}">']
        names = {letter: name for name, letter in _ELEMENTS.items()}
        lines += [f'  <{names[letter]} X="{x}" Y="{y}" Count="{count}" />' for letter, (x, y, count) in self._groups()]
        return "\n".join([*lines, "</Map>", ""])

    def convertible(self, species: str) -> tuple[Group, ...]:
        """Return the houses that the start group of "v" or "w" can convert without a battle."""
        count = look_up("start group", species, {"v": self.vampires, "w": self.werewolves})[2]
        return tuple(house for house in self.houses if house[2] <= count)

    def _groups(self) -> Iterator[tuple[str, Group]]:
        for house in self.houses:
            yield "h", house
        yield "v", self.vampires
        yield "w", self.werewolves


class _Grid:
    """A grid to which groups are added one by one; NotationError if one cannot be placed."""

    def __init__(self, rows: int, columns: int) -> None:
        for what, number in (("rows", rows), ("columns", columns)):
            if not 1 <= number <= MOST:
                raise NotationError(f"a map has 1 to {MOST} {what}, not {number}")
        self.rows = rows
        self.columns = columns
        self.taken: dict[tuple[int, int], str] = {}

    def put(self, letter: str, x: int, y: int, count: int) -> None:
        species = _SPECIES[letter]
        if not 1 <= count <= MOST:
            raise NotationError(f"a group has 1 to {MOST} units, not {count}, as the {species} at {x}.{y} have")
        if not (0 <= x < self.columns and 0 <= y < self.rows):
            last = f"{self.columns - 1}.{self.rows - 1}"
            raise NotationError(f"the {species} at {x}.{y} stand outside the grid, whose last cell is {last}")
        if (x, y) in self.taken:
            raise NotationError(f"the {species} at {x}.{y} stand where {self.taken[x, y]} are already")
        if len(self.taken) == MOST:
            raise NotationError(f"the {species} at {x}.{y} are one group too many: the protocol allows {MOST}")
        self.taken[x, y] = species


class _Reader:
    """Reads XML as the official server does, but reports the line of an error."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._on_doctype
        self.parser.StartElementHandler = self._on_start
        self.parser.EndElementHandler = self._on_end
        self.parser.CharacterDataHandler = self._on_text
        self.open: list[str] = []
        self.grid: _Grid | None = None
        self.houses: list[Group] = []
        self.monsters: dict[str, Group] = {}
        self.lines: dict[str, int] = {}  # the line of each species' group

    def read(self, data: bytes) -> VampiresMap:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise NotationError(f"{self.source}, line {error.lineno}: this is not XML: {reason}") from error
        except NotationError as error:
            raise NotationError(f"{self.source}, line {self.parser.CurrentLineNumber}: {error}") from error
        except (LookupError, ValueError) as error:  # an encoding that Python or expat does not support
            raise NotationError(f"{self.source}, line 1: this is not XML: {one_line(error)}") from error
        assert self.grid is not None  # the root was an element Map
        return VampiresMap(
            self.grid.rows, self.grid.columns, tuple(self.houses), self.monsters["v"], self.monsters["w"]
        )

    def _on_doctype(self, *_: object) -> None:
        raise NotationError("a map has no DOCTYPE: delete it, and entities that it defines")

    def _on_text(self, text: str) -> None:
        if not text.isspace():
            raise NotationError(f"'{one_line(text.strip())}' stands between the elements of the map")

    def _on_start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self.open:
            if name != "Map":
                raise NotationError(
                    f"the root of a map is the element Map, not {one_line(name)}{_case(name, ('Map',))}"
                )
            rows, columns = _numbers(name, attributes, ("Rows", "Columns"))
            self.grid = _Grid(rows, columns)
        elif len(self.open) > 1:
            raise NotationError(f"{self.open[-1]} is an empty element, but holds {one_line(name)}")
        else:
            self._on_group(name, attributes)
        self.open.append(name)

    def _on_group(self, name: str, attributes: Mapping[str, str]) -> None:
        if name not in _ELEMENTS:
            expected = "Humans, Vampires and Werewolves"
            raise NotationError(f"a map holds {expected}, not {one_line(name)}{_case(name, _ELEMENTS)}")
        x, y, count = _numbers(name, attributes, ("X", "Y", "Count"))
        letter = _ELEMENTS[name]
        if letter in self.monsters:
            raise NotationError(f"a second {name}; the first is in line {self.lines[letter]}, and there is one of each")
        assert self.grid is not None
        self.grid.put(letter, x, y, count)
        if letter == "h":
            self.houses.append((x, y, count))
        else:
            self.monsters[letter] = x, y, count
            self.lines[letter] = self.parser.CurrentLineNumber

    def _on_end(self, _: str) -> None:
        self.open.pop()
        if self.open:
            return
        for name, letter in _ELEMENTS.items():
            if letter != "h" and letter not in self.monsters:
                raise NotationError(f"the map ends without {name}")


def _numbers(element: str, attributes: Mapping[str, str], names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers in an element's attributes."""
    for name in attributes:
        if name not in names:
            expected = ", ".join(names)
            raise NotationError(f"{element} has {expected}, and no {one_line(name)}{_case(name, names)}")
    for name in names:
        if name not in attributes:
            raise NotationError(f"{element} lacks {name}")
    return tuple(_number(element, name, attributes[name]) for name in names)


def _number(element: str, name: str, text: str) -> int:
    least = 0 if name in ("X", "Y") else 1
    match = _NUMBER.fullmatch(text)
    if not match or not least <= int(match[1]) <= MOST:
        raise NotationError(f"{name} of {element} is '{one_line(text)}', not a whole number in {least}..{MOST}")
    return int(match[1])


def _case(name: str, known: Mapping[str, str] | tuple[str, ...]) -> str:
    """Return a hint on upper and lower case, if only that is wrong."""
    meant = [other for other in known if other.lower() == name.lower()]
    return f"; write {meant[0]}, case matters" if meant else ""
