"""The words of QTP, the Quoridor Text Protocol: GTP for Quoridor. docs/qtp.md describes it and Joute's extensions.

Both sides use this module: the engine that serves an agent, and the player that controls a program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joute.agents import Clock
from joute.errors import JouteError
from joute.match.clock import TimeControl

#: The only supported board: 9 by 9 cells and ten walls for each player.
SIZE, WALLS = 9, 10


class QtpError(JouteError):
    """A command fails. The protocol fixes the beginning of the message: `illegal move`, `syntax error`, …"""


@dataclass(frozen=True)
class Reply:
    """An engine's reply to a command."""

    is_success: bool
    text: str

    @classmethod
    def parse(cls, line: str) -> Reply | None:
        """Parse the first line of a reply; None for other lines, such as a comment or the empty line after a reply.

        >>> Reply.parse("= e8"), Reply.parse("# thinking")
        (Reply(is_success=True, text='e8'), None)
        """
        if not line.startswith(("=", "?")):
            return None
        return cls(line[0] == "=", line[1:].strip())


def time_commands(clock: Clock, colour: str) -> list[str]:
    """Return the GTP commands that send the clock before a move; none if time is not limited.

    GTP has no increments: each one is included in the remaining time once it is added.

    >>> time_commands(Clock(remaining_s=59.5, nominal_s=60), "black")
    ['time_settings 60 0 0', 'time_left black 59.5 0']
    >>> time_commands(Clock(move_limit_s=2), "white")
    ['time_settings 0 2 1', 'time_left white 2 1']
    """
    left_s, move_s = clock.remaining_s, clock.move_limit_s
    if math.isfinite(left_s) and left_s <= move_s:
        nominal_s = clock.nominal_s if math.isfinite(clock.nominal_s) else left_s
        return [f"time_settings {_seconds(nominal_s)} 0 0", f"time_left {colour} {_seconds(left_s)} 0"]
    if math.isfinite(move_s):
        return [f"time_settings 0 {_seconds(move_s)} 1", f"time_left {colour} {_seconds(move_s)} 1"]
    return []


def time_control(main_s: float, period_s: float, moves: int) -> TimeControl:
    """Convert GTP's time settings to a time control; a period for several moves is divided evenly.

    >>> str(time_control(300, 0, 0)), str(time_control(0, 30, 10)), str(time_control(0, 1, 0))
    ('300', '3/move', 'none')
    """
    if period_s > 0 and moves == 0:  # GTP: no limit at all
        return TimeControl()
    if main_s > 0 or moves == 0:
        return TimeControl(total_s=main_s)
    return TimeControl(move_s=period_s / moves)


def _seconds(seconds: float) -> str:
    return f"{math.floor(100 * seconds) / 100:g}" if seconds < 10**4 else str(math.floor(seconds))
