"""The game that a client of Vampires vs Werewolves builds from the server's frames: grid, cells, own species."""

from __future__ import annotations

from collections.abc import Sequence

from joute.games import new
from joute.games.vampires.state import SPECIES, Vampires
from joute.games.vampires.tcp.wire import Cell, Frame, Hme, Map, Set, Upd, WireError


class Board:
    """One game, from SET on; `take` must be called with the other frames in order.

    The protocol transmits neither plies, nor the first player, nor the rules: the spec `game` gives the latter two. A
    player is asked every other ply, lost turns included, so the number of UPDs gives the ply. If a server plays on
    after the spec's ply limit, the count stops, so that the game does not end.
    """

    def __init__(self, size: Set, game: str = "vampires") -> None:
        if not size.rows or not size.columns:
            raise WireError(f"SET has a grid of {size.rows} rows and {size.columns} columns")
        self.game = game
        #: The species of this client, `v` or `w`; empty until it is known.
        self.species = ""
        #: The number of UPDs, each of which asks for a move.
        self.updates = 0
        self._size = size
        self._home: tuple[int, int] | None = None
        self._cells: dict[tuple[int, int], tuple[str, int]] | None = None
        self._ply = 0

    def take(self, frame: Frame) -> None:
        """Apply a frame; WireError if it is invalid here."""
        if isinstance(frame, Hme):
            self._check_inside(frame.x, frame.y, "HME")
            self._home = (frame.x, frame.y)
            self._find_species()
        elif isinstance(frame, Map):
            self._cells = {}
            self._change(frame.cells, "MAP")
            self._find_species()
        elif isinstance(frame, Upd):
            if not self.species:
                raise WireError("UPD came before HME and MAP")
            self._change(frame.cells, "UPD")
            self.updates += 1
            if self.updates > 1:
                self._ply += 2

    def state(self) -> Vampires:
        """Return the position with this client to move; valid once its species is known."""
        state = self._at(self._ply)
        if self._ply > 1 and state.is_terminal and state.units(0) and state.units(1):
            self._ply -= 2
            state = self._at(self._ply)
        return state

    def counts(self) -> str:
        """Return the number of units of each species, in words."""
        held = (self._cells or {}).values()
        return ", ".join(f"{sum(n for kind, n in held if kind == each)} {name}" for each, name in SPECIES.items())

    def _at(self, ply: int) -> Vampires:
        assert self._cells is not None
        order = sorted(self._cells.items(), key=lambda cell: ("vwh".index(cell[1][0]), cell[0][1], cell[0][0]))
        cells = "+".join(f"{count}{species}{x}.{y}" for (x, y), (species, count) in order)
        state = new(self.game, f"{self._size.rows}x{self._size.columns}/{cells}/{ply}")
        assert isinstance(state, Vampires)
        return state

    def _change(self, cells: Sequence[Cell], word: str) -> None:
        assert self._cells is not None
        for cell in cells:
            self._check_inside(cell.x, cell.y, word)
            if held := cell.held:
                self._cells[cell.x, cell.y] = held
            else:
                self._cells.pop((cell.x, cell.y), None)

    def _find_species(self) -> None:
        """Set the species to that of the units at home: no frame states it."""
        if self.species or self._home is None or self._cells is None:
            return
        species, _ = self._cells.get(self._home, ("h", 0))
        if species == "h":
            raise WireError(f"MAP shows neither vampires nor werewolves at {self._home}, which HME says is our start")
        self.species = species
        first = new(self.game)
        assert isinstance(first, Vampires)
        self._ply = 0 if first.species(0) == species else 1

    def _check_inside(self, x: int, y: int, word: str) -> None:
        if x >= self._size.columns or y >= self._size.rows:
            grid = f"{self._size.rows} rows and {self._size.columns} columns"
            raise WireError(f"{word} has the cell ({x}, {y}), which is outside a grid of {grid}")
