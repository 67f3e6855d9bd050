"""Quoridor: the rules against a slow version of them and against OpenSpiel's, and its figures."""

from __future__ import annotations

import random
from collections import Counter

import pyspiel
import pytest
from chi_squared import chi_squared
from hypothesis import given, settings
from hypothesis import strategies as st
from quoridor_oracle import CELLS, COURSE, EVERY_MOVE, NULL_MOVE, SIZE, STANDARD, SlowQuoridor, kata, name, place
from typed import New

from joute import Random
from joute.games.quoridor.state import Quoridor

new = New(Quoridor)


def texts(state: Quoridor) -> list[str]:
    return list(map(str, state.legal_moves))


def walls_of(state: Quoridor) -> list[str]:
    return [move for move in texts(state) if len(move) == 3]


def random_position(spec: str, rng: random.Random, plies: int) -> Quoridor:
    """After a game in which a player with walls places one in a share of the turns that differs from game to game."""
    state, share = new(spec), rng.random()
    for _ in range(plies):
        state = _moved_on(state, rng, share)
        if state.is_terminal:
            return new(spec)
    return state


def _moved_on(state: Quoridor, rng: random.Random, share: float) -> Quoridor:
    """A position by itself, without the game before it, so that none ends by repetition."""
    walls, steps = walls_of(state), [move for move in texts(state) if len(move) == 2]
    move = rng.choice(walls) if walls and rng.random() < share else rng.choice(steps)
    return new(state.spec, state.play(move).position)


# --- The rules ---


@pytest.mark.parametrize("spec", [STANDARD, COURSE, NULL_MOVE])
def test_random_positions_agree_with_the_slow_rules(spec: str) -> None:
    rng = random.Random(1)
    for share, plies in ((0, 15), (0.5, 45), (1, 45)):  # the share of moves that are walls
        slow = SlowQuoridor.of(spec, new(spec).position)
        while not slow.is_over() and slow.ply < plies:
            state = new(spec, slow.position())
            legal = slow.legal()
            assert [move for move in EVERY_MOVE if state.is_legal(move)] == legal
            if slow.hands[slow.mover] or not slow.null_move:
                assert texts(state) == legal
            else:  # all that do nothing are one to a search
                assert texts(state) == legal[: len(slow.pawn_moves()) + 1]
            assert [state.pawn(player) for player in (0, 1)] == slow.pawns
            assert [state.walls_left(player) for player in (0, 1)] == slow.hands
            assert [state.distance(player) for player in (0, 1)] == [slow.distance(p, slow.closed()) for p in (0, 1)]
            walls = [move for move in legal if len(move) == 3]
            move = rng.choice(walls) if walls and rng.random() < share else rng.choice(slow.pawn_moves())
            after = state.play(move)
            slow.play(move)
            assert after.position == slow.position()
            assert after.key == after.recompute_key() == new(spec, after.position).key
            assert (after.is_terminal, after.to_move, after.ply) == (slow.is_over(), slow.mover, slow.ply)


def test_legal_moves_are_openspiels_in_wall_heavy_games() -> None:
    rng, game, positions = random.Random(2), pyspiel.load_game("quoridor"), 0
    on_the_board: Counter[int] = Counter()
    while positions < 5_000:
        state, theirs, share = new(STANDARD), game.new_initial_state(), rng.uniform(0.5, 1)
        while state.ply < 50 and not theirs.is_terminal():
            actions = {theirs.action_to_string(state.to_move, action): action for action in theirs.legal_actions()}
            assert {kata(move) for move in texts(state)} == set(actions), state
            positions += 1
            on_the_board[20 - state.walls_left(0) - state.walls_left(1)] += 1
            after = _moved_on(state, rng, share)
            [move] = [move for move in texts(state) if state.play(move).position == after.position]
            theirs.apply_action(actions[kata(move)])
            state = after
        assert state.is_terminal == theirs.is_terminal()
    assert min(on_the_board[walls] for walls in range(21)) > 80


def plugged_walls(state: Quoridor) -> set[str]:
    """The walls that the standard rules allow and the course's program does not."""
    standard, course = new(STANDARD, state.position), new(COURSE, state.position)
    assert set(texts(course)) <= set(texts(standard))  # never the reverse: a jump crosses no wall
    return set(texts(standard)) - set(texts(course))


