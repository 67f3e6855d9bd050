"""The Avalam paper's agents: heuristics judged by an obvious version, schedules, fallbacks, and both versions."""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typed import New, info_of, searcher

from joute import Clock, agent, play_game
from joute.agents import Analyst, SearchInfo, agent_types, find_agent
from joute.agents.fallback import FallbackAgent
from joute.agents.time_plans import PLANS
from joute.errors import SpecError
from joute.games.avalam.agents.greedy import tower_for_mover
from joute.games.avalam.agents.paper import AvalamMcts6sParameters, AvalamMctsParameters, _mcts_settings
from joute.games.avalam.state import Avalam

new = New(Avalam)

MINIMAX = ["avalam-minimax-score", "avalam-minimax-guaranteed", "avalam-minimax-h1", "avalam-minimax-h2"]
TREES = ["avalam-mcts", "avalam-mcts-6s", "avalam-rave"]
NAMES = [*MINIMAX, *TREES, "avalam-greedy"]
VERSIONS = ["faithful", "corrected"]


# --- The heuristics, plain and obvious ---

Board = dict[tuple[int, int], int]  # signed heights, as the course writes them


def board_of(state: Avalam) -> Board:
    cells = ((row, column) for row in range(9) for column in range(9))
    return {cell: tower for cell in cells if (tower := state.tower_at(*cell))}


def partners(board: Board, cell: tuple[int, int]) -> Iterator[int]:
    """The towers around that it can merge with."""
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            other = (cell[0] + down, cell[1] + right)
            if other != cell and other in board and abs(board[cell]) + abs(board[other]) <= 5:
                yield board[other]


def burials(own: int, around: list[int]) -> tuple[int, int]:
    """Of the opponent's towers and of own ones, by all moves between a tower and those around it."""
    theirs = mine = 0
    for tower in around:
        for below in (tower, own):  # it onto the other, the other onto it
            if below * own > 0:
                mine += 1
            else:
                theirs += 1
    return theirs, mine


def guaranteed(board: Board, player: int, ply: int) -> float:
    return sum(tower * player > 0 and not list(partners(board, cell)) for cell, tower in board.items())


def first_heuristic(board: Board, player: int, ply: int) -> float:
    total = 0.0
    for cell, tower in board.items():
        if tower * player < 0:
            continue
        around = list(partners(board, cell))
        theirs, mine = burials(tower, around)
        if abs(tower) == 5:
            total += 1.2
        elif abs(tower) < 3 and not around:
            total += 1.7
        elif theirs > mine:
            total += 1.4
        else:
            total += 0.8
    return total


def second_heuristic(board: Board, player: int, ply: int, *, signed: bool = False) -> float:
    total = 0.0
    gap = abs(sum(math.copysign(1, tower) for tower in board.values()))
    for cell, tower in board.items():
        if tower * player < 0:
            continue
        height = tower if signed else abs(tower)
        around = list(partners(board, cell))
        theirs, mine = burials(tower, around)
        if height == 5:
            total += 1.5 if gap <= 2 and ply + 1 > 25 else 1.2 if gap <= 2 and ply + 1 < 15 else 1.0
        elif not around:
            total += 1.2 if height == 1 else 1.0
        else:
            total += 1 + (theirs - mine) / 10
    return total


def obvious(name: str, state: Avalam, player: int) -> float:
    """An evaluation for player 0 or 1."""
    board, sign = board_of(state), 1 if player == 0 else -1
    base, _, own_only = name.partition("-")
    heuristics: dict[str, Callable[[Board, int, int], float]] = {
        "guaranteed": guaranteed,
        "h1": first_heuristic,
        "h2": functools.partial(second_heuristic, signed=bool(own_only)),
    }
    worth = heuristics[base]
    own = worth(board, sign, state.ply)
    return own if own_only else own - worth(board, -sign, state.ply)


def random_positions(games: int, seed: int) -> Iterator[Avalam]:
    rng = random.Random(seed)
    for _ in range(games):
        state = new("avalam")
        while not state.is_terminal:
            yield state
            state = state.play(rng.choice(state.legal_moves))
        yield state


