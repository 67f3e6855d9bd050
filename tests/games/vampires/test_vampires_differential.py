"""Vampires vs Werewolves in the core against a slow and obvious version of the rules, in all profiles."""

from __future__ import annotations

import pickle
from collections import defaultdict
from math import prod
from random import Random as PythonRandom

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed import New, known
from vampires_oracle import Order, Profile, SlowVampires, is_random, random_battle, turn_text
from vampires_positions import ALL, SIZES, core_of, every_end, is_legal_in_core, random_position, random_turn, spoilt

from joute import Random
from joute.games.vampires.state import Vampires

new = New(Vampires)

profiles = pytest.mark.parametrize("profile", ALL, ids=lambda profile: profile.name)


def cases(seed: int, profile: Profile, count: int) -> list[tuple[SlowVampires, list[Order]]]:
    """Positions, each with a turn that may be legal."""
    rng = PythonRandom(f"{seed} {profile.name}")
    made = []
    for _ in range(count):
        slow = random_position(rng, profile)
        orders = random_turn(rng, slow)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            orders = spoilt(rng, slow, orders)
        made.append((slow, orders))
    return made


@profiles
def test_positions_and_their_results_are_those_of_the_slow_rules(profile: Profile) -> None:
    ended = 0
    for slow, _ in cases(1, profile, 400):
        state = core_of(slow)
        assert (state.rows, state.columns) == (slow.rows, slow.columns)
        assert (state.ply, state.to_move) == (slow.ply, slow.ply % 2)
        row_by_row = sorted(slow.board, key=lambda cell: (cell[1], cell[0]))
        assert state.cells == tuple((x, y, *slow.board[x, y]) for x, y in row_by_row)
        assert [state.species(player) for player in (0, 1)] == [slow.species(player) for player in (0, 1)]
        assert [state.units(player) for player in (0, 1)] == [slow.units(slow.species(player)) for player in (0, 1)]
        assert state.humans == slow.units("h")
        verdict = slow.result()
        assert state.is_terminal == (verdict is not None), slow.position
        if verdict:
            ended += 1
            result = known(state.result)
            assert (result.outcome, result.margin, result.decided_by) == verdict, slow.position
            assert not state.legal_moves
        else:
            stopped = state.result_if_stopped
            assert (stopped.outcome, stopped.margin, stopped.decided_by) == slow.verdict(), slow.position
    assert 40 < ended < 360


@profiles
def test_the_text_of_a_position_is_canonical_and_reads_back(profile: Profile) -> None:
    for slow, _ in cases(2, profile, 200):
        state = core_of(slow)
        assert state.position == slow.position
        assert new(state.spec, state.position) == state
        assert pickle.loads(pickle.dumps(state)) == state


@profiles
def test_legality_is_that_of_the_slow_rules(profile: Profile) -> None:
    seen = {True: 0, False: 0}
    for slow, orders in cases(3, profile, 1000):
        legal = slow.is_legal(orders)
        seen[legal] += 1
        assert is_legal_in_core(core_of(slow), orders) == legal, (slow.position, orders, slow.broken_rule(orders))
    assert min(seen.values()) > 200, seen


def check_distribution(slow: SlowVampires, state: Vampires, orders: list[Order]) -> None:
    """Every position that may be reached, with its probability."""
    expected = {reached.position: float(chance) for reached, chance in slow.after(orders).items()}
    found: dict[str, float] = {}
    for end, probability in every_end(state.play(state.turn(orders))):
        assert end.ply == slow.ply + 1
        found[end.position] = found.get(end.position, 0.0) + probability
    # Where a chance is too small for the core's numbers, the core may leave it out.
    assert found.keys() <= expected.keys(), (slow.position, orders)
    for position, chance in expected.items():
        assert found.get(position, 0.0) == pytest.approx(chance, rel=1e-9, abs=1e-12), (slow.position, orders, position)


def check_one_way(slow: SlowVampires, state: Vampires, orders: list[Order], rng: Random) -> None:
    """One course of the battles, each of them compared as a whole."""
    arriving, before = slow.arriving(orders), slow.departed(orders)
    battles = {
        cell
        for cell, count in arriving.items()
        if (there := before.get(cell)) and there[0] != slow.mover and is_random(count, there[1], there[0], slow.profile)
    }
    state = state.play(state.turn(orders))
    while state.is_chance:
        x, y, attackers, defenders, species, probability = known(state.battle)
        battles.remove((x, y))
        assert (attackers, (species, defenders)) == (arriving[x, y], before[x, y])
        survivors = random_battle(attackers, defenders, species, slow.profile)
        assert probability == pytest.approx(float(sum(survivors.attackers)))
        empty = survivors.attackers[0] + survivors.defenders[0]
        expected = [empty, *survivors.defenders[1:], *survivors.attackers[1:]]
        assert state.outcomes == pytest.approx([float(chance) for chance in expected], rel=1e-9, abs=1e-12)
        # A position with a pending battle is a position like any other.
        again = new(state.spec, state.position)
        assert again == state
        assert (again.key, again.battle, again.outcomes) == (state.key, state.battle, state.outcomes)
        state = state.resolve(state.draw_outcome(rng))
    assert not battles
    chances = slow.arrivals(orders)
    for (x, y), possible in chances.items():
        there = {(column, row): (species, count) for column, row, species, count in state.cells}.get((x, y))
        assert possible.get(there), (slow.position, orders, (x, y), there)


