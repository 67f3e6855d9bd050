"""Alpha-beta against a plain minimax with every switch on and off, exact solvers, and itself."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from corridor import Corridor
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_options import alphabeta_options

from joute import JouteError, State, new
from joute._core import AlphaBetaOptions, Connect4Move, Connect4Solver, MoveResult, Search, SearchResult
from joute.games.connect4.state import Connect4
from joute.games.vampires.state import Vampires

# As in core/search/alphabeta/values.hpp.
MOST_EXTENSION = 64

Leaf = Callable[[State], float]
End = Callable[[State, int], float]


# --- Minimax, plain and obvious ---


def minimax(
    state: State, depth: int, root_player: int, leaf: Leaf, end: End, ply: int = 0, *, extend: int = 0
) -> float:
    """The value for the root player. Random events take no depth and are no moves; depth below 0 is extension."""

    def below(after: State, depth: int, ply: int) -> float:
        return minimax(after, depth, root_player, leaf, end, ply, extend=extend)

    if state.is_chance:
        return sum(
            probability * below(state.resolve(outcome), depth, ply)
            for outcome, probability in enumerate(state.outcomes)
        )
    if state.is_terminal:
        return end(state, ply)
    if depth <= 0 and (depth <= -MOST_EXTENSION or len(state.legal_moves) > extend):
        return leaf(state)
    values = [below(state.play(move), depth - 1, ply + 1) for move in state.legal_moves]
    return max(values) if state.to_move == root_player else min(values)


def clamped(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))


def end_value(root_player: int, has_chance: bool, ends: str, win_value: float) -> tuple[End, float]:
    """What finished games are worth to the root player, and the limit of evaluations."""
    counts_plies = not has_chance and ends == "outcome" and not win_value
    if has_chance:
        win = win_value or 1
        limit = math.inf if ends != "outcome" and not win_value else win
    else:
        win = win_value or 1e15
        limit = 1e14 if counts_plies else math.inf

    def end(state: State, ply: int) -> float:
        result = state.result
        assert result is not None
        sign = 1 if root_player == 0 else -1
        if ends == "outcome":
            return sign * result.outcome * (win - ply if counts_plies else win)
        return clamped(sign * getattr(result, ends), limit)

    return end, limit


def move_values(state: State, depth: int, evaluation: Any, options: dict[str, Any]) -> list[float]:
    """The minimax value of every move, in generated order."""
    player = state.to_move
    end, limit = end_value(player, state.has_chance, options.get("ends", "outcome"), options.get("win_value", 0))
    leaf = functools.partial(leaf_value, player=player, evaluation=evaluation, limit=limit)
    if options.get("ends") == "eval":

        def end(state: State, ply: int) -> float:
            return leaf(state)

    extend = options.get("extend", 0)
    return [minimax(state.play(move), depth - 1, player, leaf, end, 1, extend=extend) for move in state.legal_moves]


def leaf_value(state: State, player: int, evaluation: Any, limit: float) -> float:
    if evaluation is None:
        return 0
    value = state.evaluate(player, evaluation) if isinstance(evaluation, str) else evaluation(state, player)
    return clamped(value, limit)


# --- Positions, switches, evaluations ---


def antisymmetric(state: State, player: int) -> float:
    """Without sense and finely graded, so that every mistake shows."""
    value = (state.key >> 7) % 1009 / 256 - 2
    return value if player == 0 else -value


def one_sided(state: State, player: int) -> float:
    """What it says to one player is no news to the other."""
    return (state.key >> 7) % 97 / 64 if player == 0 else (state.key >> 20) % 89 / 32 - 1


def coarse(state: State, player: int) -> int:
    """Mostly ties."""
    return (state.key >> 9) % 3


EVALUATIONS: dict[str, list[Any]] = {
    "connect4": [None, "centre", "threats", antisymmetric, one_sided, coarse],
    "boxes": [None, "boxes", antisymmetric, one_sided, coarse],
    "dice": [None, antisymmetric, one_sided, coarse],
}

SWITCHES = st.fixed_dictionaries(
    {
        "table": st.sampled_from(AlphaBetaOptions.choices["table"]),
        "table_depth": st.integers(1, 3),
        "memory_mb": st.sampled_from([1, 4]),
        "pruning": st.sampled_from([True, True, False]),
        "pvs": st.booleans(),
        "killers": st.booleans(),
        "history": st.booleans(),
        "deepening": st.booleans(),
        "aspiration": st.booleans(),
        "aspiration_window": st.sampled_from([0.0, 1e-9, 0.125, 1.0, 1e6]),
        "order_by_evaluation": st.booleans(),
        "order_by_value": st.booleans(),
        "plain_root": st.booleans(),
        "chance": st.sampled_from(AlphaBetaOptions.choices["chance"]),
        "ends": st.sampled_from(AlphaBetaOptions.choices["ends"]),
        "win_value": st.sampled_from([0.0, 0.0, 0.75, 20.0]),
        "lines": st.integers(1, 3),
        "threads": st.sampled_from([1, 1, 2]),
    }
)

# Extension in games of few moves is a search to the end: as many as a slow minimax can take.
EXTENSIONS = {"connect4": [0, 0, 1, 2], "boxes": [0, 0, 2, 4]}

CHOICES = st.lists(st.integers(0, 11), max_size=30)


def position(game: str, choices: list[int]) -> State:
    """The last position in which a player is to move, of the game that the choices make."""
    state = last = new(game)
    for choice in choices:
        if state.is_terminal:
            break
        if state.is_chance:
            state = state.resolve(choice % len(state.outcomes))
        else:
            state = state.play(state.legal_moves[choice % len(state.legal_moves)])
        if not state.is_terminal and not state.is_chance:
            last = state
    return last


def affordable_depth(state: State, depth: int) -> int:
    """At most that depth, and at most some thousand positions."""
    branches = 4 if state.has_chance else len(state.legal_moves)
    while depth > 1 and branches**depth > 12_000:
        depth -= 1
    return depth


def search(state: State, evaluation: Any = None, **options: Any) -> Search:
    return type(state).search(alphabeta_options(**options), evaluation)


def shown(result: SearchResult) -> tuple[Any, ...]:
    moves = [(str(m.move), m.value, m.visits, m.lower, m.upper, m.end_in, [*map(str, m.line)]) for m in result.moves]
    return moves, result.value, result.proven, result.depth, result.nodes


# --- Minimax with all switches ---


@pytest.mark.parametrize("name", ["connect4", "boxes"])
@given(data=st.data(), choices=CHOICES, switches=SWITCHES, depth=st.integers(1, 6))
@settings(max_examples=200, deadline=None)
def test_no_switch_changes_the_value_or_the_move(
    name: str, data: st.DataObject, choices: list[int], switches: dict[str, Any], depth: int
) -> None:
    state = position(name, choices)
    evaluation = data.draw(st.sampled_from(EVALUATIONS[name]))
    switches = switches | {"extend": data.draw(st.sampled_from(EXTENSIONS[name]))}
    depth = affordable_depth(state, depth)
    values = move_values(state, depth, evaluation, switches)
    result = search(state, evaluation, **switches).run(state, depth=depth)
    assert result.value == max(values)
    # The first in generated order among the best, and the other lines by value, then in that order.
    best_first = sorted(range(len(values)), key=lambda index: -values[index])
    for found, index in zip(result.moves[: switches["lines"]], best_first, strict=False):
        assert found.value == values[index] == values[state.legal_moves.index(found.move)]
        assert found.move == state.legal_moves[index] or switches["plain_root"]  # then the first that was tried
    assert sorted(str(found.move) for found in result.moves) == sorted(map(str, state.legal_moves))
    assert_marks_are_true(state, result.moves, values, switches)


def assert_marks_are_true(state: State, moves: list[MoveResult], values: list[float], switches: dict[str, Any]) -> None:
    """What is said to be proven agrees with the game as it ends, where the reference saw the end."""
    if switches["ends"] != "outcome" or switches["win_value"]:
        return
    truth = dict(zip(state.legal_moves, values, strict=True))
    for found in moves:
        if abs(truth[found.move]) > 5e14:  # decided within the depth
            assert found.lower <= math.copysign(1, truth[found.move]) <= found.upper
            if found.end_in >= 0:
                assert found.end_in == 1e15 - abs(truth[found.move])
        else:
            assert found.end_in == -1


def test_minimax_without_pruning_enters_every_position_and_alpha_beta_few() -> None:
    state = new("connect4", "4433")
    plain = {"table": "off", "pvs": False, "killers": False, "history": False, "deepening": False}
    minimax, pruned = (
        search(state, "centre", pruning=pruning, **plain).run(state, depth=5) for pruning in (False, True)
    )
    assert minimax.nodes == sum(state.perft(depth) for depth in range(1, 6))
    assert pruned.nodes < minimax.nodes / 4
    assert (minimax.value, minimax.moves[0].move) == (pruned.value, pruned.moves[0].move)
    # Every move has its own value, and not a bound.
    values = move_values(state, 5, "centre", {})
    assert {str(found.move): (found.value, found.is_exact) for found in minimax.moves} == {
        str(move): (value, True) for move, value in zip(state.legal_moves, values, strict=True)
    }


@given(data=st.data(), choices=CHOICES, switches=SWITCHES, depth=st.integers(1, 6))
@example(data=None, choices=[], switches={"chance": "star2", "lines": 2, "threads": 2}, depth=6)
@settings(max_examples=200, deadline=None)
def test_no_switch_changes_the_value_where_chance_rolls_dice(
    data: st.DataObject | None, choices: list[int], switches: dict[str, Any], depth: int
) -> None:
    state = position("dice", choices)
    evaluation = data.draw(st.sampled_from(EVALUATIONS["dice"])) if data else one_sided
    values = move_values(state, depth, evaluation, switches)
    result = search(state, evaluation, accept_deeper=False, **switches).run(state, depth=depth)
    assert result.value == pytest.approx(max(values), abs=1e-9)
    for found, value in zip(result.moves[: switches["lines"]], sorted(values, reverse=True), strict=False):
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.value == pytest.approx(values[state.legal_moves.index(found.move)], abs=1e-9)


@pytest.mark.parametrize("evaluation", [None, antisymmetric, one_sided])
@pytest.mark.parametrize("table", ["off", "full"])
def test_pruning_chance_changes_nothing(evaluation: Any, table: str) -> None:
    for choices in ([], [0, 0], [1, 1, 0], [1, 2, 1, 2], [1, 0, 0]):
        state = position("dice", choices)
        plain, *pruned = (
            search(state, evaluation, chance=chance, table=table).run(state, depth=8)
            for chance in ("none", "star1", "star2")
        )
        for result in pruned:
            assert result.value == pytest.approx(plain.value, abs=1e-9)
            assert result.moves[0].move == plain.moves[0].move


def test_star1_saves_positions() -> None:
    for choices in ([], [0, 0], [1, 1, 0], [1, 2, 1, 2]):
        state = position("dice", choices)
        plain, pruned = (
            search(state, chance=chance, table="off", pvs=False).run(state, depth=8).nodes
            for chance in ("none", "star1")
        )
        assert pruned < 0.8 * plain


class Fair(State):
    """Eight moves, each followed by a roll of the die: many enough for Star2 to pay."""

    game, title, has_chance = "fair", "Fair", True

    def __init__(self, line: tuple[int, ...] = ()) -> None:
        self.line = line

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Fair:
        return cls(tuple(map(int, position or "")))

    position = property(lambda self: "".join(map(str, self.line)))
    is_chance = property(lambda self: len(self.line) % 2 == 1)
    ply = property(lambda self: (len(self.line) + 1) // 2)
    to_move = property(lambda self: len(self.line) // 2 % 2)
    legal_moves = property(lambda self: [] if self.is_chance else list(range(8)))
    outcomes = property(lambda self: [1 / 6] * 6 if self.is_chance else [])
    result = property(lambda self: None)

    def after(self, move: int) -> Fair:
        return Fair((*self.line, move))

    def resolve(self, outcome: int) -> Fair:
        return self.after(outcome)

    def diagram(self) -> str:
        return str(self.position)


@functools.cache
def gain(line: tuple[int, ...]) -> float:
    return random.Random(str(line)).random() - 0.5 + line[-2] / 20


def gains(state: Fair, player: int) -> float:
    """What each move and its roll brought the player who made it."""
    turns = range(len(state.line) // 2)
    return sum(gain(state.line[: 2 * turn + 2]) * (1 if turn % 2 == player else -1) for turn in turns) / 6


def test_star2_saves_positions_where_there_are_many_moves() -> None:
    state = Fair()
    plain, pruned = (
        search(state, gains, chance=chance, table="off").run(state, depth=3) for chance in ("none", "star2")
    )
    assert pruned.value == pytest.approx(plain.value, abs=1e-9)
    assert pruned.moves[0].move == plain.moves[0].move
    assert pruned.nodes < 0.5 * plain.nodes


@given(choices=CHOICES, depth=st.integers(2, 5), evaluation=st.sampled_from(EVALUATIONS["connect4"]))
@settings(max_examples=40, deadline=None)
def test_the_line_is_play_that_leads_to_the_value(choices: list[int], depth: int, evaluation: Any) -> None:
    state = position("connect4", choices)
    depth = affordable_depth(state, depth)
    result = search(state, evaluation, table="off").run(state, depth=depth)
    end, limit = end_value(state.to_move, False, "outcome", 0)
    reached = state
    for move in result.moves[0].line:
        reached = reached.play(move)
    plies = len(result.moves[0].line)
    assert plies == result.depth or reached.is_terminal
    assert result.value == (
        end(reached, plies) if reached.is_terminal else leaf_value(reached, state.to_move, evaluation, limit)
    )


def test_the_pruned_tree_is_much_smaller_than_that_of_minimax() -> None:
    state = new("connect4")
    plain = search(state, "centre", table="off", pvs=False, killers=False, history=False, deepening=False)
    assert plain.run(state, depth=6).nodes < sum(7**ply for ply in range(1, 7)) / 4
    assert search(state, "centre").run(state, depth=6).nodes < plain.run(state, depth=6).nodes


# --- Proven values ---


def late_positions(count: int, plies: range, seed: int) -> list[Connect4]:
    rng = random.Random(seed)
    found: list[Connect4] = []
    while len(found) < count:
        state = Connect4.new()
        while not state.is_terminal and state.ply < plies[len(found) % len(plies)]:
            state = state.play(rng.choice(state.legal_moves))
        if not state.is_terminal:
            found.append(state)
    return found


def plies_to_end(state: State, score: int) -> int:
    """From the solver's score: 22 minus the discs with which the winner wins."""
    winner = state.to_move if score > 0 else 1 - state.to_move
    return 2 * (22 - abs(score)) - 1 + winner - state.ply


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("memory_mb", [1, 64])
@pytest.mark.parametrize("accept_deeper", [False, True])
def test_a_proven_value_is_the_truth_whatever_threads_and_memory(
    threads: int, memory_mb: int, accept_deeper: bool
) -> None:
    solver = Connect4Solver(memory_mb=8)
    options = {"threads": threads, "memory_mb": memory_mb, "accept_deeper": accept_deeper}
    searching = search(new("connect4"), None, **options)
    seen = set()
    for state in late_positions(60, range(23, 35), seed=5):
        result = searching.run(state)
        score = solver.score(state)
        outcome = (score > 0) - (score < 0)
        best = result.moves[0]
        assert isinstance(best.move, Connect4Move)
        assert result.proven
        assert (best.lower, best.upper) == (outcome, outcome)
        assert best.end_in == (plies_to_end(state, score) if outcome else -1)
        assert solver.move_scores(state)[best.move] == score
        seen.add(outcome)
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("ends", ["outcome", "margin"])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("memory_mb", [1, 64])
def test_boxes_is_solved_from_the_start_whatever_threads_and_memory(ends: str, threads: int, memory_mb: int) -> None:
    state = new("boxes")
    result = search(state, "boxes", ends=ends, threads=threads, memory_mb=memory_mb).run(state)
    assert result.proven
    margin = boxes_margin(state)
    if ends == "margin":
        assert result.value == margin
    else:
        assert (result.moves[0].lower, result.moves[0].upper) == (math.copysign(1, margin),) * 2
        assert result.value == math.copysign(1e15 - 12, margin)  # every game takes twelve edges


