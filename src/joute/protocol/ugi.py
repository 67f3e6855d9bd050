"""Reads and writes the commands of UGI, the Universal Game Interface: UCI for any game.

docs/ugi.md describes the protocol and Joute's extensions. Both ends use this module: the engine that serves an agent,
and the player that speaks to a program. Times are whole milliseconds in commands and seconds here.
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
from joute.spec import Parameter

#: The move in a `bestmove` without a move.
NO_MOVE = "(none)"

#: The argument of Joute's engine by which one agent plays all games.
KEEP_AGENT = "keep-agent"

# Longer numbers are cut: Python reads them slowly, and no limit needs them.
_MOST_DIGITS = 18
# Longer answers of agents are cut; no move is as long.
_LONGEST_TOKEN = 400


class ProtocolError(JouteError):
    """A line is not valid UGI."""


@dataclass(frozen=True)
class Go:
    """The limits of a `go` command; pairs are for the first and the second player."""

    time_s: tuple[float, float] = (math.inf, math.inf)
    increment_s: tuple[float, float] = (0.0, 0.0)
    move_s: float = math.inf
    nodes: int = 0
    iterations: int = 0  # an extension: simulations of a tree search
    depth: int = 0
    infinite: bool = False


def go_command(clock: Clock, player: int) -> str:
    """The `go` command with the limits of a player's clock.

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
    """The limits in the words after `go`; ProtocolError if they are invalid."""
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
        values[name] = 0 if text.startswith("-") else number  # a clock may be negative
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
    """The `position` command: a start (None: the game's own), then moves, and random outcomes in the form ``#0``.

    >>> position_command(None, ["4", "4"]), position_command("44", [])
    ('position startpos moves 4 4', 'position fen 44')
    """
    moves = ("moves", *line) if line else ()
    return " ".join(("position", *(("startpos",) if start is None else ("fen", start)), *moves))


