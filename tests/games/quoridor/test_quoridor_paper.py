"""The Quoridor paper's agents, judged by obvious versions; its errors; its cache; the course's greedy player."""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typed import New, analyst, info_of, known, searcher

from joute import Clock, agent, play_game
from joute.agents import find_agent
from joute.errors import JouteError, SpecError
from joute.games.quoridor.agents.runners import walls_ahead_of_opponent
from joute.games.quoridor.cache import QuoridorCache, fill
from joute.games.quoridor.state import Quoridor

new = New(Quoridor)

NAMES = ["quoridor-alphabeta", "quoridor-mcts", "quoridor-greedy", "quoridor-runner"]
VERSIONS = ["faithful", "corrected"]
COURSE = "quoridor:rules=course"

Cell = tuple[int, int]
REACHES = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1), (2, 0), (-2, 0), (0, 2), (0, -2)]
GOALS = [8, 0]


# --- The course's program, plain and obvious ---


class Maze:
    """The walls of a position, and where one can go between them."""

    def __init__(self, state: Quoridor) -> None:
        self.pawns = [state.pawn(0), state.pawn(1)]
        self.horizontal, self.vertical = set(state.horizontal_walls), set(state.vertical_walls)

    def is_open(self, a: Cell, b: Cell) -> bool:
        """Whether one step leads from a cell to its neighbour."""
        (row, column), (to_row, to_column) = min(a, b), max(a, b)
        if min(row, column, to_column) < 0 or max(to_row, column, to_column) > 8:
            return False
        if to_row > row:
            return (row, column) not in self.horizontal and (row, column - 1) not in self.horizontal
        return (row, column) not in self.vertical and (row - 1, column) not in self.vertical

    def steps(self, at: Cell, other: Cell) -> list[Cell]:
        """Where a pawn may go, in the program's order."""
        found = set()
        for down, right in REACHES[:4]:
            near = (at[0] + down, at[1] + right)
            if not self.is_open(at, near):
                continue
            if near != other:
                found.add(near)
                continue
            beyond = (other[0] + down, other[1] + right)
            if self.is_open(other, beyond):
                found.add(beyond)
            else:
                around = [(other[0] + right, other[1] + down), (other[0] - right, other[1] - down)]
                found.update(corner for corner in around if self.is_open(other, corner))
        return [cell for down, right in REACHES if (cell := (at[0] + down, at[1] + right)) in found]

    def path(self, player: int) -> list[Cell] | None:
        start, other = self.pawns[player], self.pawns[1 - player]
        came_from: dict[Cell, Cell | None] = {start: None}
        for at in (queue := [start]):
            if at[0] == GOALS[player]:
                path = [at]
                while (before := came_from[path[-1]]) is not None:
                    path.append(before)
                return path[-2::-1]
            for near in self.steps(at, other):
                if near not in came_from:
                    came_from[near] = at
                    queue.append(near)
        return None


def path(state: Quoridor, player: int) -> list[Cell] | None:
    return Maze(state).path(player)


def rows(state: Quoridor, player: int) -> int:
    return abs(GOALS[player] - state.pawn(player)[0])


CLOSER, FARTHER, LEVEL = (2.2, 1.5, 0.7, 0.5), (1.7, 1.5, 0.4, 0.3), (2, 1.8, 0.5, 0.5)


def weighed(
    state: Quoridor,
    player: int,
    own: float,
    other: float,
    lead: int,
    *,
    sets: tuple[tuple[float, ...], ...] = (LEVEL, CLOSER, FARTHER),
) -> float:
    weights = sets[1 if lead > 0 else 2 if lead < 0 else 0]
    hands = state.walls_left(player), -state.walls_left(1 - player)
    return own * weights[0] + other * weights[1] + hands[0] * weights[2] + hands[1] * weights[3]


def heuristic(state: Quoridor, player: int) -> float:
    """That of the program, also of a finished game."""
    own, other = path(state, player), path(state, 1 - player)
    if own is None or other is None:
        lead = rows(state, 1 - player) - rows(state, player)
        value = weighed(state, player, rows(state, player), rows(state, 1 - player), lead)
    else:
        lead = len(other) - len(own)
        value = weighed(state, player, -len(own), len(other), lead)
    return lead if state.is_terminal else value


