"""A game in progress: its position, clocks, random events, moves and end.

The referee, ``joute play``, the matches of a training run and servers all use `GameInProgress`. They ask the players
and pass the answers to the game, which applies the rules and makes the record. Nothing here waits or asks players.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from joute._core import Random, Result, one_line
from joute.agents import SearchInfo
from joute.errors import IllegalMoveError
from joute.games import State
from joute.match.clock import MARGIN_S, GameClock, Reading, TimeControl
from joute.match.record import (
    LOST_TURN,
    GameRecord,
    MoveRecord,
    Reason,
    after_lost_turn,
    can_lose_turns,
    forfeit,
    replay,
)
from joute.numbers import noun

S = TypeVar("S", bound=State)

# Records round times to a tenth of a microsecond.
_TIME_DIGITS = 7

_NO_CLOCKS = (TimeControl(), TimeControl())


def derive_seed(seed: int, index: int) -> int:
    """The seed of part `index` of a task that has one seed; the seeds of different parts are independent."""
    return Random((seed * 0x9E3779B97F4A7C15 + index) % 2**64).next()


def settle(state: S, dice: Random) -> tuple[S, tuple[int, ...]]:
    """Draw all pending random events; returns the position after them and the outcomes."""
    outcomes: list[int] = []
    while state.is_chance:
        outcomes.append(state.draw_outcome(dice))
        state = state.resolve(outcomes[-1])
    return state, tuple(outcomes)


class GameInProgress(Generic[S]):
    """One game from its start to its end.

    The history before `start` is dropped, because a record cannot express it. Random events are drawn with
    `chance_seed` (default: part 0 of `seed`), immediately after each move or, if `draws_at_once` is off, when `resolve`
    is called. `max_plies` counts the moves of this game.

    >>> from joute.games import new
    >>> game = GameInProgress(new("connect4", "112233"))
    >>> game.play("4").player, game.is_over, game.result.winner, game.line
    (0, True, 0, ['4'])
    >>> game.undo()
    >>> game.is_over, game.state.ply, game.line
    (False, 6, [])
    """

    def __init__(
        self,
        start: S,
        *,
        seed: int = 0,
        chance_seed: int | None = None,
        draws_at_once: bool = True,
        controls: tuple[TimeControl, TimeControl] = _NO_CLOCKS,
        margin_s: float = MARGIN_S,
        max_plies: int | None = None,
    ) -> None:
        self.start = start.with_past(())
        self.seed = seed
        self.controls = controls
        self.clock = GameClock(controls, margin_s)
        #: The outcomes of random events before the first move.
        self.start_outcomes: tuple[int, ...] = ()
        self.moves: list[MoveRecord] = []
        #: Moves, and outcomes in the form ``#0``. Outcomes drawn by the constructor are excluded, as players begin
        #: after them.
        self.line: list[str] = []
        #: The player to move; after the end, the last player to move.
        self.to_move = 0
        #: The result and the reason of the end; None during the game.
        self.result: Result | None = None
        self.reason: Reason | None = None
        self.detail = ""
        self._max_plies = sys.maxsize if max_plies is None else max_plies
        self._draws_at_once = draws_at_once
        # Marks keep references to generators, so a generator is copied before it draws and never changed in place.
        self._dice = Random(derive_seed(seed, 0) if chance_seed is None else chance_seed)
        #: The time charged in this turn; None if none was.
        self._turn_s: float | None = None
        #: Clock and dice at the start of each finished turn, for undo; `_mark` is that of the current turn.
        self._marks: list[tuple[Reading, Random]] = []
        state = self.start
        if draws_at_once and state.is_chance:
            state, self.start_outcomes = self._settled(state)
        self._mark = (self.clock.reading, self._dice)
        self._arrive(state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or otherwise."""
        return self.result is not None

    def states(self) -> Iterator[S]:
        """Every position of the game from the start to now, with random events resolved as they were drawn."""
        return replay(self.start, self.start_outcomes, self.moves)

    def charge(self, time_s: float) -> bool:
        """Charge time to the clock of the player to move. False if the move is too late."""
        self._turn_s = time_s + (self._turn_s or 0.0)
        return self.clock.charge(self.to_move, time_s)

    def play(self, move: Any, *, info: SearchInfo | None = None) -> MoveRecord:
        """Play a move, given as an object or as text. After IllegalMoveError the game is unchanged.

        The record of the move contains the time charged in this turn.
        """
        legal, after = self.state.step(move)
        return self._go_on(str(legal), after, info)

    def lose_turn(self) -> MoveRecord:
        """Skip the turn of the player to move; IllegalMoveError if the game has no lost turns."""
        return self._go_on(LOST_TURN, after_lost_turn(self.state), None)

    def overstep(self, reason: Reason, detail: str) -> MoveRecord | None:
        """Handle a late move: the player to move loses the turn or the game.

        It loses only the turn if the game has lost turns and the player has time left for the whole game.
        """
        if self.clock.is_out(self.to_move) or not can_lose_turns(self.state):
            self.forfeit(self.to_move, reason, detail)
            return None
        return self.lose_turn()

    def resolve(self, outcome: int | None = None) -> int:
        """Resolve the pending random event with `outcome`, or with a drawn outcome if None. Returns the outcome."""
        if outcome is None:
            self._dice = copy.copy(self._dice)
            outcome = self.state.draw_outcome(self._dice)
            self._mark = (self._mark[0], self._dice)
        after = self.state.resolve(outcome)
        if self.moves:
            last = self.moves[-1]
            self.moves[-1] = MoveRecord(last.player, last.move, last.time_s, (*last.outcomes, outcome), last.info)
        else:
            self.start_outcomes = (*self.start_outcomes, outcome)
        self.line.append(f"#{outcome}")
        self._arrive(after)
        return outcome

    def resign(self, player: int, detail: str = "") -> None:
        """End the game by the resignation of a player."""
        self.forfeit(player, Reason.RESIGNATION, detail)

    def forfeit(self, player: int, reason: Reason, detail: str) -> None:
        """End the game as lost for a player, regardless of the position."""
        self.end(forfeit(player), reason, detail)

    def stop(self, reason: Reason, detail: str = "") -> None:
        """End the game in this position, with the result that the rules give for a stopped game."""
        self.end(self.state.result_if_stopped, reason, detail)

    def end(self, result: Result, reason: Reason, detail: str = "") -> None:
        """End the game with a result, which replaces a result by the rules."""
        self.result, self.reason, self.detail = result, reason, detail

    def undo(self, plies: int = 1) -> None:
        """Take back moves, their times and their random events: the same move then gets the same outcomes."""
        if not 1 <= plies <= len(self.moves):
            played = len(self.moves)
            verb = "was" if played == 1 else "were"
            raise ValueError(f"cannot undo {plies} {noun(plies, 'ply')}: {played} {verb} played")
        self._mark = reading, self._dice = self._marks[-plies]
        self.clock.set(reading)
        self._turn_s = None
        tokens = sum(1 + len(played.outcomes) for played in self.moves[-plies:])
        del self.line[-tokens:], self.moves[-plies:], self._marks[-plies:]
        self.result, self.reason, self.detail = None, None, ""
        *_, state = self.states()
        self._arrive(state)

    def record(
        self,
        players: tuple[str, str],
        *,
        isolation: tuple[str, str] = ("worker", "worker"),
        output: tuple[str, str] = ("", ""),
        overhead_s: float = 0.0,
    ) -> GameRecord:
        """The record of the finished game; ValueError during the game."""
        if self.result is None or self.reason is None:
            raise ValueError("a game in progress has no record")
        return GameRecord(
            game=self.start.spec,
            start=self.start.position,
            players=players,
            seed=self.seed,
            moves=tuple(self.moves),
            result=self.result,
            reason=self.reason,
            detail=self.detail,
            start_outcomes=self.start_outcomes,
            clocks=(str(self.controls[0]), str(self.controls[1])),
            isolation=isolation,
            output=output,
            overhead_s=round(overhead_s, _TIME_DIGITS),
        )

    def _settled(self, state: S) -> tuple[S, tuple[int, ...]]:
        self._dice = copy.copy(self._dice)
        return settle(state, self._dice)

    def _go_on(self, text: str, after: S, info: SearchInfo | None) -> MoveRecord:
        """Append a move or a lost turn and enter the position after it."""
        if self.result is not None:  # the game ended by a reason other than the rules
            shown, state = one_line(text), self.state
            raise IllegalMoveError(f"illegal move {shown} at ply {state.ply} of {state.game}: the game is over")
        outcomes: tuple[int, ...] = ()
        if self._draws_at_once and after.is_chance:
            after, outcomes = self._settled(after)
        time_s = 0.0 if self._turn_s is None else round(self._turn_s, _TIME_DIGITS)
        played = MoveRecord(self.to_move, text, time_s, outcomes, info)
        self.moves.append(played)
        self.line.append(text)
        if outcomes:
            self.line += [f"#{outcome}" for outcome in outcomes]
        self._marks.append(self._mark)
        if outcomes or self._turn_s is not None:
            self._mark, self._turn_s = (self.clock.reading, self._dice), None
        self._arrive(after)
        return played

    def _arrive(self, state: S) -> None:
        self.state = state
        if state.is_terminal:
            self.result, self.reason = state.result, Reason.NORMAL
            assert self.result is not None
        else:
            self.to_move = state.to_move
            if len(self.moves) >= self._max_plies and not state.is_chance:
                self.stop(Reason.PLY_LIMIT)
