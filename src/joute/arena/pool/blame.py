"""Decides how a game ends whose worker died, hung or failed.

The evidence is the end of the worker and the black box, which says who was thinking. There are three outcomes:

1. A player forfeits: it was thinking when its time ran out, or it is a built-in agent and the worker crashed or ran out
   of memory during its search.
2. No player is at fault: the game is played again.
3. The second attempt fails too: the game is an adjudicated draw with the reason in its detail, unless exactly one
   player could have killed the worker; then that player forfeits.
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
from joute.match.record import GameRecord, Reason, forfeit

# The worker is killed this long after a built-in agent's time has run out. Until then its referee can still decide.
_GRACE_S = 1.0
# The same for an agent in its own process, which the worker must kill and clean up first.
_GRACE_OF_PROCESSES_S = 10.0
# The longest time in which nobody thinks, besides the agents' start; the rules take microseconds.
_REFEREE_S = 60.0
# Attempts to play a game that fails without a player at fault.
_TRIES = 2


@dataclass(frozen=True)
class Case:
    """A game and the state of its worker."""

    game: Pairing
    box: BlackBox
    #: Whether the worker has said that it is ready.
    is_ready: bool
    #: When the worker got the game or became ready, whichever is later, by the monotonic clock.
    since_s: float
    #: The end of the worker's output as part of a sentence; empty if it wrote nothing.
    tail: str = ""

    @property
    def thinker(self) -> int | None:
        """The player who is thinking, 0 or 1; None if neither is."""
        seen = self.box.look()
        is_on = self.is_ready and seen.game == self.game.number and seen.thinker != NOBODY
        return seen.thinker if is_on else None


class Blame:
    """Decides the unfinished games of a tournament, and counts the failures of each game.

    `of_late_worker` and `of_dead_worker` return the record of a decided game, or a text that says what happened if no
    player is at fault. `of_failure` and `of_unplayed` return the record, or None if the game must be played again.
    """

    def __init__(self, plan: Plan, sources: tuple[Source, ...], openings: tuple[str, ...]) -> None:
        self._plan = plan
        self._sources = sources
        self._openings = openings
        self._failures: Counter[int] = Counter()
        self._kills: Counter[int] = Counter()

    def deadline(self, case: Case) -> float:
        """The monotonic time at which the worker is killed."""
        isolation = self._plan.isolation
        seen, thinker = case.box.look(), case.thinker
        if thinker is None:
            return max(case.since_s, seen.since_s) + 2 * isolation.start_s + _REFEREE_S
        grace_s = _GRACE_S if self._is_built_in(case, thinker) else _GRACE_OF_PROCESSES_S
        late_s = seen.late_s if math.isfinite(seen.late_s) else seen.since_s + isolation.stall_s
        return late_s + grace_s

    def of_late_worker(self, case: Case, *, was_stopped: bool) -> GameRecord | str:
        """Judge a worker that was killed after its deadline; `was_stopped`: a signal had stopped it (SIGSTOP)."""
        if was_stopped:
            return "the worker process was stopped by a signal"
        seen, thinker = case.box.look(), case.thinker
        if thinker is None:
            return "the game made no progress while no player was thinking"
        if time.monotonic() < self.deadline(case):
            return "the answer came at the very moment of the deadline"
        over_s = time.monotonic() - seen.since_s
        move = len(case.box.line()[1]) + 1
        detail = f"{self._name(case, thinker)} did not answer within {over_s:.1f} s at move {move}, and was killed"
        reason = Reason.TIME if math.isfinite(seen.late_s) else Reason.STALLED
        return self._record(case, forfeit(thinker), reason, detail)

    def of_dead_worker(self, case: Case, status: int, *, kernel_killed: bool) -> GameRecord | str:
        """Judge a worker that ended with `status`, negative for a signal.

        `kernel_killed`: the kernel killed a process for lack of memory during the game.
        """
        how, thinker = _how(status), case.thinker
        out_of_memory = status == -signal.SIGKILL and kernel_killed
        # Built-in agents send no SIGKILL: it came from the kernel for lack of memory, or from another process.
        by_another = status == -signal.SIGKILL and not out_of_memory
        if by_another:
            self._kills[case.game.number] += 1
        if thinker is None or by_another or not self._is_built_in(case, thinker):
            return f"the worker process {how}"
        why = ", when the system was out of memory" if out_of_memory else ""
        detail = f"{self._name(case, thinker)}: the process it was thinking in {how}{why}{case.tail}"
        return self._record(case, forfeit(thinker), Reason.MEMORY if out_of_memory else Reason.CRASH, detail)

    def of_failure(self, case: Case, what: str) -> GameRecord | None:
        """Decide a game whose worker failed without a player at fault: None to replay it, else the final record."""
        if not self._is_last_try(case):
            return None
        if (suspect := self._suspect(case)) is None:
            return self._adjudicated(case, f"{what}, {_TRIES} times{case.tail}")
        detail = f"{self._name(case, suspect)}: {what}, {_TRIES} times, and no other player could have caused that"
        return self._record(case, forfeit(suspect), Reason.CRASH, detail)

    def of_unplayed(self, case: Case, error: str) -> GameRecord | None:
        """Decide a game that raised `error` outside of agents: None to replay it, then an adjudicated draw."""
        if not self._is_last_try(case):
            return None
        return self._adjudicated(case, f"the game could not be played: {error}")

    def _is_last_try(self, case: Case) -> bool:
        self._failures[case.game.number] += 1
        return self._failures[case.game.number] >= _TRIES

    def _suspect(self, case: Case) -> int | None:
        """The player that must have killed the worker, or None.

        If every attempt ended with SIGKILL from another process, and exactly one player runs outside the sandbox in its
        own process, only that player could have sent the signal.
        """
        if self._kills[case.game.number] < _TRIES:
            return None
        free = [side for side, entrant in enumerate(case.game.players) if self._level(entrant) == "process"]
        return free[0] if len(free) == 1 else None

    def _is_built_in(self, case: Case, player: int) -> bool:
        return self._sources[case.game.players[player]].kind == "built-in"

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
        start_outcomes, moves = case.box.line() if case.box.look().game == game.number else ((), ())
        return GameRecord(
            game=plan.game,
            start=self._openings[game.opening],
            players=(plan.entrants[first].name, plan.entrants[second].name),
            seed=derive_seed(plan.seed, game.number),
            moves=moves,
            result=result,
            reason=reason,
            detail=detail,
            start_outcomes=start_outcomes,
            clocks=(str(plan.control(first)), str(plan.control(second))),
            isolation=(self._level(first), self._level(second)),
        )


def _how(status: int) -> str:
    """How a process ended, as part of a sentence."""
    if status >= 0:
        return f"ended with exit status {status}"
    known = {entry.value: entry.name for entry in signal.Signals}
    return f"was killed by {known.get(-status, f'signal {-status}')}"
