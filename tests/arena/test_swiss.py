"""The Swiss system: the best pairs there are, for any number of agents, whoever fails."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import by_lot, by_seed, in_order

from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.arena.schedules.swiss import Swiss, SwissRound, SwissSettings
from joute.arena.schedules.swiss_pairing import Competitor, Round, _as_numbers, pair_round

BYE = -1


def swiss(entrants: int, games: int = 1, rounds: int = 0) -> Swiss:
    return Swiss(entrants, games, SwissSettings(rounds=rounds))


def ways_to_pair(seeds: list[int]) -> Iterator[list[tuple[int, int]]]:
    """All of them; for an odd number, one is paired with the bye."""
    if len(seeds) % 2:
        seeds = [*seeds, BYE]
    if not seeds:
        yield []
        return
    first, rest = seeds[0], seeds[1:]
    for other in rest:
        for pairs in ways_to_pair([seed for seed in rest if seed != other]):
            yield [(first, other), *pairs]


def nodes(drawn: SwissRound | Round) -> list[tuple[int, int]]:
    """The pairs of a round, that with the bye too, the smaller seed first."""
    byes = [] if drawn.bye is None else [(BYE, drawn.bye)]
    return [*byes, *((min(pair), max(pair)) for pair in drawn.pairs)]


@st.composite
def competitors(draw: st.DrawFn) -> tuple[Competitor, ...]:
    """What may be after some rounds, and what may not: pairing has to do its best with both."""
    seeds = draw(st.lists(st.integers(0, 20), min_size=2, max_size=7, unique=True))
    met = {frozenset(pair): draw(st.integers(0, 3)) for pair in itertools.combinations(seeds, 2)}
    return tuple(
        Competitor(
            seed,
            points=draw(st.integers(0, 4)),
            met=tuple(other for other in seeds for _ in range(met.get(frozenset((seed, other)), 0))),
            byes=draw(st.integers(0, 2)),
            colour=draw(st.integers(-2, 2)),
            latest=draw(st.integers(-1, 1)),
        )
        for seed in seeds
    )


def quality(pairs: list[tuple[int, int]], by_seed: dict[int, Competitor], *, odd: bool) -> tuple[float, ...]:
    """What is better is said here again, plainly, for whole rounds; the matching adds up costs of pairs."""
    games = [(by_seed[a], by_seed[b]) for a, b in pairs if BYE not in (a, b)]
    bye = [by_seed[max(pair)] for pair in pairs if BYE in pair]
    after = [colour for a, b in games for colour in (min(a.colour, b.colour) + odd, max(a.colour, b.colour) - odd)]
    return (
        sum(b.seed in a.met for a, b in games),
        sum(one.byes for one in bye),
        sum(a.met.count(b.seed) for a, b in games),
        sum(one.points for one in bye),
        sum(abs(colour) > 2 for colour in after),
        sum((a.points - b.points) ** 2 for a, b in games),
        sum(colour**2 for colour in after),
    )


@settings(max_examples=150, deadline=None)
@given(competitors(), st.integers(0, 3), st.booleans())
def test_no_other_way_to_pair_is_better(taking_part: tuple[Competitor, ...], number: int, odd: bool) -> None:
    by_seed = {one.seed: one for one in taking_part}
    drawn = pair_round(taking_part, number, colours_differ=odd)
    found = nodes(drawn)
    assert sorted(itertools.chain(*found)) == sorted([*by_seed, *([BYE] if len(by_seed) % 2 else [])])
    assert quality(found, by_seed, odd=odd) == min(
        quality(pairs, by_seed, odd=odd) for pairs in ways_to_pair(list(by_seed))
    )
    for first, second in drawn.pairs:
        assert by_seed[first].colour <= by_seed[second].colour


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 7), st.integers(1, 3), st.integers(1, 8), st.integers(0, 10**6))
def test_every_round_of_a_tournament_is_the_best_there_is(entrants: int, games: int, rounds: int, seed: int) -> None:
    schedule = swiss(entrants, games, rounds)
    results = in_order(schedule, by_lot(seed))
    book = {entrant: Competitor(entrant) for entrant in range(entrants)}
    for drawn in schedule.paired_rounds(results):
        ways = ways_to_pair(list(range(entrants)))
        best = min(quality(pairs, book, odd=games % 2 == 1) for pairs in ways)
        assert quality(nodes(drawn), book, odd=games % 2 == 1) == best
        for a, b in drawn.pairs:
            own = [results[game.number] for game in drawn.games if set(game.players) == {a, b}]
            for one, other in ((a, b), (b, a)):
                firsts = sum(game.players[0] == one for game in own)
                book[one] = dataclasses.replace(
                    book[one],
                    points=book[one].points + round(2 * sum(game.points_of(one) for game in own)),
                    met=(*book[one].met, other),
                    colour=book[one].colour + firsts - (len(own) - firsts),
                )
        if drawn.bye is not None:
            won = book[drawn.bye]
            book[drawn.bye] = dataclasses.replace(won, points=won.points + 2 * games, byes=won.byes + 1)


def test_the_first_round_is_top_half_against_bottom_half() -> None:
    (first, *_) = swiss(8).paired_rounds({})
    assert sorted(map(sorted, first.pairs)) == [[0, 4], [1, 5], [2, 6], [3, 7]]
    # The first move goes to the better seed and to the other in turn.
    assert [pair[0] in (0, 1, 2, 3) for pair in first.pairs] == [True, False, True, False]
    (first, *_) = swiss(7).paired_rounds({})
    assert first.bye == 6
    assert sorted(map(sorted, first.pairs)) == [[0, 3], [1, 4], [2, 5]]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.integers(1, 3), st.integers(1, 16), st.integers(0, 10**6))
def test_there_are_no_rematches_while_they_can_be_avoided(entrants: int, games: int, rounds: int, seed: int) -> None:
    schedule = swiss(entrants, games, rounds)
    drawn = schedule.paired_rounds(in_order(schedule, by_lot(seed)))
    assert len(drawn) == rounds
    unmet = networkx.complete_graph(entrants)
    for paired in drawn:
        pairs = [tuple(sorted(pair)) for pair in paired.pairs]
        assert len(set(itertools.chain(*pairs))) == 2 * len(pairs) == entrants - entrants % 2
        # An independent algorithm, without weights: how many can be paired who have not met.
        possible = len(networkx.max_weight_matching(unmet, maxcardinality=True))
        rematches = sum(not unmet.has_edge(*pair) for pair in pairs)
        assert rematches == entrants // 2 - possible
        unmet.remove_edges_from(pairs)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 22), st.integers(1, 2), st.integers(0, 10**6))
def test_with_the_usual_number_of_rounds_nobody_meets_twice_or_has_two_byes(
    entrants: int, games: int, seed: int
) -> None:
    schedule = swiss(entrants, games)
    drawn = schedule.paired_rounds(in_order(schedule, by_lot(seed)))
    met = [pair for paired in drawn for pair in nodes(paired)]
    assert len(met) == len(set(met))


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 13).filter(lambda count: count % 2 == 1), st.integers(1, 14), st.integers(0, 10**6))
def test_no_agent_has_a_second_bye_before_all_had_one_unless_that_needs_a_rematch(
    entrants: int, rounds: int, seed: int
) -> None:
    schedule = swiss(entrants, rounds=rounds)
    drawn = schedule.paired_rounds(in_order(schedule, by_lot(seed)))
    byes = [0] * entrants
    unmet = networkx.complete_graph(entrants)
    for paired in drawn:
        assert paired.bye is not None
        possible = len(networkx.max_weight_matching(unmet, maxcardinality=True))
        for other in range(entrants):
            if byes[other] < byes[paired.bye]:
                rest = unmet.subgraph(set(range(entrants)) - {other})
                assert len(networkx.max_weight_matching(rest, maxcardinality=True)) < possible
        byes[paired.bye] += 1
        unmet.remove_edges_from(paired.pairs)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 18), st.sampled_from((1, 3)), st.integers(0, 10**6))
def test_first_moves_are_shared_out_evenly(entrants: int, games: int, seed: int) -> None:
    schedule = swiss(entrants, games)
    results = in_order(schedule, by_lot(seed))
    colour = [0] * entrants
    for game in results.values():
        colour[game.players[0]] += 1
        colour[game.players[1]] -= 1
    assert max(map(abs, colour)) <= 2


def test_with_an_even_number_of_games_every_match_is_balanced() -> None:
    schedule = swiss(6, games=4)
    results = in_order(schedule, by_lot(1))
    for paired in schedule.paired_rounds(results):
        for a, b in paired.pairs:
            own = [game for game in paired.games if set(game.players) == {a, b}]
            assert [game.players for game in own] == [(a, b), (b, a)] * 2
            assert own[0].opening == own[1].opening < own[2].opening == own[3].opening


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 11), st.integers(1, 2), st.integers(2, 6), st.integers(0, 10**6), st.data())
def test_who_cannot_start_is_withdrawn_and_the_others_play_on(
    entrants: int, games: int, rounds: int, seed: int, data: st.DataObject
) -> None:
    absent = frozenset(data.draw(st.sets(st.integers(0, entrants - 1))))
    schedule = swiss(entrants, games, rounds)
    results = in_order(schedule, by_lot(seed, absent=absent))
    assert schedule.length(results) == len(results)
    drawn = schedule.paired_rounds(results)
    gone: set[int] = set()
    for paired in drawn:
        seated = {entrant for pair in paired.pairs for entrant in pair} | ({paired.bye} - {None})
        assert seated == set(range(entrants)) - gone
        gone |= {entrant for pair in paired.pairs for entrant in pair} & absent
    assert len(drawn) == rounds or entrants - len(gone) < 2
    rows = schedule.ranking(results)
    assert {row.entrant for row in rows if row.withdrawn} == gone
    points = sum(row.points for row in rows)
    byes = sum(row.byes for row in rows)
    assert points == len(results) + byes * games  # a game is worth a point in all, and a bye as much as a match


def test_an_agent_that_could_start_in_one_game_of_its_match_stays() -> None:
    schedule = swiss(4, games=2, rounds=2)
    (first, *_) = schedule.paired_rounds({})
    results = {game.number: by_seed(game) for game in first.games}
    lost = next(game for game in first.games if 3 in game.players)
    results[lost.number] = FinishedGame(
        lost.players, 1 if lost.players[1] == 3 else -1, failed_without_move=frozenset({3})
    )
    assert any(3 in pair for pair in schedule.paired_rounds(results)[1].pairs)
    again = next(game for game in first.games if 3 in game.players and game != lost)
    results[again.number] = FinishedGame(
        again.players, 1 if again.players[1] == 3 else -1, failed_without_move=frozenset({3})
    )
    second = schedule.paired_rounds(results)[1]
    assert not any(3 in pair for pair in second.pairs)
    assert second.bye is not None


def test_if_nobody_can_start_the_tournament_ends_after_a_round() -> None:
    schedule = swiss(6, rounds=5)
    results = in_order(schedule, by_lot(1, absent=frozenset(range(6))))
    assert len(results) == schedule.length(results) == 3
    lines = schedule.standing_lines(results, list("abcdef"))
    assert lines[0] == "Swiss ranking after 1 of 5 rounds; too few agents are left for 5"
    assert lines[1] == "   1  a  0.5 points, Buchholz 0.5, withdrawn: it failed before the first move"


def test_the_best_is_first_and_a_bye_is_worth_a_match() -> None:
    schedule = swiss(5, games=2, rounds=3)
    results = in_order(schedule, by_seed)
    rows = schedule.ranking(results)
    assert rows[0].entrant == 0
    assert rows[0].points == 6
    by_entrant = {row.entrant: row for row in rows}
    opponents: dict[int, list[int]] = {entrant: [] for entrant in range(5)}
    for paired in schedule.paired_rounds(results):
        for a, b in paired.pairs:
            opponents[a].append(b)
            opponents[b].append(a)
        assert paired.bye is not None
        opponents[paired.bye].append(paired.bye)
    for entrant, row in by_entrant.items():
        wins = sum(game.points_of(entrant) for game in results.values())
        assert row.points == wins + 2 * row.byes
        assert row.buchholz == sum(by_entrant[other].points for other in opponents[entrant])
    assert [(row.points, row.buchholz) for row in rows] == sorted(
        ((row.points, row.buchholz) for row in rows), reverse=True
    )
    assert sum(row.byes for row in rows) == 3


@pytest.mark.slow
def test_a_hundred_agents_are_sorted_in_nine_rounds() -> None:
    schedule = swiss(100)
    assert schedule.rounds == 9
    results = in_order(schedule, by_seed)
    assert len(results) == schedule.length(results) == schedule.most_games == 450
    assert [row.entrant for row in schedule.ranking(results)[:2]] == [0, 1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=6, max_size=6), st.permutations(range(6)))
def test_the_numbers_of_ways_to_pair_compare_as_their_costs_do(costs: list[tuple[int, ...]], order: list[int]) -> None:
    numbers = _as_numbers(costs, pairs=3)
    one, other = order[:3], order[3:]
    sums = [[sum(costs[row][tier] for row in rows) for tier in range(4)] for rows in (one, other)]
    totals = [sum(numbers[row] for row in rows) for rows in (one, other)]
    assert (sums[0] < sums[1], sums[0] == sums[1]) == (totals[0] < totals[1], totals[0] == totals[1])


@pytest.mark.parametrize("entrants", [2, 3, 9])
def test_games_have_numbers_and_openings_of_their_round(entrants: int) -> None:
    schedule = swiss(entrants, games=3, rounds=2)
    results: dict[int, FinishedGame] = {}
    games: list[Pairing] = []
    for game in schedule.pairings(results):
        assert game is not None
        games.append(game)
        results[game.number] = by_seed(game)
    assert [game.number for game in games] == list(range(len(games)))
    half = len(games) // 2
    assert {game.opening for game in games[:half]} == {0, 1}
    assert {game.opening for game in games[half:]} == {2, 3}
    assert schedule.openings == 4


def test_the_headline_names_who_won_or_shares_the_first_place() -> None:
    schedule = swiss(4, games=2, rounds=2)
    names = list("abcd")
    results = in_order(schedule, by_seed)
    assert schedule.headline(results, names) == "a wins the Swiss tournament with 4 points"
    assert schedule.order(results)[0] == 0
    first_round = {number: results[number] for number in range(4)}
    assert schedule.headline(first_round, names) == (
        "a and b share the first place of the Swiss tournament with 2 points each after 1 of 2 rounds"
    )
    drawn = in_order(schedule, lambda game: FinishedGame(game.players, 0, opening=game.opening, line=str(game)))
    assert schedule.headline(drawn, names) == ""  # all four


def test_an_agent_that_could_not_start_never_wins() -> None:
    schedule = swiss(2, games=2, rounds=1)
    everybody = frozenset({0, 1})
    results = in_order(
        schedule, lambda game: FinishedGame(game.players, 0, failed_without_move=everybody, opening=game.opening)
    )
    assert schedule.headline(results, ["a", "b"]) == ""
