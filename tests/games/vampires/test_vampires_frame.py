"""How networks see Vampires vs Werewolves: planes, policy indices and their symmetries, on boards of any size."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from joute import JouteError, Random, new
from joute.games.vampires.generators import OfficialMaps
from joute.games.vampires.state import Vampires

SIZES = [(3, 3), (5, 10), (7, 5), (11, 11), (16, 29), (1, 9), (2, 4)]
ENCODINGS = {name: index for index, name in enumerate(Vampires.encodings)}
MASK, OWN_LOG, OTHER_LOG, OWN_ODDS, OTHER_ODDS, OWN_TAKES, PLIES_LEFT, LEAD = 0, 4, 5, 14, 15, 20, 23, 27
# The race for houses takes the first of equal houses on the board, so a turned board may have another one.
RACE = range(28, 32)


def planes_of(state: Vampires, encoding: int = 0, rows: int = 0, columns: int = 0) -> NDArray[np.uint8]:
    shape, _ = state.frame(encoding, rows, columns)
    return np.frombuffer(state.encode(encoding, rows, columns), np.uint8).reshape(shape)


def positions_of(rows: int, columns: int, count: int = 4) -> list[Vampires]:
    """Positions of random games on random maps of a size."""
    rng = Random(rows * 100 + columns)
    found: list[Vampires] = []
    while len(found) < count:
        homes = min(4, rows * (columns // 2) - 1)
        state = Vampires.new(OfficialMaps(rows, columns, homes).draw(rng).text)
        for _ in range(rng.below(12)):
            if state.is_terminal:
                break
            state = state.play(state.random_move(rng), rng)
        if not state.is_terminal:
            found.append(state)
    return found


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_planes_and_policy_turn_with_the_board(rows: int, columns: int) -> None:
    for state in positions_of(rows, columns):
        turns = [*state.moves("contact"), *state.moves("single")]
        for g in range(state.symmetry_count):
            image = state.transformed(g)
            turned = np.zeros(len(state.encode()), np.uint8)
            turned[state.input_map(g)] = np.frombuffer(state.encode(), np.uint8)
            here, there = (planes.reshape(image.input_shape) for planes in (turned, planes_of(image)))
            assert np.array_equal(np.delete(here, RACE, axis=0), np.delete(there, RACE, axis=0))
            policy_map = state.policy_map(g)
            for turn in turns:
                indices = image.policy_indices(state.transformed_move(turn, g))
                assert sorted(policy_map[index] for index in state.policy_indices(turn)) == sorted(indices)


@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
def test_a_larger_frame_shows_the_same_board_in_its_corner(encoding: int) -> None:
    for rows, columns in SIZES[:4]:
        for state in positions_of(rows, columns, 2):
            own, framed = planes_of(state, encoding), planes_of(state, encoding, 16, 16)
            assert np.array_equal(framed[:, :rows, :columns], own)
            assert framed.sum() == own.sum()  # nothing lies outside
            for turn in state.moves("single"):
                here, there = (state.policy_indices(turn, encoding, *frame) for frame in ((0, 0), (16, 16)))
                for index, framed_index in zip(here, there, strict=True):
                    kind, cell = divmod(index, rows * columns)
                    y, x = divmod(cell, columns)
                    assert framed_index == kind * 256 + y * 16 + x


def test_a_board_beyond_the_frame_is_refused_in_a_sentence() -> None:
    state = new("vampires:map=plains")
    assert isinstance(state, Vampires)
    with pytest.raises(JouteError, match="for boards up to 16x16 cannot play on a board of 15x29"):
        state.frame(0, 16, 16)
    huge = Vampires.new("40x40/4v0.0+4w39.39")
    with pytest.raises(JouteError, match="no network can play on a board of 40x40"):
        huge.encode()
    assert len(state.encode()) == math.prod(state.input_shape)  # 15x29 has a frame of its own


def test_planes_take_the_movers_view() -> None:
    for state in positions_of(5, 10):
        swapped = Vampires.new(state.position.replace("v", "?").replace("w", "v").replace("?", "w"))
        own, theirs = planes_of(state), planes_of(swapped)
        assert np.array_equal(own[OWN_LOG], theirs[OTHER_LOG])
        assert np.array_equal(own[OWN_ODDS], theirs[OTHER_ODDS])
        assert np.array_equal(planes_of(swapped.at_ply(state.ply + 1))[OWN_LOG], own[OWN_LOG])


def test_thresholds_and_odds_are_those_of_the_rules() -> None:
    #       0   1   2
    #   0  6v  6h  4w      as many as humans: certain; 1.5 times the werewolves, two steps away: certain
    #   1   .  7h   .      one human more: 6 / 14
    state = Vampires.new("2x3/6v0.0+4w2.0+6h1.0+7h1.1")
    planes = planes_of(state)
    assert planes[OWN_ODDS, 0, 1] == 255
    assert planes[OWN_ODDS, 1, 1] == round(255 * 6 / 14)
    assert planes[OWN_ODDS, 0, 2] == 0  # out of reach
    assert planes[OWN_TAKES, 0, 2] == 255
    assert planes[OTHER_ODDS, 0, 1] == round(255 * 4 / 12)
    assert planes[LEAD, 0, 0] == round(255 * 6 / 10)
    fights = Vampires.new("2x3/6v0.0+4w2.0+6h1.0+7h1.1", "equal_humans=battle")
    assert planes_of(fights)[OWN_ODDS, 0, 1] == round(255 / 2)


def test_plies_left_are_an_input() -> None:
    early, late = (Vampires.new(f"3x3/4v0.0+4w2.2/{ply}") for ply in (2, 150))
    assert planes_of(early)[PLIES_LEFT, 0, 0] > planes_of(late)[PLIES_LEFT, 0, 0] == round(255 * 50 / 200)


def test_raw_planes_are_the_papers_counts() -> None:
    state = Vampires.new("3x4/6v0.0+9w3.2+5h1.1")
    planes = planes_of(state, ENCODINGS["raw"], 16, 16)
    assert planes.shape == (3, 16, 16)
    assert (planes[0, 0, 0], planes[1, 2, 3], planes[2, 1, 1], planes.sum()) == (6, 9, 5, 20)
    masked = planes_of(state, ENCODINGS["masked"], 16, 16)
    assert np.array_equal(masked[1:4], planes)
    assert (masked[0] > 0).sum() == 12


def kinds_of(state: Vampires, turn: str) -> list[tuple[int, int]]:
    """(kind, cell) of each order."""
    return [divmod(index, state.rows * state.columns) for index in state.policy_indices(turn)]


def test_an_order_is_a_direction_and_an_amount() -> None:
    state = Vampires.new("3x3/9v1.1+4w2.2+3h0.0+1h2.0")
    whole, exact, most, few, kill = (
        kinds_of(state, turn)[0][0] for turn in ("1.1-0.0x9", "1.1-0.0x3", "1.1-0.0x5", "1.1-0.1x2", "1.1-2.2x6")
    )
    assert whole % 4 == 0
    assert exact % 4 == kill % 4 == 1
    assert most % 4 == 2
    assert few % 4 == 3
    assert whole // 4 == exact // 4 == most // 4 == 0  # to the top left
    both = kinds_of(state, "1.1-0.0x3+1.1-2.2x6")
    assert [(exact, 4), (kill, 4)] == both


def test_a_turn_without_orders_is_judged_by_its_groups() -> None:
    state = Vampires.new("3x3/4v1.1+4w2.2+2w0.2", "rules=twilight-langorou")
    assert sorted(kinds_of(state, "pass")) == [(32, 6), (32, 8)]


def test_turns_of_many_orders_count_the_largest() -> None:
    groups = "+".join(f"{2 + x}v{x}.0" for x in range(10))
    state = Vampires.new(f"2x10/{groups}+9w9.1")
    turn = "+".join(f"{x}.0-{x}.1x{2 + x}" for x in range(9))
    indices = kinds_of(state, turn)
    assert len(indices) == 8
    assert (6 * 4, 0) not in indices  # the group of two


def test_network_rules_leave_out_what_a_network_sees() -> None:
    assert new("vampires:map=bait,plies=120").network_rules == ""
    assert (
        new("vampires:limit=groups,plies=120,equal_humans=battle").network_rules == "equal_humans=battle,limit=groups"
    )
    assert new("vampires:rules=twilight-succo,map=bait").network_rules == "rules=twilight-succo"


def test_the_generator_single_moves_one_whole_group() -> None:
    for state in random_positions_with_groups():
        groups = state.groups[state.to_move]
        turns: list[Any] = state.moves("single")
        assert len({str(turn) for turn in turns}) == len(turns)
        assert all(state.is_legal(turn) and len(turn.orders) == 1 for turn in turns)
        steps = sum(
            0 <= cell.x + dx < state.columns and 0 <= cell.y + dy < state.rows
            for cell in groups
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if dx or dy
        )
        assert len(turns) == steps
        counts = {(cell.x, cell.y): cell.units for cell in groups}
        assert all(counts[order.x, order.y] == order.units for turn in turns for order in turn.orders)


def random_positions_with_groups() -> list[Vampires]:
    return [state for rows, columns in SIZES for state in positions_of(rows, columns, 3)]


def test_the_input_is_the_one_that_the_shipped_network_learned() -> None:
    """If this fails, networks of before see other numbers: train new ones, or restore the input."""
    seen = hashlib.sha256()
    for rows, columns in SIZES:
        for state in positions_of(rows, columns):
            seen.update(state.encode())
            for turn in state.moves("contact"):
                seen.update(str(state.policy_indices(turn)).encode())
    assert seen.hexdigest()[:16] == "4745dcbf9ccab509"