@pytest.mark.parametrize("name", ["guaranteed", "guaranteed-own", "h1", "h1-own", "h2", "h2-own"])
def test_a_heuristic_is_that_of_the_paper(name: str) -> None:
    for state in random_positions(20, seed=7):
        for player in (0, 1):
            assert state.evaluate(player, name) == pytest.approx(obvious(name, state, player), abs=1e-9), state.position


def test_the_positions_of_that_test_meet_every_case() -> None:
    seen: Counter[tuple[Any, ...]] = Counter()
    for state in random_positions(20, seed=7):
        board = board_of(state)
        gap = abs(sum(math.copysign(1, tower) for tower in board.values()))
        for cell, tower in board.items():
            stage = "early" if state.ply < 14 else "late" if state.ply > 24 else "middle"
            if abs(tower) == 5:
                seen["five", tower > 0, stage, gap <= 2] += 1
            elif not list(partners(board, cell)):
                seen["frozen", tower] += 1
    # All but fives of one player while the score is far from level early: random play rarely gets there.
    assert {("frozen", sign * height) for sign in (1, -1) for height in (1, 2, 3, 4)} <= set(seen)
    for first in (True, False):
        assert all(seen["five", first, stage, True] for stage in ("early", "middle", "late"))
        assert all(seen["five", first, stage, False] for stage in ("middle", "late"))


def test_no_place_is_good_by_the_first_heuristic_because_both_moves_of_a_pair_are_legal() -> None:
    for state in random_positions(5, seed=8):
        board = board_of(state)
        for cell, tower in board.items():
            theirs, mine = burials(tower, list(partners(board, cell)))
            assert theirs <= mine


def test_the_faithful_second_heuristic_mistakes_reds_heights_only() -> None:
    own = {0: 0, 1: 0}
    for state in random_positions(10, seed=9):
        board = board_of(state)
        for player, sign in ((0, 1), (1, -1)):
            right = second_heuristic(board, sign, state.ply)
            own[player] += state.evaluate(player, "h2-own") != pytest.approx(right, abs=1e-9)
    assert own[0] == 0
    assert own[1] > 50


# --- Whole games ---


def small(name: str, version: str = "faithful") -> str:
    if name == "avalam-greedy":
        return name
    return f"{name}:version={version}" + (",iterations=30" if name in TREES else "")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_every_agent_plays_whole_games_by_the_rules(name: str, version: str) -> None:
    for seed, players in enumerate([(small(name, version), "random"), ("random", small(name, version))]):
        record = play_game("avalam", *players, seed=seed)
        assert record.reason.value == "normal", record.detail
        assert record.moves


def test_heuristic_playouts_are_an_option() -> None:
    record = play_game("avalam", "avalam-mcts:iterations=5,playout=eval,eval=h1", "random", seed=1)
    assert record.reason.value == "normal"
    uniform, by_score = (
        analysis(f"avalam-mcts:iterations=300,playout={playout}", new("avalam")) for playout in ("uniform", "eval")
    )
    assert [judged.value for judged in uniform.moves] != [judged.value for judged in by_score.moves]
    with pytest.raises(SpecError, match="unknown evaluation of avalam 'h3'"):
        find_agent("avalam-mcts:playout=eval,eval=h3", "avalam")


def test_the_agents_play_avalam_alone() -> None:
    for name in NAMES:
        with pytest.raises(SpecError, match="does not play connect4; it plays avalam"):
            find_agent(name, "connect4")


def test_every_parameter_says_where_it_comes_from() -> None:
    ours = {kind.name: kind for kind in agent_types("avalam") if kind.name in NAMES}
    assert set(ours) == set(NAMES)
    for kind in ours.values():
        for described in kind.described_parameters:
            assert described.help, (kind.name, described.name)
            assert described.source, (kind.name, described.name)


# --- Versions ---


