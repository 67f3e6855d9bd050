"""Reads games from text (format: record_text.py). Games are checked by replaying them; errors name the line."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from joute._core import Result, one_line
from joute.agents import SearchInfo
from joute.errors import JouteError, described, unreadable
from joute.games import State, new
from joute.match.clock import TimeControl
from joute.match.game import GameInProgress
from joute.match.record import GameRecord, MoveRecord, Reason, is_lost_turn
from joute.match.record_text import ENDS, OUTCOMES, QUOTED, UNFINISHED, WORD, unquoted
from joute.match.record_tokens import Scanner, Tags, Token, WrongError
from joute.spec import look_up

_PV_MOVE = re.compile(rf"{QUOTED}|{WORD}")
_WHOLE = re.compile(r"-?[0-9]{1,4000}")
_LIMIT = 2**31  # a Result holds smaller numbers


class RecordError(JouteError):
    """A game in a text cannot be read; the message says where and why."""

    def __init__(self, name: str, line: int, sentence: str) -> None:
        super().__init__(f"{name}, line {line}: {sentence}")
        self.line = line
        self.sentence = sentence


@dataclass(frozen=True)
class TextGame:
    """A game of a text, its first line, and its tags that are not part of a record.

    `remarks` are the comments that are not part of a record either, by the number of moves before them.
    """

    record: GameRecord
    line: int
    tags: Mapping[str, str]
    remarks: Mapping[int, Sequence[str]] = field(default_factory=dict)


def read_records(path: Path) -> list[GameRecord]:
    """The games of a file; RecordError if one of them is invalid."""
    records = []
    for game in read_games(path):
        if isinstance(game, RecordError):
            raise game
        records.append(game.record)
    return records


def read_games(path: Path) -> Iterator[TextGame | RecordError]:
    """The games of a file in order; a game that cannot be read is a RecordError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    # Invalid UTF-8 makes only its own game unreadable.
    return read_text(content.decode("utf-8", "surrogateescape"), str(path))


def seems_to_hold_games(path: Path) -> bool:
    """Whether a file looks like a text of games, damaged or not."""
    return _scanner(path.read_bytes().decode("utf-8", "surrogateescape")).seems_to_hold_games()


def read_text(text: str, name: str = "text") -> Iterator[TextGame | RecordError]:
    """The games of a text, as in `read_games`; error messages begin with `name`.

    >>> [error] = read_text('[Game "connect4"] [First "Anna"] [Second "Ben"] 1. 4 2. 4 3. 8')
    >>> print(error)
    text, line 1: move 3: illegal move 8 at ply 2 of connect4; legal moves: 1 2 3 4 5 6 7
    """
    scanner = _scanner(text)
    while scanner.has_more():
        try:
            tags, moves = scanner.game()
        except WrongError as error:
            yield RecordError(name, error.line, one_line(error))
            scanner.skip_game()
            continue
        try:
            yield TextGame(_record(tags, moves), tags.line, tags.others, _remarks(moves))
        except WrongError as error:
            yield RecordError(name, error.line, one_line(error))


