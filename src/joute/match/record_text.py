"""The record of a game as text to read, to mail and to type: tags, numbered moves, comments, the result.

    [Game "dice"]
    [First "greedy"]
    [Second "Anna"]
    [Result "1-0"]
    [DecidedBy "target reached"]
    [Seed "7"]

    1. roll <2> {0.012s value=0.53 depth=3 nodes=1034 pv=roll step} 2. step
    3. roll <1> 4. step 5. roll <1> 1-0

Moves are numbered by ply, for a player may move twice in a row; who moved follows from the rules. After a move come
the outcomes of the random events that it caused, then what is known of the choice. docs/records.md is the reference;
record_reader.py reads it. Reading gives the very record that was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from joute.games import new
from joute.match.record import GameRecord, MoveRecord, Reason

#: Every tag that means something; a file may have others.
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
#: What an agent wrote, a tag a line: only these may come more than once in a game.
REPEATED_TAGS = ("FirstOutput", "SecondOutput")

#: Outcomes for the first player, as they end a game.
OUTCOMES = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
#: Results as they may be typed, and their outcomes.
ENDS = {text: outcome for outcome, text in OUTCOMES.items()} | {"½-½": 0}
#: How PGN ends a game that goes on: no record does, but somebody may type it.
UNFINISHED = "*"

#: A quoted text and a word that needs no quotes, as regular expressions.
QUOTED = r'"(?:[^"\\\n]|\\[^\n])*"'
WORD = r'[^\s{}<>\[\]";]+'

_WIDTH = 100
_BARE = re.compile(rf"(?![0-9]+\.){WORD}")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")


def write_record(record: GameRecord, *, tags: Mapping[str, str] | None = None) -> str:
    """A game as text that ends with a line end; an empty line stands between two games. `tags` are more to be said.

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
    return "\n".join([*lines, "", *_filled(_moves(record)), ""])


def _tags(record: GameRecord, more: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The tags of a game; what a reader would assume by itself is left out."""
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
    # A game that was stopped at the limit has the score of its position; only its own tags say otherwise.
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
    """One tag where both sides have the same, else one each; none for the default."""
    first, second = values
    if first != second:
        yield f"First{name}", first
        yield f"Second{name}", second
    elif first != default:
        yield name, first


def _moves(record: GameRecord) -> Iterator[list[str]]:
    """What follows the tags, in pieces that had better stay together, each in words that may not be broken."""
    if record.start_outcomes:
        yield [_outcomes(record.start_outcomes)]
    for number, played in enumerate(record.moves, 1):
        words = [f"{number}. {word(played.move)}"]
        if played.outcomes:
            words.append(_outcomes(played.outcomes))
        if comment := _comment(played):
            words += ["{" + comment[0], *comment[1:]]
            words[-1] += "}"
        yield words
    yield [OUTCOMES[record.result.outcome]]


def _outcomes(outcomes: Iterable[int]) -> str:
    return f"<{','.join(map(str, outcomes))}>"


def _comment(played: MoveRecord) -> list[str]:
    """What is known of a move, in words; `pv=` and its moves come last, and alone say that nothing else was told."""
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
    """Lines of the usual width: a piece begins a new one where it does not fit, and is broken only if it must be."""
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
    """A move as it is written: in quotes, if it could be taken for anything else."""
    is_bare = _BARE.fullmatch(text) and text.isprintable() and text not in (*ENDS, UNFINISHED)
    return text if is_bare else quoted(text)


def quoted(text: str) -> str:
    r"""A text in quotes, on one line, with what cannot be seen escaped as in Python.

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
    r"""The text that `quoted` wrote; ValueError where an escape is none.

    >>> unquoted(r'"he said \"\u00e9\""')
    'he said "é"'
    """

    def meant(match: re.Match[str]) -> str:
        if code := match[1] or match[2]:
            return chr(int(code, 16))
        for character, escape in _ESCAPES.items():
            if escape == match[0]:
                return character
        raise ValueError(f"'{match[0]}' stands for nothing; a backslash is written \\\\")

    return _ESCAPED.sub(meant, text[1:-1]) if "\\" in text else text[1:-1]


def number_text(number: float) -> str:
    """A number that reads back as the same, without an exponent where it is a short time.

    >>> number_text(0.0000013), number_text(2.0), number_text(float("nan"))
    ('0.0000013', '2', 'nan')
    """
    plain = f"{number:.7f}".rstrip("0").removesuffix(".") if abs(number) < 1e15 else ""
    return plain if plain and float(plain) == number else repr(float(number))
