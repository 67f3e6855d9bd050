"""Decides how a game ends whose worker died, hung or failed.

The evidence is the end of the worker and the black box, which says who was thinking. There are four outcomes:

1. A player forfeits: it was still thinking at the driver's deadline, or it is a built-in agent whose search crashed the
   worker.
2. The worker or the rules failed by themselves: the game is played again once, then it is an adjudicated draw.
3. The worker was interrupted, that is killed or stopped by a signal from another process or from the kernel, and no
   player can have sent that signal (shield.py): the game is played again, and left unplayed after many attempts. There
   is no result without a game.
4. The worker was interrupted, and a player can have sent the signal: the players in question are tried apart. Each
   plays the same game again with a partner that repeats the recorded moves. A player whose game is interrupted at the
   same ply again forfeits; otherwise the game is played again, and is a draw after some attempts. Both results are
   marked as presumed.
"""

from __future__ import annotations

import math
import signal
import time
from collections import Counter
from dataclasses import dataclass

from joute._core import Result
from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.players.players import level_of
from joute.arena.pool.black_box import NOBODY, BlackBox
from joute.arena.schedules.schedule import Pairing
from joute.match.game import derive_seed
from joute.match.record import PRESUMED, GameRecord, MoveRecord, Reason, forfeit
from joute.numbers import count_of

# The worker is killed this long after a built-in agent's time has run out. Until then its referee can still decide.
_GRACE_S = 1.0
# The same for an agent in its own process, which the worker must kill and clean up first.
_GRACE_OF_PROCESSES_S = 10.0
# The longest time that may pass while no player thinks, in addition to the start of both agents.
_REFEREE_S = 60.0

#: Attempts to play a game whose worker or rules fail by themselves.
FAILURES = 2
#: Attempts to play a game that is interrupted although no player can interrupt it.
INTERRUPTIONS = 10
#: Attempts to play a game that is interrupted, possibly by a player.
SUSPECT_INTERRUPTIONS = 3

# The signals by which a process dies of its own errors. All other signals come from another process or the kernel.
_CRASHES = (
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
    signal.SIGABRT,
    signal.SIGTRAP,
    signal.SIGSYS,
)
# The longest pause of a partner that repeats moves, before it ends the game.
_LONGEST_PAUSE_S = 60.0


@dataclass(frozen=True)
class Attempt:
    """A job of a worker: a game, or a trial of one of its players."""

    game: Pairing
    #: The player on trial; None in an ordinary game.
    suspect: int | None = None
    #: The moves of the other player in a trial. After them it waits for `pause_s` seconds and resigns.
    moves: tuple[str, ...] = ()
    pause_s: float = 0.0


@dataclass(frozen=True)
class Unplayed:
    """A game that is given up without a result, and why."""

    game: Pairing
    why: str


#: The decision about an attempt that failed: the record of the game, the next attempt, or neither.
Verdict = GameRecord | Attempt | Unplayed


@dataclass(frozen=True)
class Case:
    """An attempt and the state of its worker."""

    attempt: Attempt
    box: BlackBox
    #: When the worker got the game or became ready, whichever is later, by the monotonic clock.
    since_s: float
    #: Whether the worker has said that it is ready.
    is_ready: bool = True
    #: The end of the worker's output as part of a sentence; empty if it wrote nothing.
    tail: str = ""

    @property
    def game(self) -> Pairing:
        """The game of the attempt."""
        return self.attempt.game

    @property
    def has_begun(self) -> bool:
        """Whether the worker has begun this game, so that the black box is about it."""
        return self.is_ready and self.box.look().game == self.game.number

    @property
    def thinker(self) -> int | None:
        """The player who is thinking, 0 or 1; None if neither is."""
        seen = self.box.look()
        return seen.thinker if self.has_begun and seen.thinker != NOBODY else None

    @property
    def line(self) -> tuple[tuple[int, ...], tuple[MoveRecord, ...]]:
        """The chance outcomes before the first move, and the moves so far."""
        return self.box.line() if self.has_begun else ((), ())