def _scanner(text: str) -> Scanner:
    return Scanner(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


@contextlib.contextmanager
def _checked(line: int, what: str = "") -> Iterator[None]:
    """Translate exceptions of a game's rules and notation to WrongError on this line; `what` begins the message."""
    try:
        yield
    except WrongError:
        raise
    except (JouteError, UnicodeError) as error:
        raise WrongError(line, f"{what}{error}") from error
    except Exception as error:  # a plug-in's rules may fail in any way
        raise WrongError(line, f"{what}the rules of the game fail here: {described(error)}") from error


def _record(tags: Tags, tokens: list[Token]) -> GameRecord:
    """The record made from tags and move tokens."""
    game, players = tags.text("Game"), (tags.text("First"), tags.text("Second"))
    with _checked(tags.line_of("Game")):
        start = tags.text("Start", new(game).position)
    with _checked(tags.line_of("Start")):
        replay = _Replay(GameInProgress(new(game, start), draws_at_once=False), tags.line)
    for token in tokens:
        if not token.is_remark:
            replay.take(token)
    replay.check_is_settled()
    reason = _reason(tags, replay)
    for name in ("Clock", "FirstClock", "SecondClock"):
        with _checked(tags.line_of(name)):
            TimeControl.parse(tags.text(name, "none"))
    overhead_s = _number(tags.text("Overhead", "0"))
    if overhead_s is None:
        raise WrongError(tags.line_of("Overhead"), f"[Overhead] must be seconds, not '{tags.text('Overhead')}'")
    return GameRecord(
        game=game,
        start=start,
        players=players,
        seed=_tagged_integer(tags, "Seed", 0),
        moves=tuple(replay.moves),
        result=_result(tags, replay, reason),
        reason=reason,
        detail=tags.text("Detail", ""),
        start_outcomes=replay.game.start_outcomes,
        clocks=tags.both("Clock", "none"),
        isolation=tags.both("Isolation", "worker"),
        output=(tags.text("FirstOutput", ""), tags.text("SecondOutput", "")),
        overhead_s=overhead_s,
    )


def _remarks(tokens: list[Token]) -> dict[int, list[str]]:
    """The remarks of a game, by the number of moves before them."""
    remarks: dict[int, list[str]] = {}
    moves = 0
    for token in tokens:
        if token.is_remark:
            remarks.setdefault(moves, []).append(token.text.strip())
        elif token.kind in ("word", "quoted") and not token.is_end:
            moves += 1
    return remarks


@dataclass
class _Replay:
    """Plays the moves of a text; `line` is the current line in the text."""

    game: GameInProgress[State]
    line: int
    outcome: int | None = None
    is_commented: bool = False

    @property
    def state(self) -> State:
        return self.game.state

    @property
    def moves(self) -> list[MoveRecord]:
        return self.game.moves

    def take(self, token: Token) -> None:
        """Process one token."""
        if token.kind in ("word", "quoted", "number"):
            self.check_is_settled()
        self.line = token.line
        if token.is_end:
            self.outcome = ENDS[token.text]
        elif token.kind == "word" and token.text == UNFINISHED:
            raise WrongError(token.line, "* is for games that are not over; a record needs a result such as 1-0")
        elif token.kind == "word":
            self.play(token.text)
        elif token.kind == "quoted":
            with _wrong_where(token.line):
                self.play(unquoted(token.text))
        elif token.kind == "number":
            if token.text != str(len(self.moves) + 1):
                sentence = f"this is move {len(self.moves) + 1}, not {token.text}"
                raise WrongError(token.line, f"{sentence}: moves are numbered by ply, or not at all")
        elif token.kind == "outcomes":
            for text in re.split(r"[\s,]+", token.text.strip()):
                self.resolve(text)
        else:
            self.comment(token.text)

    def play(self, text: str) -> None:
        # The text counts its own moves from 1; the rules count plies from the start of the game.
        with _checked(self.line, f"move {len(self.moves) + 1}: "):
            if is_lost_turn(self.state, text):
                self.game.lose_turn()
            else:
                self.game.play(text)
        self.is_commented = False

    def resolve(self, text: str) -> None:
        """Resolve the pending random event with the outcome in the text."""
        with _checked(self.line):
            possible = [index for index, chance in enumerate(self.state.outcomes) if chance > 0]
            if not self.state.is_chance:
                raise WrongError(self.line, f"no random event is pending, so <{text}> cannot be its outcome")
            outcome = _integer(text)
            if outcome not in possible:
                raise WrongError(
                    self.line, f"<{text}> is not an outcome of this event; the outcomes are: {_outcomes(possible)}"
                )
            self.game.resolve(outcome)

    def comment(self, text: str) -> None:
        if not self.moves or self.is_commented:
            raise WrongError(self.line, "a move has at most one comment with its time or search information")
        with _wrong_where(self.line):
            time_s, info = _told(text)
        self.moves[-1] = replace(self.moves[-1], time_s=time_s, info=info)
        self.is_commented = True

    def check_is_settled(self) -> None:
        """WrongError if a random event after a move has no outcome.

        At the start an open event is allowed: it is not drawn if the players fail to begin the game.
        """
        with _checked(self.line):
            if self.moves and self.state.is_chance:
                possible = _outcomes(range(len(self.state.outcomes)))
                raise WrongError(self.line, f"the outcome of a random event is missing here: {possible}")


def _outcomes(numbers: range | list[int]) -> str:
    return " ".join(f"<{number}>" for number in numbers)


@contextlib.contextmanager
def _wrong_where(line: int) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise WrongError(line, str(error)) from error


def _told(comment: str) -> tuple[float, SearchInfo | None]:
    """The time and search information in a comment; ValueError for an unknown word."""
    words, has_line, line = comment.partition("pv=")
    told: dict[str, float | None] = {}
    for word in words.split():
        name, equals, text = word.partition("=")
        if not equals and word.endswith("s"):
            name, text = "time", word[:-1]
        number = _integer(text) if name in ("depth", "nodes") else _number(text)
        if name == "time" and not word[0].isalpha() and (number is None or number < 0):
            raise ValueError(f"'{word}' is not a time such as 0.25s")
        if number is None or name in told or name not in ("time", "value", "depth", "nodes"):
            raise ValueError(f"'{word}' is not understood in a comment of time, value=, depth=, nodes= and pv=")
        told[name] = number
    if _PV_MOVE.sub("", line).strip():
        raise ValueError(f"'pv={line.strip()}' is not a line of moves")
    pv = tuple(unquoted(move) if move.startswith('"') else move for move in _PV_MOVE.findall(line))
    time_s = told.pop("time", None) or 0.0
    is_told = bool(told or has_line)
    depth, nodes = (told.get(name) for name in ("depth", "nodes"))
    return time_s, SearchInfo(told.get("value"), depth, nodes, pv) if is_told else None  # type: ignore[arg-type]


def _reason(tags: Tags, replay: _Replay) -> Reason:
    """The reason in the tags; WrongError if it is normal but the game is not over by the rules."""
    with _checked(tags.line_of("Reason")):
        reason = look_up("reason", tags.text("Reason", "normal"), {reason.value: reason for reason in Reason})
    with _checked(replay.line):
        is_over = replay.state.is_terminal
    if reason is Reason.NORMAL and not is_over:
        others = ", ".join(other.value for other in Reason if other is not Reason.NORMAL)
        where = f"after move {len(replay.moves)}" if replay.moves else "here"
        raise WrongError(
            replay.line, f"the game is not over {where}; if it ended there, add a tag [Reason] that says why: {others}"
        )
    if reason is not Reason.NORMAL and replay.outcome is None:
        raise WrongError(replay.line, "the result, such as 1-0, is missing after the moves")
    return reason


def _result(tags: Tags, replay: _Replay, reason: Reason) -> Result:
    """The result, from the result token, the tags and the final position, which must agree."""
    with _checked(replay.line):
        meant = replay.state.result_if_stopped
    outcome = meant.outcome if replay.outcome is None else replay.outcome
    if reason is Reason.NORMAL and outcome != meant.outcome:
        raise WrongError(replay.line, f"the result is {OUTCOMES[meant.outcome]} by the rules, not {OUTCOMES[outcome]}")
    if reason not in (Reason.NORMAL, Reason.PLY_LIMIT):
        meant = Result(outcome, decided_by="" if reason is Reason.ADJUDICATED else "forfeit")
    told = tags.text("Result", OUTCOMES[outcome])
    if ENDS.get(told) != outcome:
        raise WrongError(tags.line_of("Result"), f"[Result] is {told}, but the game ends with {OUTCOMES[outcome]}")
    score, margin = (_tagged_integer(tags, name, getattr(meant, name.lower())) for name in ("Score", "Margin"))
    if not -_LIMIT < score < _LIMIT or not -_LIMIT < margin < _LIMIT:
        raise WrongError(tags.line_of("Score"), f"[Score] and [Margin] must be less than {_LIMIT}")
    with _checked(tags.line_of("DecidedBy")):
        result = Result(outcome, score=score, margin=margin, decided_by=tags.text("DecidedBy", meant.decided_by))
    if reason is Reason.NORMAL and result != meant:
        for name, attribute in (("Score", "score"), ("Margin", "margin"), ("DecidedBy", "decided_by")):
            if (right := getattr(meant, attribute)) != (wrong := getattr(result, attribute)):
                raise WrongError(tags.line_of(name), f"[{name}] is {right} by the rules, not {wrong}")
    return result


def _tagged_integer(tags: Tags, name: str, default: int) -> int:
    number = _integer(tags.text(name, str(default)))
    if number is None:
        raise WrongError(tags.line_of(name), f"[{name}] must be a whole number, not '{tags.text(name)}'")
    return number


def _integer(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
