"""The referee: one game between two players. Rules, clock and dice are its own; a player only answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from joute._core import Random, Result
from joute.agents import Agent
from joute.games import State, new
from joute.match.clock import MARGIN_S, GameClock, TimeControl
from joute.match.player import Answer, MisconductError, Player, as_player, read_move
from joute.match.record import LOST_TURN, GameRecord, MoveRecord, Reason, can_lose_turns, forfeit, replayed

S = TypeVar("S", bound=State)

# Random play of the longest of our games ends well before this.
MAX_PLIES = 10_000

#: What an agent answers to give up.
RESIGN = "resign"

# Records keep times to a tenth of a microsecond, which is as much as anybody is shown.
_TIME_DIGITS = 7


class Witness(Protocol):
    """Who is told of a game while it goes on."""

    def began(self, start_outcomes: tuple[int, ...]) -> None:
        """The game begins, after what chance did first."""
        ...

    def turn(self, player: int, limit_s: float) -> None:
        """A player is asked, and its answer comes too late after `limit_s`; -1: nobody is."""
        ...

    def played(self, move: MoveRecord) -> None:
        """A move was played."""
        ...


def derive_seed(seed: int, index: int) -> int:
    """A seed for part `index` of a work that has one seed; parts do not depend on each other."""
    return Random((seed * 0x9E3779B97F4A7C15 + index) % 2**64).next()


def play_game(
    game: str | State,
    first: str | Agent | Player,
    second: str | Agent | Player,
    *,
    seed: int = 0,
    clock: str | TimeControl | tuple[TimeControl, TimeControl] = "none",
    margin_s: float = MARGIN_S,
    max_plies: int = MAX_PLIES,
    witness: Witness | None = None,
) -> GameRecord:
    """Play a game between two agents, given as specs or as objects with `choose`.

    `game` is a spec, or the position to start from, without the past it may have: the record has no words for it, and
    would not replay to the same end. `clock` is what each side gets, ``60+0.5`` for a minute and
    half a second a move; a pair, if the sides differ. An agent that plays an illegal move, oversteps its time by
    more than the margin or raises an exception loses the game; the record says why. Where a game knows lost turns,
    who oversteps no more than its limit a move loses the turn. Only what the game's own rules raise comes through.

    >>> record = play_game("connect4", "greedy", "random", clock="10", seed=1)
    >>> record.winner, record.reason.value, record.clocks
    (0, 'normal', ('10', '10'))
    """
    controls = _both(TimeControl.parse(clock) if isinstance(clock, str) else clock)
    players = (as_player(first), as_player(second))
    start = new(game) if isinstance(game, str) else game.with_past(())
    table = _Table(start, players, seed, controls, GameClock(controls, margin_s), max_plies, witness)
    return table.play()


def _both(control: TimeControl | tuple[TimeControl, TimeControl]) -> tuple[TimeControl, TimeControl]:
    return (control, control) if isinstance(control, TimeControl) else control


@dataclass
class _Table:
    """A game in progress."""

    start: State
    players: tuple[Player, Player]
    seed: int
    controls: tuple[TimeControl, TimeControl]
    clock: GameClock
    max_plies: int
    witness: Witness | None
    moves: list[MoveRecord] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    start_outcomes: tuple[int, ...] = ()
    thinking_s: float = 0.0
    turn_s: float = 0.0
    overhead_s: float = 0.0

    def play(self) -> GameRecord:
        dice = Random(derive_seed(self.seed, 0))
        state, self.start_outcomes = settle(self.start, dice)
        if self.witness:
            self.witness.began(self.start_outcomes)
        try:
            result, reason, detail = self.begin(state) or self.play_on(state, dice)
        finally:
            output = self.end()
        return GameRecord(
            game=self.start.spec,
            start=self.start.position,
            players=(self.players[0].name, self.players[1].name),
            seed=self.seed,
            moves=tuple(self.moves),
            result=result,
            reason=reason,
            detail=detail,
            start_outcomes=self.start_outcomes,
            clocks=(str(self.controls[0]), str(self.controls[1])),
            isolation=(self.players[0].isolation, self.players[1].isolation),
            output=output,
            overhead_s=round(self.overhead_s, _TIME_DIGITS),
        )

    def end(self) -> tuple[str, str]:
        """Let both players go, whatever one of them does."""
        try:
            first = self.players[0].end()
        finally:
            second = self.players[1].end()
        return first, second

    def begin(self, state: State) -> tuple[Result, Reason, str] | None:
        """Let both players get ready. How the game ended, if it did here."""
        failures: dict[int, MisconductError] = {}
        for index, player in enumerate(self.players):
            try:
                player.begin(state, index, derive_seed(self.seed, 1 + index))
            except MisconductError as misconduct:
                failures[index] = misconduct
        if len(failures) == 2:
            return Result(0, decided_by="forfeit"), Reason.ADJUDICATED, f"{failures[0]}; {failures[1]}"
        for index, failure in failures.items():
            return forfeit(index), failure.reason, str(failure)
        return None

    def play_on(self, state: State, dice: Random) -> tuple[Result, Reason, str]:
        began = time.perf_counter()
        try:
            while not state.is_terminal:
                if len(self.moves) >= self.max_plies:
                    return state.result_if_stopped, Reason.PLY_LIMIT, ""
                mover = state.to_move
                try:
                    answer = self.ask(state, mover)
                    if _resigns(answer.move, state):
                        detail = f"{self.players[mover].name} resigned at ply {state.ply}"
                        return forfeit(mover), Reason.RESIGNATION, detail
                    move = read_move(answer.move, self.players[mover].name, state)
                except MisconductError as misconduct:
                    if not misconduct.costs_a_turn or self.clock.is_out(mover) or not can_lose_turns(state):
                        return forfeit(mover), misconduct.reason, str(misconduct)
                    state, outcomes = settle(replayed(state, LOST_TURN), dice)
                    self.note(MoveRecord(mover, LOST_TURN, round(self.turn_s, _TIME_DIGITS), outcomes))
                    continue
                state, outcomes = settle(state.play(move), dice)
                self.note(MoveRecord(mover, str(move), round(self.turn_s, _TIME_DIGITS), outcomes, answer.info))
            result = state.result
            assert result is not None
            return result, Reason.NORMAL, ""
        finally:
            self.overhead_s = max(0.0, time.perf_counter() - began - self.thinking_s)

    def ask(self, state: State, mover: int) -> Answer:
        """A player's answer, if it comes in time."""
        player, limit_s = self.players[mover], self.clock.limit_s(mover)
        if self.witness:
            self.witness.turn(mover, limit_s)
        asked = time.perf_counter()
        try:
            answer = player.ask(state, self.line, self.clock.told(mover), limit_s)
        except MisconductError as misconduct:
            waited_s = time.perf_counter() - asked
            self.charge(mover, waited_s if misconduct.time_s is None else misconduct.time_s)
            self.thinking_s += waited_s - self.turn_s  # not on its clock, but not the runner's either
            raise
        finally:
            if self.witness:
                self.witness.turn(-1, 0.0)
        if not self.charge(mover, answer.time_s):
            detail = f"{player.name} took {answer.time_s:.3f} s for a move at ply {state.ply}"
            detail += f", with {limit_s:.3f} s left, margin included"
            raise MisconductError(Reason.TIME, detail, costs_a_turn=True)
        return answer

    def charge(self, mover: int, time_s: float) -> bool:
        """Count the time of a turn. False if that was too long."""
        self.turn_s = time_s
        self.thinking_s += time_s
        return self.clock.charge(mover, time_s)

    def note(self, played: MoveRecord) -> None:
        """Keep a move."""
        self.moves.append(played)
        self.line += [played.move, *(f"#{outcome}" for outcome in played.outcomes)]
        if self.witness:
            self.witness.played(played)


def _resigns(answer: object, state: State) -> bool:
    # An agent's own object may lie about its class, or raise when it is compared: only a plain text is read.
    return type(answer) is str and answer == RESIGN and not state.is_legal(RESIGN)


def settle(state: S, dice: Random) -> tuple[S, tuple[int, ...]]:
    """Draw pending random events, and say which outcomes fell."""
    outcomes: list[int] = []
    while state.is_chance:
        outcomes.append(state.draw_outcome(dice))
        state = state.resolve(outcomes[-1])
    return state, tuple(outcomes)
