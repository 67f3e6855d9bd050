"""Self-play: what is recorded, how it explores, games in progress."""

from __future__ import annotations

import math
import struct
from collections import Counter
from typing import Any

import numpy as np
import pytest
from network_batches import LIMITS, NETWORK_GAMES, PLAIN, SEARCHES, Searches, fits, played, plies_of, pool_of, window_of
from network_evaluators import Equivariant, Evaluator, Noise, judge_of
from numpy.typing import NDArray
from plain_options import self_play_options
from typed import network_game

from joute import JouteError, new

# --- Records ---


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_every_target_is_a_policy_over_legal_moves(name: str, search: str) -> None:
    for ply in plies_of(played(name, 16, Noise(new(name), uniform_priors=True), search=search)):
        assert ply.target is not None
        assert sum(ply.target.values()) == 255
        assert all(weight > 0 and move in ply.state.legal_moves for move, weight in ply.target.items())
        assert -1 <= ply.value <= 1


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_a_game_is_recorded_to_its_end_and_with_its_result(name: str, search: str) -> None:
    last = LIMITS.get(name, {}).get("max_plies", math.inf)
    for game in played(name, 16, search=search):
        assert game.end.is_terminal or game.end.ply == last
        assert (game.outcome, game.margin) == (game.end.result_if_stopped.outcome, game.end.result_if_stopped.margin)


def test_a_record_begins_with_its_own_length_so_that_records_can_be_told_apart() -> None:
    pool = pool_of("connect4")
    records = pool.play(40)
    window = window_of("connect4", b"")
    at = games = 0
    while at < len(records):
        (length,) = struct.unpack_from("<I", records, at)
        window.add(records[at : at + 4 + length])
        at += 4 + length
        games += 1
    assert at == len(records)
    assert games == pool.pool.games == window.games_in(records)
    assert len(window) == window.total == len(window_of("connect4", records))
    assert not pool.pool.take_games()


@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_counters_count_what_is_recorded(name: str) -> None:
    pool = pool_of(name, games=4, full_share=0.5)
    games = pool.read(pool.play(8))
    assert pool.pool.games == len(games)
    saved = pool.pool.save()
    in_progress = struct.unpack_from("<I5Q", saved)
    counted = (pool.pool.games, pool.pool.plies, pool.pool.positions, pool.pool.simulations, pool.pool.evaluations)
    assert in_progress == (4, *counted)
    assert pool.pool.positions >= sum(ply.target is not None for ply in plies_of(games))
    assert pool.pool.plies >= len(list(plies_of(games)))


@pytest.mark.parametrize("name", ["noughts", "connect4", "boxes", "quoridor"])
def test_without_noise_games_follow_the_search_and_targets_are_its_own_to_the_nearest_255th(name: str) -> None:
    evaluator = Noise(new(name))
    games = played(name, 4, evaluator, games=4, simulations=30, **PLAIN)
    assert len({tuple(str(ply.move) for ply in game.plies) for game in games}) == 1
    plies = games[0].plies
    found = Searches([ply.state for ply in plies], evaluator, search="puct", simulations=30)
    for ply, result, target in zip(plies, found.results, found.targets, strict=True):
        assert ply.move == result.moves[0].move
        assert ply.value == pytest.approx(2 * result.value - 1, abs=1 / 127)
        assert ply.target is not None
        recorded = [ply.target.get(move, 0) / 255 for move in ply.state.legal_moves]
        assert recorded == pytest.approx(target, abs=1 / 255)


@pytest.mark.parametrize("name", ["noughts", "connect4", "boxes"])
def test_gumbel_targets_do_not_depend_on_the_noise_where_every_move_is_tried_once(name: str) -> None:
    start = new(name)
    moves = len(start.legal_moves)
    evaluator = Noise(start)
    games = played(name, 32, evaluator, games=32, simulations=moves)
    (target,) = Searches([start], evaluator, simulations=moves).targets
    for game in games:
        assert game.plies[0].target is not None
        recorded = [game.plies[0].target.get(move, 0) / 255 for move in start.legal_moves]
        assert recorded == pytest.approx(target, abs=1 / 255)


# --- Exploration ---


def first_moves(name: str, count: int, evaluator: Evaluator, **options: Any) -> Counter[Any]:
    found = played(name, count, evaluator, games=count, max_plies=1, **options)
    return Counter(game.plies[0].move for game in found)


