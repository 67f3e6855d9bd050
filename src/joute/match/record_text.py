"""Writes the record of a game as text that people can read and type: tags, numbered moves, comments, the result.

    [Game "dice"]
    [First "greedy"]
    [Second "Anna"]
    [Result "1-0"]
    [DecidedBy "target reached"]
    [Seed "7"]

    1. roll <2> {0.012s value=0.53 depth=3 nodes=1034 pv=roll step} 2. step
    3. roll <1> 4. step 5. roll <1> 1-0

Moves are numbered by ply, because a player may move twice in a row; the rules determine the mover. A move is followed
by the outcomes of the random events that it caused, then by its time and search information. docs/records.md is the
reference; record_reader.py reads the text and returns a record equal to the one written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from joute.games import new
from joute.match.record import GameRecord, MoveRecord, Reason

#: The tags with a meaning; a file may have others.
TAGS = (
    "Game",
    "First",
    "Second",
    "Start",
    "Result",
    "Reason",
    "Detail",
    "DecidedBy",
    "Score",
    "Margin",
    "Seed",
    "Clock",
    "FirstClock",
    "SecondClock",
    "Isolation",
    "FirstIsolation",
    "SecondIsolation",
    "FirstOutput",
    "SecondOutput",
    "Overhead",
)
#: The agents' output, one tag per line of output. Only these tags may occur more than once in a game.
REPEATED_TAGS = ("FirstOutput", "SecondOutput")

#: The text of a result by the outcome for the first player.
OUTCOMES = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
#: The accepted texts of results and their outcomes.
ENDS = {text: outcome for outcome, text in OUTCOMES.items()} | {"½-½": 0}
#: PGN's mark of an unfinished game. It is recognised to give a helpful error.
UNFINISHED = "*"

#: Regular expressions of a quoted text and of a word without quotes.
QUOTED = r'"(?:[^"\\\n]|\\[^\n])*"'
WORD = r'[^\s{}<>\[\]";]+'

_WIDTH = 100
_BARE = re.compile(rf"(?![0-9]+\.){WORD}")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")


def write_record(
    record: GameRecord, *, tags: Mapping[str, str] | None = None, remarks: Mapping[int, Sequence[str]] | None = None
) -> str:
    """A game as text that ends with a newline; in a file, an empty line separates games. `tags` are additional tags.

    `remarks` are the words of a remark after a move, by the move's number in the record, from 0.

    >>> from joute import play_game
    >>> text = write_record(play_game("connect4", "greedy", "random", seed=1), tags={"Round": "1"})
    >>> text.splitlines()[:3]
    ['[Game "connect4"]', '[Round "1"]', '[First "greedy"]']
    """
    more = dict(tags or {})
    for name in more:
        if name in TAGS or not re.fullmatch(r"\w+", name):
            raise ValueError(f"'{name}' cannot be the name of another tag")
    lines = [f"[{name} {quoted(value)}]" for name, value in _tags(record, more)]
    return "\n".join([*lines, "", *_filled(_moves(record, remarks or {})), ""])


def _tags(record: GameRecord, more: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The tags of a game, without tags whose value is the reader's default."""
    yield "Game", record.game
    yield from more.items()
    yield "First", record.players[0]
    yield "Second", record.players[1]
    if record.start != new(record.game).position:
        yield "Start", record.start
    result, reason = record.result, record.reason
    yield "Result", OUTCOMES[result.outcome]
    if reason is not Reason.NORMAL:
        yield "Reason", reason.value
    if record.detail:
        yield "Detail", record.detail
    yield "DecidedBy", result.decided_by
    # At the ply limit the reader's default is the score of the final position, so that the tags are always written.
    if (result.score, result.margin) != (result.outcome, 0) or reason is Reason.PLY_LIMIT:
        yield "Score", str(result.score)
        yield "Margin", str(result.margin)
    yield "Seed", str(record.seed)
    yield from _both("Clock", record.clocks, "none")
    yield from _both("Isolation", record.isolation, "worker")
    for name, output in zip(REPEATED_TAGS, record.output, strict=True):
        yield from ((name, line) for line in output.splitlines(keepends=True))
    if record.overhead_s:
        yield "Overhead", number_text(record.overhead_s)