def course_moves(
    state: Quoridor, *, radius: int = 0, opponent_radius: int = 0, near_walls: bool = False
) -> list[str]:  # fmt: skip
    """The texts of the moves in the program's order, those that a filter lets through."""
    legal = {str(move) for move in state.legal_moves}
    walls = state.horizontal_walls + state.vertical_walls
    pawns = [(state.pawn(state.to_move), radius), (state.pawn(1 - state.to_move), opponent_radius or radius)]

    def is_near(row: int, column: int) -> bool:
        by_pawn = any(-n <= row - r <= n - 1 and -n <= column - c <= n - 1 for (r, c), n in pawns)
        by_wall = near_walls and any(abs(row - r) + abs(column - c) <= 2 for r, c in walls)
        return not (radius or opponent_radius) or by_pawn or by_wall

    places = [(row, column) for row in range(8) for column in range(8) if is_near(row, column)]
    mover = state.to_move
    texts = [name(cell) for cell in Maze(state).steps(state.pawn(mover), state.pawn(1 - mover))]
    texts += [name(place) + direction for place in places for direction in "hv"]
    return [text for text in texts if text in legal]


def name(cell: Cell) -> str:
    return f"{'abcdefghi'[cell[1]]}{cell[0] + 1}"


def random_positions(spec: str, games: int, seed: int, plies: range = range(0, 60)) -> Iterator[Quoridor]:
    """Of games in which a third of the moves are walls, so that there are mazes."""
    rng = random.Random(seed)
    for _ in range(games):
        state = new(spec)
        while not state.is_terminal and state.ply < plies.stop:
            if state.ply in plies:
                yield state
            moves = list(state.legal_moves)
            walls = [move for move in moves if len(str(move)) == 3]
            by_wall = walls and rng.random() < 0.35
            state = state.play(rng.choice(walls if by_wall else [move for move in moves if len(str(move)) == 2]))


# White stands in the only gap between the upper and the lower half. Black must jump over it, into a pocket that leads
# nowhere: around the corner one may jump only where straight on is barred.
#
#   5  .   .   .   .   .   .   .   .   .
#     -------+-------     -------+-------
#   4  .   .   .   .   W | .   .   .   .
#                        |
#   3  .   .   .   . | . | .   .   .   .
#                    |-------
#   2  .   .   .   . | .   .   .   .   .
PLUGGED = "a4c4f4h4e2/d2e3/e4e8/6-7/20"


@pytest.mark.parametrize("spec", ["quoridor", COURSE])
def test_the_courses_path_is_found_breadth_first_in_its_order_of_moves(spec: str) -> None:
    detours = plugged = 0
    for state in [new("quoridor", PLUGGED), *random_positions(spec, games=12, seed=1)]:
        for player in (0, 1):
            expected = path(state, player)
            assert state.course_path(player) == expected, state.position
            plugged += expected is None
            detours += expected is not None and len(expected) != state.distance(player)
    assert detours > 20
    assert plugged == 1 or spec == "quoridor"  # which lets a wall plug a gap


@pytest.mark.parametrize("spec", ["quoridor", COURSE])
def test_listings_are_the_programs_moves_near_pawns_and_walls(spec: str) -> None:
    for state in random_positions(spec, games=6, seed=2):
        assert [str(move) for move in state.moves("course")] == course_moves(state)
        for radius in (1, 2, 3):
            listed = [str(move) for move in state.moves(f"near-pawns-{radius}")]
            assert listed == course_moves(state, radius=radius), state.position
            listed = [str(move) for move in state.moves(f"near-pawns-{radius}+walls")]
            assert listed == course_moves(state, radius=radius, near_walls=True), state.position
        for own, other in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
            listed = [str(move) for move in state.moves(f"near-pawns-{own}-{other}")]
            assert listed == course_moves(state, radius=own, opponent_radius=other), state.position


def group_of(state: Quoridor, text: str) -> int:
    """Steps ahead, walls near the opponent, other steps, other walls."""
    row, column = int(text[1]) - 1, "abcdefghi".index(text[0])
    other_row, other_column = state.pawn(1 - state.to_move)
    own_row = state.pawn(state.to_move)[0]
    if len(text) == 2:
        return 0 if (row > own_row if state.to_move == 0 else row < own_row) else 2
    return 1 if -2 <= row - other_row <= 1 and -2 <= column - other_column <= 1 else 3


