"""How positions of a game are edited on its board: brushes, the places that they paint, and numbers beside the board.

A room names its editor, a subclass of `Editor`, so that the page needs no code of a game. A draft is a position that is
being edited: a text, in most games in the notation of positions. A draft need not be legal, as pieces are put on the
board one by one; then the parser of positions says why. An editor refuses changes after which a draft has no drawing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from joute.errors import JouteError, NotationError
from joute.games.registry import new
from joute.games.scene import Area, Scene
from joute.games.state import State
from joute.plugins import Registry


class EditError(JouteError):
    """A change that cannot be made to a draft; the message says why."""


@dataclass(frozen=True)
class Spot:
    """A place on the board that a brush paints."""

    name: str
    area: Area


@dataclass(frozen=True)
class Brush:
    """Something to put on the board.

    On the page its picture is the spot `sample`, or the area `shown`, after the brush has painted that spot.
    """

    name: str
    #: In a few words: ``white pawn``.
    label: str
    spots: tuple[Spot, ...]
    #: The name of a spot; empty for a brush that removes.
    sample: str = ""
    #: The least and the most of the number that it paints; None if it paints none.
    amounts: tuple[int, int] | None = None
    #: The part of the board to show in the picture; None for the whole spot.
    shown: Area | None = None


@dataclass(frozen=True)
class Field:
    """A number of the position that is not on the board. `choices` are names of its values from `low` on, if any."""

    name: str
    label: str
    value: int
    low: int
    high: int
    choices: tuple[str, ...] = ()


class Editor(ABC):
    """Edits positions of one game with the rules of `start`. Methods take a draft and return a new one."""

    def __init__(self, start: State) -> None:
        self.start = start

    # --- To be defined ---

    @abstractmethod
    def empty(self) -> str:
        """The draft with as few pieces as the board can have."""

    @abstractmethod
    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """The brushes, each with the places that it can paint in this draft."""

    @abstractmethod
    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """The draft after a brush has painted a spot, with a number if it paints one; EditError if it cannot."""

    # --- With a default ---

    def draft(self, state: State) -> str:
        """The draft of a legal position."""
        return state.position

    def position(self, draft: str) -> str:
        """A draft in the notation of positions; NotationError with the reason if the notation has no text for it."""
        return draft

    def fields(self, draft: str) -> tuple[Field, ...]:
        """The numbers beside the board."""
        return ()

    def set(self, draft: str, field: str, value: int) -> str:
        """The draft with another value of a field; EditError if it cannot have it."""
        raise EditError(f"the position has no {field} to set to {value}, unlike {draft}")

    def drawing(self, draft: str) -> Scene:
        """The drawing of a draft that is not legal; EditError if it has none."""
        raise EditError(f"{draft} has no drawing")

    # --- The same for all ---

    def state(self, draft: str) -> State:
        """The legal position of a draft; JouteError with the reason if it is none."""
        return new(self.start.spec, self.position(draft))

    def scene(self, draft: str) -> Scene:
        """The drawing of a draft, legal or not, without the targets of moves."""
        try:
            scene = self.state(draft).scene()
        except NotationError:
            scene = self.drawing(draft)
        return Scene(scene.width, scene.height, scene.shapes, (), scene.title)

    def painted(self, draft: str, brush: str, spot: str, amount: int = 1) -> str:
        """As `paint`, after a check that there is such a brush with such a spot and amount."""
        known = next((each for each in self.brushes(draft) if each.name == brush), None)
        if known is None:
            raise EditError(f"there is no brush {brush}")
        if all(each.name != spot for each in known.spots):
            raise EditError(
                f"nothing can be removed from {spot}" if not known.sample else f"{known.label}: not on {spot}"
            )
        if known.amounts and not known.amounts[0] <= amount <= known.amounts[1]:
            raise EditError(f"the number is {known.amounts[0]} to {known.amounts[1]}, not {amount}")
        return self.paint(draft, brush, spot, amount)

    def changed(self, draft: str, field: str, value: int) -> str:
        """As `set`, after a check that there is such a field with such a value."""
        known = next((each for each in self.fields(draft) if each.name == field), None)
        if known is None:
            raise EditError(f"there is no field {field}")
        if not known.low <= value <= known.high:
            raise EditError(f"{known.label}: {known.low} to {known.high}, not {value}")
        return self.set(draft, field, value)

    def legal(self, draft: str) -> str:
        """The draft itself; EditError with the parser's reason if it is not legal."""
        try:
            return self.draft(self.state(draft))
        except NotationError as error:
            raise EditError(reason_of(error)) from error


def reason_of(error: JouteError) -> str:
    """The end of a parser's message, which begins with the whole text of the position.

    >>> reason_of(JouteError("'4x' is not a connect4 position: move 2, 'x', is not a column from 1 to 7"))
    "move 2, 'x', is not a column from 1 to 7"
    """
    text = str(error)
    _, mark, reason = text.partition(" position: ")
    return reason if mark else text


def drawn_as(game: type[State], draft: Any) -> Scene:
    """The drawing that a game's `scene` makes of an object with the members of a position that the drawing reads."""
    return game.scene(cast(Any, draft))


def grid(known: Mapping[tuple[int, int], Area]) -> Callable[[float, float], Area]:
    """A function that returns the area of any (row, column) of a regular grid, from the areas of some of its cells.

    The drawing tells where the cells are, by the targets of moves. Halves are between cells.

    >>> cell = grid({(0, 4): Area(4.5, 8, 1, 1), (0, 5): Area(5.5, 8, 1, 1), (1, 4): Area(4.5, 7, 1, 1)})
    >>> cell(2, 0), cell(0.5, 0.5)
    (Area(x=0.5, y=6.0, width=1.0, height=1.0), Area(x=1.0, y=7.5, width=1.0, height=1.0))
    """
    centres = {place: _middle(area) for place, area in known.items()}
    pairs = [(one, other) for one in centres for other in centres if one != other]
    left, right = next((one, other) for one, other in pairs if one[0] == other[0])
    low, high = next((one, other) for one, other in pairs if one[1] == other[1])
    across = (centres[right][0] - centres[left][0]) / (right[1] - left[1])
    down = (centres[high][1] - centres[low][1]) / (high[0] - low[0])
    (row, column), (x, y) = low, centres[low]

    def cell(wanted_row: float, wanted_column: float) -> Area:
        centre_x, centre_y = x + across * (wanted_column - column), y + down * (wanted_row - row)
        width, height = abs(across), abs(down)
        return Area(centre_x - width / 2, centre_y - height / 2, width, height)

    return cell


def spots(areas: Iterable[tuple[str, Area]]) -> tuple[Spot, ...]:
    """Spots by their names and areas."""
    return tuple(Spot(name, area) for name, area in areas)


def _middle(area: Area) -> tuple[float, float]:
    return area.x + area.width / 2, area.y + area.height / 2


def _checked(name: str, entry: object) -> type[Editor]:
    if not (isinstance(entry, type) and issubclass(entry, Editor)):
        raise TypeError(f"{entry!r} is not a subclass of joute.games.editor.Editor")
    return entry


_editors: Registry[type[Editor]] = Registry("editor", "joute.editors", _checked)


def find_editor(start: State) -> Editor | None:
    """The editor of a game with the rules of `start`; None if the game has none."""
    return _editors.find(start.game)(start) if start.game in _editors.names() else None