def test_the_course_refuses_walls_where_a_pawn_plugs_the_last_gap_and_no_others() -> None:
    rng, positions, found = random.Random(3), 0, []
    for _ in range(300):
        state, share = new(COURSE), rng.uniform(0.3, 0.6)
        while not state.is_terminal and state.ply < 80 and state.walls_left(0) + state.walls_left(1):
            positions += bool(walls_of(state))
            for wall in plugged_walls(state):
                slow = SlowQuoridor.of(COURSE, state.position)
                assert slow.leaves_ways(wall, through_pawn=True)
                assert not slow.leaves_ways(wall, through_pawn=False)
                found.append((state.position, wall))
            state = _moved_on(state, rng, share)
    # As with the course's program itself, where it was 2 positions of 775.
    assert (positions, len({position for position, _ in found}), len(found)) == (13_433, 15, 29)


def test_the_course_differs_exactly_as_the_slow_rules_do_where_pawns_stand_close() -> None:
    """Random games seldom plug a gap: here pawns stand anywhere beside each other among many walls."""
    rng, differing = random.Random(4), 0
    while differing < 10:
        horizontal, vertical, _, hands, ply = random_position(COURSE, rng, 19).position.split("/")
        for _ in range(20):
            white = rng.choice(CELLS[:-SIZE])
            black = white[0] + 1, white[1]
            if rng.random() < 0.5:
                black = white[0], (white[1] + 1) % SIZE
            position = f"{horizontal}/{vertical}/{name(white)}{name(black)}/{hands}/{ply}"
            slow = SlowQuoridor.of(COURSE, position)
            if slow.is_over() or None in [slow.distance(player, slow.closed()) for player in (0, 1)]:
                continue
            if plugged_walls(new(COURSE, position)):
                differing += 1
                assert texts(new(COURSE, position)) == slow.legal(), position


def test_a_wall_may_show_the_course_a_way_it_did_not_see() -> None:
    """Black's way leads past White, and the jump ends in a pocket; barred from it, Black goes around the corner."""
    position = "e1c2h2g3a4d6c7d8/f1d2g2e4a5d5e6h6a8/a7a8/1-2/17"
    slow = SlowQuoridor.of(COURSE, position)
    assert slow.distance(1, slow.closed(), through_pawn=False) is None
    assert walls_of(new(COURSE, position)) == slow.placeable() == ["a6h"]
    assert len(walls_of(new(STANDARD, position))) > 1


def test_the_null_move_passes_the_turn_and_changes_nothing() -> None:
    rng = random.Random(5)
    state = new(NULL_MOVE)
    while state.walls_left(state.to_move):
        state = new(NULL_MOVE, state.play(rng.choice(walls_of(state))).position)
    idle = [move for move in EVERY_MOVE if len(move) == 3 and state.is_legal(move)]
    assert len(idle) > 1
    assert not any(new(rules, state.position).is_legal(move) for move in idle for rules in (STANDARD, COURSE))
    board = state.position.rpartition("/")[0]
    for move in idle:
        assert state.play(move).position == f"{board}/{state.ply + 1}"
    assert len({state.play(move).key for move in idle}) == 1
    assert idle[0] in texts(state)
    assert [move for move in texts(state) if len(move) == 3] == idle[:1]


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_a_wall_that_joins_at_most_one_thing_cuts_nothing(seed: int) -> None:
    """What spares the core most of its floods: of the three crossings that a wall covers, one at most is taken."""
    rng = random.Random(seed)
    slow = SlowQuoridor.of(STANDARD, random_position(STANDARD, rng, rng.randrange(30)).position)
    taken = {crossing for wall in slow.walls for crossing in covered(wall)}
    for wall in rng.sample(EVERY_MOVE[len(CELLS) :], 30):
        joined = sum(crossing in taken or not set(crossing) <= set(range(SIZE - 1)) for crossing in covered(wall))
        if slow.fits(wall) and joined < 2:
            assert slow.leaves_ways(wall, through_pawn=True)
            assert not slow.hands[slow.mover] or new(STANDARD, slow.position()).is_legal(wall)