def test_an_ordered_listing_has_the_same_moves_and_begins_with_steps_ahead_and_walls_near_the_opponent() -> None:
    for state in random_positions("quoridor", games=6, seed=3):
        for listing in ("course", "near-pawns-2", "near-pawns-2+walls", "near-pawns-0-2"):
            expected = sorted(map(str, state.moves(listing)), key=functools.partial(group_of, state))
            assert [str(move) for move in state.moves(f"{listing}-ordered")] == expected


def test_no_generator_lists_the_wall_that_passes_the_turn() -> None:
    state = new("quoridor:rules=course,null_move=yes", "a1c1e1g1a3c3e3g3a5c5//e2e8/0-10/40")
    assert any(len(str(move)) == 3 for move in state.legal_moves)
    assert all(len(str(move)) == 2 for move in state.moves("course"))


# --- The heuristic ---


def test_the_heuristic_is_the_programs_to_the_last_digit() -> None:
    signs = Counter[int]()
    for state in random_positions("quoridor", games=12, seed=4):
        for player in (0, 1):
            assert state.evaluate(player, "report") == heuristic(state, player), state.position
        signs[(lead := state.distance(1) - state.distance(0)) and (1 if lead > 0 else -1)] += 1
    assert min(signs[sign] for sign in (-1, 0, 1)) > 20


def test_corrected_the_heuristic_looks_through_the_other_pawn() -> None:
    for state in random_positions("quoridor", games=10, seed=5):
        own, other = state.distance(0), state.distance(1)
        assert state.evaluate(0, "report-corrected") == weighed(state, 0, -own, other, other - own)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_weight_of_the_heuristic_can_be_replaced(version: str) -> None:
    names = [f"{who}_{what}" for who in ("level", "closer", "farther")
             for what in ("own_path", "other_path", "own_walls", "other_walls")]  # fmt: skip
    weights = [1 + 0.25 * at for at in range(12)]
    sets = tuple(tuple(weights[at : at + 4]) for at in (0, 4, 8))
    settings = ",".join(f"{name}={weight}" for name, weight in zip(names, weights, strict=True))
    player = analyst(f"quoridor-alphabeta:version={version},depth=0,{settings}", game="quoridor")
    leads = set()
    for state in random_positions("quoridor", games=6, seed=6):
        found = player.analyze(state)
        last, mover = state.play(str(found.moves[0].move)), state.to_move
        paths = [path(last, each) if version == "faithful" else range(last.distance(each)) for each in (0, 1)]
        if last.is_terminal or paths[0] is None or paths[1] is None:
            continue
        own, other = len(paths[mover] or ()), len(paths[1 - mover] or ())
        leads.add((other > own) - (other < own))
        assert found.value == pytest.approx(weighed(last, mover, -own, other, other - own, sets=sets)), state.position
    assert leads == {-1, 0, 1}


def test_without_a_path_it_counts_rows_and_loses_the_minus_before_its_own() -> None:
    state = new("quoridor", PLUGGED)
    assert state.course_path(1) is None
    assert state.distance(1) > 0
    # Five rows to go for White and seven for Black; the weights of who is closer.
    assert state.evaluate(0, "report") == 5 * 2.2 + 7 * 1.5 + 6 * 0.7 - 7 * 0.5
    assert state.evaluate(0, "report") == heuristic(state, 0)
    assert state.evaluate(0, "report-corrected") < state.evaluate(0, "report")


def test_one_step_from_the_goal_to_win_scores_5_and_to_wait_6_point_3() -> None:
    state = new("quoridor", "a1c1e1g1a2/c2e2g2a7c7/e8i6/5-5/40")
    assert (state.distance(0), state.distance(1)) == (1, 5)
    assert state.evaluate(0, "report") == pytest.approx(6.3)
    assert state.play("e9").evaluate(0, "report") == 5


def test_the_search_weighs_a_win_as_the_heuristic_does_or_corrected_above_everything() -> None:
    state = new("quoridor", "a1c1e1g1a2/c2e2g2a7c7/e8i6/5-5/40")
    found = {}
    for version in VERSIONS:
        judge = analyst(f"quoridor-alphabeta:version={version},depth=0", game="quoridor")
        found[version] = {str(judged.move): judged for judged in judge.analyze(state, lines=200).moves}
    assert found["faithful"]["e9"].value == 5
    assert max(known(judged.value) for judged in found["faithful"].values()) > 5
    assert next(iter(found["corrected"])) == "e9"


