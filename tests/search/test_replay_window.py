"""The replay window: what the learner is given."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from network_batches import NETWORK_GAMES, RecordedGame, RecordedPly, fits, pool_of, window_of
from typed import network_game, network_state, new_for_network

from joute import JouteError, State, new
from joute._core import Connect4Solver, ReplayWindow
from joute.games.connect4.state import Connect4


class Sample:
    def __init__(self, window: ReplayWindow, start: State, width: int, batch: int, seed: int = 1) -> None:
        self.planes = np.zeros((batch, len(network_state(start).encode())), np.uint8)
        self.legal = np.zeros((batch, width), np.int16)
        self.policy = np.zeros((batch, width), np.float32)
        self.wdl = np.zeros((batch, 3), np.float32)
        self.margin = np.zeros(batch, np.float32)
        window.sample(batch, seed, self.planes, self.legal, self.policy, self.wdl, self.margin)

    def rows(self) -> list[tuple[Any, ...]]:
        arrays = (self.planes, self.legal, (self.policy * 255).round().astype(int), self.wdl, self.margin)
        return [tuple(array[i].tobytes() for array in arrays) for i in range(len(self.margin))]


def row_of(ply: RecordedPly, game: RecordedGame, g: int, width: int, known: int | None = None) -> tuple[bytes, ...]:
    """What a sample of this position through symmetry g must be."""
    state = ply.state
    image = state.transformed(g)
    policy_map = state.policy_map(g)
    legal, policy = np.full(width, -1, np.int16), np.zeros(width, int)
    assert ply.target is not None
    for i, move in enumerate(state.legal_moves):
        legal[i] = policy_map[state.policy_indices(move)[0]]
        assert [legal[i]] == image.policy_indices(state.transformed_move(move, g))
        policy[i] = ply.target.get(move, 0)
    sign = 1 if state.to_move == 0 else -1
    outcome = sign * (game.outcome if known is None else known)
    wdl = np.array([outcome == 1, outcome == 0, outcome == -1], np.float32)
    return image.encode(), legal.tobytes(), policy.tobytes(), wdl.tobytes(), np.float32(sign * game.margin).tobytes()


@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_samples_are_recorded_positions_through_symmetries_with_their_targets_and_results(name: str) -> None:
    pool = pool_of(name, games=4, full_share=0.6)
    records = pool.play(2 if name == "divercite" else 6)
    games = pool.read(records)
    width = pool.pool.width
    targets = [(ply, game) for game in games for ply in game.plies if ply.target is not None]
    symmetries = range(new_for_network(name).symmetry_count)
    wanted = Counter(row_of(ply, game, g, width) for ply, game in targets for g in symmetries)
    window = window_of(name, records)
    assert len(window) == len(targets)
    draws = 40 * min(len(wanted), 500)
    drawn = Counter(Sample(window, new(name), width, draws).rows())
    assert set(drawn) <= set(wanted)
    if len(wanted) <= 500:  # every position through every symmetry, as often as any other
        fits(drawn, {row: count / wanted.total() for row, count in wanted.items()})


def test_samples_repeat_with_their_seed_whatever_the_number_of_threads() -> None:
    records = pool_of("noughts").play(30)
    window = window_of("noughts", records)
    first, again, other = (Sample(window, new("noughts"), 9, 50, seed).rows() for seed in (1, 1, 2))
    assert first == again != other
    by_threads = network_game("noughts").replay_window(1000, threads=3)
    by_threads.add(records)
    assert Sample(by_threads, new("noughts"), 9, 50).rows() == first


def test_a_window_keeps_the_newest_positions_however_they_came() -> None:
    pool = pool_of("noughts")
    batches = [pool.play(5) for _ in range(6)]
    whole = window_of("noughts", b"".join(batches), capacity=50)
    piecewise = window_of("noughts", b"", capacity=1000)
    for batch in batches:
        piecewise.add(batch)
    assert piecewise.total == whole.total == len(piecewise)
    piecewise.capacity = 50
    assert (len(whole), len(piecewise), whole.capacity, piecewise.capacity) == (50, 50, 50, 50)
    assert Sample(whole, new("noughts"), 9, 300).rows() == Sample(piecewise, new("noughts"), 9, 300).rows()
    targets = [(ply, game) for game in pool.read(b"".join(batches)) for ply in game.plies]
    newest = {row_of(ply, game, g, 9) for ply, game in targets[-50:] for g in range(8)}
    assert set(Sample(whole, new("noughts"), 9, 2000).rows()) <= newest


def test_damaged_records_are_refused_and_change_nothing() -> None:
    records = pool_of("connect4").play(10)
    window = window_of("connect4", records)
    kept = len(window)
    damaged = [records[:-1], records[:3], b"\x01" + records[1:], records[:4] + b"\x09" + records[5:]]
    damaged += [records[:9] + bytes([column]) + records[10:] for column in (7, 255)]
    first_weight = 15  # after the move, flags, value, outcomes of chance, entries and a move
    damaged.append(records[:first_weight] + bytes([records[first_weight] ^ 1]) + records[first_weight + 1 :])
    for wrong in damaged:
        with pytest.raises(JouteError, match="a record of self-play games"):
            window.add(wrong)
    assert len(window) == window.total == kept
    for capacity, generator in ((0, 0), (9, 1)):
        with pytest.raises(JouteError):
            network_game("connect4").replay_window(capacity, generator=generator)
    with pytest.raises(JouteError, match="the replay window is empty"):
        Sample(window_of("connect4", b""), new("connect4"), 7, 1)


def test_late_values_are_those_of_the_exact_solver() -> None:
    solver = Connect4Solver(memory_mb=8)
    late = 20
    pool = pool_of("connect4", games=32, simulations=2, exact_from=late, full_share=0.7)
    records = pool.play(100)
    games = pool.read(records)
    wanted = set()
    differing = 0
    for game in games:
        known = None
        for ply in reversed(game.plies):
            assert (ply.exact is not None) == (ply.state.ply >= late)
            if ply.exact is not None:
                assert isinstance(ply.state, Connect4)
                assert ply.exact == solver.outcome(ply.state) * (1 if ply.state.to_move == 0 else -1)
                known = ply.exact
            differing += known not in (None, game.outcome)
            if ply.target is not None:
                wanted |= {row_of(ply, game, g, 7, known) for g in range(2)}
    assert differing > 50
    assert set(Sample(window_of("connect4", records), new("connect4"), 7, 5000).rows()) <= wanted
    assert network_game("connect4").knows_late_outcomes
    assert not network_game("noughts").knows_late_outcomes


@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_every_sampled_policy_sums_to_one_over_legal_moves(name: str) -> None:
    pool = pool_of(name)
    sample = Sample(window_of(name, pool.play(16)), new(name), pool.pool.width, 500)
    assert (sample.policy >= 0).all()
    assert (sample.policy[sample.legal < 0] == 0).all()
    assert np.abs(sample.policy.sum(axis=1) - 1).max() < 1e-6
    assert (sample.wdl.sum(axis=1) == 1).all()
