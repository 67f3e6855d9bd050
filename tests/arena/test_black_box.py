"""The black box: what a worker was doing can be read at any moment, and after its death."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from joute.agents import SearchInfo
from joute.arena.pool.black_box import NOBODY, BlackBox
from joute.match import MoveRecord


@pytest.fixture
def box() -> Iterator[BlackBox]:
    made = BlackBox.create()
    yield made
    made.close()


def test_it_says_who_thinks_and_until_when(box: BlackBox) -> None:
    assert (box.look().game, box.look().thinker) == (-1, NOBODY)
    box.begin(7)
    assert (box.look().game, box.look().thinker, box.look().late_s) == (7, NOBODY, math.inf)
    for _ in range(100):
        before = time.monotonic()
        box.turn(1, 2.5)
        seen = box.look()
        assert (seen.game, seen.thinker) == (7, 1)
        assert before <= seen.since_s <= time.monotonic()
        assert seen.late_s == seen.since_s + 2.5
        box.turn(0, math.inf)
        assert (box.look().thinker, box.look().late_s) == (0, math.inf)
        box.turn(NOBODY, 0.0)
        assert (box.look().thinker, box.look().late_s) == (NOBODY, math.inf)


def test_it_keeps_the_moves_of_one_game(box: BlackBox) -> None:
    box.begin(0)
    box.began((1, 0))
    box.played(MoveRecord(0, "4", 0.5, (2, 0), SearchInfo(depth=3)))
    box.played(MoveRecord(1, "a\n", 0.25))
    assert box.line() == ((1, 0), (MoveRecord(0, "4", 0.5, (2, 0)), MoveRecord(1, "a\n", 0.25)))
    box.begin(1)
    assert box.line() == ((), ())


GAMES = """
import sys
from joute.arena.pool.black_box import BlackBox
from joute.match import MoveRecord
box = BlackBox(int(sys.argv[1]))
number = 0
while True:
    box.begin(number)
    box.began(())
    for _ in range(number % 40):
        box.played(MoveRecord(0, f"{number}", 0.0))
    number += 1
"""


def test_moves_that_are_read_while_games_begin_are_of_one_game(box: BlackBox) -> None:
    writer = subprocess.Popen([sys.executable, "-c", GAMES, str(box.descriptor)], pass_fds=(box.descriptor,))
    try:
        deadline, read = time.monotonic() + 60, 0
        while read < 300 and time.monotonic() < deadline:
            if (seen := box.so_far()) is None or not seen[2]:
                continue
            read += 1
            assert {played.move for played in seen[2]} == {str(seen[0].game)}
        assert read == 300
    finally:
        writer.kill()
        writer.wait()


def test_a_game_too_long_keeps_its_beginning(box: BlackBox) -> None:
    box.begin(0)
    box.began(())
    moves = [MoveRecord(number % 2, f"{number:0100d}", 0.0) for number in range(20_000)]
    for move in moves:
        box.played(move)
    kept = box.line()[1]
    assert 1000 < len(kept) < len(moves)
    assert list(kept) == moves[: len(kept)]


WRITER = """
import sys
from joute.arena.pool.black_box import BlackBox
box = BlackBox(int(sys.argv[1]))
box.begin(3)
while True:
    box.turn(0, 1000.0)
    box.turn(1, 1000.0)
"""


def test_it_can_be_read_while_it_is_written(box: BlackBox) -> None:
    """A deadline read when half written would cost an innocent agent the game."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(box.descriptor)], pass_fds=(box.descriptor,))
    deadline = time.monotonic() + 60
    while box.look().game != 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(100_000):
        seen = box.look()
        assert seen.game == 3
        assert seen.thinker in (0, 1, NOBODY)
        assert seen.thinker == NOBODY or seen.late_s == seen.since_s + 1000.0
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert box.look().late_s == box.look().since_s + 1000.0