@profiles
def test_the_positions_after_a_turn_have_the_probabilities_of_the_slow_rules(profile: Profile) -> None:
    rng = Random(7)
    compared, followed = 0, 0
    for slow, orders in cases(4, profile, 200):
        if not slow.is_legal(orders):
            continue
        state = core_of(slow)
        turn = state.turn(orders)
        assert str(turn) == turn_text(orders)
        assert state.parse_move(str(turn)) == turn
        check_one_way(slow, state, orders, rng)
        followed += 1
        if prod(map(len, slow.arrivals(orders).values())) <= 250:
            check_distribution(slow, state, orders)
            compared += 1
    assert followed > 40
    assert compared > 25


@profiles
def test_a_lost_turn_changes_the_ply_alone(profile: Profile) -> None:
    for slow, _ in cases(5, profile, 100):
        if slow.result() is None:
            state = core_of(slow).pass_turn()
            assert state.position == slow.passed().position
            verdict = slow.passed().result()
            assert (state.result is None) == (verdict is None)
            assert verdict is None or known(state.result).outcome == verdict.outcome


@settings(deadline=None)
@given(st.sampled_from(ALL), st.integers(0, 2**32), st.sampled_from(SIZES))
def test_any_turn_is_judged_alike_and_leads_to_the_same_positions(
    profile: Profile, seed: int, size: tuple[int, int]
) -> None:
    rng = PythonRandom(seed)
    slow = random_position(rng, profile, size=size)
    orders = random_turn(rng, slow)
    if rng.random() < 0.5:
        orders = spoilt(rng, slow, orders)
    state = core_of(slow)
    legal = slow.is_legal(orders)
    assert is_legal_in_core(state, orders) == legal
    if legal:
        check_one_way(slow, state, orders, Random(seed))


@pytest.mark.parametrize("generator", ["targets", "report", "contact"])
@profiles
def test_generators_list_only_legal_turns_each_once(profile: Profile, generator: str) -> None:
    listed = 0
    rng = PythonRandom(generator)
    for slow, _ in cases(6, profile, 60):
        state = core_of(slow)
        moves = state.moves(generator)
        texts = [str(move) for move in moves]
        assert len(set(texts)) == len(texts)
        assert bool(moves) == (slow.result() is None), slow.position
        assert all(map(state.is_legal, moves))
        for move in rng.sample(moves, min(40, len(moves))):
            assert slow.is_legal(move.orders), (slow.position, str(move))
            assert str(move) == turn_text(move.orders)
        listed += len(moves)
    assert listed > 500


@profiles
def test_random_moves_are_legal_and_the_default_generator_is_targets(profile: Profile) -> None:
    rng = Random(11)
    for slow, _ in cases(7, profile, 100):
        state = core_of(slow)
        assert [str(move) for move in state.legal_moves] == [str(move) for move in state.moves("targets")]
        if slow.result() is None:
            for _ in range(3):
                assert slow.is_legal(state.random_move(rng).orders)


@profiles
def test_keys_are_those_of_the_position_and_change_with_the_ply(profile: Profile) -> None:
    rng = Random(13)
    keys: dict[int, str] = {}
    for slow, orders in cases(8, profile, 200):
        state = core_of(slow)
        if slow.is_legal(orders):
            state = state.play(state.turn(orders))
            while state.is_chance:
                assert state.key == state.recompute_key()
                state = state.resolve(state.draw_outcome(rng))
        assert state.key == state.recompute_key() == new(state.spec, state.position).key
        assert keys.setdefault(state.key, state.position) == state.position
        if not state.is_terminal:
            later = state.pass_turn()
            assert later.key != state.key
            assert later.key == later.recompute_key()


def images(slow: SlowVampires) -> set[str]:
    """A position seen from all eight sides."""
    found = set()
    for transposed in (False, True):
        for flip_x in (False, True):
            for flip_y in (False, True):
                board = {}
                for (x, y), group in slow.board.items():
                    to_x, to_y = slow.columns - 1 - x if flip_x else x, slow.rows - 1 - y if flip_y else y
                    board[(to_y, to_x) if transposed else (to_x, to_y)] = group
                rows, columns = (slow.columns, slow.rows) if transposed else (slow.rows, slow.columns)
                found.add(SlowVampires(rows, columns, board, slow.ply, slow.profile).position)
    return found


@profiles
def test_symmetries_are_the_eight_of_the_square_on_any_rectangle(profile: Profile) -> None:
    fought = 0
    for slow, orders in cases(9, profile, 100):
        state = core_of(slow)
        seen = [state.transformed(g) for g in range(8)]
        assert seen[0] == state
        assert {image.position for image in seen} == images(slow)
        legal = slow.is_legal(orders)
        turn = state.turn(orders) if legal else None
        for g, image in enumerate(seen):
            assert image.key == image.recompute_key()
            if turn is None:
                continue
            mapped = state.transformed_move(turn, g)
            assert image.is_legal(mapped), (slow.position, str(turn), g)
            after, image_after = state.play(turn), image.play(mapped)
            if not after.is_chance:
                assert image_after == after.transformed(g)
            elif prod(map(len, slow.arrivals(orders).values())) <= 60:
                expected, found = defaultdict[str, float](float), defaultdict[str, float](float)
                for end, probability in every_end(after):
                    expected[end.transformed(g).position] += probability
                for end, probability in every_end(image_after):
                    found[end.position] += probability
                assert found == pytest.approx(expected)
                fought += 1
    assert fought > 4
