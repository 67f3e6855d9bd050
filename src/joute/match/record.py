"""The record of a game: everything needed to replay it, and why it ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from joute._core import Result
from joute.agents import SearchInfo
from joute.errors import IllegalMoveError
from joute.games import State, new
from joute.match.record_view import record_frame, record_html, record_repr, record_text
from joute.numbers import count_of

S = TypeVar("S", bound=State)

#: A turn lost on time, in a record or in a line of play: PGN's null move.
LOST_TURN = "--"


class Reason(Enum):
    """Why a game ended."""

    NORMAL = "normal"
    ILLEGAL_MOVE = "illegal move"
    TIME = "time"
    CRASH = "crash"
    MEMORY = "memory"
    STALLED = "stalled"  # no answer within the stall limit, without a clock
    RESIGNATION = "resignation"
    PLY_LIMIT = "ply limit"
    ADJUDICATED = "adjudicated"  # no agent is at fault, or both are


#: The `decided_by` of a result that rests on a presumption: nobody can prove which agent is at fault.
PRESUMED = "presumption"

#: Reasons by which an agent loses through its own fault.
FORFEITS = (Reason.ILLEGAL_MOVE, Reason.TIME, Reason.CRASH, Reason.MEMORY, Reason.STALLED)


@dataclass(frozen=True)
class MoveRecord:
    """One move or LOST_TURN: the player, its time, the random outcomes after it, and search information."""

    player: int
    move: str
    time_s: float
    outcomes: tuple[int, ...] = ()
    info: SearchInfo | None = None

    def as_data(self) -> list[Any]:
        """The record as JSON-compatible data: player, move, time, outcomes, search information."""
        info = self.info
        told = [info.value_for_mover, info.depth, info.nodes, [str(move) for move in info.pv]] if info else None
        return [self.player, self.move, self.time_s, list(self.outcomes), told]

    @staticmethod
    def from_data(data: list[Any]) -> MoveRecord:
        """The inverse of `as_data`."""
        player, move, time_s, outcomes, told = data
        info = SearchInfo(told[0], told[1], told[2], tuple(told[3])) if told else None
        return MoveRecord(player, move, time_s, tuple(outcomes), info)


@dataclass(frozen=True)
class GameRecord:
    """A finished game."""

    game: str
    start: str
    players: tuple[str, str]
    seed: int
    moves: tuple[MoveRecord, ...]
    result: Result
    reason: Reason
    detail: str = ""
    start_outcomes: tuple[int, ...] = ()
    #: The time control of each side, as text.
    clocks: tuple[str, str] = ("none", "none")
    #: The isolation level of each agent: ``worker``, ``process``, ``sandbox`` or ``remote``.
    isolation: tuple[str, str] = ("worker", "worker")
    #: The standard error of each agent, cut to a bounded length.
    output: tuple[str, str] = ("", "")
    #: The seconds of the game besides the agents' thinking.
    overhead_s: float = 0.0

    __str__, __repr__, _repr_html_ = record_text, record_repr, record_html
    to_frame = record_frame

    def states(self) -> Iterator[State]:
        """Every position of the game from start to end, with random events resolved as recorded."""
        return replay(new(self.game, self.start), self.start_outcomes, self.moves)

    @property
    def winner(self) -> int | None:
        """0, 1, or None for a draw."""
        return self.result.winner

    @property
    def line(self) -> str:
        """A hash of start, moves, random outcomes and reason, equal for identical games."""
        moves = [(played.move, played.outcomes) for played in self.moves]
        told = repr((self.start, self.start_outcomes, moves, self.reason.value))
        return hashlib.blake2b(told.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()

    @property
    def at_fault(self) -> tuple[int, ...]:
        """The players whose misconduct ended the game: none, one, or both if neither could begin."""
        if self.reason is Reason.ADJUDICATED and self.result.decided_by == "forfeit":
            return 0, 1
        return (1 - self.winner,) if self.reason in FORFEITS and self.winner is not None else ()

    @property
    def is_presumed(self) -> bool:
        """Whether the result rests on a presumption and not on a proof."""
        return self.reason is not Reason.NORMAL and self.result.decided_by == PRESUMED

    @property
    def lost_turns(self) -> tuple[int, int]:
        """The number of turns that each player lost by a late answer."""
        lost = [played.player for played in self.moves if played.move == LOST_TURN]
        if lost and not can_lose_turns(new(self.game, self.start)):  # then the text is a move of the game
            return 0, 0
        return lost.count(0), lost.count(1)

    @property
    def overhead_a_ply_s(self) -> float | None:
        """The referee's overhead per ply in seconds; None if it was not measured or no move was played."""
        return self.overhead_s / len(self.moves) if self.moves and self.overhead_s else None

    def as_data(self) -> dict[str, Any]:
        """The record as JSON-compatible data."""
        result = self.result
        return {
            "game": self.game,
            "start": self.start,
            "players": list(self.players),
            "seed": self.seed,
            "moves": [played.as_data() for played in self.moves],
            "result": [result.outcome, result.score, result.margin, result.decided_by],
            "reason": self.reason.value,
            "detail": self.detail,
            "start_outcomes": list(self.start_outcomes),
            "clocks": list(self.clocks),
            "isolation": list(self.isolation),
            "output": list(self.output),
            "overhead_s": self.overhead_s,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> GameRecord:
        """The inverse of `as_data`."""
        outcome, score, margin, decided_by = data["result"]
        return GameRecord(
            game=data["game"],
            start=data["start"],
            players=tuple(data["players"]),
            seed=data["seed"],
            moves=tuple(map(MoveRecord.from_data, data["moves"])),
            result=Result(outcome, score=score, margin=margin, decided_by=decided_by),
            reason=Reason(data["reason"]),
            detail=data["detail"],
            start_outcomes=tuple(data["start_outcomes"]),
            clocks=tuple(data["clocks"]),
            isolation=tuple(data["isolation"]),
            output=tuple(data["output"]),
            overhead_s=data["overhead_s"],
        )

    @property
    def headline(self) -> str:
        """The players, the result, its reason and the length of the game, on one line."""
        score = {0: "1-0", 1: "0-1", None: "½-½"}[self.winner]
        why = self.result.decided_by if self.reason is Reason.NORMAL else self.reason.value
        detail = f" ({self.detail})" if self.detail else ""
        plies = count_of(len(self.moves), "ply")
        return f"{self.players[0]} – {self.players[1]}: {score} by {why}{detail}, {plies}"


def is_lost_turn(state: State, text: str) -> bool:
    """Whether a move text of a record means a lost turn; False if the game has a legal move with this text."""
    return text == LOST_TURN and not state.is_legal(text)


def can_lose_turns(state: State) -> bool:
    """Whether the game defines lost turns (`pass_turn`) and has no move with the text LOST_TURN."""
    return hasattr(state, "pass_turn") and not state.is_legal(LOST_TURN)


def replayed(state: S, text: str) -> S:
    """The position after a move of a record or of a line of play; IllegalMoveError if it is illegal.

    >>> replayed(new("connect4"), "4").position
    '4'
    >>> replayed(new("connect4"), "--")
    Traceback (most recent call last):
    joute.IllegalMoveError: illegal move -- at ply 0 of connect4: the game has no lost turns
    """
    return after_lost_turn(state) if is_lost_turn(state, text) else state.play(text)


def after_lost_turn(state: S) -> S:
    """The position after the player to move loses the turn; IllegalMoveError if the game has no lost turns."""
    if not can_lose_turns(state):
        raise IllegalMoveError(
            f"illegal move {LOST_TURN} at ply {state.ply} of {state.game}: the game has no lost turns"
        )
    pass_turn: Callable[[], S] = getattr(state, "pass_turn")  # noqa: B009
    return pass_turn()


def replay(start: S, start_outcomes: Sequence[int], moves: Iterable[MoveRecord]) -> Iterator[S]:
    """Every position of a game from its start, with random events resolved as recorded."""
    state = _resolved(start, start_outcomes)
    yield state
    for played in moves:
        state = _resolved(replayed(state, played.move), played.outcomes)
        yield state


def forfeit(player: int, *, decided_by: str = "forfeit") -> Result:
    """The result of a game that `player` loses by misconduct."""
    return Result(-1 if player == 0 else 1, decided_by=decided_by)


def _resolved(state: S, outcomes: Sequence[int]) -> S:
    for outcome in outcomes:
        state = state.resolve(outcome)
    return state