@functools.cache
def boxes_margin(state: State) -> int:
    """Boxes of the first player minus those of the second under best play."""
    if state.result is not None:
        return state.result.margin
    margins = [boxes_margin(state.play(move)) for move in state.legal_moves]
    return max(margins) if state.to_move == 0 else min(margins)


@pytest.mark.parametrize("shortcuts", [{"reductions": 0.5}, {"reductions": 1.5}, {"late_moves": 1}])
def test_reductions_and_late_move_pruning_prove_nothing_that_is_not_true(shortcuts: dict[str, Any]) -> None:
    """Where they prove a win or a loss, they may miss a quicker end, and so do not tell when it comes."""
    solver = Connect4Solver(memory_mb=8)
    searching = search(new("connect4"), "threats", order_by_evaluation=True, **shortcuts, memory_mb=8)
    plain = search(new("connect4"), "threats", order_by_evaluation=True, memory_mb=8)
    nodes = plain_nodes = 0
    for state in late_positions(60, range(20, 35), seed=6):
        result = searching.run(state)
        score = solver.score(state)
        outcome = (score > 0) - (score < 0)
        best = result.moves[0]
        assert isinstance(best.move, Connect4Move)
        assert result.proven
        assert (best.lower, best.upper, best.end_in) == (outcome, outcome, -1)
        move_score = solver.move_scores(state)[best.move]
        assert (move_score > 0) - (move_score < 0) == outcome
        searching.forget()
        shallow = searching.run(state, depth=6).value
        assert abs(shallow) < 1e14 or shallow * outcome > 0
        searching.forget()
        plain.forget()
        nodes += searching.run(state, depth=8).nodes
        plain_nodes += plain.run(state, depth=8).nodes
    assert nodes < plain_nodes
    boxes = new("boxes")
    result = search(boxes, "boxes", ends="margin", **shortcuts).run(boxes)
    assert (result.proven, result.value) == (True, boxes_margin(boxes))


