"""Games and matches: rules and dice are the referee's, and the statistics are honest."""

from __future__ import annotations

import math
from typing import Any

import pytest

from joute import Clock, Random, State, new, play_game, play_match
from joute.match import Reason
from joute.match.match import wilson_interval


class First:
    """Plays the first legal move."""

    def choose(self, state: State, clock: Clock) -> Any:
        return state.legal_moves[0]


class Illegal:
    def choose(self, state: State, clock: Clock) -> Any:
        return "8"


class NotAMove:
    def choose(self, state: State, clock: Clock) -> Any:
        return None


class Crashes:
    def choose(self, state: State, clock: Clock) -> Any:
        if state.ply >= 4:
            raise RuntimeError("out of ideas")
        return state.legal_moves[-1]


def test_a_game_is_played_to_its_end_and_can_be_replayed(game: str) -> None:
    record = play_game(game, "random", "random", seed=11)
    states = list(record.states())
    assert states[0] == new(game)
    assert states[-1].result == record.result
    assert len(states) == len(record.moves) + 1
    assert record.reason is Reason.NORMAL


def test_the_same_seed_gives_the_same_game_and_another_seed_another(game: str) -> None:
    def moves(seed: int) -> list[tuple[str, tuple[int, ...]]]:
        return [(m.move, m.outcomes) for m in play_game(game, "random", "random", seed=seed).moves]

    assert moves(1) == moves(1)
    assert len({str(moves(seed)) for seed in range(5)}) > 1


def test_a_game_may_start_from_a_position() -> None:
    start = new("connect4", "112233")
    record = play_game(start, "greedy", "random")
    assert new("connect4", record.start) == start
    assert [played.move for played in record.moves] == ["4"]
    assert record.winner == 0


@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        (Illegal(), Reason.ILLEGAL_MOVE, "Illegal: '8' is not a connect4 move"),
        (NotAMove(), Reason.ILLEGAL_MOVE, "NotAMove: a move of connect4 is"),
        (Crashes(), Reason.CRASH, "Crashes: RuntimeError: out of ideas"),
    ],
)
def test_a_misbehaving_agent_loses_and_the_record_says_why(agent: Any, reason: Reason, detail: str) -> None:
    for player in (0, 1):
        players = (agent, First()) if player == 0 else (First(), agent)
        record = play_game("connect4", *players)
        assert record.winner == 1 - player
        assert record.reason is reason
        assert detail in record.detail
        assert detail in str(record)


def test_a_game_that_reaches_the_ply_limit_is_stopped() -> None:
    record = play_game("connect4", "random", "random", max_plies=3)
    assert record.reason is Reason.PLY_LIMIT
    assert len(record.moves) == 3
    assert record.winner is None


def test_colours_alternate_and_wins_are_counted_for_the_right_agent() -> None:
    result = play_match("connect4", "greedy", "random", games=40, seed=5)
    assert result.a_first == [True, False] * 20
    wins, draws, losses = result.tally()
    assert wins >= 36
    assert wins + draws + losses == result.games == 40
    as_first, as_second = result.tally(a_first=True), result.tally(a_first=False)
    assert tuple(map(sum, zip(as_first, as_second, strict=True))) == result.tally()
    swapped = play_match("connect4", "random", "greedy", games=40, seed=5)
    assert swapped.score < 0.1
    assert "greedy is stronger" in result.verdict
    assert "greedy is stronger" in swapped.verdict
    assert result.mean_time_s(of_a=True) > 0


def test_agents_that_repeat_themselves_get_no_interval_they_do_not_deserve() -> None:
    result = play_match("connect4", First(), First(), games=20)
    assert result.distinct_games == 2  # one for each colour
    assert "only 2 distinct games among 20" in result.verdict


def test_equal_agents_are_not_distinguished() -> None:
    result = play_match("connect4", "random", "random", games=60, seed=2)
    assert result.distinct_games == 60
    assert result.verdict == "not distinguishable at 95%"


def test_games_lost_by_crashes_are_counted_by_reason() -> None:
    result = play_match("connect4", Crashes(), "random", games=10)
    crashes = [record for record in result.records if record.reason is Reason.CRASH]
    assert crashes
    assert result.reasons == {"crash": len(crashes)}


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # Published Wilson intervals: 54 of 100 (44-63%), 20 of 20 (84-100%), 19 of 20 (76-99%).
    [(54, 100, 0.443, 0.634), (20, 20, 0.839, 1.0), (19, 20, 0.764, 0.991), (0, 10, 0.0, 0.278)],
)
def test_the_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    assert wilson_interval(wins / games, games) == pytest.approx((low, high), abs=1e-3)


def test_the_interval_covers_the_true_score() -> None:
    """95% of simulated matches of 50 games cover the truth, within what 2,000 matches can tell."""
    rng = Random(8)
    for truth in (0.5, 0.8):
        covered = 0
        for _ in range(2000):
            wins = sum(rng.uniform() < truth for _ in range(50))
            low, high = wilson_interval(wins / 50, 50)
            covered += low <= truth <= high
        assert covered / 2000 == pytest.approx(0.95, abs=0.025)


def test_the_interval_of_no_games_is_everything() -> None:
    assert wilson_interval(0.5, 0) == (0.0, 1.0)
    assert not math.isnan(wilson_interval(1.0, 1)[0])