def finishes(spec: str, plies: int) -> bool:
    """Whether an agent that is one step from the goal wins soon, while the opponent steps aside and back."""
    state, player = new("quoridor", "a1c1e1g1a2/c2e2g2a7c7/e8i6/5-5/40"), agent(spec, game="quoridor")
    for _ in range(plies):
        if state.is_terminal:
            break
        if state.to_move == 0:
            state = state.play(player.choose(state, Clock()))
        else:
            state = state.play(max((move for move in state.moves("course") if len(str(move)) == 2), key=str))
    return state.is_terminal and state.result is not None and state.result.outcome == 1


def test_without_its_forced_last_step_the_program_does_not_finish() -> None:
    assert not finishes("quoridor-alphabeta:finish=no,depth=0", plies=12)
    assert finishes("quoridor-alphabeta:finish=yes,depth=0", plies=1)
    for depth in (0, 1):
        assert finishes(f"quoridor-alphabeta:version=corrected,finish=no,depth={depth}", plies=1)


# --- The search ---


def minimax(state: Quoridor, plies: int, player: int, listing: dict[str, Any]) -> float:
    if state.is_terminal or plies == 0:
        return state.evaluate(player, "report")
    values = [minimax(state.play(move), plies - 1, player, listing) for move in course_moves(state, **listing)]
    return max(values) if state.to_move == player else min(values)


@pytest.mark.parametrize(
    ("settings", "plies", "listing"),
    [
        ("depth=0", 1, {"radius": 2}),
        ("depth=0,filter=none", 1, {}),
        ("depth=0,radius=3,filter=pawns+walls", 1, {"radius": 3}),
        ("depth=1,radius=1", 2, {"radius": 1}),
    ],
)
def test_it_plays_the_first_of_the_best_in_the_programs_order(
    settings: str, plies: int, listing: dict[str, Any]
) -> None:
    player = agent(f"quoridor-alphabeta:opening=no,finish=no,{settings}", game="quoridor")
    for state in random_positions(COURSE, games=2, seed=6, plies=range(5, 60, 6)):
        moves = course_moves(state, **listing)
        values = [minimax(state.play(move), plies - 1, state.to_move, listing) for move in moves]
        move = player.choose(state, Clock())
        assert str(move) == moves[values.index(max(values))], state.position
        assert info_of(player).value_for_mover == max(values)


def test_ordering_and_the_table_change_neither_value_nor_plies() -> None:
    nodes = Counter[str]()
    for version in VERSIONS:
        specs = {f"quoridor-alphabeta:version={version},depth=2,opening=no,finish=no{more}": more for more in
                 ("", ",ordering=yes", ",table=yes", ",ordering=yes,table=yes")}  # fmt: skip
        players = {agent(spec, game="quoridor"): more for spec, more in specs.items()}
        for state in random_positions("quoridor", games=3, seed=7, plies=range(8, 40, 8)):
            found = set()
            for player, more in players.items():
                player.choose(state, Clock())
                info = info_of(player)
                found.add((info.value_for_mover, info.depth))
                nodes[more] += known(info.nodes)
            assert len(found) == 1, state.position
    assert len(set(nodes.values())) == 4


def test_walls_near_walls_add_nothing_to_the_program_and_something_to_its_correction() -> None:
    counts = {}
    for version in VERSIONS:
        for filter_ in ("pawns", "pawns+walls", "none"):
            spec = f"quoridor-alphabeta:version={version},filter={filter_},depth=0,opening=no,finish=no"
            player = agent(spec, game="quoridor")
            player.choose(new("quoridor", "a1h8//e4e6/9-9/20"), Clock())
            counts[version, filter_] = known(info_of(player).nodes)
    assert counts["faithful", "pawns"] == counts["faithful", "pawns+walls"] < counts["faithful", "none"]
    assert counts["corrected", "pawns"] < counts["corrected", "pawns+walls"] < counts["corrected", "none"]


