"""Time controls and the referee's clock."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from joute._core import one_line
from joute.agents import Clock
from joute.errors import SpecError
from joute.spec import value_text

#: The default tolerance for late moves, which allows for delays of a busy machine.
MARGIN_S = 0.1

_COUNTS = ("nodes", "iterations", "depth")
_EXAMPLES = "300, 60+0.5, 2/move, nodes=10000, iterations=1000 or depth=6; several are joined by commas"


@dataclass(frozen=True)
class TimeControl:
    """The limits of one side in a game: seconds per game and per move, or reproducible counts (nodes, …).

    >>> TimeControl.parse("60+0.5,2/move")
    TimeControl(total_s=60.0, increment_s=0.5, move_s=2.0, nodes=0, iterations=0, depth=0)
    >>> str(TimeControl(move_s=2, depth=6)), str(TimeControl())
    ('2/move,depth=6', 'none')
    """

    total_s: float = math.inf
    increment_s: float = 0.0
    move_s: float = math.inf
    nodes: int = 0
    iterations: int = 0
    depth: int = 0

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control of a text such as ``60+0.5``; ``none`` or an empty text for no limit."""
        values: dict[str, float] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            if part != "none" and not _read(part, values):
                raise SpecError(f"'{one_line(part)}' is not a clock such as {_EXAMPLES}")
        return cls(**values)  # type: ignore[arg-type]

    @property
    def is_timed(self) -> bool:
        """Whether seconds are limited."""
        return math.isfinite(self.total_s) or math.isfinite(self.move_s)

    def scaled(self, factor: float) -> TimeControl:
        """The time control with its seconds multiplied by `factor` and unchanged counts.

        >>> str(TimeControl.parse("900+1,nodes=5").scaled(0.001))
        '0.9+0.001,nodes=5'
        """
        seconds = {name: getattr(self, name) * factor for name in ("total_s", "increment_s", "move_s")}
        return dataclasses.replace(self, **seconds)

    def __str__(self) -> str:
        return self._text

    @functools.cached_property
    def _text(self) -> str:
        """The text of the control, cached because every record of every game contains it."""
        parts = []
        if math.isfinite(self.total_s):
            parts.append(value_text(self.total_s) + (f"+{value_text(self.increment_s)}" if self.increment_s else ""))
        if math.isfinite(self.move_s):
            parts.append(f"{value_text(self.move_s)}/move")
        parts += [f"{name}={getattr(self, name)}" for name in _COUNTS if getattr(self, name)]
        return ",".join(parts) or "none"


#: The time control of both sides of a game, or a pair of controls; each may be given as text.
Clocks: TypeAlias = str | TimeControl | tuple[str | TimeControl, str | TimeControl]


def controls_of(clocks: Clocks) -> tuple[TimeControl, TimeControl]:
    """The time controls of both sides; SpecError if a text is not a clock.

    >>> [str(control) for control in controls_of(("60", TimeControl(move_s=2)))]
    ['60', '2/move']
    """
    first, second = clocks if isinstance(clocks, tuple) else (clocks, clocks)
    return _control(first), _control(second)


def _control(clock: str | TimeControl) -> TimeControl:
    return TimeControl.parse(clock) if isinstance(clock, str) else clock


def _read(part: str, values: dict[str, float]) -> bool:
    """Parse one part of a clock text into `values`; False if it is invalid or repeats an earlier part."""
    number = r"(\d+(?:\.\d+)?|\.\d+)"
    found: dict[str, float] = {}
    if match := re.fullmatch(rf"{number}(?:\+{number})?", part):
        found = {"total_s": float(match[1]), "increment_s": float(match[2] or 0)}
    elif match := re.fullmatch(rf"{number}/move", part):
        found = {"move_s": float(match[1])}
    elif match := re.fullmatch(rf"({'|'.join(_COUNTS)})=0*(\d{{1,19}})", part):
        found = {match[1]: int(match[2])}
    is_new = not found.keys() & values.keys()
    values |= found
    limits = [value for name, value in found.items() if name != "increment_s"]
    return bool(found) and is_new and min(limits) > 0 and max(found.values()) < 2**62


#: The remaining seconds of each player, and whether each has used up its time.
Reading: TypeAlias = tuple[float, float, bool, bool]


class GameClock:
    """The clock of both sides in one game.

    A side may exceed its total by the margin once in the game, and its limit per move by the margin in every move.
    Agents do not see the margin.
    """

    def __init__(self, controls: tuple[TimeControl, TimeControl], margin_s: float = MARGIN_S) -> None:
        self._controls = controls
        self._margin_s = margin_s
        self._remaining_s = [control.total_s for control in controls]
        self._is_out = [False, False]
        #: The constant `Clock` of each player, used if neither side has a total time.
        self._always_told: dict[int, Clock] = {}

    def told(self, player: int) -> Clock:
        """The `Clock` that is passed to a player for a move."""
        if always := self._always_told.get(player):
            return always
        own, opponent = self._controls[player], self._controls[1 - player]
        told = Clock(
            remaining_s=max(0.0, self._remaining_s[player]),
            increment_s=own.increment_s,
            move_limit_s=own.move_s,
            nominal_s=own.total_s,
            opponent_remaining_s=max(0.0, self._remaining_s[1 - player]),
            opponent_increment_s=opponent.increment_s,
            nodes=own.nodes,
            iterations=own.iterations,
            depth=own.depth,
        )
        if own.total_s == opponent.total_s == math.inf:
            self._always_told[player] = told
        return told

    def limit_s(self, player: int) -> float:
        """The seconds after which a move is too late, margin included; infinite without a time limit."""
        return max(0.0, min(self._remaining_s[player], self._controls[player].move_s) + self._margin_s)

    def charge(self, player: int, time_s: float) -> bool:
        """Subtract the time of a turn and add the increment. If the move is too late: False, and no increment."""
        is_in_time = time_s <= self.limit_s(player)
        if not is_in_time and time_s > max(0.0, self._remaining_s[player] + self._margin_s):
            self._is_out[player] = True
        self._remaining_s[player] += (self._controls[player].increment_s if is_in_time else 0.0) - time_s
        return is_in_time

    def is_out(self, player: int) -> bool:
        """Whether a player has used up its time for the whole game, margin included."""
        return self._is_out[player]

    @property
    def reading(self) -> Reading:
        """The state of the clock, for `set`."""
        remaining_s, is_out = self._remaining_s, self._is_out
        return remaining_s[0], remaining_s[1], is_out[0], is_out[1]

    def set(self, reading: Reading) -> None:
        """Restore a state of the clock."""
        self._remaining_s, self._is_out = [*reading[:2]], [*reading[2:]]
