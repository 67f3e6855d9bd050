"""The Quoridor engine: what its evaluation knows, exact races, its book, and how it plays."""

from __future__ import annotations

import math
import random
import tomllib
from collections import deque
from importlib.resources import files

import pytest
from plain_options import alphabeta_options
from quoridor_oracle import CELLS, GOALS, STANDARD, Cell, SlowQuoridor, name, turned
from typed import searcher

from joute import new, play_match
from joute.agents import adviser, agent
from joute.agents.clock import Clock
from joute.games.quoridor.agents.engine import shipped_book
from joute.games.quoridor.state import Quoridor


def position(ply: int, seed: int, spec: str = STANDARD) -> Quoridor:
    """A position of a random game, half of whose moves are walls as long as there are."""
    draw = random.Random(seed)
    while True:
        state = new(spec)
        assert isinstance(state, Quoridor)
        while state.ply < ply and not state.is_terminal:
            walls = [move for move in state.legal_moves if len(str(move)) == 3]
            moves = walls if walls and draw.random() < 0.5 else state.legal_moves[: len(state.legal_moves) - len(walls)]
            state = state.play(draw.choice(moves))
        if not state.is_terminal:
            return state


@pytest.mark.parametrize("ply", [0, 1, 7, 20, 41])
def test_the_evaluation_sees_no_difference_between_left_and_right_nor_between_the_players(ply: int) -> None:
    for seed in range(8):
        state = position(ply, seed)
        value = state.evaluate(state.to_move, "network")
        assert state.evaluate(1 - state.to_move, "network") == -value
        assert state.transformed(1).evaluate(state.to_move, "network") == value
        other = new("quoridor", turned(state.position))
        assert other.evaluate(other.to_move, "network") == value


def race_values(walls: set[str]) -> dict[tuple[Cell, Cell, int], int]:
    """By pawns and mover: plies to the end if the mover wins, less than 0 if it loses; no entry where nobody does."""
    slow = SlowQuoridor()
    slow.walls = walls
    closed = slow.closed()
    moves = {(cell, other): slow.steps_and_jumps(cell, other, closed) for cell in CELLS for other in CELLS}
    before: dict[tuple[Cell, Cell, int], list[tuple[Cell, Cell, int]]] = {}
    left: dict[tuple[Cell, Cell, int], int] = {}
    values: dict[tuple[Cell, Cell, int], int] = {}
    known: deque[tuple[Cell, Cell, int]] = deque()
    for white in CELLS:
        for black in CELLS:
            if white == black:
                continue
            for mover in (0, 1):
                here = (white, black, mover)
                if white[0] == GOALS[0] or black[0] == GOALS[1]:
                    values[here] = 0
                    known.append(here)
                    continue
                own, other = (white, black) if mover == 0 else (black, white)
                left[here] = len(moves[own, other])
                for cell in moves[own, other]:
                    after = (cell, black, 1) if mover == 0 else (white, cell, 0)
                    before.setdefault(after, []).append(here)
    while known:
        here = known.popleft()
        for earlier in before.get(here, ()):
            if earlier in values:
                continue
            if values[here] <= 0:
                values[earlier] = 1 - values[here]
            else:
                left[earlier] -= 1
                if left[earlier]:
                    continue
                values[earlier] = -1 - values[here]
            known.append(earlier)
    return values


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_walls_in_hand_every_race_is_solved(seed: int) -> None:
    draw = random.Random(seed)
    slow = SlowQuoridor()
    while len(slow.walls) < 20:
        slow.walls.add(draw.choice(slow.placeable()))
    values = race_values(slow.walls)
    walls = "/".join("".join(wall[:2] for wall in sorted(slow.walls) if wall[2] == way) for way in "hv")
    search = Quoridor.search(alphabeta_options(), "network")
    outcomes = set()
    for white, black, mover in draw.sample(sorted(values), 150):
        slow.pawns = [white, black]
        if None in (slow.distance(player, slow.closed()) for player in (0, 1)):
            continue
        plies = values[white, black, mover]
        if plies == 0:
            continue  # over
        state = Quoridor(f"{walls}/{name(white)}{name(black)}/0-0/{40 + mover}")
        best = search.run(state, depth=5).moves[0]
        outcomes.add(plies > 0)
        assert best.lower == best.upper == (1 if plies > 0 else -1)
        assert best.end_in == abs(plies)
    assert outcomes == {True, False}