def test_the_depth_follows_step_and_clock() -> None:
    depths = {}
    for ply in (9, 10, 11):
        state = new("quoridor", f"//e3e7/10-10/{ply}")
        for share in (0.19, 0.2, 0.21, math.inf):
            player = agent("quoridor-alphabeta", game="quoridor")
            player.choose(state, Clock(remaining_s=100 * share, nominal_s=100 if math.isfinite(share) else share))
            depths[ply, share] = info_of(player).depth
    two = {(ply, share) for (ply, share), depth in depths.items() if depth == 2}
    assert two == {(10, 0.21), (10, math.inf), (11, 0.21), (11, math.inf)}
    assert set(depths.values()) == {1, 2}


def test_a_depth_of_ones_own_holds_from_the_first_search_on() -> None:
    state = new("quoridor", "//e3e7/10-10/4")
    for depth in (0, 1, 2):
        player = agent(f"quoridor-alphabeta:depth={depth}", game="quoridor")
        player.choose(state, Clock())
        assert info_of(player).depth == depth + 1


@pytest.mark.parametrize("version", VERSIONS)
def test_the_first_two_moves_are_steps_ahead(version: str) -> None:
    player, state = searcher(f"quoridor-alphabeta:version={version}", game="quoridor"), new("quoridor")
    for expected in ("e2", "e8", "e3", "e7"):
        move = player.choose(state, Clock())
        assert str(move) == expected
        assert player.info is None
        state = state.play(move)
    player.choose(state, Clock())
    assert player.info is not None


def test_what_was_before_a_position_means_nothing_to_the_program() -> None:
    state = new("quoridor", "//e3e7/10-10/4")
    for move in ("d3", "d7", "e3", "e7", "d3", "d7", "e3"):
        state = state.play(move)
    found = []
    for position in (state, new("quoridor", state.position)):
        player = agent("quoridor-alphabeta:depth=1", game="quoridor")
        found.append((player.choose(position, Clock()), info_of(player)))
    assert found[0] == found[1]


def test_only_corrected_it_knows_that_the_third_repetition_is_a_draw() -> None:
    state = new("quoridor", "//e3e7/10-10/4")
    for move in ("d3", "d7", "e3", "e7", "d3", "d7", "e3"):
        state = state.play(move)
    values = {}
    for version in VERSIONS:
        judge = analyst(f"quoridor-alphabeta:version={version},depth=0", game="quoridor")
        values[version] = {str(judged.move): judged.value for judged in judge.analyze(state, lines=200).moves}
    assert state.play("e7").is_terminal
    assert values["corrected"]["e7"] == 0
    assert values["faithful"]["e7"] == new("quoridor", state.position).play("e7").evaluate(1, "report") != 0


def test_where_the_program_would_crash_both_versions_play_a_legal_move() -> None:
    for position in (PLUGGED, PLUGGED.replace("/20", "/21"), PLUGGED.replace("/20", "/2")):
        state = new("quoridor", position)
        for spec in (*(f"quoridor-alphabeta:version={version}" for version in VERSIONS), *NAMES):
            assert state.is_legal(agent(spec, game="quoridor").choose(state, Clock())), (spec, position)


@pytest.mark.parametrize("spec", [*NAMES, *(f"{name}:version=corrected" for name in NAMES[:2])])
@pytest.mark.parametrize("rules", ["quoridor", COURSE])
def test_every_agent_plays_by_the_rules(spec: str, rules: str) -> None:
    quick = spec.replace("corrected", "corrected,iterations=50") if "mcts:" in spec else spec
    for seed, (first, second) in enumerate([(quick, "quoridor-greedy"), ("quoridor-greedy", quick)]):
        record = play_game(rules, first, second, seed=seed)
        assert record.reason.value == "normal", record.detail


def test_wrong_parameters_are_told() -> None:
    with pytest.raises(SpecError, match=r"depth must be a whole number in -1\.\.7"):
        find_agent("quoridor-alphabeta:depth=9", "quoridor")
    for radii, complaint in (
        ("radius=0", "radius=0 lists no walls; set opponent_radius, or another radius"),
        ("radius=3,opponent_radius=2", "opponent_radius must be larger than radius=3, not smaller"),
        ("filter=pawns+walls,opponent_radius=3", "opponent_radius=3 works with filter=pawns alone"),
    ):
        with pytest.raises(SpecError, match=complaint):
            agent(f"quoridor-alphabeta:{radii}", game="quoridor")
    with pytest.raises(SpecError, match="filter must be one of none, pawns"):
        find_agent("quoridor-alphabeta:filter=walls", "quoridor")
    with pytest.raises(SpecError, match="does not play connect4"):
        find_agent("quoridor-runner", "connect4")


