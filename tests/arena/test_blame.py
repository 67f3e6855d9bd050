"""Blame decides which player, if any, loses a game that its worker did not finish."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from joute.agents.loading import Source
from joute.arena.plan import make_plan
from joute.arena.pool.black_box import NOBODY, BlackBox
from joute.arena.pool.blame import FAILURES, INTERRUPTIONS, SUSPECT_INTERRUPTIONS, Attempt, Blame, Case, Unplayed
from joute.arena.schedules.schedule import Pairing
from joute.match import GameRecord, MoveRecord, Reason

GAME = Pairing(7, (0, 1), 0)
AGAIN = Attempt(GAME)


@pytest.fixture
def box() -> Iterator[BlackBox]:
    made = BlackBox.create()
    made.begin(GAME.number)
    made.began(())
    yield made
    made.close()


def blame(first: str = "built-in", second: str = "built-in", *, shielded: bool = True) -> Blame:
    plan = make_plan("connect4", ["greedy", "random"])
    kinds = {
        "python": Source("agent.py", "python", files=(Path("agent.py"),)),
        "built-in": Source("greedy", "built-in"),
    }
    return Blame(plan, (kinds[first], kinds[second]), ("44",), shielded=shielded)


def case(box: BlackBox, attempt: Attempt = AGAIN, *, is_ready: bool = True, tail: str = "") -> Case:
    return Case(attempt, box, time.monotonic(), is_ready=is_ready, tail=tail)


def loser(record: object, reason: Reason) -> int:
    assert isinstance(record, GameRecord)
    assert record.reason is reason
    assert record.start == "44"
    (side,) = record.at_fault
    return side


def test_an_agent_of_ours_that_breaks_its_worker_has_lost(box: BlackBox) -> None:
    box.played(MoveRecord(0, "4", 0.0, ()))
    box.turn(1, 10.0)
    record = blame().of_dead_worker(case(box, tail="; it wrote: oh"), -signal.SIGSEGV, kernel_killed=False)
    assert loser(record, Reason.CRASH) == 1
    assert isinstance(record, GameRecord)
    assert [move.move for move in record.moves] == ["4"]
    assert record.detail == "random: the process it was thinking in was killed by SIGSEGV; it wrote: oh"


@pytest.mark.parametrize(
    ("thinker", "kind", "status"),
    [
        (NOBODY, "built-in", 1),
        (0, "python", 1),  # it runs in a process of its own
        (0, "python", -signal.SIGSEGV),
    ],
)
def test_a_worker_that_fails_by_itself_is_tried_again_and_then_the_game_is_a_draw(
    box: BlackBox, thinker: int, kind: str, status: int
) -> None:
    box.turn(thinker, 10.0)
    judge = blame(kind)
    for _ in range(FAILURES - 1):
        assert judge.of_dead_worker(case(box), status, kernel_killed=False) == AGAIN
    record = judge.of_dead_worker(case(box, tail="; it wrote: oh"), status, kernel_killed=False)
    assert isinstance(record, GameRecord)
    assert (record.reason, record.result.outcome, record.is_presumed) == (Reason.ADJUDICATED, 0, False)
    assert record.detail.startswith("the worker process ")
    assert record.detail.endswith(", 2 times; it wrote: oh")


@pytest.mark.parametrize("kind", ["built-in", "python"])
@pytest.mark.parametrize("status", [-signal.SIGKILL, -signal.SIGTERM, -signal.SIGXCPU])
@pytest.mark.parametrize("kernel_killed", [False, True])
def test_kills_from_outside_cost_no_agent_a_game(box: BlackBox, kind: str, status: int, kernel_killed: bool) -> None:
    box.turn(0, 10.0)
    judge = blame(kind)
    for _ in range(INTERRUPTIONS - 1):
        assert judge.of_dead_worker(case(box), status, kernel_killed=kernel_killed) == AGAIN
    given_up = judge.of_dead_worker(case(box), status, kernel_killed=kernel_killed)
    assert isinstance(given_up, Unplayed)
    assert given_up.game == GAME
    assert given_up.why.endswith(", 10 times")
    assert ("out of memory" in given_up.why) == (kernel_killed and status == -signal.SIGKILL)


def played_until(box: BlackBox, plies: int) -> None:
    """The black box of the game after some moves, with the first player or the second thinking."""
    box.begin(GAME.number)
    box.began(())
    for ply in range(plies):
        box.played(MoveRecord(ply % 2, str(1 + ply % 7), 0.0, ()))
    box.turn(plies % 2, 10.0)


def test_without_a_shield_suspects_are_tried_apart_and_the_guilty_one_has_lost(box: BlackBox) -> None:
    judge = blame("python", "python", shielded=False)
    played_until(box, 5)
    trial = judge.of_interruption(case(box), "the worker process was killed by SIGKILL")
    assert isinstance(trial, Attempt)
    assert (trial.game, trial.suspect, trial.moves) == (GAME, 0, ("2", "4"))
    trial = judge.after_trial(trial)  # nothing happened
    assert (trial.suspect, trial.moves) == (1, ("1", "3", "5"))
    record = judge.of_interruption(case(box, trial), "the worker process was killed by SIGKILL")
    assert loser(record, Reason.CRASH) == 1
    assert isinstance(record, GameRecord)
    assert record.is_presumed
    assert record.detail.startswith("random: the worker process was killed by SIGKILL, and again at the same ply")
    assert len(record.moves) == 5


def test_without_a_shield_kills_at_different_plies_are_a_draw_that_is_marked(box: BlackBox) -> None:
    judge = blame("python", "built-in", shielded=False)
    for plies in range(SUSPECT_INTERRUPTIONS - 1):
        played_until(box, plies)
        trial = judge.of_interruption(case(box), "killed")
        assert isinstance(trial, Attempt)
        assert trial.suspect == 0  # the built-in agent sends no signals
        played_until(box, 9)
        assert judge.of_interruption(case(box, trial), "killed") == AGAIN
    record = judge.of_interruption(case(box), "killed")
    assert isinstance(record, GameRecord)
    assert (record.reason, record.result.outcome, record.is_presumed) == (Reason.ADJUDICATED, 0, True)
    assert record.detail == "killed, 3 times, perhaps by greedy"


def test_the_result_of_a_trial_does_not_count(box: BlackBox, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = blame("python", "python", shielded=False)
    played_until(box, 4)
    trial = judge.of_interruption(case(box), "killed")
    assert isinstance(trial, Attempt)
    later = time.monotonic() + 1000
    monkeypatch.setattr(time, "monotonic", lambda: later)
    second = judge.of_late_worker(case(box, trial))
    assert isinstance(second, Attempt)
    assert second.suspect == 1
    assert judge.of_dead_worker(case(box, second), 1, kernel_killed=False) == AGAIN


def test_a_worker_that_is_killed_before_the_game_begins_makes_nobody_a_suspect(box: BlackBox) -> None:
    box.begin(GAME.number - 1)
    judge = blame("python", "python", shielded=False)
    assert judge.of_interruption(case(box), "killed") == AGAIN


@pytest.mark.parametrize(("limit_s", "reason"), [(-100.0, Reason.TIME), (math.inf, Reason.STALLED)])
def test_who_thinks_when_time_is_up_has_lost(
    box: BlackBox, monkeypatch: pytest.MonkeyPatch, limit_s: float, reason: Reason
) -> None:
    box.turn(1, limit_s)
    later = time.monotonic() + 1000
    monkeypatch.setattr(time, "monotonic", lambda: later)
    judge = blame()
    assert judge.deadline(case(box)) < later
    assert loser(judge.of_late_worker(case(box)), reason) == 1


def test_an_answer_that_arrives_at_the_deadline_loses_no_game(box: BlackBox) -> None:
    box.turn(1, 10.0)
    judge = blame()
    assert judge.of_late_worker(case(box)) == AGAIN
    box.turn(NOBODY, math.inf)
    record = judge.of_late_worker(case(box))
    assert isinstance(record, GameRecord)
    assert record.detail == "the game made no progress while no player was thinking, 2 times"


def test_a_game_that_cannot_be_played_is_a_draw_at_the_second_try(box: BlackBox) -> None:
    judge = blame()
    assert judge.of_unplayable_game(case(box), "no memory") == AGAIN
    record = judge.of_unplayable_game(case(box), "no memory")
    assert isinstance(record, GameRecord)
    assert record.detail == "the game could not be played: no memory"
