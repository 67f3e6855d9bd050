"""Hints for beginners' mistakes, found by patterns in the detail of a game's record."""

from __future__ import annotations

import re

_HINTS: tuple[tuple[str, str], ...] = (
    (
        r"illegal move (-?\w+)\((?:int|int64|int32)\)",
        "return one of state.legal_moves, or its text, '{0}', not a number",
    ),
    (r"illegal move None\(NoneType\)", "choose returned None; it may lack a return statement"),
    (r"No module named '?([\w.]+)", "{0} is not installed for this Python and is not a file beside the agent"),
    (r"__init__\(\) missing \d+ required", "the class is created without arguments, or with seed= alone"),
    (r"attempted relative import", "an agent's file is not part of a package: write the import without the dot"),
    (r"EOF when reading a line", "input() cannot read anything here: choose gets everything as state and clock"),
    (r"choose\(\) (takes|missing) \d+", "choose gets the position and the clock: choose(self, state, clock)"),
)


def hint(detail: str) -> str:
    """The probable cause of a failure, from the detail of a record; empty if no pattern matches.

    >>> hint("mine: illegal move 4(int) at ply 0 of connect4")
    "return one of state.legal_moves, or its text, '4', not a number"
    >>> hint("mine: ZeroDivisionError: division by zero")
    ''
    """
    for pattern, text in _HINTS:
        if match := re.search(pattern, detail):
            return text.format(*match.groups())
    return ""
