"""The record of a game: all that is needed to replay it and to say why it ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from joute._core import Result
from joute.agents import SearchInfo
from joute.games import State, new


class Reason(Enum):
    """Why a game ended."""

    NORMAL = "normal"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    PLY_LIMIT = "ply limit"


@dataclass(frozen=True)
class MoveRecord:
    """One move, who played it, how long it took, and what chance did after it."""

    player: int
    move: str
    time_s: float
    outcomes: tuple[int, ...] = ()
    info: SearchInfo | None = None


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

    def states(self) -> Iterator[State]:
        """Every position of the game, from the start to the end, chance resolved as it fell."""
        state = _resolved(new(self.game, self.start), self.start_outcomes)
        yield state
        for played in self.moves:
            state = _resolved(state.play(played.move), played.outcomes)
            yield state

    @property
    def winner(self) -> int | None:
        """0, 1, or None for a draw."""
        return self.result.winner

    def __str__(self) -> str:
        moves = " ".join(played.move for played in self.moves)
        score = {0: "1-0", 1: "0-1", None: "½-½"}[self.winner]
        why = self.result.decided_by if self.reason is Reason.NORMAL else self.reason.value
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.players[0]} – {self.players[1]}: {score} by {why}{detail}, {len(self.moves)} plies: {moves}"


def _resolved(state: State, outcomes: tuple[int, ...]) -> State:
    for outcome in outcomes:
        state = state.resolve(outcome)
    return state