# --- MCTS ---


def test_the_abandoned_mcts_runs_six_simulations_and_the_corrected_one_many() -> None:
    state = new("quoridor", "//e3e7/10-10/4")
    iterations = {}
    for version in VERSIONS:
        judge = analyst(f"quoridor-mcts:version={version}", game="quoridor")
        iterations[version] = judge.analyze(state).iterations
    assert iterations == {"faithful": 6, "corrected": 2000}


def test_the_corrected_mcts_takes_the_win_and_the_abandoned_one_need_not() -> None:
    state = new("quoridor", "//e8a6/10-10/40")
    moves = {version: {str(agent(f"quoridor-mcts:version={version}", game="quoridor", seed=seed).choose(state, Clock()))
                       for seed in range(5)} for version in VERSIONS}  # fmt: skip
    assert moves["corrected"] == {"e9"}
    assert len(moves["faithful"]) > 1


# --- The runner and the course's greedy player ---


def test_the_runner_takes_the_first_step_of_the_courses_path_and_places_no_wall() -> None:
    runner = agent("quoridor-runner", game="quoridor")
    for state in random_positions(COURSE, games=5, seed=8):
        expected = path(state, state.to_move)
        assert expected is not None
        assert str(runner.choose(state, Clock())) == name(expected[0])


def test_where_a_pawn_plugs_the_gap_the_runner_goes_where_the_walls_leave_the_shortest_way() -> None:
    state = new("quoridor", PLUGGED.replace("/20", "/21"))
    move = agent("quoridor-runner", game="quoridor").choose(state, Clock())
    least = min(state.play(step).distance(1) for step in state.legal_moves if len(str(step)) == 2)
    assert state.play(move).distance(1) == least


def test_greedy_bars_the_opponents_way_a_quarter_of_the_time_and_runs_otherwise() -> None:
    counts = Counter[str]()
    greedy = agent("quoridor-greedy", game="quoridor", seed=3)
    for _ in range(2000):
        counts[str(greedy.choose(new("quoridor"), Clock()))] += 1
    assert set(counts) == {"e2", "d8h", "e8h"}
    # Four standard deviations.
    assert abs(counts["e2"] - 1500) < 4 * math.sqrt(2000 * 0.25 * 0.75)
    assert abs(counts["d8h"] - counts["e8h"]) < 4 * math.sqrt(500)


@pytest.mark.parametrize("spec", ["quoridor", COURSE])
def test_walls_ahead_of_the_opponent_lie_across_its_column(spec: str) -> None:
    for state in random_positions(spec, games=5, seed=9):
        opponent = 1 - state.to_move
        row, column = state.pawn(opponent)
        ahead = {(row if opponent == 0 else row - 1, anchor) for anchor in (column - 1, column)}
        legal = [str(move) for move in state.legal_moves]
        expected = {name(anchor) + "h" for anchor in ahead if 0 <= anchor[1] < 8} & set(legal)
        assert {str(wall) for wall in walls_ahead_of_opponent(state)} == expected


def test_greedy_without_walls_in_hand_runs() -> None:
    state = new("quoridor:rules=course,null_move=yes", "a1c1e1g1a3c3e3g3a5c5//e2e8/0-10/40")
    greedy = agent("quoridor-greedy:walls=1", game="quoridor")
    assert len(str(greedy.choose(state, Clock()))) == 2


# --- The cache ---


def flipped(state: Quoridor) -> Quoridor:
    """The same position with the colours changed."""

    def turned(places: list[Cell], last: int) -> str:
        return "".join(name((last - row, column)) for row, column in places)

    pawns = turned([state.pawn(1), state.pawn(0)], 8)
    walls = f"{turned(state.horizontal_walls, 7)}/{turned(state.vertical_walls, 7)}"
    hands = f"{state.walls_left(1)}-{state.walls_left(0)}"
    return new("quoridor", f"{walls}/{pawns}/{hands}/{state.ply + 1}")


