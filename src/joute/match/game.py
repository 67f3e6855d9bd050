"""A game in progress: position, clocks, chance, what was played, and how it ended.

The referee, ``joute play``, the matches of a training run and servers all conduct a `GameInProgress`. They ask players
and tell the game what happened; the game knows the rules and makes the record. Nothing here waits or asks anybody.
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

S = TypeVar("S", bound=State)

# Records keep times to a tenth of a microsecond, which is as much as anybody is shown.
_TIME_DIGITS = 7

_NO_CLOCKS = (TimeControl(), TimeControl())


def derive_seed(seed: int, index: int) -> int:
    """A seed for part `index` of a work that has one seed; parts do not depend on each other."""
    return Random((seed * 0x9E3779B97F4A7C15 + index) % 2**64).next()


def settle(state: S, dice: Random) -> tuple[S, tuple[int, ...]]:
    """Draw pending random events, and say which outcomes fell."""
    outcomes: list[int] = []
    while state.is_chance:
        outcomes.append(state.draw_outcome(dice))
        state = state.resolve(outcomes[-1])
    return state, tuple(outcomes)


class GameInProgress(Generic[S]):
    """One game from its start to its end.

    It starts without the past that `start` may have: a record cannot express it. Random events fall by `chance_seed`,
    which is part 0 of `seed` unless given: at once after each move, or where `draws_at_once` is off, when `resolve` is
    called. `max_plies` counts moves of this game.

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
        #: How chance fell before the first move.
        self.start_outcomes: tuple[int, ...] = ()
        self.moves: list[MoveRecord] = []
        #: Moves and outcomes, these as ``#0``, since this object was made; outcomes drawn by the constructor are not
        #: in it, as players begin after them.
        self.line: list[str] = []
        #: Who is to move, or was when the game ended.
        self.to_move = 0
        #: How the game ended and why; None while it goes on.
        self.result: Result | None = None
        self.reason: Reason | None = None
        self.detail = ""
        self._max_plies = sys.maxsize if max_plies is None else max_plies
        self._draws_at_once = draws_at_once
        # A generator that a mark holds is never changed: who draws takes a copy.
        self._dice = Random(derive_seed(seed, 0) if chance_seed is None else chance_seed)
        #: The time charged in this turn, if any was.
        self._turn_s: float | None = None
        #: Clock and dice at the start of each turn that was played, to undo it, and of this turn.
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
        """Every position of the game, from the start to now, chance resolved as it fell."""
        return replay(self.start, self.start_outcomes, self.moves)

    def charge(self, time_s: float) -> bool:
        """Take time off the clock of the player to move. False if the move came too late."""
        self._turn_s = time_s + (self._turn_s or 0.0)
        return self.clock.charge(self.to_move, time_s)

    def play(self, move: Any, *, info: SearchInfo | None = None) -> MoveRecord:
        """Play a move, given as an object or as text. IllegalMoveError leaves the game as it was.

        The record of the move has the time that was charged in this turn.
        """
        legal, after = self.state.step(move)
        return self._go_on(str(legal), after, info)

    def lose_turn(self) -> MoveRecord:
        """Let the player to move lose the turn; IllegalMoveError where the game has no lost turns."""
        return self._go_on(LOST_TURN, after_lost_turn(self.state), None)

    def overstep(self, reason: Reason, detail: str) -> MoveRecord | None:
        """The player to move is too late, which costs the turn or the game.

        It costs the turn where the game has lost turns and the player has time left for the whole game.
        """
        if self.clock.is_out(self.to_move) or not can_lose_turns(self.state):
            self.forfeit(self.to_move, reason, detail)
            return None
        return self.lose_turn()

    def resolve(self, outcome: int | None = None) -> int:
        """Resolve the pending random event as given, else as the dice fall. Returns the outcome."""
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
        """A player gives up."""
        self.forfeit(player, Reason.RESIGNATION, detail)

    def forfeit(self, player: int, reason: Reason, detail: str) -> None:
        """A player loses the game, whatever the position."""
        self.end(forfeit(player), reason, detail)

    def stop(self, reason: Reason, detail: str = "") -> None:
        """The game ends here; the rules say what the position is worth."""
        self.end(self.state.result_if_stopped, reason, detail)

    def end(self, result: Result, reason: Reason, detail: str = "") -> None:
        """End the game with a result. It replaces the result that the rules may have given."""
        self.result, self.reason, self.detail = result, reason, detail

    def undo(self, plies: int = 1) -> None:
        """Take moves back, with their time and chance: the same move meets the same outcomes again."""
        if not 1 <= plies <= len(self.moves):
            raise ValueError(f"cannot undo {plies} plies: {len(self.moves)} were played")
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
        """The record of the game; ValueError while it goes on."""
        if self.result is None or self.reason is None:
            raise ValueError("a game that goes on has no record")
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
        """The player to move has played, or lost the turn."""
        if self.result is not None:  # otherwise than by the rules, which let nobody play on
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
