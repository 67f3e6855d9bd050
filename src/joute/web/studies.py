"""Games under analysis, as requests describe them: a start and a line. The server keeps none of them.

A line has the tokens of docs/ugi.md: moves, ``#k`` for outcome k of a random event, ``--`` for a turn lost on time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from joute._core import Result
from joute.errors import JouteError
from joute.example import GAME
from joute.games import State
from joute.match.game import GameInProgress
from joute.match.record import GameRecord, Reason, is_lost_turn
from joute.match.record_reader import RecordError, TextGame, read_text
from joute.match.record_tokens import Scanner, WrongError
from joute.protocol.ugi import follow
from joute.web.allowed import start_of
from joute.web.errors import PageError
from joute.web.messages import MoveText, Strict

#: The longest line of a study.
MOST_TOKENS = 4000

# The number of a move, before it: ``12.``
_NUMBER = re.compile(r"\d+\.+$")

Line = Annotated[list[MoveText], Field(max_length=MOST_TOKENS)]


class Study(Strict):
    """A position with its history: a start and the line from there."""

    game: str = Field(max_length=10_000, description="the spec of the game", examples=[GAME])
    start: str = Field("", max_length=10_000, description="the position before the line; empty for the usual start")
    line: Line = Field(
        default_factory=list, description="moves, #k for outcome k of a random event, -- for a lost turn",
        examples=[["4", "4", "3"]],
    )  # fmt: skip

    @property
    def start_state(self) -> State:
        """The position before the line; PageError if there is none, or the visitor may not name it."""
        return start_of(self.game, self.start)

    @property
    def state(self) -> State:
        """The position at the end of the line; PageError if a token is invalid."""
        return followed(self.start_state, self.line)

    @property
    def request(self) -> dict[str, Any]:
        """The study as a request to an engine process."""
        return {"game": self.game, "start": self.start, "line": self.line}


def followed(state: State, line: Sequence[str]) -> State:
    """The position after a line; PageError if a token is invalid."""
    try:
        return follow(state, line)
    except JouteError as error:
        raise PageError("illegal_move", str(error)) from error


def study_data(start: State, line: Sequence[str], kind: str) -> dict[str, Any]:
    """A study for the page, with what it shows of the game."""
    return {
        "kind": kind,
        "game": start.spec,
        "name": start.game,
        "title": start.title,
        "players": list(start.players),
        "colours": list(start.colours),
        "start": start.position,
        "line": list(line),
        "names": None,
        "headline": "",
        "games": 1,
    }


def record_data(record: GameRecord, games: int = 1) -> dict[str, Any]:
    """A record as a study."""
    start = start_of(record.game, record.start)
    data = study_data(start, list(tokens_of(record)), "record")
    return {**data, "names": list(record.players), "headline": record.headline, "games": games}


def tokens_of(record: GameRecord) -> Iterator[str]:
    """The line of a record."""
    yield from (f"#{outcome}" for outcome in record.start_outcomes)
    for played in record.moves:
        yield played.move
        yield from (f"#{outcome}" for outcome in played.outcomes)


def read_study(text: str, game: str, number: int = 1) -> dict[str, Any]:
    """Read what somebody pasted: a text of games, of which `number` is taken, a position of `game`, or its moves.

    PageError with the reason if it is none of them.
    """
    text = text.strip()
    if _scanner(text).seems_to_hold_games():
        return _read_games(text, number)
    start = start_of(game)
    if not text:
        return study_data(start, [], "position")
    try:
        return study_data(start_of(game, text), [], "position")
    except PageError as problem:
        moves = [word for word in (_NUMBER.sub("", each) for each in text.split()) if word]
        try:
            line = list(canonical(start, moves))
        except PageError as error:
            if len(moves) > 1 and error.code == "illegal_move" and _begins(start, moves[0]):
                raise error from problem
            raise problem from None
        return study_data(start, line, "moves")


def _begins(start: State, token: str) -> bool:
    try:
        follow(start, [token])
    except JouteError:
        return False
    return True


def canonical(start: State, line: Sequence[str]) -> Iterator[str]:
    """The tokens of a line, with moves in the game's own notation; PageError if one is invalid."""
    if len(line) > MOST_TOKENS:
        raise PageError("long_line", f"the game has more than {MOST_TOKENS} moves")
    state = start
    for token in line:
        after = followed(state, [token])
        is_move = not token.startswith("#") and not is_lost_turn(state, token)
        yield str(state.legal_move(token)) if is_move else token
        state = after


def _scanner(text: str) -> Scanner:
    return Scanner(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def _read_games(text: str, number: int) -> dict[str, Any]:
    _check_games(text)
    games = list(read_text(text))
    if not 1 <= number <= len(games):
        raise PageError("bad_record", f"the text has {len(games)} games, so none has the number {number}")
    chosen = games[number - 1]
    if isinstance(chosen, RecordError):
        raise PageError("bad_record", f"line {chosen.line}: {chosen.sentence}")
    assert isinstance(chosen, TextGame)
    if len(chosen.record.moves) > MOST_TOKENS:
        raise PageError("long_line", f"the game has more than {MOST_TOKENS} moves")
    return record_data(chosen.record, len(games))


def _check_games(text: str) -> None:
    """PageError if a text names a game that a visitor may not name: reading it would open a file."""
    scanner = _scanner(text)
    while scanner.has_more():
        try:
            tags, _ = scanner.game()
        except WrongError:
            scanner.skip_game()
            continue
        if "Game" in tags.own:
            start_of(tags.own["Game"][0])


def record_of(study: Study, names: tuple[str, str]) -> GameRecord:
    """The record of a line, which may be unfinished: then nobody has won."""
    game = GameInProgress(study.start_state, draws_at_once=False)
    for token in study.line:
        try:
            if token.startswith("#"):
                follow(game.state, [token])
                game.resolve(int(token[1:]))
            elif is_lost_turn(game.state, token):
                game.lose_turn()
            else:
                game.play(token)
        except JouteError as error:
            raise PageError("illegal_move", str(error)) from error
    if not game.is_over:
        game.end(Result(0, decided_by="unfinished"), Reason.ADJUDICATED, "not finished")
    return game.record(names)


def is_settled(record: GameRecord) -> bool:
    """Whether no random event is pending after the last move: only then the record can be read again."""
    *_, last = record.states()
    return not last.is_chance


def line_nodes(start: State, line: Sequence[str], first: int, last: int) -> Iterator[tuple[State, State | None, str]]:
    """The positions after `first` to `last` tokens of a line, each with the position before it and its token."""
    state, before, token = start, None, ""
    for index in range(last + 1):
        if index >= first:
            yield state, before, token
        if index < last:
            token = line[index]
            before, state = state, followed(state, [token])