# White wins the race from here.
WON_RACE = "a1c1e1g1a2c2e2g2a7c7e7g7a8c8e8g8/a4c4e4g4/i4a6/0-0"


def test_a_race_that_nobody_can_force_is_level() -> None:
    state = Quoridor("h2a3d3c4e4h4c5g5d6f6b7/a2d2b3c3f3h3d5g6a7/e5e6/0-0/40")
    best = Quoridor.search(alphabeta_options(), "network").run(state, depth=6).moves[0]
    assert (best.lower, best.upper) == (0, 0)


def test_a_race_is_not_won_where_the_game_has_come_by_every_reply_twice() -> None:
    state = Quoridor(f"{WON_RACE}/100")
    search = Quoridor.search(alphabeta_options(), "network")
    assert search.run(state, depth=6).moves[0].lower == 1
    keys = []
    for move in state.legal_moves:
        for reply in state.play(move).legal_moves:
            answered = state.play(move).play(reply)
            keys += 2 * [answered.play(answered.legal_moves[0]).past[-1]]
    drawn = state.with_past(keys)
    assert search.run(drawn, depth=6).moves[0].lower < 1


def test_a_race_that_the_ply_limit_cuts_short_is_a_draw() -> None:
    def outcome(ply: int) -> tuple[int, int]:
        state = Quoridor(f"{WON_RACE}/{ply}")
        best = Quoridor.search(alphabeta_options(), "network").run(state, depth=6).moves[0]
        assert best.end_in >= 0 or best.lower == best.upper == 0
        return best.lower, best.end_in

    assert outcome(100) == (1, 9)
    assert outcome(290) == (1, 9)
    assert outcome(292) == (0, -1)


def test_candidates_are_legal_and_hold_all_steps_and_every_wall_that_lengthens_the_opponents_way() -> None:
    lengthening = 0
    for seed in range(25):
        state = position(4 + seed, seed)
        candidates = set(state.moves("candidates"))
        assert candidates <= set(state.legal_moves)
        opponent = 1 - state.to_move
        for move in state.legal_moves:
            if len(str(move)) == 2:
                assert move in candidates
            elif state.play(move).distance(opponent) > state.distance(opponent):
                lengthening += 1
                assert move in candidates
    assert lengthening > 100


# Positions from games that the engine lost to walls outside its candidates.
@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("f2h2b3e4a6/d2f3c4d5d7/f1e7/4-6/21", "e8v"),
        ("d6f7a8c8/a3f4f6g6c7e7/e3f8/6-4/28", "f2h"),
        ("h5g6e7/f6a8d8/e4g7/6-8/13", "h8h"),
    ],
)
def test_the_engine_plays_a_strong_wall_that_is_no_candidate(text: str, wall: str) -> None:
    state = Quoridor(text)
    assert wall not in map(str, state.moves("candidates"))
    engine = agent("quoridor:book=no,nodes=100000,memory_mb=8", game="quoridor")
    assert str(engine.choose(state, Clock())) == wall


def test_wide_search_down_to_the_horizon_is_search_of_all_moves() -> None:
    candidates, everything = (Quoridor.generators.index(name) for name in ("candidates", "all"))
    wide = Quoridor.search(alphabeta_options(generator=candidates, wide_depth=1), "network")
    full = Quoridor.search(alphabeta_options(generator=everything), "network")
    for ply in (5, 21):
        state = position(ply, 7)
        one, other = wide.run(state, depth=2), full.run(state, depth=2)
        assert (one.value, one.nodes, one.moves[0].move) == (other.value, other.nodes, other.moves[0].move)


