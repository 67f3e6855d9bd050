"""What is counted of a tournament's games."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from joute._core import Result
from joute.agents import SearchInfo
from joute.arena.measures import Tally, measure
from joute.arena.plan import make_plan
from joute.arena.schedules.schedule import Pairing
from joute.match import GameRecord, MoveRecord, Reason
from joute.match.record import forfeit

PLAN = make_plan("connect4", ["greedy", "random", "alphabeta"])


def game(
    number: int,
    players: tuple[int, int],
    result: Result,
    *,
    start: str = "44",
    moves: tuple[MoveRecord, ...] = (),
    reason: Reason = Reason.NORMAL,
) -> Any:
    names = (PLAN.entrants[players[0]].name, PLAN.entrants[players[1]].name)
    record = GameRecord("connect4", start, names, number, moves, result, reason)
    return SimpleNamespace(pairing=Pairing(number, players, 0), record=record)


def thought(player: int, move: str, time_s: float, depth: int | None, nodes: int | None) -> MoveRecord:
    return MoveRecord(player, move, time_s, info=SearchInfo(0.5, depth, nodes))


def test_wins_draws_and_losses_are_counted_by_colour_and_opening() -> None:
    measures = measure(
        PLAN,
        [
            game(0, (0, 1), Result(1, margin=3)),
            game(1, (1, 0), Result(0)),
            game(2, (0, 2), Result(-1, margin=-2), start="12"),
        ],
    )
    greedy, random, alphabeta = measures.agents
    assert (greedy.as_first, greedy.as_second) == (Tally(1, 0, 1, 2), Tally(0, 1, 0, 1))
    assert (random.as_first, random.as_second) == (Tally(0, 1, 0, 1), Tally(0, 0, 1, 1))
    assert (alphabeta.as_first, alphabeta.as_second) == (Tally(), Tally(1, 0, 0, 1))
    assert measures.first == Tally(1, 1, 1, 3)
    assert {opening.position: opening.first for opening in measures.openings} == {
        "44": Tally(1, 1, 0, 2),
        "12": Tally(0, 0, 1, 1),
    }
    assert measures.margins == Counter({3: 1, 2: 1})


def test_what_decided_is_counted_of_the_games_that_ended_by_the_rules() -> None:
    decided = [Result(1, decided_by="towers"), Result(0, decided_by="level"), Result(1, decided_by="towers")]
    games = [game(number, (0, 1), result) for number, result in enumerate(decided)]
    measures = measure(PLAN, [*games, game(3, (0, 1), forfeit(0), reason=Reason.TIME)])
    assert measures.decided_by == Counter({"towers": 2, "level": 1})


def test_a_repeated_game_counts_once_in_the_interval_and_twice_in_the_score() -> None:
    moves = (MoveRecord(0, "4", 0.1),)
    twice = [game(number, (0, 1), Result(1), moves=moves) for number in (0, 2)]
    tally = measure(PLAN, [*twice, game(3, (0, 1), Result(-1))]).first
    assert (tally.games, tally.distinct_games) == (3, 2)
    assert tally.score == pytest.approx(2 / 3)
    assert tally.interval != Tally(2, 0, 1, 3).interval


def test_the_same_moves_of_other_agents_are_another_game() -> None:
    moves = (MoveRecord(0, "4", 0.1),)
    games = [game(0, (0, 1), Result(1), moves=moves), game(1, (0, 2), Result(1), moves=moves)]
    assert measure(PLAN, games).first.distinct_games == 2


def test_thinking_is_averaged_by_ply_of_the_game_over_the_moves_that_told_it() -> None:
    measures = measure(
        PLAN,
        [
            game(0, (0, 1), Result(1), moves=(thought(0, "1", 1.0, 4, 100), MoveRecord(1, "1", 0.5))),
            game(1, (0, 2), Result(1), moves=(thought(0, "2", 3.0, 8, None),)),
        ],
    )
    (ply,) = measures.agents[0].plies
    assert (ply.ply, ply.moves, ply.time_s, ply.depth, ply.nodes) == (2, 2, 2.0, 6.0, 100.0)
    (silent,) = measures.agents[1].plies
    assert (silent.ply, silent.time_s, silent.depth, silent.nodes) == (3, 0.5, None, None)
    assert measures.lengths == Counter({2: 1, 1: 1})


def test_a_forfeit_has_a_reason_and_no_margin() -> None:
    measures = measure(PLAN, [game(0, (0, 1), forfeit(1), reason=Reason.CRASH)])
    assert measures.reasons == Counter({"crash": 1})
    assert not measures.margins


def test_the_course_is_the_score_after_each_game_of_an_agent() -> None:
    games = [game(0, (0, 1), Result(1)), game(1, (1, 2), Result(1)), game(2, (1, 0), Result(0))]
    measures = measure(PLAN, games)
    assert measures.agents[0].course == ((1, 1.0), (3, 0.75))
    assert measures.agents[1].course == ((1, 0.0), (2, 0.5), (3, 0.5))