@dataclass
class _Interruption:
    """The latest interruption of a game in which players are suspected."""

    moves: tuple[MoveRecord, ...]
    pause_s: float
    #: The players that are still to be tried apart.
    suspects: list[int]


class Blame:
    """Decides the unfinished games of a tournament, and counts the failures of each game.

    `shielded`: agents in processes of their own cannot signal the worker (shield.py).
    """

    def __init__(self, plan: Plan, sources: tuple[Source, ...], openings: tuple[str, ...], *, shielded: bool) -> None:
        self._plan = plan
        self._sources = sources
        self._openings = openings
        self._shielded = shielded
        self._failures: Counter[int] = Counter()
        self._interruptions: Counter[int] = Counter()
        self._latest: dict[int, _Interruption] = {}

    def deadline(self, case: Case) -> float:
        """The monotonic time at which the worker is killed.

        While a player thinks: the end of its time, or without a clock `stall_s` after its turn began, plus a grace.
        While nobody thinks: twice `start_s` plus `_REFEREE_S` after the last event.
        """
        isolation = self._plan.isolation
        seen, thinker = case.box.look(), case.thinker
        if thinker is None:
            return max(case.since_s, seen.since_s) + 2 * isolation.start_s + _REFEREE_S
        grace_s = _GRACE_S if self._is_built_in(case, thinker) else _GRACE_OF_PROCESSES_S
        late_s = seen.late_s if math.isfinite(seen.late_s) else seen.since_s + isolation.stall_s
        return late_s + grace_s

    def of_late_worker(self, case: Case) -> Verdict:
        """Judge a worker that was killed after its deadline."""
        seen, thinker = case.box.look(), case.thinker
        if thinker is None:
            return self.of_failure(case, "the game made no progress while no player was thinking")
        if time.monotonic() < self.deadline(case):
            return self.of_failure(case, "the answer came at the very moment of the deadline")
        if case.attempt.suspect is not None:
            return self.after_trial(case.attempt)
        over_s = time.monotonic() - seen.since_s
        move = len(case.line[1]) + 1
        detail = f"{self._name(case, thinker)} did not answer within {over_s:.1f} s at move {move}, and was killed"
        reason = Reason.TIME if math.isfinite(seen.late_s) else Reason.STALLED
        return self._record(case, forfeit(thinker), reason, detail)

    def of_dead_worker(self, case: Case, status: int, *, kernel_killed: bool) -> Verdict:
        """Judge a worker that ended with `status`, negative for a signal.

        `kernel_killed`: the kernel killed a process for lack of memory during the game.
        """
        what, thinker = f"the worker process {how_it_ended(status)}", case.thinker
        if is_interruption(status):
            why = ", when the system was out of memory" if status == -signal.SIGKILL and kernel_killed else ""
            return self.of_interruption(case, what + why)
        if thinker is None or not self._is_built_in(case, thinker) or case.attempt.suspect is not None:
            return self.of_failure(case, what)
        detail = f"{self._name(case, thinker)}: the process it was thinking in {how_it_ended(status)}{case.tail}"
        return self._record(case, forfeit(thinker), Reason.CRASH, detail)

    def of_failure(self, case: Case, what: str) -> Verdict:
        """Judge a worker that failed by itself: play the game again, then an adjudicated draw."""
        if (again := self._retried(case)) is not None:
            return again
        return self._adjudicated(case, f"{what}, {count_of(FAILURES, 'time')}{case.tail}")

    def of_unplayable_game(self, case: Case, error: str) -> Verdict:
        """Judge a game that raised `error` outside of agents: play it again, then an adjudicated draw."""
        if (again := self._retried(case)) is not None:
            return again
        return self._adjudicated(case, f"the game could not be played: {error}")

    def of_interruption(self, case: Case, what: str) -> Verdict:
        """Judge a game that a signal from outside the worker has ended."""
        number, suspects = case.game.number, self._suspects(case)
        if (suspect := case.attempt.suspect) is not None:
            if len(case.line[1]) == len(self._latest[number].moves):
                detail = f"{self._name(case, suspect)}: {what}, and again at the same ply without the other player"
                return self._record(case, forfeit(suspect, decided_by=PRESUMED), Reason.CRASH, detail)
            return self.after_trial(case.attempt)
        self._interruptions[number] += 1
        if not suspects:
            if self._interruptions[number] < INTERRUPTIONS:
                return Attempt(case.game)
            return Unplayed(case.game, f"{what}, {count_of(INTERRUPTIONS, 'time')}")
        if self._interruptions[number] >= SUSPECT_INTERRUPTIONS:
            names = " or ".join(self._name(case, side) for side in suspects)
            detail = f"{what}, {count_of(SUSPECT_INTERRUPTIONS, 'time')}, perhaps by {names}"
            return self._record(case, Result(0, decided_by=PRESUMED), Reason.ADJUDICATED, detail)
        pause_s = min(time.monotonic() - case.box.look().since_s + 0.1, _LONGEST_PAUSE_S)
        self._latest[number] = _Interruption(case.line[1], pause_s, suspects)
        return self._next_trial(case.game)

    def after_trial(self, attempt: Attempt) -> Attempt:
        """The next attempt after a trial that was not interrupted where the game was."""
        return self._next_trial(attempt.game)

    def _next_trial(self, game: Pairing) -> Attempt:
        latest = self._latest[game.number]
        if not latest.suspects:
            return Attempt(game)
        suspect = latest.suspects.pop(0)
        moves = tuple(move.move for move in latest.moves if move.player != suspect)
        return Attempt(game, suspect, moves, latest.pause_s)

    def _retried(self, case: Case) -> Attempt | None:
        """The next attempt after a failure; None after the last one. A failed trial says nothing."""
        if case.attempt.suspect is not None:
            return self.after_trial(case.attempt)
        self._failures[case.game.number] += 1
        return None if self._failures[case.game.number] >= FAILURES else Attempt(case.game)

    def _suspects(self, case: Case) -> list[int]:
        """The players that can have interrupted the worker."""
        if self._shielded or not case.has_begun:
            return []
        return [side for side, entrant in enumerate(case.game.players) if self._level(entrant) == "process"]

    def _is_built_in(self, case: Case, player: int) -> bool:
        return self._sources[case.game.players[player]].runs_in_worker

    def _name(self, case: Case, player: int) -> str:
        return self._plan.entrants[case.game.players[player]].name

    def _level(self, entrant: int) -> str:
        return level_of(self._sources[entrant], self._plan.isolation)

    def _adjudicated(self, case: Case, detail: str) -> GameRecord:
        return self._record(case, Result(0, decided_by="adjudicated"), Reason.ADJUDICATED, detail)

    def _record(self, case: Case, result: Result, reason: Reason, detail: str) -> GameRecord:
        """The record of an unfinished game, with the moves from the black box."""
        plan, game = self._plan, case.game
        first, second = game.players
        start_outcomes, moves = case.line
        return GameRecord(
            game=plan.game,
            start=self._openings[game.opening],
            players=(plan.entrants[first].name, plan.entrants[second].name),
            seed=derive_seed(plan.seed, game.seed_number),
            moves=moves,
            result=result,
            reason=reason,
            detail=detail,
            start_outcomes=start_outcomes,
            clocks=(str(plan.control(first)), str(plan.control(second))),
            isolation=(self._level(first), self._level(second)),
        )


def is_interruption(status: int) -> bool:
    """Whether a process that ended with `status` was killed by a signal that another process or the kernel sent."""
    return status < 0 and -status not in _CRASHES


def how_it_ended(status: int) -> str:
    """How a process ended, as part of a sentence."""
    if status >= 0:
        return f"ended with exit status {status}"
    known = {entry.value: entry.name for entry in signal.Signals}
    return f"was killed by {known.get(-status, f'signal {-status}')}"
