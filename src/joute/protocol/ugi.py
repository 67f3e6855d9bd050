"""The words of UGI, the Universal Game Interface: UCI for any game. docs/ugi.md describes it and our extensions.

Both ends use this page: the engine that serves an agent, and the player that talks to a program.
Times are whole milliseconds on the wire and seconds here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joute._core import class_name, one_line
from joute.agents import Clock, SearchInfo
from joute.errors import IllegalMoveError, JouteError
from joute.games import State
from joute.match.record import replayed

#: In `bestmove`: there is none.
NO_MOVE = "(none)"

# Longer numbers mean no more than this does, and Python reads them slowly.
_MOST_DIGITS = 18
# No move is as long, whatever an agent answers.
_LONGEST_TOKEN = 400


class ProtocolError(JouteError):
    """A line that is not UGI."""


@dataclass(frozen=True)
class Go:
    """The limits of a `go` command, for both sides as it names them."""

    time_s: tuple[float, float] = (math.inf, math.inf)
    increment_s: tuple[float, float] = (0.0, 0.0)
    move_s: float = math.inf
    nodes: int = 0
    iterations: int = 0  # an extension: simulations of a tree search
    depth: int = 0
    infinite: bool = False


def go_command(clock: Clock, player: int) -> str:
    """`go` with what a clock says to a player.

    >>> go_command(Clock(remaining_s=60, opponent_remaining_s=59.5, increment_s=0.5), player=0)
    'go p1time 60000 p2time 59500 p1inc 500'
    """
    words = ["go"]
    own, other = f"p{player + 1}", f"p{2 - player}"
    seconds = {
        f"{own}time": clock.remaining_s,
        f"{other}time": clock.opponent_remaining_s,
        f"{own}inc": clock.increment_s or math.inf,
        f"{other}inc": clock.opponent_increment_s or math.inf,
    }
    for name in ("p1time", "p2time", "p1inc", "p2inc"):
        if math.isfinite(seconds[name]):
            words += [name, _ms(seconds[name])]
    if math.isfinite(clock.move_limit_s):
        words += ["movetime", _ms(clock.move_limit_s)]
    for name in _GO_COUNTS:
        if count := getattr(clock, name):
            words += [name, str(count)]
    return " ".join(words)


def parse_go(words: Sequence[str]) -> Go:
    """The limits that the words after `go` set."""
    values: dict[str, float] = {}
    infinite = False
    rest = list(words)
    while rest:
        name = rest.pop(0)
        if name == "infinite":
            infinite = True
            continue
        if name not in _GO_NUMBERS:
            raise ProtocolError(f"go has no limit '{name}'; it has infinite, {', '.join(_GO_NUMBERS)}")
        text = rest.pop(0) if rest else ""
        number = _whole_number(text.removeprefix("-"))
        if number is None:
            raise ProtocolError(f"go {name} needs a whole number")
        if name in _GO_COUNTS and (number == 0 or text.startswith("-")):
            raise ProtocolError(f"go {name} needs a number above 0; leave it out for no limit")
        values[name] = 0 if text.startswith("-") else number  # a clock may be overdrawn
    return Go(
        time_s=(values.get("p1time", math.inf) / 1000, values.get("p2time", math.inf) / 1000),
        increment_s=(values.get("p1inc", 0) / 1000, values.get("p2inc", 0) / 1000),
        move_s=values.get("movetime", math.inf) / 1000,
        nodes=int(values.get("nodes", 0)),
        iterations=int(values.get("iterations", 0)),
        depth=int(values.get("depth", 0)),
        infinite=infinite,
    )


_GO_COUNTS = ("nodes", "iterations", "depth")
_GO_NUMBERS = ("p1time", "p2time", "p1inc", "p2inc", "movetime", *_GO_COUNTS)


def position_command(start: str | None, line: Sequence[str]) -> str:
    """`position` with a start, None for the game's own, and what was played since: moves, and outcomes as ``#0``.

    >>> position_command(None, ["4", "4"]), position_command("44", [])
    ('position startpos moves 4 4', 'position fen 44')
    """
    moves = ("moves", *line) if line else ()
    return " ".join(("position", *(("startpos",) if start is None else ("fen", start)), *moves))


def parse_position(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The start (None for the game's own) and the line that the words after `position` name."""
    kind, *rest = words or [""]
    at = rest.index("moves") if "moves" in rest else len(rest)
    start, line = rest[:at], rest[at + 1 :]
    if kind == "fen":
        return " ".join(start), line
    if kind != "startpos" or start:
        raise ProtocolError("position needs startpos or fen, then moves: position startpos moves …")
    return None, line