def test_puct_draws_moves_in_proportion_to_their_visits() -> None:
    start, evaluator = new("noughts"), Noise(new("noughts"))
    options = {**PLAIN, "simulations": 40, "temperature": 1.0}
    (target,) = Searches([start], evaluator, search="puct", simulations=40).targets
    fits(first_moves("noughts", 3000, evaluator, **options), dict(zip(start.legal_moves, target, strict=True)))
    squares = {move: share**2 for move, share in zip(start.legal_moves, target, strict=True)}
    shares = {move: square / sum(squares.values()) for move, square in squares.items()}
    fits(first_moves("noughts", 3000, evaluator, **{**options, "temperature": 0.5}), shares)
    for cold in ({"temperature_plies": 0}, {"temperature": 1e-3}):
        assert list(first_moves("noughts", 100, evaluator, **options | cold)) == [max(shares, key=shares.__getitem__)]


def test_gumbel_noise_draws_moves_by_their_priors_where_nothing_is_known_of_them() -> None:
    start, evaluator = new("noughts"), Noise(new("noughts"))
    priors, _ = judge_of(evaluator)(start)
    counts = first_moves("noughts", 3000, evaluator, simulations=1, considered=9)
    fits(counts, dict(zip(start.legal_moves, priors, strict=True)))


def test_noise_on_the_priors_makes_the_root_try_other_moves() -> None:
    options = {**PLAIN, "simulations": 20}
    evaluator = Noise(new("connect4"))
    moves = [len(first_moves("connect4", 200, evaluator, **{**options, "noise_share": share})) for share in (0.0, 0.9)]
    assert moves[0] == 1
    assert moves[1] > 3


def test_the_playout_cap_searches_a_share_of_the_moves_in_full_and_records_those() -> None:
    pool = pool_of("connect4", games=64, simulations=24, fast_simulations=3, full_share=0.25, reuse=False)
    plies = list(plies_of(pool.read(pool.play(200))))
    full = sum(ply.target is not None for ply in plies)
    assert full / len(plies) == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / len(plies)) ** 0.5)
    # Proofs end some searches early.
    assert pool.pool.simulations / pool.pool.plies == pytest.approx(0.25 * 24 + 0.75 * 3, rel=0.15)


def test_simulations_may_change_on_the_way() -> None:
    pool = pool_of("avalam", games=8, simulations=20, reuse=False)
    for _ in range(44):
        pool.step()
    plies, simulations = pool.pool.plies, pool.pool.simulations
    assert simulations == 20 * plies
    pool.pool.set_simulations(5, 2)
    pool.play(1)
    assert (pool.pool.simulations - simulations) / (pool.pool.plies - plies) < 8
    with pytest.raises(JouteError, match="simulations and fast_simulations must be at least 1"):
        pool.pool.set_simulations(0, 1)


def test_some_games_begin_after_random_moves_which_are_no_targets() -> None:
    games = played("boxes", 400, games=64, random_share=0.5, random_plies=3)
    lengths = Counter(sum(ply.target is None for ply in game.plies) for game in games)
    fits(lengths, {0: 0.5 + 0.5 / 4, 1: 0.5 / 4, 2: 0.5 / 4, 3: 0.5 / 4})
    for game in games:
        unrecorded = [ply.target is None for ply in game.plies]
        assert unrecorded == sorted(unrecorded, reverse=True)


def test_a_generator_of_some_moves_plays_those_alone() -> None:
    games = played("dice", 20, generator=1)
    assert {str(ply.move) for ply in plies_of(games)} == {"step"}


def test_what_was_searched_below_the_move_played_is_used_again() -> None:
    fresh, kept = (pool_of("connect4", games=32, simulations=30, reuse=reuse) for reuse in (False, True))
    for pool in (fresh, kept):
        pool.play(40)
    assert kept.pool.evaluations / kept.pool.plies < 0.99 * fresh.pool.evaluations / fresh.pool.plies


def test_random_symmetries_change_no_game_for_a_network_that_has_them_all() -> None:
    for name in ("noughts", "quoridor"):
        records = []
        for symmetries in (False, True):
            records.append(pool_of(name, Equivariant(new(name)), games=8, symmetries=symmetries, **PLAIN).play(8))
        assert records[0] == records[1]


# --- Threads, and games in progress ---