def test_tictactoe_is_a_proven_draw() -> None:
    state = new("tictactoe")
    result = search(state).run(state)
    assert (result.value, result.proven) == (0, True)
    won = search(state).run(state.play(1).play(2)).moves[0]
    assert (won.lower, won.end_in) == (1, 5)
    lost = search(state).run(state.play(1).play(2).play(4)).moves[0]
    assert (lost.upper, lost.end_in) == (-1, 4)


def test_a_search_that_leaves_moves_out_proves_nothing_by_them() -> None:
    # With steps alone the second player, two steps behind, loses; a roll may still save the game.
    state = new("dice", "5-3-second-9")
    assert search(state, generator=1).run(state).value == -1
    assert not search(state, generator=1).run(state, depth=12).proven
    assert search(state).run(state, depth=12).value > -1


# --- Limits and repeats ---


@pytest.mark.parametrize("nodes", [50, 777, 12_345, 100_000])
@pytest.mark.parametrize("options", [{}, {"order_by_evaluation": True, "lines": 3}, {"table": "off", "pvs": False}])
def test_a_node_limit_is_kept_exactly_and_repeats_exactly(nodes: int, options: dict[str, Any]) -> None:
    state = new("connect4", "4444")
    searching = search(state, "threats", **options)
    first = searching.run(state, nodes=nodes)
    assert first.nodes == nodes
    assert shown(search(state, "threats", **options).run(state, nodes=nodes)) == shown(first)
    searching.forget()
    assert shown(searching.run(state, nodes=nodes)) == shown(first)