def follow(start: State, line: Sequence[str]) -> State:
    """The position after a line of moves, lost turns and outcomes; JouteError at the first that is wrong."""
    state = start
    for token in line:
        if not token.startswith("#"):
            state = replayed(state, token)
            continue
        outcome = _whole_number(token[1:])
        if outcome is None or not state.is_chance or outcome >= len(state.outcomes):
            raise ProtocolError(f"{one_line(token)} is no outcome of a random event at ply {state.ply}")
        state = state.resolve(outcome)
    return state


def one_token(text: str) -> str:
    r"""A text as one word of a line: spaces and what cannot be printed are escaped as in Python.

    >>> one_token("4"), one_token("a b"), one_token("")
    ('4', 'a\\x20b', '(none)')
    """
    if not text.isprintable() or " " in text:
        text = "".join(map(_printable, text[:_LONGEST_TOKEN]))
    return text[:_LONGEST_TOKEN] or NO_MOVE


def _printable(character: str) -> str:
    if character == " ":
        return r"\x20"
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def move_token(answer: object, state: State) -> str:
    """What `bestmove` says for whatever an agent answered.

    A legal move in the game's notation, and any other text as it is, for the referee to judge. An object that is
    neither is named with its type, so that it is no legal move here if it is none in Python: the number 4 is
    ``4(int)``, and a tuple is ``('P',1,4)(tuple)``, without the spaces that it can do without.
    """
    try:
        return one_token(str(state.legal_move(answer)))
    except IllegalMoveError:
        if issubclass(type(answer), str):
            return one_token(str.__str__(answer))
        return one_token(f"{one_line(answer)}({class_name(answer)})".replace(", ", ","))


def info_line(info: SearchInfo, time_s: float) -> str:
    """`info` with what an agent tells of its search. `value` is an extension: it has the agent's own unit."""
    words = ["info", "time", _ms(time_s)]
    if info.depth is not None:
        words += ["depth", str(int(info.depth))]
    if info.nodes is not None:
        words += ["nodes", str(int(info.nodes))]
    if info.value_for_mover is not None:
        words += ["value", repr(float(info.value_for_mover))]
    if info.pv:
        words += ["pv", *(one_token(str(move)) for move in info.pv)]
    return " ".join(words)


def parse_info(words: Sequence[str]) -> SearchInfo | None:
    """What the words after `info` tell, as far as they can be understood; None if nothing can."""
    told: dict[str, float] = {}
    line: tuple[str, ...] = ()
    rest = list(words)
    while rest:
        name = rest.pop(0)
        if name == "string":
            break
        if name == "pv":
            line = tuple(rest)
            break
        if name in ("depth", "nodes", "value", "cp") and rest:
            number = _number(rest.pop(0))
            if number is not None:
                told[name] = number
    if not told and not line:
        return None
    depth, nodes = told.get("depth"), told.get("nodes")
    return SearchInfo(
        value_for_mover=told.get("value", told.get("cp")),
        depth=None if depth is None else int(depth),
        nodes=None if nodes is None else int(nodes),
        pv=line,
    )


def _whole_number(text: str) -> int | None:
    """The number that digits stand for; huge ones are cut."""
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if len(text) <= _MOST_DIGITS else 10**_MOST_DIGITS


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _ms(seconds: float) -> str:
    return str(max(0, math.floor(1000 * seconds)))
