"""What must hold for every game. A new game is tested here without a line of its own."""

from __future__ import annotations

import copy
import pickle
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chi_squared import chi_squared
from hypothesis import given, settings
from hypothesis import strategies as st
from typed import network_state

from joute import IllegalMoveError, JouteError, Random, Result
from joute.errors import NotationError
from joute.games import State, find_game, game_names, new

GAMES = game_names()
TESTS = Path(__file__).parents[1]
PERFT_FILES = [
    *sorted(TESTS.glob("games/*/perft.toml")),
    *sorted(TESTS.glob("toys/perft/*.toml")),
    *sorted(TESTS.glob("openspiel/perft.toml")),
    *sorted(TESTS.glob("../examples/*/tests/perft.toml")),
]


def random_game(game: str, seed: int) -> Iterator[State]:
    """Every position of a random game, chance states and the end included."""
    rng = Random(seed)
    state = new(game)
    yield state
    while not state.is_terminal:
        state = state.resolve(state.draw_outcome(rng)) if state.is_chance else state.play(state.random_move(rng))
        yield state


def random_positions(game: str, games: int = 12) -> Iterator[State]:
    for seed in range(games):
        yield from random_game(game, seed)


def random_state(game: str, seed: int) -> State:
    states = list(random_game(game, seed))
    return states[seed % len(states)]


def copies(value: Any) -> tuple[Any, Any]:
    return copy.copy(value), copy.deepcopy(value)


any_game = st.sampled_from(GAMES)
any_seed = st.integers(0, 2**32)


def test_every_game_has_a_perft_table() -> None:
    assert {tomllib.loads(path.read_text())["game"] for path in PERFT_FILES} == set(GAMES)


@pytest.mark.parametrize("path", PERFT_FILES, ids=lambda path: tomllib.loads(path.read_text())["game"])
def test_perft_counts_match_the_table(path: Path) -> None:
    data = tomllib.loads(path.read_text())
    for table in data["table"]:
        state = new(data["game"], table["position"])
        for depth, count in enumerate(table["counts"], start=1):
            assert state.perft(depth) == count
            if count < 1_000_000:
                assert state.perft(depth, bulk=False) == count


@pytest.mark.slow
def test_a_game_in_python_has_as_many_lines_to_its_end_as_in_the_core() -> None:
    state, core = new("tictactoe"), new("noughts")
    for depth in range(7, 10):
        assert state.perft(depth) == state.perft(depth, bulk=False) == core.perft(depth)


def test_perft_of_depth_zero_is_one(start: State) -> None:
    assert start.perft(0) == 1


def test_perft_refuses_depths_that_no_machine_can_count(start: State) -> None:
    for depth in (-1, 101, 2**31 - 1):
        with pytest.raises(ValueError, match=f"perft counts lines of 0 to 100 moves, not {depth}"):
            start.perft(depth)


def test_legal_moves_are_legal_and_distinct(game: str) -> None:
    for state in random_positions(game):
        moves = list(state.legal_moves)
        assert len(set(moves)) == len(moves)
        assert all(state.is_legal(move) for move in moves)
        assert bool(moves) == (not state.is_terminal and not state.is_chance)


def test_legal_moves_are_complete_where_claimed(game: str) -> None:
    """Every move ever seen in the game is either listed or not legal."""
    states = list(random_positions(game))
    seen = {move for state in states for move in state.legal_moves}
    for state in states:
        if state.complete and not state.is_chance:
            assert {move for move in seen if state.is_legal(move)} == set(state.legal_moves)


def test_random_move_is_legal(game: str) -> None:
    rng = Random(5)
    for state in random_positions(game):
        if state.legal_moves:
            assert state.random_move(rng) in state.legal_moves


