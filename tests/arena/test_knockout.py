"""The knockout: brackets of any size, byes for the best, and a winner whatever happens."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import by_lot, by_seed, in_order

from joute.arena.schedules.knockout import Knockout, KnockoutSettings, bracket_order
from joute.arena.schedules.schedule import FinishedGame, Pairing


def knockout(entrants: int, games: int = 2, extra: int = 2) -> Knockout:
    return Knockout(entrants, games, KnockoutSettings(extra=extra))


def drawn(game: Pairing) -> FinishedGame:
    return FinishedGame(game.players, 0, opening=game.opening)


@pytest.mark.parametrize("entrants", range(2, 34))
def test_the_best_seeds_have_the_byes_and_meet_late(entrants: int) -> None:
    schedule = knockout(entrants)
    bracket = schedule.bracket(in_order(schedule, by_seed))
    size = 1
    while size < entrants:
        size *= 2
    first = bracket.rounds[0]
    byes = [match.a for match in first if match.b is None]
    assert sorted(byes) == list(range(size - entrants))
    assert sorted(seed for match in first for seed in (match.a, match.b) if seed is not None) == list(range(entrants))
    assert not any(match.b is None for matches in bracket.rounds[1:] for match in matches)
    # If the better seed always wins, the seeds of each round are the best there are, and the sum of two is the same.
    for matches in bracket.rounds:
        count = 2 * len(matches)
        assert all(match.b is None or match.a + match.b == count - 1 for match in matches)
    assert [len(matches) for matches in bracket.rounds] == [size // 2**place for place in range(1, size.bit_length())]
    assert (bracket.rounds[-1][0].a, bracket.rounds[-1][0].b) == (0, 1)
    assert bracket.winner == 0


def test_the_bracket_of_eight_is_the_standard_one() -> None:
    first = knockout(8).bracket({}).rounds[0]
    assert [(match.a, match.b) for match in first] == [(0, 7), (3, 4), (1, 6), (2, 5)]
    assert sorted(bracket_order(32)) == list(range(32))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 20), st.integers(1, 4), st.integers(0, 2), st.integers(0, 10**6), st.integers(0, 3))
def test_who_wins_a_match_meets_who_won_the_next_one(
    entrants: int, games: int, extra: int, seed: int, margins: int
) -> None:
    schedule = knockout(entrants, games, extra)
    results = in_order(schedule, by_lot(seed, draws=0.6, margins=margins))
    assert schedule.length(results) == len(results) <= schedule.most_games
    bracket = schedule.bracket(results)
    for matches, after in itertools.pairwise(bracket.rounds):
        for place, match in enumerate(after):
            winners = {matches[2 * place].winner, matches[2 * place + 1].winner}
            assert {match.a, match.b} == winners
    for match in itertools.chain(*bracket.rounds):
        if match.b is None:
            continue
        own = [game for game in results.values() if set(game.players) == {match.a, match.b}]
        points = tuple(sum(game.points_of(entrant) for game in own) for entrant in (match.a, match.b))
        assert match.points == points
        assert match.winner in (match.a, match.b)
        margin = sum(game.margin_of(match.a) for game in own)
        if points[0] != points[1]:
            assert match.winner == (match.a if points[0] > points[1] else match.b)
            assert match.decided_by == ""
        else:
            assert len(own) == games + 2 * extra
            assert match.winner == (match.b if margin < 0 else match.a)
            assert match.decided_by.startswith("margin" if margin else "seed")
        # Extra games were played only where there was a tie before them.
        for count in range(games, len(own), 2):
            assert sum(game.points_of(match.a) for game in own[:count]) == count / 2


def test_ties_are_played_on_then_margins_decide_then_seeds() -> None:
    schedule = knockout(2, games=2, extra=2)
    results = in_order(schedule, drawn)
    assert [game.players for game in results.values()] == [(0, 1), (1, 0)] * 3
    assert [game.opening for game in results.values()] == [0, 0, 1, 1, 2, 2]
    assert schedule.standing_lines(results, ["anna", "ben"]) == [
        "final:",
        "    anna 3 – 3 ben, anna by seed",
        "winner of the knockout: anna",
    ]
    # Two wins each, and the second agent's are larger.
    for number, (outcome, margin) in enumerate(((1, 2), (1, 5))):
        results[number] = FinishedGame(results[number].players, outcome, margin)
    assert schedule.standing_lines(results, ["anna", "ben"])[1] == "    anna 3 – 3 ben, ben by margin, 3 in all"
    # Decided in the first extra pair, so there is no second.
    results = {number: results[number] for number in range(2)}
    results[2], results[3] = FinishedGame((0, 1), -1), FinishedGame((1, 0), 0)
    assert schedule.length(results) == 4
    assert schedule.bracket(results).winner == 1


def test_without_extra_games_a_tie_is_decided_at_once() -> None:
    schedule = knockout(3, games=1, extra=0)
    results = in_order(schedule, drawn)
    assert len(results) == schedule.most_games == 2
    assert schedule.bracket(results).winner == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 17), st.integers(1, 3), st.integers(0, 10**6), st.data())
def test_who_cannot_start_loses_and_of_two_the_better_seed_goes_on(
    entrants: int, games: int, seed: int, data: st.DataObject
) -> None:
    absent = frozenset(data.draw(st.sets(st.integers(0, entrants - 1))))
    schedule = knockout(entrants, games)
    results = in_order(schedule, by_lot(seed, absent=absent))
    bracket = schedule.bracket(results)
    for match in itertools.chain(*bracket.rounds):
        if match.b is None:
            continue
        missing = {match.a, match.b} & absent
        if len(missing) == 1:
            assert match.winner not in missing
        if len(missing) == 2:
            assert (match.winner, match.decided_by) == (match.a, "seed, as neither could start")
            own = [game for game in results.values() if set(game.players) == missing]
            assert len(own) == games  # there is no use in extra games


def test_a_bracket_is_shown_as_far_as_it_is_played() -> None:
    schedule = knockout(5, games=2)
    names = ["a", "b", "c", "d", "e"]
    assert schedule.standing_lines({}, names) == [
        "quarter-finals:",
        "    a: bye",
        "    d 0 – 0 e, not decided yet",
        "    b: bye",
        "    c: bye",
    ]
    results = in_order(schedule, by_seed)
    lines = schedule.standing_lines({number: results[number] for number in range(5)}, names)
    assert lines[4:] == ["    c: bye", "semi-finals:", "    a 2 – 0 d", "    b 1 – 0 c, not decided yet"]
    assert schedule.description == "knockout, 3 rounds, 2 games a match, 8 to 24 games, as ties need"
    assert knockout(40).standing_lines({}, [str(seed) for seed in range(40)])[0] == "round of 64:"


def test_the_order_is_how_far_agents_came() -> None:
    schedule = knockout(5)
    results = in_order(schedule, by_seed)
    names = list("abcde")
    assert schedule.order(results) == [0, 1, 2, 3, 4]
    assert schedule.headline(results, names) == "a wins the knockout"
    assert schedule.headline({}, names) == ""
