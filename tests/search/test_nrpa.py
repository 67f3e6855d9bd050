"""NRPA and nested Monte Carlo search: seeds, limits, and wins that are not to be missed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from plain_options import nested_options, nrpa_options
from typed import analyst

from joute import Random, State, new
from joute._core import Connect4Solver, SearchResult
from joute.agents import find_agent
from joute.games.connect4.state import Connect4

# Games that a level-1 search of ten playouts cannot but lose by luck alone are no test of an idea, so
# these are few plies from the end.
WINS = {
    "112233": "4",  # four at the bottom
    "172737": "4",  # rather than the block in column 7
    "7121214": "1",  # the second player's three in column 1
}


def nrpa(state: State, **options: Any) -> Any:
    return type(state).search(nrpa_options(**options))


def nested(state: State, **options: Any) -> Any:
    return type(state).search(nested_options(**options))


def shown(result: SearchResult) -> tuple[Any, ...]:
    moves = [(str(m.move), m.value, m.visits, [*map(str, m.line)]) for m in result.moves]
    return moves, result.value, result.depth, result.nodes, result.iterations


NRPA_VARIANTS = [{"key": key, "corrected": corrected} for key in ("state", "code") for corrected in (False, True)]
NESTED_VARIANTS: list[dict[str, Any]] = [
    {"level": 1},
    {"level": 2},
    {"cut_on_win": True},
    {"level": 1, "discount": 1.0},
]


@pytest.mark.parametrize("options", NRPA_VARIANTS)
def test_a_seed_gives_the_same_nrpa_and_another_seed_another(options: dict[str, Any], game: str) -> None:
    state = new(game)
    results = [shown(nrpa(state, level=2, iterations=12, seed=seed, **options).run(state)) for seed in (5, 5, 6)]
    assert results[0] == results[1]
    assert results[0] != results[2]


def near_the_end(game: str) -> State:
    """A position 24 plies before a random game ends: level 2 tries every move of every ply of every game."""
    rng, states = Random(1), [new(game)]
    while not states[-1].is_terminal:
        state = states[-1]
        states.append(state.resolve(state.draw_outcome(rng)) if state.is_chance else state.play(state.random_move(rng)))
    return next(state for state in states[max(0, len(states) - 24) :] if not state.is_chance)


@pytest.mark.parametrize("options", NESTED_VARIANTS)
def test_a_seed_gives_the_same_nested_search_and_another_seed_another(options: dict[str, Any], game: str) -> None:
    state = near_the_end(game)
    results = [shown(nested(state, seed=seed, **options).run(state, iterations=100)) for seed in (5, 5, 6)]
    assert results[0] == results[1]
    assert results[0] != results[2]


def test_the_second_run_of_a_search_repeats_the_first() -> None:
    state = new("connect4", "44")
    for searching in (nrpa(state, level=2, iterations=10, corrected=True), nested(state, level=2)):
        first = shown(searching.run(state, iterations=300))
        searching.run(new("connect4", "12345"), iterations=50)
        assert shown(searching.run(state, iterations=300)) == first


@pytest.mark.parametrize(("position", "move"), WINS.items())
def test_a_win_in_one_is_found(position: str, move: str) -> None:
    state = new("connect4", position)
    assert [str(winning) for winning in state.winning_moves] == [move]
    for seed in range(6):
        for key in ("state", "code"):
            corrected = nrpa(state, level=2, iterations=30, corrected=True, key=key, seed=seed).run(state)
            assert str(corrected.moves[0].move) == move
            assert corrected.value == corrected.moves[0].value == 1
        for level in (1, 2):
            found = nested(state, level=level, seed=seed).run(state, iterations=3000)
            assert str(found.moves[0].move) == move
            assert found.moves[0].value == pytest.approx((1 + 0.99) / 2)  # discounted by the one ply


def test_nested_prefers_the_sooner_win_by_its_discount_alone() -> None:
    state = new("connect4", "112233")
    undiscounted = nested(state, level=2, discount=1.0).run(state, iterations=3000)
    assert undiscounted.moves[0].value == 1


def test_corrected_nrpa_errs_less_than_the_plain_one() -> None:
    """On positions in which the move matters, judged by the solver."""
    solver = Connect4Solver(memory_mb=16)
    rng = random.Random(4)
    right = {True: 0, False: 0}
    judged = 0
    while judged < 60:
        state = Connect4.new()
        while not state.is_terminal and state.ply < 16:
            state = state.play(rng.choice(state.legal_moves))
        if state.is_terminal:
            continue
        outcomes = {move: (score > 0) - (score < 0) for move, score in solver.move_scores(state).items()}
        if len(set(outcomes.values())) == 1:
            continue
        judged += 1
        for corrected in right:
            result = nrpa(state, level=2, iterations=30, corrected=corrected, seed=judged).run(state)
            right[corrected] += outcomes[result.moves[0].move] == max(outcomes.values())
    # By figures of 300 positions 94% against 73%: a difference of 12 of 60 is expected, and more than 4 very likely.
    assert right[True] > right[False] + 4


def test_nrpa_ends_by_itself_after_iterations_to_the_level() -> None:
    state = new("connect4")
    for level, iterations in ((1, 50), (2, 9), (3, 5)):
        result = nrpa(state, level=level, iterations=iterations).run(state)
        assert result.iterations == iterations**level == sum(found.visits for found in result.moves)


def test_lower_levels_of_nrpa_may_make_another_number_of_calls() -> None:
    state = new("connect4")
    for level, playouts in ((1, 6), (2, 6 * 3), (3, 6 * 3 * 3)):
        result = nrpa(state, level=level, iterations=6, lower_iterations=3).run(state)
        assert result.iterations == playouts == sum(found.visits for found in result.moves)
    equal = [shown(nrpa(state, level=2, iterations=6, lower_iterations=lower, seed=3).run(state)) for lower in (0, 6)]
    assert equal[0] == equal[1]


def test_limits_are_kept(game: str) -> None:
    state = new(game)
    # Nested plays one game from each move whatever the limit.
    longest = 300 if game == "quoridor" else 60
    games, nodes = 70 + len(state.legal_moves), 3000 + longest * len(state.legal_moves)
    for searching in (nrpa(state, level=3, iterations=100), nested(state, level=1)):
        assert searching.run(state, iterations=games).iterations == games
        assert searching.run(state, nodes=nodes).nodes == nodes  # a move more would have been one too many
        assert searching.run(state, seconds=0.01).moves


def test_a_result_of_nrpa_lists_every_move_and_a_line_that_can_be_played(game: str) -> None:
    state = new(game)
    for corrected in (False, True):
        result = nrpa(state, level=2, iterations=15, corrected=corrected).run(state)
        assert sorted(str(found.move) for found in result.moves) == sorted(map(str, state.legal_moves))
        assert all(0 <= found.value <= 1 for found in result.moves)
        reached = state
        for move in result.moves[0].line:
            reached = reached.play(move)
        assert result.moves[0].line[0] == result.moves[0].move


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"level": 0}, "nrpa: level must be 1 to 8"),
        ({"level": 9}, "nrpa: level must be 1 to 8"),
        ({"iterations": 0}, "nrpa: iterations must be at least 1"),
        ({"lower_iterations": -1}, "nrpa: lower_iterations must not be negative"),
        ({"alpha": 0.0}, "nrpa: alpha must be above 0 and at most 100"),
        ({"max_plies": 0}, "nrpa: max_plies must be at least 1"),
        ({"memory_mb": 0}, "nrpa: memory_mb must be at least 1"),
    ],
)
def test_options_of_nrpa_that_make_no_sense_are_a_sentence(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        nrpa(new("connect4"), **options)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"level": 0}, "nested: level must be 1 to 4"),
        ({"level": 5}, "nested: level must be 1 to 4"),
        ({"discount": 0.0}, "nested: discount must be above 0 and at most 1"),
        ({"discount": 1.5}, "nested: discount must be above 0 and at most 1"),
        ({"max_plies": 0}, "nested: max_plies must be at least 1"),
    ],
)
def test_options_of_nested_that_make_no_sense_are_a_sentence(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        nested(new("connect4"), **options)


def test_the_agents_have_the_published_parameters() -> None:
    _, parameters = find_agent("nrpa")
    assert (parameters.level, parameters.iterations, parameters.alpha, parameters.corrected) == (2, 100, 1.0, True)
    _, parameters = find_agent("nested")
    assert (parameters.level, parameters.discount) == (2, 0.99)


def test_the_agents_say_how_many_playouts_they_made() -> None:
    state = new("connect4")
    assert analyst("nrpa:level=2,iterations=8").analyze(state).iterations == 64
    assert analyst("nrpa:level=2,iterations=8,lower_iterations=3").analyze(state).iterations == 24
    assert analyst("nrpa:level=1,iterations=8").analyze(state).iterations == 8
    assert analyst("nested:level=1,iterations=70").analyze(state).iterations == 70