def test_a_search_that_stops_at_its_first_wide_depth_returns_a_move_that_it_has_searched() -> None:
    state, candidates = Quoridor("c3b5d6g6c8/h4e8/e8e3/6-7/19"), Quoridor.generators.index("candidates")
    options = alphabeta_options(hints=1, memory_mb=1, generator=candidates, wide_depth=3)
    for nodes in range(500, 620, 4):
        found = Quoridor.search(options, "network").run(state, nodes=nodes)
        assert math.isfinite(found.value), nodes


def test_reductions_and_pruning_prove_wins_and_no_win_of_a_loser() -> None:
    settings = alphabeta_options(reductions=1, reduce_root=True, late_moves=2, null_depth=2, hints=1, memory_mb=4)
    search = Quoridor.search(settings, "network")
    puzzles = tomllib.loads((files("joute.games.quoridor") / "data" / "puzzles.toml").read_text())["puzzle"]
    assert len(puzzles) >= 10
    for puzzle in puzzles:
        state, answer = Quoridor(puzzle["position"]), puzzle["line"][0]
        best = search.run(state, nodes=50_000).moves[0]
        assert (str(best.move), best.lower) == (answer, 1)
        # After every other move the opponent wins or draws.
        for wrong in [move for move in state.legal_moves if str(move) != answer][::5]:
            assert search.run(state.play(wrong), nodes=2_000).moves[0].upper >= 0


def test_hints_of_the_game_change_the_order_of_the_search_but_neither_value_nor_move() -> None:
    options = {"generator": Quoridor.generators.index("candidates")}
    plain = Quoridor.search(alphabeta_options(**options), "network")
    hinted = Quoridor.search(alphabeta_options(**options, hints=1), "network")
    for seed in range(10):
        state = position(12, seed)
        one, other = plain.run(state, depth=3), hinted.run(state, depth=3)
        assert (one.value, one.moves[0].move) == (other.value, other.moves[0].move)
        assert one.nodes != other.nodes


def test_the_engine_is_whom_to_ask() -> None:
    assert adviser("quoridor") == "quoridor"


def test_it_takes_the_quickest_win() -> None:
    engine = agent("quoridor:nodes=20000", game="quoridor")
    assert str(engine.choose(new("quoridor", "//e8b5/10-10/20"), Clock())) == "e9"
    assert str(engine.choose(new("quoridor", "//b5e2/10-10/21"), Clock())) == "e1"


def test_the_book_holds_legal_moves_for_both_colours_and_the_engine_plays_them() -> None:
    book = shipped_book()
    entries = (files("joute.games.quoridor") / "data" / "quoridor.book").read_text().splitlines()[3:]
    assert len(entries) == len(book) > 200
    for entry in entries:
        key, move = entry.split()
        assert new("quoridor", f"{key}/0").is_legal(move)
    engine = agent("quoridor:nodes=1", game="quoridor")
    state = Quoridor()
    while (found := book.find(state)) is not None:
        assert engine.choose(state, Clock()) == found
        state = state.play(found)
    assert state.ply == 10
    without = searcher("quoridor:book=no,nodes=1", game="quoridor")
    without.choose(new("quoridor"), Clock())
    assert without.info is not None


@pytest.mark.parametrize(
    ("rules", "opponent"),
    [
        ("quoridor", "quoridor-greedy"),
        ("quoridor", "quoridor-runner"),
        ("quoridor", "quoridor-alphabeta:version=faithful"),
        ("quoridor:rules=course", "quoridor-alphabeta:version=corrected"),
    ],
)
def test_with_few_nodes_it_beats_the_players_of_the_course_and_of_the_paper(rules: str, opponent: str) -> None:
    openings = [position(4, seed, rules) for seed in range(3)]
    match = play_match(rules, "quoridor:nodes=4000", opponent, games=6, openings=openings, seed=3)
    assert match.score >= 11 / 12


def test_a_search_by_the_network_beats_one_by_steps_alone() -> None:
    search = "alphabeta:nodes=2000,generator=candidates,reductions=1,eval={}"
    openings = [position(4, seed) for seed in range(5)]
    match = play_match("quoridor", search.format("network"), search.format("steps"), games=10, openings=openings)
    assert match.score >= 0.8