def parse_position(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The start (None: the game's own) and the line in the words after `position`."""
    kind, *rest = words or [""]
    at = rest.index("moves") if "moves" in rest else len(rest)
    start, line = rest[:at], rest[at + 1 :]
    if kind == "fen":
        return " ".join(start), line
    if kind != "startpos" or start:
        raise ProtocolError("position needs startpos or fen, then moves: position startpos moves …")
    return None, line


def follow(start: State, line: Sequence[str]) -> State:
    """The position after a line of moves, lost turns and outcomes; JouteError at the first invalid one."""
    state = start
    for token in line:
        if not token.startswith("#"):
            state = replayed(state, token)
            continue
        outcome = _whole_number(token[1:])
        if outcome is None or not state.is_chance or outcome >= len(state.outcomes):
            raise ProtocolError(f"{one_line(token)} is not an outcome of a random event at ply {state.ply}")
        state = state.resolve(outcome)
    return state


def one_token(text: str) -> str:
    r"""A text as one word of a line: spaces and unprintable characters are escaped as in Python.

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
    """The word after `bestmove` for any answer of an agent.

    A legal move is written in the game's notation; any other text is passed on unchanged and judged by the referee. Any
    other object is written with its type, so that an object that is illegal in Python is illegal here too: the number 4
    is ``4(int)``, and a tuple is ``('P',1,4)(tuple)``, without the spaces after commas.
    """
    try:
        return one_token(str(state.legal_move(answer)))
    except IllegalMoveError:
        if issubclass(type(answer), str):
            return one_token(str.__str__(answer))
        return one_token(f"{one_line(answer)}({class_name(answer)})".replace(", ", ","))


def info_line(info: SearchInfo, time_s: float, share: float | None = None) -> str:
    """The `info` line of search information. `value` is an extension, in the agent's own unit.

    `share` is the expected result of the player to move, from 0 to 1, as far as the value tells it.

    >>> info_line(SearchInfo(value_for_mover=0.75, pv=("4",)), 0.01, share=0.75)
    'info time 10 score cp 110 wdl 750 0 250 value 0.75 pv 4'
    """
    words = ["info", "time", _ms(time_s)]
    if info.depth is not None:
        words += ["depth", str(int(info.depth))]
    if info.nodes is not None:
        words += ["nodes", str(int(info.nodes))]
    if share is not None:
        wins = round(WDL_SUM * share)
        words += ["score", "cp", str(_centipawns(share)), "wdl", str(wins), "0", str(WDL_SUM - wins)]
    if info.value_for_mover is not None:
        words += ["value", repr(float(info.value_for_mover))]
    if info.pv:
        words += ["pv", *(one_token(str(move)) for move in info.pv)]
    return " ".join(words)


# The sum of the three numbers of wdl, and the largest share that a score shows.
WDL_SUM, _MOST_SHARE = 1000, 0.999


def _centipawns(share: float) -> int:
    """An expected result as a score: 100 times its log-odds."""
    share = min(_MOST_SHARE, max(1 - _MOST_SHARE, share))
    return round(100 * math.log(share / (1 - share)))


def parse_info(words: Sequence[str]) -> SearchInfo | None:
    """The search information in the words after `info`; unknown words are ignored. None if there is none."""
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
        if name == "wdl":
            shares = [_whole_number(word) for word in rest[:3]]
            if len(shares) == 3 and None not in shares and (total := sum(filter(None, shares))) > 0:
                told["wdl"] = ((shares[0] or 0) + (shares[1] or 0) / 2) / total
    if not told and not line:
        return None
    depth, nodes = told.get("depth"), told.get("nodes")
    return SearchInfo(
        value_for_mover=next((told[name] for name in ("value", "cp", "wdl") if name in told), None),
        depth=None if depth is None else int(depth),
        nodes=None if nodes is None else int(nodes),
        pv=line,
    )


_OPTION_KEYS = ("type", "default", "min", "max", "var")


def _option_parts(line: str) -> dict[str, list[str]]:
    """The texts after each key of an ``option`` line, ``var`` several times; empty if the line is not one."""
    words = line.split()
    if [word.lower() for word in words[:2]] != ["option", "name"]:
        return {}
    parts: dict[str, list[list[str]]] = {"name": [[]]}
    current = parts["name"][0]
    for word in words[2:]:
        key = word.lower()
        if key in _OPTION_KEYS and (key == "var" or key not in parts):
            current = []
            parts.setdefault(key, []).append(current)
        else:
            current.append(word)
    return {key: [" ".join(text) for text in texts] for key, texts in parts.items()}


def option_name(line: str) -> str:
    """The name of the option in an ``option`` line; empty if the line is invalid."""
    return _option_parts(line).get("name", [""])[0]


def parse_option(line: str) -> Parameter | None:
    """The parameter that an ``option`` line describes; None for a button, an invalid line, or a text.

    A text that is a number is a number: UGI has no type for numbers with decimals.

    >>> parse_option("option name Skill Level type spin default 3 min 0 max 20").range
    '0..20'
    """
    parts = _option_parts(line)
    name, kind, default = (parts.get(key, [""])[0] for key in ("name", "type", "default"))
    told = "an option of the program"
    if not name:
        return None
    if kind == "check" and default.lower() in ("true", "false"):
        return Parameter(name, default.lower() == "true", help=told)
    if kind == "combo":
        return Parameter(name, default, help=told, choices=tuple(parts.get("var", ())))
    number = _number(default)
    if number is None or not math.isfinite(number) or kind not in ("spin", "string"):
        return None
    if kind == "string":
        return Parameter(name, number, help=told)
    low, high = (_number(parts.get(key, [""])[0]) for key in ("min", "max"))
    return Parameter(
        name, int(number), help=told, low=-math.inf if low is None else low, high=math.inf if high is None else high
    )


def _whole_number(text: str) -> int | None:
    """The number of a text of digits, at most 10**18; None if the text is anything else."""
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