def mirrored(state: Quoridor) -> Quoridor:
    def turned(places: list[Cell], last: int) -> str:
        return "".join(name((row, last - column)) for row, column in places)

    pawns = turned([state.pawn(0), state.pawn(1)], 8)
    walls = f"{turned(state.horizontal_walls, 7)}/{turned(state.vertical_walls, 7)}"
    return new("quoridor", f"{walls}/{pawns}/{state.walls_left(0)}-{state.walls_left(1)}/{state.ply}")


def test_one_entry_serves_both_colours_and_the_mirror_image() -> None:
    rng = random.Random(10)
    for state in random_positions("quoridor", games=6, seed=10):
        cache = QuoridorCache("me")
        move = rng.choice(state.legal_moves)
        cache.add(state, move)
        after = state.play(move)
        if after.is_terminal:
            continue
        images = [(flipped(state), flipped(after)), (mirrored(state), mirrored(after)),
                  (flipped(mirrored(state)), flipped(mirrored(after)))]  # fmt: skip
        assert cache.find(state) == move
        for image, image_after in images:
            found = cache.find(image)
            assert found is not None
            # A position that is its own mirror image does not tell which way the move went.
            reached = image.play(found).position
            assert reached in (image_after.position, mirrored(image_after).position), state.position
            assert reached == image_after.position or mirrored(image).position == image.position


def test_self_play_fills_a_file_that_the_agent_plays_from(tmp_path: Path) -> None:
    file = tmp_path / "moves.book"
    spec = "quoridor-alphabeta:version=corrected,opening=no"
    cache = QuoridorCache(spec)
    teacher = agent(spec, game="quoridor")
    assert fill(cache, teacher, new("quoridor"), games=3, plies=14, seed=1)
    cache.save(file)
    loaded = QuoridorCache.load(file)
    assert loaded == cache
    assert len(loaded) > 10
    pupil = searcher(f"{spec},cache={file}", game="quoridor")
    state = new("quoridor")
    while state.ply < 14:
        move = pupil.choose(state, Clock())
        assert pupil.info is None or state.winning_moves
        assert move == teacher.choose(state, Clock()), state.position
        state = state.play(move)
    pupil.choose(state.play("a1h"), Clock())
    assert pupil.info is not None


def test_filling_stops_at_the_time_limit_and_goes_on_where_it_was() -> None:
    whole, pieces = QuoridorCache("me"), QuoridorCache("me")
    runner = agent("quoridor-runner", game="quoridor")
    assert not fill(pieces, runner, new("quoridor"), games=4, plies=20, seed=2, time_limit_s=-1)
    assert len(pieces) == 0
    fill(pieces, runner, new("quoridor"), games=2, plies=20, seed=2)
    for cache in (whole, pieces):
        assert fill(cache, runner, new("quoridor"), games=4, plies=20, seed=2)
    assert whole == pieces


def test_a_kept_move_that_is_not_legal_is_not_played(tmp_path: Path) -> None:
    file = tmp_path / "moves.book"
    file.write_text("joute quoridor moves 1\nagent me\ngame quoridor\n//e3e7/10-10 e9\n", encoding="utf-8")
    player = searcher(f"quoridor-alphabeta:cache={file}", game="quoridor")
    state = new("quoridor", "//e3e7/10-10/4")
    assert state.is_legal(player.choose(state, Clock()))
    assert player.info is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "there is no file"),
        (b"", "is not a file of Quoridor moves"),
        (b"\xff\xfe\x00", "it is not text"),
        (b"joute quoridor moves 2\nagent me\ngame quoridor\n", "is not a file of Quoridor moves"),
        (b"joute quoridor moves 1\nagent me\ngame quoridor\n//e2e8/10-10 e3\n//e2e8/10-\n", "is damaged: line 5"),
        (b"joute quoridor moves 1\nagent me\ngame quoridor\n//e2e8/10-10 j3\n", "is damaged: line 4"),
    ],
)
def test_a_file_that_is_absent_or_damaged_gets_one_sentence(tmp_path: Path, text: bytes | None, sentence: str) -> None:
    file = tmp_path / "moves.book"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(JouteError, match=sentence) as error:
        find_agent(f"quoridor-alphabeta:cache={file}", "quoridor")
    assert "\n" not in str(error.value)