def analysis(spec: str, state: Avalam) -> Any:
    analyst = agent(spec, game="avalam", seed=1)
    assert isinstance(analyst, Analyst)
    return analyst.analyze(state)


def told(spec: str, state: Avalam) -> list[tuple[str, float | None, int | None]]:
    return [(str(judged.move), judged.value, judged.visits) for judged in analysis(spec, state).moves]


def middle(ply: int = 16, seed: int = 3) -> Avalam:
    return next(state for state in random_positions(1, seed) if state.ply == ply)


@pytest.mark.parametrize("name", ["avalam-mcts:iterations=1000", "avalam-rave:iterations=1000"])
def test_the_versions_of_a_tree_search_differ(name: str) -> None:
    faithful, corrected = (told(f"{name},version={version}", middle()) for version in VERSIONS)
    assert faithful != corrected


@pytest.mark.parametrize("name", MINIMAX)
def test_the_versions_of_alphabeta_differ_where_the_heuristic_errs(name: str) -> None:
    faithful, corrected = (told(f"{name}:version={version}", middle(ply=21)) for version in VERSIONS)
    assert (faithful == corrected) == (name == "avalam-minimax-score")


def test_the_tree_search_errs_as_the_papers_program_does_or_not_at_all() -> None:
    faithful = _mcts_settings(AvalamMctsParameters())
    corrected = _mcts_settings(AvalamMctsParameters(version="corrected"))
    assert faithful.c == pytest.approx(2)
    assert (faithful.credit, faithful.plan) == ("root", "avalam-program")
    assert (corrected.c, corrected.credit, corrected.plan) == (math.sqrt(2), "mover", "avalam-corrected")
    for settings in (faithful, corrected):
        assert (settings.reward, settings.expand, settings.final_move) == ("points", "all", "visits")
        assert (settings.playout, settings.tactics, settings.solver, settings.reuse) == (
            "uniform",
            "none",
            "off",
            False,
        )
    for version in VERSIONS:
        assert _mcts_settings(AvalamMcts6sParameters(version=version)).plan == "avalam-6s"
    assert _mcts_settings(AvalamMctsParameters(plan="steady")).plan == "steady"


def test_all_children_are_expanded_and_the_first_is_simulated() -> None:
    state = middle()
    count = len(state.legal_moves)
    first = analysis(f"avalam-mcts:iterations={count}", state)
    assert {judged.visits for judged in first.moves} == {1}
    # One visit each so far, so the best is visited next; its position joins with all its moves.
    best = max(first.moves, key=lambda judged: judged.value)
    then = analysis(f"avalam-mcts:iterations={count + 1}", state)
    assert str(then.moves[0].move) == str(best.move)
    reply = state.play(best.move).legal_moves[0]
    assert [str(move) for move in then.pv] == [str(best.move), str(reply)]
    assert first.unit == "points"


def test_faithful_rave_counts_the_score_after_six_plies() -> None:
    state = middle(ply=0)
    faithful, corrected = (
        analysis(f"avalam-rave:iterations=200,version={version}", state) for version in VERSIONS
    )  # fmt: skip
    assert faithful.nodes <= 200 * (6 + faithful.depth)
    assert corrected.nodes > 200 * 30
    short = analysis("avalam-rave:iterations=200,playout_plies=2", state)
    assert short.nodes <= 200 * (2 + short.depth)


# --- Alpha-beta ---


@functools.cache  # many orders of moves lead to one position
def minimax(state: Avalam, depth: int, player: int, heuristic: str, extend: int) -> float:
    if state.result is not None:
        return state.result.points * (1 if player == 0 else -1)
    moves = state.legal_moves
    if depth <= 0 and len(moves) > extend:
        return state.evaluate(player, heuristic)
    values = [minimax(state.play(move), depth - 1, player, heuristic, extend) for move in moves]
    return max(values) if state.to_move == player else min(values)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MINIMAX)