def test_a_search_that_is_stopped_at_once_still_has_a_move() -> None:
    state = new("connect4", "172737")
    for limits in ({"nodes": 0}, {"seconds": 0.0}, {"depth": 0}):
        result = search(state).run(state, **limits)
        assert result.depth == 1
        assert str(result.moves[0].move) == "4"
        assert search(state, deepening=False).run(state, **limits).moves[0].move == result.moves[0].move


def test_a_deeper_iteration_that_was_stopped_loses_nothing() -> None:
    state = new("connect4", "4444")
    depths = [search(state, "threats").run(state, nodes=nodes).depth for nodes in range(100, 20_000, 700)]
    assert depths == sorted(depths)
    assert depths[-1] > depths[0] + 2


def test_what_watches_a_search_is_told_of_every_depth() -> None:
    state = new("connect4")
    seen: list[SearchResult] = []
    result = search(state, "centre").run(state, depth=7, watch=seen.append)
    assert [told.depth for told in seen] == [1, 2, 3, 4, 5, 6, 7]
    assert shown(seen[-1]) == shown(result)


# --- Quiescence ---


@given(choices=CHOICES, depth=st.integers(1, 4), plies=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_quiescence_changes_nothing_where_no_move_is_noisy(choices: list[int], depth: int, plies: int) -> None:
    state = position("boxes", choices)
    plain, quiet = (search(state, "boxes", quiescence=most).run(state, depth=depth) for most in (0, plies))
    assert shown(plain) == shown(quiet)


def test_quiescence_sees_a_win_one_ply_beyond_the_horizon() -> None:
    # The second player has three in column 7 and wins there unless the first player stops it.
    state = new("connect4", "172757")
    blind = search(state).run(state, depth=1)
    assert {found.value for found in blind.moves} == {0}
    seeing = search(state, quiescence=1, lines=7).run(state, depth=1)
    assert {str(found.move): found.value for found in seeing.moves} == {
        "7": 0,
        **dict.fromkeys("123456", -(1e15 - 2)),
    }


# --- Extension ---


def test_a_search_is_extended_to_the_end_where_few_moves_are_left() -> None:
    # Three edges are left: whoever takes the right one closes everything.
    state = new("boxes", "111111110100/10../0")
    assert len(state.legal_moves) == 3
    blind = search(state, ends="margin").run(state, depth=1)
    assert {found.value for found in blind.moves} != {float(boxes_margin(state))}
    for extend, sees in ((1, False), (2, True)):
        result = search(state, ends="margin", extend=extend).run(state, depth=1)
        assert result.proven is sees
        assert not sees or result.value == boxes_margin(state)


@pytest.mark.parametrize("depth", [1, 3])
def test_an_extension_ends_though_the_game_goes_on(depth: int) -> None:
    state = Corridor()
    result = search(state, lambda at, player: at.ply, extend=1, table="off", deepening=False).run(state, depth=depth)
    assert result.value == result.nodes == depth + MOST_EXTENSION


@pytest.mark.parametrize("deepening", [False, True])
def test_an_extension_keeps_the_limits_of_the_first_depth_too(deepening: bool) -> None:
    state = new("connect4")  # with 7 moves the extension is the whole game
    result = search(state, extend=7, deepening=deepening, table="off").run(state, nodes=5000, depth=1)
    assert result.depth == 1
    assert 5000 <= result.nodes <= 5000 + 7
    assert {found.value for found in result.moves} == {0}


# --- Evaluations in Python ---


def test_an_exception_in_an_evaluation_comes_through_and_the_search_goes_on() -> None:
    faults: list[Any] = [ZeroDivisionError("in the heuristic")]

    def evaluation(state: State, player: int) -> Any:
        if faults and state.ply == 3:
            raise faults[0]
        return one_sided(state, player)

    for threads in (1, 2):
        state = new("connect4")
        faults[:] = [ZeroDivisionError("in the heuristic")]
        searching = search(state, evaluation, threads=threads)
        with pytest.raises(ZeroDivisionError, match="in the heuristic"):
            searching.run(state, depth=3)
        faults.clear()
        assert searching.run(state, depth=3).value == max(move_values(state, 3, one_sided, {}))


@pytest.mark.parametrize("wrong", ["high", None, math.nan, math.inf, [1]])
@pytest.mark.parametrize("name", ["connect4", "tictactoe"])
def test_an_evaluation_that_is_no_number_gives_a_clear_error(wrong: Any, name: str) -> None:
    state = new(name)
    answers: list[Any] = [wrong]

    def evaluation(state: State, player: int) -> Any:
        return answers[0]

    searching = search(state, evaluation)
    with pytest.raises(TypeError, match="must return a finite number, not ") as error:
        searching.run(state, depth=2)
    assert "evaluation" in str(error.value)
    assert "\n" not in str(error.value)
    answers[0] = 0.5
    assert searching.run(state, depth=2).value == 0.5


def test_an_unknown_evaluation_or_generator_gives_a_clear_error() -> None:
    with pytest.raises(JouteError, match="there is no evaluation 'center'"):
        search(new("connect4"), "center")
    with pytest.raises(JouteError, match="there is no move generator 7"):
        search(new("connect4"), None, generator=7)


def test_a_python_game_without_chance_keeps_evaluations_of_any_size_below_a_win() -> None:
    state = new("tictactoe")

    def corners(at: State, player: int) -> float:
        sign = 1 if player == 0 else -1
        return sign * sum(10.0 * (at.diagram().replace("\n", " ").split()[i] == "X") for i in (0, 2, 6, 8))

    result = type(state).search(alphabeta_options(), corners).run(state, depth=1)
    assert result.value == 10
    won = new("tictactoe").play("1").play("4").play("2").play("5")
    result = type(won).search(alphabeta_options(), corners).run(won, depth=3)
    assert (str(result.moves[0].move), result.moves[0].end_in, result.moves[0].lower) == ("3", 1, 1)


def test_a_wide_search_of_a_game_whose_generators_all_leave_moves_out_is_a_narrow_one() -> None:
    state = Vampires(
        "10x10/3v9.5+1w2.3+2w4.3+1w5.3+1w2.4+1w4.4+17h6.1+2h0.3+8h1.3+1h9.4+1h0.5+1h6.6+8h8.6+2h9.6+2h6.7+17h3.8/9"
    )
    report = Vampires.generators.index("report")
    narrow, wide = (
        Vampires.search(alphabeta_options(generator=report, wide_depth=depth), "network").run(state, nodes=1000)
        for depth in (0, 3)
    )
    assert (wide.value, wide.nodes, wide.best.move) == (narrow.value, narrow.nodes, narrow.best.move)
