"""The tokenizer of the text of games (format: record_text.py): tags and move tokens with their line numbers."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field

from joute.example import GAME
from joute.match.record_text import ENDS, QUOTED, REPEATED_TAGS, TAGS, WORD, unquoted

_TOKEN = re.compile(
    rf"""
    (?P<nothing>\s+|;[^\n]*)
    | \[\s*(?P<name>\w+)\s*(?P<tag>{QUOTED})\s*\]
    | \{{(?P<comment>(?:[^"{{}}]|{QUOTED})*)\}}
    | <(?P<outcomes>[0-9\s,]*)>
    | (?P<number>[0-9]+)\.+
    | (?P<quoted>{QUOTED})
    | (?P<word>{WORD})
    """,
    re.VERBOSE,
)
# The most lines of tags before the tag Game of a game; it limits the time that a text without games takes.
_MOST_TAG_LINES = 100
_GAME_TAG = re.compile(r"^\[\s*Game\b", re.MULTILINE | re.IGNORECASE)
#: Matches a comment written by Joute, as opposed to a person's remark: it begins with a known name, or with a time or a
#: misspelt time such as 0,25s.
_OURS = re.compile(r"\s*(?:(?:[-+−]?\.?[0-9]\S*|inf|nan)s(?:\s|$)|(?:value|depth|nodes|pv)=)")
_NOT_UTF8 = re.compile("[\ud800-\udfff]")
_NAMES = {name.lower(): name for name in TAGS}

#: The error message if no token matches, by the next character.
_UNREADABLE = {
    "[": 'this is no tag such as [First "Anna"]',
    "]": "a bracket that closes no tag",
    "{": "this comment in braces is not closed",
    "}": "a brace that closes no comment",
    "<": "this is no outcome of a random event such as <2>",
    ">": "this is no outcome of a random event such as <2>",
    '"': "this text in quotes is not closed",
}


class WrongError(Exception):
    """An error on a line of the text."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


@dataclass(frozen=True)
class Token:
    """A token: its kind (a group of _TOKEN), its text and its line; a tag also has a name."""

    kind: str
    text: str
    line: int
    name: str = ""

    @property
    def is_end(self) -> bool:
        """Whether it is a result, which ends a game."""
        return self.kind == "word" and self.text in ENDS

    @property
    def is_remark(self) -> bool:
        """Whether it is a comment that is no part of the record: a person's, or a review's."""
        return self.kind == "comment" and not _OURS.match(self.text)


@dataclass
class Tags:
    """The tags of a game that begins on `line`: `own` are those of a record with their lines, `others` the rest."""

    line: int
    own: dict[str, tuple[str, int]] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)

    def add(self, token: Token) -> None:
        """Add a tag; WrongError if it is repeated, misspelt or badly quoted."""
        try:
            text = unquoted(token.text)
        except ValueError as error:
            raise WrongError(token.line, str(error)) from error
        name = _NAMES.get(token.name.lower())
        if name is None:
            _check_is_no_slip(token)
            self.others[token.name] = text
        elif name not in self.own:
            self.own[name] = text, token.line
        elif name in REPEATED_TAGS:
            self.own[name] = self.own[name][0] + text, token.line
        else:
            raise WrongError(token.line, f"a second tag [{name}] in one game")

    def text(self, name: str, default: str | None = None) -> str:
        """The text of a tag; WrongError if it is missing and there is no default."""
        if name in self.own:
            return self.own[name][0]
        if default is None:
            raise WrongError(self.line, f'this game has no tag [{name} "…"]')
        return default

    def line_of(self, name: str) -> int:
        """The line of a tag, or the first line of the game if it is missing."""
        return self.own[name][1] if name in self.own else self.line

    def both(self, name: str, default: str) -> tuple[str, str]:
        """The values for the first and the second player: from their own tags, else from the common tag."""
        common = self.text(name, default)
        return self.text(f"First{name}", common), self.text(f"Second{name}", common)


def _check_is_no_slip(token: Token) -> None:
    """WrongError if an unknown tag looks like a misspelt known tag, whose value would be lost silently."""
    import difflib  # imported here: only unknown tags need it

    if close := difflib.get_close_matches(token.name, TAGS, n=1, cutoff=0.8):
        raise WrongError(token.line, f"there is no tag [{token.name}]; did you mean [{close[0]}]?")


@dataclass
class Scanner:
    """A text and the current position in it."""

    text: str
    _at: int = 0
    _line_ends: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._line_ends = [match.start() for match in re.finditer("\n", self.text)]

    def has_more(self) -> bool:
        """Whether anything is left but white space and ; comments, which are skipped."""
        while (found := _TOKEN.match(self.text, self._at)) and found["nothing"] is not None:
            self._at = found.end()
        return self._at < len(self.text)

    def seems_to_hold_games(self) -> bool:
        """Whether the text begins with a tag or contains a tag Game."""
        return (self.has_more() and self.text[self._at] == "[") or _GAME_TAG.search(self.text) is not None

    def game(self) -> tuple[Tags, list[Token]]:
        """The tags and the move tokens of the next game, with remarks; WrongError at the first invalid token."""
        tags = self._tags()
        moves: list[Token] = []
        while (found := self._peek()) and (token := self._token(found)).kind != "tag":
            moves.append(token)
            self._at = found.end()
            if token.is_end:
                self._skip_remarks()  # text after the remarks belongs to the next game
                break
        return tags, moves

    def skip_game(self) -> None:
        """After an error, skip to the next game: the first of the lines of tags around the next tag Game."""
        earliest = self._at
        found = _GAME_TAG.search(self.text, earliest + 1)
        self._at = found.start() if found else len(self.text)
        for _ in range(_MOST_TAG_LINES):
            before = self.text.rfind("\n", 0, self._at - 1) + 1
            if before <= earliest or self.text[before] != "[":
                return
            self._at = before

    def _tags(self) -> Tags:
        self.has_more()
        tags = Tags(self._line)
        while (found := self._peek()) and ((token := self._token(found)).kind == "tag" or token.is_remark):
            if token.name.lower() == "game" and "Game" in tags.own:
                break  # the next game begins: this one has no moves
            if token.kind == "tag":
                tags.add(token)
            self._at = found.end()
        if not tags.own:
            raise WrongError(tags.line, f'a game begins with tags such as [Game "{GAME}"]')
        return tags

    def _skip_remarks(self) -> None:
        while self.has_more() and (found := _TOKEN.match(self.text, self._at)) and self._token(found).is_remark:
            self._at = found.end()

    @property
    def _line(self) -> int:
        return bisect.bisect_left(self._line_ends, self._at) + 1

    def _peek(self) -> re.Match[str] | None:
        """The match of the next token; None at the end."""
        if not self.has_more():
            return None
        found = _TOKEN.match(self.text, self._at)
        if found is None:
            raise WrongError(self._line, _UNREADABLE[self.text[self._at]])
        if _NOT_UTF8.search(found[0]):
            raise WrongError(self._line, "this is not UTF-8 text")
        return found

    def _token(self, found: re.Match[str]) -> Token:
        kind = found.lastgroup or ""
        return Token(kind, found[kind], self._line, found["name"] or "")