def test_alphabeta_is_minimax_to_the_depth_of_the_step_and_on_where_ten_moves_are_left(name: str, version: str) -> None:
    heuristic = name.removeprefix("avalam-minimax-")
    if version == "faithful" and heuristic != "score":
        heuristic += "-own"
    player = searcher(f"{name}:version={version}", game="avalam")
    judged, extended = 0, False
    for state in random_positions(2, seed=11):
        depth = PLANS["avalam-minimax"][0].budget(Clock(), state.ply).depth
        if state.is_terminal or len(state.legal_moves) ** depth > 12_000:
            continue

        def values(extend: int, state: Avalam = state, depth: int = depth) -> list[float]:
            after = [state.play(move) for move in state.legal_moves]
            return [minimax(next_, depth - 1, state.to_move, heuristic, extend) for next_ in after]

        found = values(extend=10)
        move = player.choose(state, Clock())
        assert info_of(player).value_for_mover == max(found), state.position
        assert move == state.legal_moves[found.index(max(found))]  # the first of the best
        judged += 1
        extended = extended or found != values(extend=0)
    minimax.cache_clear()
    assert judged > 20
    assert extended


@pytest.mark.parametrize("name", MINIMAX)
def test_the_depth_follows_the_step(name: str) -> None:
    player = searcher(name, game="avalam")
    depths = {}
    for state in random_positions(1, seed=5):
        if state.ply in (0, 7, 8, 19, 20):
            player.choose(state, Clock())
            depths[state.ply] = info_of(player).depth
    assert depths == {0: 1, 7: 1, 8: 2, 19: 2, 20: 3}


@pytest.mark.parametrize("name", MINIMAX)
def test_with_no_time_alphabeta_still_looks_one_move_ahead(name: str) -> None:
    player = searcher(name, game="avalam")
    state = middle(ply=21)
    for remaining_s in (0.0, 1e-9):
        assert state.is_legal(player.choose(state, Clock(remaining_s=remaining_s, nominal_s=900)))
        assert info_of(player).depth == 1


# --- The fallback ---


class Told:
    """Stands for a search; does what it is told to."""

    on_info = None
    info = SearchInfo(depth=7)

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    def choose(self, state: Avalam, clock: Clock) -> Any:
        self.asked += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def fallback(answer: Any, seed: int = 0) -> tuple[FallbackAgent, Told]:
    search = Told(answer)
    return FallbackAgent(search, least_clock=2 / 900, seed=seed), search  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("clock", "searches"),
    [
        (Clock(), True),
        (Clock(move_limit_s=0.1), True),
        (Clock(remaining_s=2, nominal_s=900), True),
        (Clock(remaining_s=1.99, nominal_s=900), False),
        (Clock(remaining_s=1, nominal_s=450), True),
        (Clock(remaining_s=0.99, nominal_s=450), False),
        (Clock(remaining_s=0, nominal_s=900), False),
    ],
)
def test_any_move_is_played_where_less_than_two_of_900_seconds_are_left(clock: Clock, searches: bool) -> None:
    state = new("avalam")
    answer = state.parse_move("c1d1")
    careful, search = fallback(answer)
    move = careful.choose(state, clock)
    assert state.is_legal(move)
    assert search.asked == searches
    assert (move == answer) == searches
    assert careful.info == (search.info if searches else None)


@pytest.mark.parametrize("failure", [ValueError("a bug"), MemoryError(), RecursionError(), "e5e6", None])
def test_a_search_that_fails_costs_a_random_move_and_no_more(failure: Any) -> None:
    state = new("avalam")
    if failure == "e5e6":
        failure = middle(30).legal_moves[0]
        state = next(s for s in random_positions(50, seed=2) if s.ply == 31 and not s.is_legal(failure))
    moves = {str(fallback(failure, seed)[0].choose(state, Clock())) for seed in range(200)}
    assert moves <= set(map(str, state.legal_moves))
    assert len(moves) > 5
    careful, _ = fallback(failure)
    careful.choose(state, Clock())
    assert careful.info is None


def test_what_is_no_error_of_the_search_comes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        fallback(KeyboardInterrupt())[0].choose(new("avalam"), Clock())