def covered(wall: str) -> list[tuple[int, int]]:
    """The crossings that a wall covers, its ends and its middle; an end may lie on the edge."""
    row, column = place(wall)
    return [(row, column + at) if wall[2] == "h" else (row + at, column) for at in (-1, 0, 1)]


# --- Figures ---


def test_the_opening_has_131_moves_and_pawns_that_meet_at_the_edge_133() -> None:
    assert len(texts(new(STANDARD))) == 131
    assert len(texts(new(STANDARD).play("e2").play("e8"))) == 132
    assert len(texts(new(STANDARD, "//e8e9/10-10/20"))) == 133


def test_random_games_have_the_published_numbers_of_moves_and_plies() -> None:
    published = {1: 131, 2: 127, 3: 124, 11: 96, 20: 66}  # of 300 games elsewhere
    moves: Counter[int] = Counter()
    for seed in range(400):
        rng, state = Random(seed), new(STANDARD)
        while state.ply < 20:
            moves[state.ply + 1] += len(state.legal_moves)
            state = state.play(state.random_move(rng))
    assert {ply: moves[ply] / 400 for ply in published} == pytest.approx(published, abs=1)
    # OpenSpiel, which draws after 324 plies: 240.1 plies and 39.8% draws in 6,000 games.
    games = new(COURSE).playouts(100_000, seed=1, max_plies=324)
    assert games.plies / games.games == pytest.approx(240.1, abs=4)
    assert games.draws / games.games == pytest.approx(0.398, abs=0.02)


@pytest.mark.slow
def test_perft_of_four_plies_is_the_published_count() -> None:
    assert new(STANDARD).perft(4) == new(COURSE).perft(4) == 247_569_030


def test_perft_agrees_with_the_slow_rules_among_walls() -> None:
    rng = random.Random(8)
    for spec in (STANDARD, COURSE):
        state = random_position(spec, rng, 18)
        slow = SlowQuoridor.of(spec, state.position)
        moves = slow.legal()
        assert state.perft(1) == len(moves)
        assert state.perft(2) == sum(state.play(move).perft(1) for move in moves)
        for move in rng.sample(moves, 25):
            after = SlowQuoridor.of(spec, slow.position())
            after.play(move)
            assert state.play(move).perft(1) == len(after.legal()), move


@pytest.mark.parametrize("spec", [STANDARD, COURSE, NULL_MOVE])
def test_random_moves_are_uniform_where_walls_would_cut(spec: str) -> None:
    # Black's corridor: many walls beside it would cut.
    rng = Random(9)
    for position in ("b4d4f4a6c6e6g6/h5/e1e9/6-6/8", "b4d4f4a6c6e6g6h2b2/a1h5b8d8f8a4c2e2g2/e5e9/2-0/35"):
        state = new(spec, position)
        slow = SlowQuoridor.of(spec, position)
        if slow.hands[slow.mover]:
            assert any(slow.fits(move) and not state.is_legal(move) for move in EVERY_MOVE[81:])
        draws = 300 * len(state.legal_moves)
        counts = Counter(str(state.random_move(rng)) for _ in range(draws))
        chi_squared(counts, dict.fromkeys(texts(state), 300))


def test_whole_boards_say_what_single_players_and_walls_say() -> None:
    for seed in range(20):
        state = random_position("quoridor", random.Random(seed), 30)
        assert state.pawns == (state.pawn(0), state.pawn(1))
        assert state.walls_in_hand == (state.walls_left(0), state.walls_left(1))
        assert state.distances == (state.distance(0), state.distance(1))
        assert [wall[:2] for wall in state.walls if wall.is_horizontal] == state.horizontal_walls
        assert [wall[:2] for wall in state.walls if not wall.is_horizontal] == state.vertical_walls
        for move in state.legal_moves:
            row, column = move.cell
            direction = ("h" if move.is_horizontal else "v") if move.is_wall else ""
            assert str(move) == f"{'abcdefghi'[column]}{row + 1}{direction}"
            after = state.play(move)
            if move.is_wall:
                assert {*after.walls} - {*state.walls} == {(row, column, move.is_horizontal)}
            else:
                assert after.pawns[state.to_move] == move.cell
