"""Matches as the command line plays them: openings by name, games in order, agents that do not load."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from joute import new, play_game, play_match
from joute.arena.match import _in_order, opening_states
from joute.arena.pool.pool import Finished
from joute.arena.schedules.schedule import Pairing
from joute.errors import SpecError
from joute.match import GameRecord, TimeControl


@pytest.fixture(scope="module")
def record() -> GameRecord:
    return play_game("connect4", "random", "random")


def finished(number: int, record: GameRecord) -> Finished:
    return Finished(Pairing(number, (0, 1), 0), record, datetime.now(UTC))


def test_games_that_end_in_any_order_are_counted_in_order(record: GameRecord) -> None:
    seen = [number for number, _ in _in_order([finished(number, record)] for number in (2, 0, 1, 4, 3))]
    assert seen == [0, 1, 2, 3, 4]


def test_an_interruption_keeps_the_games_that_have_ended(record: GameRecord) -> None:
    def games() -> Iterator[list[Finished]]:
        yield [finished(number, record) for number in (0, 3)]
        yield [finished(2, record)]
        raise KeyboardInterrupt

    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        seen.extend(number for number, _ in _in_order(games()))
    assert seen == [0, 2, 3]


def test_openings_of_a_match_have_the_names_of_the_command_line() -> None:
    result = play_match("connect4", "greedy", "random", games=6, seed=3, openings="random:plies=2")
    starts, note = opening_states(new("connect4"), "random:plies=2", 6, 3)
    listed = play_match("connect4", "greedy", "random", games=6, seed=3, openings=starts)
    assert note == ""
    assert [record.start for record in result.records] == [state.position for state in starts for _ in range(2)]
    assert [record.line for record in result.records] == [record.line for record in listed.records]


def test_too_few_openings_are_a_warning_and_two_starts_an_error() -> None:
    with pytest.warns(UserWarning, match="only 7 balanced openings"):
        play_match("connect4", "random", "random", games=16, openings="random:plies=1,balance=0.5")
    with pytest.raises(SpecError, match="from a position or from openings, not from both"):
        play_match(new("connect4", "4"), "random", "random", games=2, openings="random")


def test_each_agent_keeps_its_own_clock_whatever_its_colour() -> None:
    result = play_match("connect4", "random", "random", games=2, clock=("60", TimeControl.parse("nodes=5")))
    assert [record.clocks for record in result.records] == [("60", "nodes=5"), ("nodes=5", "60")]