def test_who_follows_and_stops_the_agent_reaches_the_search() -> None:
    player = searcher("avalam-mcts:seconds=3600", game="avalam")
    seen = []

    def follow(info: Any) -> None:
        seen.append(info)
        player.stop()

    player.on_info = follow
    move = player.choose(new("avalam"), Clock())
    assert seen
    assert info_of(player).pv[0] == move


# --- The course's greedy player ---


def position_text(towers: Board) -> str:
    """A position of these towers, 48 counters high together."""
    rows = []
    for row, (first, last) in enumerate([(2, 3), (1, 4), (1, 6), (1, 8), (0, 8), (0, 7), (2, 7), (4, 7), (5, 6)]):
        cells = [towers.get((row, column), 0) for column in range(first, last + 1) if (row, column) != (4, 4)]
        rows.append("".join("." if not cell else (".ABCDE" if cell > 0 else ".abcde")[abs(cell)] for cell in cells))
    return "/".join(rows)


# Fives and two towers that nothing can reach, 34 counters; the live pairs have the other 14.
QUIET: Board = {(2, 3): 5, (2, 4): 5, (2, 5): -5, (4, 3): -5, (4, 5): 5, (3, 3): -5, (3, 4): 3, (6, 4): -1}
# Each makes an own tower or one of the opponent's: of height 5, 4, 3 and 2.
PAIRS: list[Board] = [
    {(0, 2): 3, (0, 3): -2},
    {(3, 7): 1, (3, 8): -3},
    {(8, 5): 2, (8, 6): -1},
    {(5, 0): 1, (5, 1): -1},
]


def all_pairs() -> Avalam:
    return new("avalam", position_text(functools.reduce(lambda a, b: a | b, PAIRS, QUIET)))


def test_towers_are_ranked_own_ones_first_and_high_then_the_opponents_low_ones() -> None:
    state = all_pairs()
    assert (state.to_move, len(state.legal_moves)) == (0, 8)
    ranked = sorted(state.legal_moves, key=lambda move: -tower_for_mover(state, move))
    assert [tower_for_mover(state, move) for move in ranked] == [5, 4, 3, 2, -2, -3, -4, -5]
    assert [str(move) for move in ranked] == ["c1d1", "h4i4", "f9g9", "a6b6", "b6a6", "g9f9", "i4h4", "d1c1"]


def test_greedy_takes_the_best_tower_there_is() -> None:
    state = all_pairs()
    taken = []
    while not state.is_terminal:
        moves = {str(agent("avalam-greedy:greed=1", seed=seed).choose(state, Clock())) for seed in range(20)}
        assert len(moves) == 1
        taken.append(moves.pop())
        state = state.play(taken[-1])
    # Yellow and red in turn, each its own tower: 5, 4, 3, 2.
    assert taken == ["c1d1", "i4h4", "f9g9", "b6a6"]


def test_greedy_prefers_the_opponents_lower_tower_where_it_can_make_none_of_its_own() -> None:
    pairs: Board = {(0, 2): -3, (0, 3): -2, (3, 7): -1, (3, 8): -3, (8, 5): -2, (8, 6): -1, (5, 0): -1, (5, 1): -1}
    state = new("avalam", position_text(QUIET | pairs))
    assert state.to_move == 0
    moves = {str(agent("avalam-greedy:greed=1", seed=seed).choose(state, Clock())) for seed in range(50)}
    assert moves == {"a6b6", "b6a6"}  # ties at random


def test_greedy_is_greedy_four_times_in_five() -> None:
    state = all_pairs()
    count = 4000
    player = agent("avalam-greedy", seed=1)
    moves = Counter(str(player.choose(state, Clock())) for _ in range(count))
    # The best move also comes up among the random ones; the others are as likely as one another.
    for move in map(str, state.legal_moves):
        chance = 0.8 * (move == "c1d1") + 0.2 / 8
        assert abs(moves[move] - chance * count) < 5 * math.sqrt(count * chance * (1 - chance))