def _both(name: str, values: tuple[str, str], default: str) -> Iterator[tuple[str, str]]:
    """One tag if both sides have the same value, else one per side; none for the default."""
    first, second = values
    if first != second:
        yield f"First{name}", first
        yield f"Second{name}", second
    elif first != default:
        yield name, first


def _moves(record: GameRecord, remarks: Mapping[int, Sequence[str]]) -> Iterator[list[str]]:
    """The text after the tags, in pieces to keep on one line if possible; a piece is a list of unbreakable words."""
    if record.start_outcomes:
        yield [_outcomes(record.start_outcomes)]
    for number, played in enumerate(record.moves, 1):
        words = [f"{number}. {word(played.move)}"]
        if played.outcomes:
            words.append(_outcomes(played.outcomes))
        for comment in filter(None, (_comment(played), remarks.get(number - 1))):
            words += ["{" + comment[0], *comment[1:]]
            words[-1] += "}"
        yield words
    yield [OUTCOMES[record.result.outcome]]


def _outcomes(outcomes: Iterable[int]) -> str:
    return f"<{','.join(map(str, outcomes))}>"


def _comment(played: MoveRecord) -> list[str]:
    """The words of the comment after a move. `pv=` and its moves come last; an empty `pv=` means empty information."""
    info = played.info
    words = [f"{number_text(played.time_s)}s"] if played.time_s or info else []
    if info is None:
        return words
    if info.value_for_mover is not None:
        words.append(f"value={number_text(info.value_for_mover)}")
    if info.depth is not None:
        words.append(f"depth={info.depth}")
    if info.nodes is not None:
        words.append(f"nodes={info.nodes}")
    line = [word(str(move)) for move in info.pv]
    if line or len(words) == 1:
        words += [f"pv={' '.join(line[:1])}", *line[1:]]
    return words


def _filled(pieces: Iterable[list[str]]) -> Iterator[str]:
    """Fill lines of `_WIDTH`; a piece that does not fit begins a new line and is broken only if longer than a line."""
    line = ""
    for piece in pieces:
        whole = " ".join(piece)
        for part in [whole] if len(whole) <= _WIDTH else piece:
            if line and len(line) + 1 + len(part) > _WIDTH:
                yield line
                line = ""
            line = f"{line} {part}" if line else part
    yield line


def word(text: str) -> str:
    """The text of a move, in quotes if it could be read as another token."""
    is_bare = _BARE.fullmatch(text) and text.isprintable() and text not in (*ENDS, UNFINISHED)
    return text if is_bare else quoted(text)


def quoted(text: str) -> str:
    r"""A text in quotes, on one line, with unprintable characters escaped as in Python.

    >>> print(quoted('he said "é",\n\a'))
    "he said \"é\",\n\u0007"
    """
    if not text.isprintable() or '"' in text or "\\" in text:
        text = "".join(_ESCAPES.get(character) or _visible(character) for character in text)
    return f'"{text}"'


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def unquoted(text: str) -> str:
    r"""The inverse of `quoted`; ValueError for an invalid escape.

    >>> unquoted(r'"he said \"\u00e9\""')
    'he said "é"'
    """

    def meant(match: re.Match[str]) -> str:
        if code := match[1] or match[2]:
            return chr(int(code, 16))
        for character, escape in _ESCAPES.items():
            if escape == match[0]:
                return character
        raise ValueError(f"'{match[0]}' is not an escape; a backslash is written \\\\")

    return _ESCAPED.sub(meant, text[1:-1]) if "\\" in text else text[1:-1]


def number_text(number: float) -> str:
    """A number as text that reads back exactly, without an exponent if seven decimals suffice.

    >>> number_text(0.0000013), number_text(2.0), number_text(float("nan"))
    ('0.0000013', '2', 'nan')
    """
    plain = f"{number:.7f}".rstrip("0").removesuffix(".") if abs(number) < 1e15 else ""
    return plain if plain and float(plain) == number else repr(float(number))