@pytest.mark.parametrize("name", ["connect4", "dice", "quoridor"])
def test_threads_do_not_change_the_games(name: str) -> None:
    options: dict[str, Any] = {
        "games": 80,
        "full_share": 0.5,
        "random_share": 0.5,
        "random_plies": 4,
        "symmetries": True,
        "seed": 3,
    }
    alone, together = (pool_of(name, threads=threads, **options) for threads in (1, 3))
    for _ in range(120):
        alone.step()
        together.step()
        assert np.array_equal(alone.planes, together.planes)
    records = alone.pool.take_games()
    assert records == together.pool.take_games()
    assert window_of(name, records).games_in(records) > 5
    other = pool_of(name, **{**options, "seed": 4})
    assert other.play(5) != records


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["connect4", "dice", "boxes", "quoridor"])
def test_games_in_progress_go_on_alike_where_they_were_saved_and_where_they_are_loaded(name: str, search: str) -> None:
    options: dict[str, Any] = {"search": search, "full_share": 0.5, "random_share": 0.5, "random_plies": 3, "games": 40}
    pool = pool_of(name, seed=5, **options)
    for _ in range(61):  # in the middle of searches
        pool.step()
    pool.pool.take_games()
    saved = pool.pool.save()
    loaded = pool_of(name, seed=6, threads=2, **options)
    for _ in range(7):
        loaded.step()
    loaded.pool.load(saved)
    assert loaded.pool.save() == saved
    before = pool.pool.games
    records = pool.play(60)
    assert records == loaded.play(60)
    assert loaded.pool.save() == pool.pool.save()
    games = pool.read(records)
    assert len(games) == pool.pool.games - before


def test_damaged_games_in_progress_are_refused_and_those_that_are_there_go_on() -> None:
    pool, twin = pool_of("dice"), pool_of("dice")
    for each in (pool, twin):
        for _ in range(20):
            each.step()
    saved = pool.pool.save()
    assert twin.pool.save() == saved
    for damaged in (b"", saved[:-1], saved[: len(saved) // 2], bytes(4) + saved[4:], saved[:70] + b"\xff" * 60):
        with pytest.raises(JouteError):
            pool.pool.load(damaged)
    with pytest.raises(JouteError, match="a pool of a different size"):
        pool_of("dice", games=3).pool.load(saved)
    assert pool.play(10) == twin.play(10)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"games": 0}, "games and threads must be at least 1"),
        ({"threads": 0}, "games and threads must be at least 1"),
        ({"simulations": 0}, "simulations and fast_simulations must be at least 1"),
        ({"fast_simulations": 0}, "simulations and fast_simulations must be at least 1"),
        ({"generator": 7}, "no move generator 7"),
    ],
)
def test_self_play_refuses_what_makes_no_sense(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(JouteError, match=complaint):
        network_game("noughts").self_play(self_play_options(**options))


def test_self_play_asks_for_arrays_of_the_right_shape_and_kind() -> None:
    pool = network_game("noughts").self_play(self_play_options(games=2))
    with pytest.raises(JouteError, match=r"call attach\(\) with the arrays first"):
        pool.step()
    planes, legal = np.zeros((2, 18), np.uint8), np.zeros((2, 9), np.int16)
    priors, values = np.zeros((2, 9), np.float16), np.zeros(2, np.float16)
    with pytest.raises(ValueError, match="planes has 9 items, not 36"):
        pool.attach(planes[:1, :9], legal, priors, values)
    with pytest.raises(TypeError, match="priors must be an array of float16"):
        pool.attach(planes, legal, priors.astype(np.int16), values)
    pool.attach(planes, legal, priors, values)
    pool.step()
    assert (legal == np.arange(9)).all()


def test_a_batch_that_was_not_waited_for_is_not_begun_again() -> None:
    pool = pool_of("noughts", games=2).pool
    pool.start()
    with pytest.raises(JouteError, match=r"start\(\) was called again before wait\(\)"):
        pool.start()
    pool.wait()
    pool.step()


@pytest.mark.parametrize("search", SEARCHES)
def test_a_network_that_has_diverged_breaks_no_record(search: str) -> None:
    def diverged(planes: NDArray[np.uint8], legal: NDArray[np.int16]) -> Any:
        return np.full(legal.shape, np.nan), np.full(len(legal), np.nan)

    games = played("noughts", 20, diverged, games=8, search=search, simulations=8)
    assert all(sum(ply.target.values()) == 255 for ply in plies_of(games) if ply.target is not None)
    assert all(-1 <= ply.value <= 1 for ply in plies_of(games))