def test_random_move_is_uniform_in_small_positions(game: str) -> None:
    rng = Random(6)
    states = [state for state in random_game(game, 3) if len(state.legal_moves) > 1]
    for state in (states[0], states[len(states) // 2], states[-1]):
        draws = 2000 * len(state.legal_moves)
        counts = Counter(state.random_move(rng) for _ in range(draws))
        chi_squared(counts, dict.fromkeys(state.legal_moves, 2000))


@settings(max_examples=60, deadline=None)
@given(any_game, any_seed)
def test_the_key_equals_the_recomputed_key(game: str, seed: int) -> None:
    for state in random_game(game, seed):
        assert state.key == state.recompute_key()
        assert 0 <= state.key < 2**64


def test_different_positions_have_different_keys(game: str) -> None:
    """Where positions come back, those that differ in the ply alone may share a key."""
    states = set(random_positions(game, 40))
    if find_game(game).repeats:
        seen = {(state.key, state.diagram(), state.to_move) for state in states}
        assert len({key for key, *_ in seen}) == len(seen)
        assert len({state[1:] for state in seen}) > len(states) / 2
    else:
        assert len({state.key for state in states}) == len(states)


@settings(max_examples=60, deadline=None)
@given(any_game, any_seed)
def test_playing_a_move_leaves_the_position_as_it_was(game: str, seed: int) -> None:
    state = random_state(game, seed)
    before = (state.position, state.key, state.ply, str(state), list(map(str, state.legal_moves)))
    for move in state.legal_moves:
        child = state.play(move)
        assert child is not state
        assert child.ply == state.ply + 1
    assert (state.position, state.key, state.ply, str(state), list(map(str, state.legal_moves))) == before


@settings(max_examples=60, deadline=None)
@given(any_game, any_seed)
def test_positions_survive_text_and_pickle(game: str, seed: int) -> None:
    state = random_state(game, seed)
    read = new(state.spec, state.position).with_past(state.past)
    for twin in (read, pickle.loads(pickle.dumps(state)), *copies(state)):
        assert twin == state
        assert hash(twin) == hash(state)
        assert twin.key == state.key
        assert twin.ply == state.ply
        assert twin.position == state.position
        assert type(twin) is type(state)
        assert list(map(str, twin.legal_moves)) == list(map(str, state.legal_moves))
        assert eval(repr(state), {"joute": __import__("joute")}) == state


@settings(max_examples=60, deadline=None)
@given(any_game, any_seed)
def test_moves_survive_text_and_pickle(game: str, seed: int) -> None:
    state = random_state(game, seed)
    for move in state.legal_moves:
        assert state.parse_move(str(move)) == move
        assert state.is_legal(str(move))
        for twin in (pickle.loads(pickle.dumps(move)), *copies(move)):
            assert twin == move
            assert hash(twin) == hash(move)
            assert state.play(twin) == state.play(move)
            assert state.legal_move(twin) == state.legal_move(str(move)) == move
        assert state.play(str(move)) == state.play(move)
    assert len(set(map(str, state.legal_moves))) == len(state.legal_moves)


def test_an_illegal_move_is_refused_with_a_sentence(game: str) -> None:
    for state in random_positions(game, 3):
        for nonsense in ("no such move", "", "\udcff", "4\x00", "\n", "é", 10**30, None, object(), b"4", ["4"]):
            with pytest.raises(IllegalMoveError, match=f"^illegal move .*at ply {state.ply} of {game}") as error:
                state.play(nonsense)
            assert "\n" not in str(error.value)
            assert "\0" not in str(error.value)
            assert str(error.value).encode()
            assert not state.is_legal(nonsense)
        with pytest.raises(NotationError):
            state.parse_move("no such move")
    moves = sorted({move for state in random_positions(game) for move in state.legal_moves}, key=str)
    for state in random_positions(game, 3):
        for move in moves[:: 1 + len(moves) // 200]:
            if not state.is_legal(move):
                with pytest.raises(IllegalMoveError, match="over" if state.is_terminal else "legal|pending"):
                    state.play(move)


def test_bad_position_text_is_refused_with_a_sentence(game: str) -> None:
    for text in ("?", "no position", "\x00", "9" * 400, "é", "\udcff"):
        with pytest.raises(JouteError) as error:
            new(game, text)
        assert "\n" not in str(error.value)


def test_results_are_consistent(game: str) -> None:
    for state in random_positions(game, 40):
        assert state.is_terminal == (state.result is not None)
        if state.result is None:
            assert isinstance(state.result_if_stopped, Result)
            continue
        result = state.result
        assert result == state.result_if_stopped
        assert not state.legal_moves
        assert not state.is_chance
        assert result.decided_by
        assert result.winner == {1: 0, -1: 1, 0: None}[result.outcome]
        assert result.outcome_for(0) == -result.outcome_for(1) == result.outcome
        # The score orders finer than the outcome, never against it.
        assert (result.score > 0) == (result.outcome > 0)
        assert (result.score < 0) == (result.outcome < 0)
        assert all(twin == result for twin in (pickle.loads(pickle.dumps(result)), *copies(result)))
        assert state.perft(1) == 0


def test_winning_moves_are_exactly_those_that_win_at_once(game: str) -> None:
    for state in random_positions(game):
        wins = [
            move
            for move in state.legal_moves
            if (result := state.play(move).result) and result.outcome_for(state.to_move) > 0
        ]
        assert state.winning_moves == wins


def test_codes_tell_the_moves_of_a_position_apart(game: str) -> None:
    for state in random_positions(game, 3):
        if hasattr(state, "code"):
            codes = [state.code(move) for move in state.legal_moves]
            assert len(set(codes)) == len(codes)


def test_chance_outcomes_sum_to_one_and_are_drawn_by_their_probability(game: str) -> None:
    chances = [state for state in random_positions(game) if state.is_chance]
    assert bool(chances) == find_game(game).has_chance
    rng = Random(9)
    for state in chances[:2]:
        assert sum(state.outcomes) == pytest.approx(1)
        counts = Counter(state.draw_outcome(rng) for _ in range(6000))
        chi_squared(counts, {outcome: 6000 * p for outcome, p in enumerate(state.outcomes) if p > 0})
        for outcome in range(len(state.outcomes)):
            settled = state.resolve(outcome)
            assert settled != state
            assert settled.ply == state.ply
            assert settled.is_chance or settled.is_terminal or settled.legal_moves
        with pytest.raises(IndexError):
            state.resolve(len(state.outcomes))
    quiet = next(state for state in random_positions(game) if not state.is_chance)
    assert quiet.outcomes == []
    with pytest.raises(ValueError, match="no random event"):
        quiet.resolve(0)
    with pytest.raises(ValueError, match="no random event"):
        quiet.draw_outcome(rng)


def test_playouts_repeat_with_their_seed_and_add_up(game: str, start: State) -> None:
    first = start.playouts(500, seed=1)
    assert first == start.playouts(500, seed=1)
    assert first != start.playouts(500, seed=2)
    assert first.games == 500 == first.first_wins + first.draws + first.second_wins
    assert first.plies >= 500
    capped = start.playouts(10, max_plies=2)
    assert capped.plies <= 20
    for twin in (pickle.loads(pickle.dumps(first)), *copies(first)):
        assert twin == first
        assert hash(twin) == hash(first)


def test_playouts_agree_with_games_played_move_by_move(game: str, start: State) -> None:
    """Both estimate the first player's mean outcome; their difference stays within four standard errors."""
    games = 4000
    outcomes = []
    for seed in range(games):
        *_, last = random_game(game, seed + 1000)
        assert last.result is not None
        outcomes.append(last.result.outcome)
    batch = start.playouts(games, seed=3)
    difference = sum(outcomes) / games - (batch.first_wins - batch.second_wins) / games
    tolerance = 4 * (2 / games) ** 0.5
    assert tolerance < 0.09
    assert abs(difference) < tolerance


def test_symmetries_map_positions_moves_planes_and_policy_alike(game: str) -> None:
    games = 4 if getattr(new(game), "symmetry_count", 1) <= 2 else 1
    for drawn in random_positions(game, games):
        if not hasattr(drawn, "encode") or not drawn.complete:
            return  # candidates depend on the order of a board's cells; such a game has a test of its own
        state = network_state(drawn)
        planes, rows, columns = state.input_shape
        encoded = state.encode()
        assert len(encoded) == planes * rows * columns
        assert state.transformed(0) == state
        for g in range(state.symmetry_count):
            image = state.transformed(g)
            input_map, policy_map = state.input_map(g), state.policy_map(g)
            assert sorted(input_map) == list(range(len(encoded)))
            assert sorted(policy_map) == list(range(state.policy_size))
            image_encoded = image.encode()
            assert all(image_encoded[input_map[i]] == value for i, value in enumerate(encoded))
            moves = [state.transformed_move(move, g) for move in state.legal_moves]
            assert set(moves) == set(image.legal_moves)
            for move, moved in zip(state.legal_moves, moves, strict=True):
                assert image.play(moved) == state.play(move).transformed(g)
                assert [policy_map[i] for i in state.policy_indices(move)] == image.policy_indices(moved)
            assert image.result == state.result
        with pytest.raises(IndexError):
            state.transformed(state.symmetry_count)


def test_policy_indices_tell_moves_apart(game: str) -> None:
    for drawn in random_positions(game, 4):
        if not hasattr(drawn, "policy_indices") or not drawn.complete:
            return  # a network cannot tell all candidates apart where there are too many moves
        state = network_state(drawn)
        indices = [tuple(state.policy_indices(move)) for move in state.legal_moves]
        assert len(set(indices)) == len(indices)
        assert all(0 <= i < state.policy_size for several in indices for i in several)


def test_the_drawing_is_well_formed_and_its_targets_are_legal_moves(game: str) -> None:
    for state in random_positions(game, 2):
        svg = ElementTree.fromstring(state._repr_svg_())
        assert svg.tag.endswith("svg")
        targets = {target.move for target in state.scene().targets}
        if state.complete:
            assert not targets or targets == set(map(str, state.legal_moves))
        assert all(map(state.is_legal, targets))
        assert str(state).startswith(state.diagram())
        assert state.status in str(state)


def test_a_name_of_rules_that_do_not_exist_is_refused(game: str) -> None:
    with pytest.raises(JouteError, match="nonsense"):
        new(f"{game}:nonsense=1")


def test_a_generic_test_has_the_marker_of_the_game_that_it_runs_on(game: str, request: pytest.FixtureRequest) -> None:
    assert [marker.name for marker in request.node.iter_markers() if marker.name in GAMES] == [game]
