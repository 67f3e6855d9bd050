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
from joute.arena.pool.blame import Blame, Case
from joute.arena.schedules.schedule import Pairing
from joute.match import GameRecord, MoveRecord, Reason

GAME = Pairing(7, (0, 1), 0)


@pytest.fixture
def box() -> Iterator[BlackBox]:
    made = BlackBox.create()
    made.begin(GAME.number)
    made.began(())
    yield made
    made.close()


def blame(first: str = "built-in", second: str = "built-in") -> Blame:
    plan = make_plan("connect4", ["greedy", "random"])
    kinds = {
        "python": Source("agent.py", "python", files=(Path("agent.py"),)),
        "built-in": Source("greedy", "built-in"),
    }
    return Blame(plan, (kinds[first], kinds[second]), ("44",))


def case(box: BlackBox, *, is_ready: bool = True, tail: str = "") -> Case:
    return Case(GAME, box, is_ready, time.monotonic(), tail)


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


def test_who_thinks_while_memory_runs_out_has_lost(box: BlackBox) -> None:
    box.turn(0, 10.0)
    record = blame().of_dead_worker(case(box), -signal.SIGKILL, kernel_killed=True)
    assert loser(record, Reason.MEMORY) == 0


@pytest.mark.parametrize(
    ("thinker", "is_ready", "kind", "status"),
    [
        (NOBODY, True, "built-in", 1),
        (0, False, "built-in", 1),
        (0, True, "python", 1),  # it runs in a process of its own
        (0, True, "built-in", -signal.SIGKILL),  # no agent of ours kills itself
    ],
)
def test_a_dead_worker_may_be_nobody_s_fault(
    box: BlackBox, thinker: int, is_ready: bool, kind: str, status: int
) -> None:
    box.turn(thinker, 10.0)
    words = blame(kind).of_dead_worker(case(box, is_ready=is_ready), status, kernel_killed=False)
    assert isinstance(words, str)
    assert words.startswith("the worker process ")


@pytest.mark.parametrize(("limit_s", "reason"), [(-100.0, Reason.TIME), (math.inf, Reason.STALLED)])
def test_who_thinks_when_time_is_up_has_lost(
    box: BlackBox, monkeypatch: pytest.MonkeyPatch, limit_s: float, reason: Reason
) -> None:
    box.turn(1, limit_s)
    later = time.monotonic() + 1000
    monkeypatch.setattr(time, "monotonic", lambda: later)
    judge = blame()
    assert judge.deadline(case(box)) < later
    assert loser(judge.of_late_worker(case(box), was_stopped=False), reason) == 1
    assert judge.of_late_worker(case(box), was_stopped=True) == "the worker process was stopped by a signal"


def test_an_answer_that_came_after_all_costs_nobody_the_game(box: BlackBox) -> None:
    box.turn(1, 10.0)
    assert blame().of_late_worker(case(box), was_stopped=False) == "the answer came at the very moment of the deadline"
    box.turn(NOBODY, math.inf)
    words = blame().of_late_worker(case(box), was_stopped=False)
    assert words == "the game made no progress while no player was thinking"


def test_a_failure_is_tried_again_and_then_a_draw(box: BlackBox) -> None:
    judge = blame()
    assert judge.of_failure(case(box), "it failed") is None
    record = judge.of_failure(case(box, tail="; it wrote: oh"), "it failed")
    assert record is not None
    assert (record.reason, record.result.outcome) == (Reason.ADJUDICATED, 0)
    assert record.detail == "it failed, 2 times; it wrote: oh"


@pytest.mark.parametrize(("kinds", "suspect"), [(("built-in", "python"), 1), (("python", "python"), None)])
def test_who_alone_could_kill_the_worker_twice_has_lost(
    box: BlackBox, kinds: tuple[str, str], suspect: int | None
) -> None:
    judge = blame(*kinds)
    record = None
    for _ in range(2):
        assert record is None
        words = judge.of_dead_worker(case(box), -signal.SIGKILL, kernel_killed=False)
        assert isinstance(words, str)
        record = judge.of_failure(case(box), words)
    assert record is not None
    if suspect is None:
        assert record.reason is Reason.ADJUDICATED
    else:
        assert loser(record, Reason.CRASH) == suspect


def test_a_game_that_cannot_be_played_is_a_draw_at_the_second_try(box: BlackBox) -> None:
    judge = blame()
    assert judge.of_unplayed(case(box), "no memory") is None
    record = judge.of_unplayed(case(box), "no memory")
    assert record is not None
    assert record.detail == "the game could not be played: no memory"
