"""Monte-Carlo tree search: known values, proofs judged by a solver, options, seeds and reuse."""

from __future__ import annotations

import functools
import math
import random
from typing import Any

import pytest
from dice_values import dice_values
from plain_options import alphabeta_options, mcts_options
from typed import as_a

from joute import JouteError, Random, Result, State, new
from joute._core import (
    Connect4Solver,
    MctsOptions,
    MoveResult,
    Search,
    SearchResult,
)
from joute.games import NativeState, find_game
from joute.games.connect4.state import Connect4


def search(state: State, evaluation: Any = None, **options: Any) -> Search:
    return type(state).search(mcts_options(**options), evaluation)


def shown(result: SearchResult) -> tuple[Any, ...]:
    moves = [(str(m.move), m.value, m.visits, m.lower, m.upper, [*map(str, m.line)]) for m in result.moves]
    return moves, result.value, result.proven, result.depth, result.nodes, result.iterations


def by_move(result: SearchResult) -> dict[str, MoveResult]:
    return {str(found.move): found for found in result.moves}


def random_positions(game: str, count: int, plies: range, seed: int) -> list[State]:
    """Positions of random play in which a player is to move, plies in turn."""
    rng, draw = random.Random(seed), Random(seed)
    found: list[State] = []
    while len(found) < count:
        state = new(game)
        while not state.is_terminal and state.ply < plies[len(found) % len(plies)]:
            state = state.play(rng.choice(state.legal_moves), draw)
        if not state.is_terminal:
            found.append(state)
    return found


# --- Known values ---


@functools.cache
def boxes_margin(state: State) -> int:
    """Boxes of the first player minus those of the second under best play."""
    if state.result is not None:
        return state.result.margin
    margins = [boxes_margin(state.play(move)) for move in state.legal_moves]
    return max(margins) if state.to_move == 0 else min(margins)


def margin_for_mover(state: State, move: Any) -> int:
    margin = boxes_margin(state.play(move))
    return margin if state.to_move == 0 else -margin


@pytest.mark.parametrize(
    "options", [{}, {"bonus": "ucb1-tuned", "c": 1.0}, {"bonus": "puct"}, {"amaf": True, "bias": 0.01}]
)
def test_the_mean_approaches_the_true_value_where_a_player_may_move_twice(options: dict[str, Any]) -> None:
    for state in random_positions("boxes", 12, range(6, 10), seed=1):
        values = {move: margin_for_mover(state, move) for move in state.legal_moves}
        best = max(values.values())
        result = search(state, **options).run(state, iterations=30_000)
        chosen = values[result.moves[0].move]
        assert (chosen > 0) - (chosen < 0) == (best > 0) - (best < 0)
        truth = 0.5 + 0.5 * ((best > 0) - (best < 0))
        assert result.value == pytest.approx(truth, abs=0.1)


def test_the_mean_of_margins_approaches_the_true_margin() -> None:
    for state in random_positions("boxes", 12, range(6, 10), seed=2):
        best = max(margin_for_mover(state, move) for move in state.legal_moves)
        plain = search(state, reward="margin", c=4.0).run(state, iterations=30_000)
        assert margin_for_mover(state, plain.moves[0].move) == best
        assert plain.value == pytest.approx(best, abs=0.3)
        scaled = search(state, reward="scaled", margin_scale=4.0).run(state, iterations=30_000)
        assert margin_for_mover(state, scaled.moves[0].move) == best
        assert scaled.value == pytest.approx(0.5 + 0.5 * best / 4, abs=0.1)
        # A margin beyond the scale is worth a win and no more.
        clipped = search(state, reward="scaled", margin_scale=0.5).run(state, iterations=3000)
        assert all(0 <= found.value <= 1 for found in clipped.moves)


def test_points_are_the_margin_or_what_breaks_the_tie() -> None:
    results = (Result(1, score=32, margin=2), Result(-1, score=-3), Result(0))
    assert [result.points for result in results] == [2, -3, 0]
    seen = set()
    for state in random_positions("avalam", 60, range(28, 34), seed=3):
        for move in state.legal_moves:
            result = state.play(move).result
            if result is None:
                continue
            sign = 1 if state.to_move == 0 else -1
            points = sign * (result.margin or result.score)
            for reward, worth in (("points", points), ("margin", sign * result.margin)):
                found = by_move(search(state, reward=reward).run(state, iterations=len(state.legal_moves)))[str(move)]
                assert (found.visits, found.value) == (1, worth)
            seen.add(result.decided_by)
    assert seen >= {"towers", "fives"}


@pytest.mark.parametrize("options", [{"c": 0.5}, {"c": 0.5, "solver": "choose", "decisive": True}])
def test_the_mean_approaches_the_expectation_where_dice_are_rolled(options: dict[str, Any]) -> None:
    judged = 0
    for own, other in [(0, 0), (1, 2), (3, 1), (4, 4), (2, 5), (5, 6), (6, 3), (6, 6)]:
        state = new("dice", f"{own}-{other}-first-0")
        truth = dice_values()[own, other]
        result = search(state, **options).run(state, iterations=60_000)
        assert result.value == pytest.approx(max(truth.values()), abs=0.04)
        mirrored = new("dice", f"{other}-{own}-second-1")
        assert search(mirrored, **options).run(mirrored, iterations=60_000).value == pytest.approx(
            max(truth.values()), abs=0.04
        )
        if abs(truth["step"] - truth["roll"]) > 0.03:
            assert str(result.moves[0].move) == max(truth, key=truth.__getitem__)
            judged += 1
    assert judged >= 5


def test_dice_that_cannot_lose_are_proven() -> None:
    # A step wins at once; a roll wins by one half, and then the opponent needs a 3.
    state = new("dice", "6-4-first-3")
    result = search(state, solver="choose").run(state, iterations=1000)
    assert (result.proven, result.value, str(result.moves[0].move)) == (True, 1.0, "step")
    # Nothing that the second player does comes in time.
    state = new("dice", "6-3-second-3")
    result = search(state, solver="choose").run(state, iterations=20_000)
    assert (result.proven, result.value) == (True, 0.0)
    # A 3 still saves the game here, so nothing is proven.
    state = new("dice", "6-4-second-3")
    result = search(state, solver="choose").run(state, iterations=20_000)
    assert not result.proven
    assert by_move(result)["step"].upper == -1
    assert by_move(result)["roll"].upper == 1
    assert result.value == pytest.approx(1 / 6, abs=0.02)


def test_tictactoe_is_a_draw() -> None:
    state = new("tictactoe", "X........")
    for solver in ("off", "choose", "prune"):
        result = search(state, solver=solver, c=0.4).run(state, iterations=5000)
        assert result.value == pytest.approx(0.5, abs=0.05)
        assert str(result.moves[0].move) == "5"  # the corner is answered in the centre
    state = new("tictactoe")
    lost = state.play(1).play(2).play(4)  # two ways to three in a row, and O to move stops but one
    result = search(state, solver="prune").run(lost, iterations=2000)
    assert (result.proven, result.value) == (True, 0.0)
    nearly_full = new("tictactoe", "XOXXOOOX.")
    result = search(state, solver="choose").run(nearly_full, iterations=10)
    assert (result.proven, result.value, result.moves[0].lower, result.moves[0].upper) == (True, 0.5, 0, 0)


# --- Proofs ---


@functools.cache
def judged_positions() -> list[tuple[State, dict[Any, int]]]:
    solver = Connect4Solver(memory_mb=16)
    return [
        (state, {move: (score > 0) - (score < 0) for move, score in solver.move_scores(as_a(Connect4, state)).items()})
        for state in random_positions("connect4", 240, range(14, 38), seed=3)
    ]


@pytest.mark.parametrize("decisive", [False, True])
@pytest.mark.parametrize("playout", ["uniform", "mast", "lgrf", "eval"])
@pytest.mark.parametrize("solver", ["choose", "prune"])
def test_what_the_solver_marks_is_true(solver: str, playout: str, decisive: bool) -> None:
    options = {"solver": solver, "playout": playout, "decisive": decisive, "c": 0.7}
    searching = search(new("connect4"), "threats", **options)
    marks = proofs = 0
    for state, truth in judged_positions():
        result = searching.run(state, iterations=400)
        for found in result.moves:
            assert found.lower <= truth[found.move] <= found.upper
            marks += found.lower == found.upper
        if result.proven:
            proofs += 1
            assert truth[result.moves[0].move] == max(truth.values())
            assert result.value == 0.5 + 0.5 * max(truth.values())
    assert marks > 300
    assert proofs > 60


@pytest.mark.parametrize("options", [{"amaf": True}, {"threads": 2}, {"bonus": "puct"}, {"implicit": 0.3}])
def test_what_the_solver_marks_is_true_in_every_variant(options: dict[str, Any]) -> None:
    searching = search(new("connect4"), "threats", solver="prune", decisive=True, tactics="block", **options)
    proofs = 0
    for state, truth in judged_positions()[::2]:
        result = searching.run(state, iterations=400)
        assert all(found.lower <= truth[found.move] <= found.upper for found in result.moves)
        if result.proven:
            proofs += 1
            assert truth[result.moves[0].move] == max(truth.values())
            assert result.value == 0.5 + 0.5 * max(truth.values())
    assert proofs > 30


def test_a_proven_root_is_searched_no_further() -> None:
    state = new("connect4", "112233")
    result = search(state, solver="choose", decisive=True).run(state, iterations=10_000)
    assert result.iterations < 10
    assert result.proven
    assert search(state, solver="off", decisive=True).run(state, iterations=500).iterations == 500


# --- Seeds ---

VARIANTS: list[dict[str, Any]] = [
    *({"bonus": bonus} for bonus in MctsOptions.choices["bonus"]),
    *({"amaf": True, "schedule": schedule, "untried_first": False} for schedule in MctsOptions.choices["schedule"]),
    {"amaf": True, "ref": 50.0},
    {"amaf": True, "amaf_key": "move"},
    *({"playout": playout} for playout in MctsOptions.choices["playout"]),
    *({"tactics": tactics} for tactics in MctsOptions.choices["tactics"]),
    *({"final_move": final_move} for final_move in MctsOptions.choices["final_move"]),
    *({"expand": expand, "untried_first": untried} for expand in ("one", "all") for untried in (False, True)),
    {"bonus": "puct", "priors": "eval"},
    {"implicit": 0.4},
    {"mix": 0.5},
    {"solver": "choose", "decisive": True},
    {"solver": "prune"},
    {"credit": "root", "expand_finished": True},
    {"playout_plies": 3},
    {"threads": 2},
    {"threads": 2, "amaf": True, "playout": "mast"},
    {"threads": 3, "playout": "lgrf", "solver": "choose"},
]


@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: ",".join(f"{k}={v}" for k, v in options.items()))
def test_a_seed_gives_the_same_result_and_another_seed_another(options: dict[str, Any]) -> None:
    state = new("connect4", "4435")
    results = [shown(search(state, "threats", seed=seed, **options).run(state, iterations=700)) for seed in (5, 5, 6)]
    assert results[0] == results[1]
    assert results[0] != results[2]


def test_forgetting_a_reply_changes_a_search() -> None:
    state = new("connect4", "4435")
    kept, forgotten = (
        shown(search(state, seed=5, playout=playout).run(state, iterations=700)) for playout in ("lgr", "lgrf")
    )
    assert kept != forgotten


def test_a_search_that_forgets_is_as_new() -> None:
    state = new("connect4", "44")
    for options in ({"reuse": True}, {"playout": "mast"}, {"playout": "lgr"}, {"playout": "lgrf"}, {"amaf": True}):
        searching = search(state, **options)
        visits = [sum(found.visits for found in searching.run(state, iterations=300).moves) for _ in range(2)]
        searching.forget()
        again = searching.run(state, iterations=300)
        assert visits == ([300, 600] if "reuse" in options else [300, 300])
        assert sum(found.visits for found in again.moves) == 300


@pytest.mark.parametrize("options", [{}, {"amaf": True, "untried_first": False}, {"playout": "lgrf"}, {"threads": 2}])
def test_the_visits_of_the_moves_are_the_simulations(options: dict[str, Any], game: str) -> None:
    if not issubclass(find_game(game), NativeState) and "threads" in options:
        options = {}
    state = new(game)
    result = search(state, **options).run(state, iterations=501)
    assert result.iterations == sum(found.visits for found in result.moves) == 501
    assert sorted(str(found.move) for found in result.moves) == sorted(map(str, state.legal_moves))
    for found in result.moves:
        assert found.line[:1] == [found.move]
        reached = state
        for move in found.line:
            assert not reached.is_chance
            reached = reached.play(move)


# --- Options ---


@pytest.mark.parametrize("bonus", MctsOptions.choices["bonus"])
def test_a_large_bonus_spreads_visits_and_none_gathers_them(bonus: str) -> None:
    state = new("connect4")

    def visits(c: float) -> list[int]:
        return [found.visits for found in search(state, bonus=bonus, c=c).run(state, iterations=7000).moves]

    assert max(visits(0.0)) > 5000
    assert max(visits(1000.0)) - min(visits(1000.0)) < 100


def test_priors_by_evaluation_lead_puct() -> None:
    state = new("connect4")
    for liked in "1", "7":

        def evaluation(after: State, player: int, liked: str = liked) -> float:
            return 5.0 if after.position.startswith(liked) else 0.0

        options = {"bonus": "puct", "priors": "eval", "untried_first": False, "c": 10.0}
        result = search(state, evaluation, **options).run(state, iterations=200)
        assert str(result.moves[0].move) == liked
        assert result.moves[0].visits > 150


@pytest.mark.parametrize("options", [{"mix": 1.0}, {"mix": 0.5}, {"implicit": 0.5}, {"playout": "eval", "epsilon": 0}])
def test_an_evaluation_in_python_leads_the_search(options: dict[str, Any]) -> None:
    """It likes discs in column 2, for whoever asks."""
    state = new("connect4")

    def evaluation(after: State, player: int) -> float:
        return 4.0 if after.position[:1] == "2" and player == 0 else -4.0

    result = search(state, evaluation, c=0.3, **options).run(state, iterations=1000)
    if "playout" in options:
        assert result.iterations == 1000  # a playout sees the position after its own moves only
    else:
        assert str(result.moves[0].move) == "2"
    tictactoe = new("tictactoe")
    result = search(tictactoe, lambda after, player: 0.5 - player, **options).run(tictactoe, iterations=100)
    assert result.moves[0].move in tictactoe.legal_moves


def test_implicit_minimax_takes_the_mean_over_random_events() -> None:
    """By a perfect evaluation alone, where the luckiest roll would mislead it."""

    def evaluation(state: State, player: int) -> float:
        first, second, mover, *_ = state.position.split("-")
        own, other = (int(first), int(second)) if mover == "first" else (int(second), int(first))
        chance = min(max(*dice_values()[own, other].values(), 1e-9), 1 - 1e-9)
        odds = math.log(chance / (1 - chance))
        return odds if state.to_move == player else -odds

    judged = 0
    for own, other in [(0, 0), (1, 2), (3, 1), (4, 4), (2, 5), (5, 6), (1, 5), (0, 3)]:
        state = new("dice", f"{own}-{other}-first-0")
        truth = dice_values()[own, other]
        if abs(truth["step"] - truth["roll"]) < 0.025:
            continue
        judged += 1
        result = search(state, evaluation, implicit=1.0, c=0.3).run(state, iterations=10_000)
        assert str(result.moves[0].move) == max(truth, key=truth.__getitem__)
    assert judged >= 5


NO_EVALUATION = "mix, implicit and priors=eval need an evaluation, and none is set"


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("boxes", {"amaf": True, "amaf_key": "move"}, "amaf_key=move does not work in this game; use amaf_key=effect"),
        (
            "boxes",
            {"expand_finished": True},
            "expand_finished=yes does not work in this game: there are no moves after its end",
        ),
        ("connect4", {"expand_finished": True, "solver": "choose"}, "expand_finished=yes needs solver=off"),
        ("dice", {"mix": 0.5}, NO_EVALUATION),
        ("dice", {"implicit": 0.5}, NO_EVALUATION),
        ("dice", {"bonus": "puct", "priors": "eval"}, NO_EVALUATION),
        ("dice", {"playout": "eval"}, "playout=eval needs an evaluation, and this game has none"),
        ("boxes", {"tactics": "fork"}, "tactics=fork does not work in this game"),
        ("boxes", {"playout": "lgrf", "memory_mb": 1}, "memory_mb is too small"),
        ("boxes", {"amaf": True, "threads": 200, "memory_mb": 1}, "memory_mb is too small"),
        ("boxes", {"generator": 3}, "there is no move generator 3"),
        ("boxes", {"threads": 0}, "threads must be at least 1"),
    ],
)
def test_options_that_a_game_does_not_support_give_a_clear_error(
    name: str, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(JouteError, match=complaint) as error:
        search(new(name), **options)
    assert "\n" not in str(error.value)


def test_options_that_need_support_of_a_game_work_in_games_that_have_it() -> None:
    state = new("connect4")
    options: dict[str, Any]
    for options in ({"amaf": True, "amaf_key": "move"}, {"expand_finished": True}, {"tactics": "fork"}):
        assert search(state, **options).run(state, iterations=200).iterations == 200
    boxes = new("boxes")
    for options in ({"mix": 0.5}, {"implicit": 0.5}, {"bonus": "puct", "priors": "eval"}, {"playout": "eval"}):
        assert search(boxes, "boxes", **options).run(boxes, iterations=200).iterations == 200


def test_crediting_the_root_player_everywhere_assumes_that_the_opponent_helps() -> None:
    # The second player wins in column 1 unless the first player plays there now, and then the first wins.
    # Column 5 wins sooner if the opponent does not mind.
    #   . . . . . . O
    #   O . . X . . X
    #   O . . O . . X
    #   O . . X . . X
    state = new("connect4", "7171774441")

    def chosen(credit: str) -> list[str]:
        searches = [search(state, seed=seed, credit=credit) for seed in range(8)]
        return [str(searching.run(state, iterations=2000).moves[0].move) for searching in searches]

    assert "1" not in chosen("root")
    assert set(chosen("mover")) == {"1"}


# --- Reuse ---


@pytest.mark.parametrize("options", [{}, {"amaf": True}, {"bonus": "puct"}, {"threads": 2}, {"implicit": 0.2}])
def test_tree_reuse_keeps_the_subtree_of_the_position_reached(options: dict[str, Any], game: str) -> None:
    if not issubclass(find_game(game), NativeState) and "threads" in options:
        options = {}
    state = new(game)
    rng = Random(4)
    while len(state.legal_moves) > 40:  # of which 600 simulations see replies more than once
        state = state.play(state.random_move(rng))
    searching = search(state, lambda after, player: 0.0, reuse=True, **options)
    kept = moves = 0
    while not state.is_terminal and moves < 24:
        result = searching.run(state, iterations=600)
        kept += sum(found.visits for found in result.moves) > result.iterations
        assert {str(found.move) for found in result.moves} == set(map(str, state.legal_moves))
        for move in [*result.moves[0].line, None][:2]:  # a reply that was seen, where one was
            if not state.is_terminal:
                state = state.play(move or state.random_move(rng), rng)
                moves += 1
    assert kept >= 2


def test_reuse_begins_anew_in_another_game() -> None:
    state = new("connect4", "44")
    searching = search(state, reuse=True)
    for other in ("", "4", "35", "3535", "44123567"):
        searching.run(state, iterations=500)
        result = searching.run(new("connect4", other), iterations=200)
        assert sum(found.visits for found in result.moves) == 200


def test_reuse_changes_no_proof() -> None:
    solver = Connect4Solver(memory_mb=8)
    rng = random.Random(8)
    proofs = 0
    choices: list[dict[str, Any]] = [{}, {"amaf": True}, {"bonus": "puct"}]
    for seed, options in enumerate(choices * 4):
        state = random_positions("connect4", 1, range(16, 17), seed=seed)[0]
        searching = search(state, reuse=True, solver="choose", decisive=True, seed=seed, **options)
        while not state.is_terminal:
            truth: dict[Any, int] = dict(solver.move_scores(as_a(Connect4, state)))
            result = searching.run(state, iterations=300)
            for found in result.moves:
                assert found.lower <= (truth[found.move] > 0) - (truth[found.move] < 0) <= found.upper
            proofs += result.proven
            state = state.play(rng.choice(state.legal_moves))
    assert proofs > 20


class _Gamble(State):
    """One move leads to a fair coin that decides the game, through positions that are solved at once."""

    game = "gamble"
    title = "Gamble"
    has_chance = True

    def __init__(self, at: str = "start") -> None:
        self.at = at

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> _Gamble:
        return cls(position or "start")

    position = property(lambda self: self.at)
    to_move = property(lambda self: 1 if self.at in ("good", "bad") else 0)
    ply = property(lambda self: {"start": 0, "coin": 1, "good": 1, "bad": 1}.get(self.at, 2))
    is_chance = property(lambda self: self.at == "coin")
    outcomes = property(lambda self: [0.5, 0.5] if self.at == "coin" else [])

    @property
    def legal_moves(self) -> list[str]:
        return {"start": ["coin", "lose"], "good": ["w1", "w2"], "bad": ["w3", "l1"]}.get(self.at, [])

    def after(self, move: str) -> _Gamble:
        return _Gamble(move)

    def resolve(self, outcome: int) -> _Gamble:
        return _Gamble(("good", "bad")[outcome])

    @property
    def result(self) -> Result | None:
        if self.at in ("w1", "w2", "w3"):
            return Result(1)
        return Result(-1) if self.at in ("l1", "lose") else None

    def diagram(self) -> str:
        return self.at


@pytest.mark.parametrize("solver", ["off", "choose", "prune"])
def test_solved_positions_after_a_random_event_keep_their_values(solver: str) -> None:
    result = _Gamble.search(mcts_options(solver=solver, seed=1)).run(_Gamble(), iterations=4000)
    by_move = {found.move: found.value for found in result.moves}
    assert by_move["coin"] == pytest.approx(0.5, abs=0.05)  # the second player takes l1 where it can
    assert by_move["lose"] == pytest.approx(0, abs=0.01)


def test_a_game_that_does_not_list_every_move_is_never_proven_lost() -> None:
    class Hidden(_Gamble):
        complete = False

    lost = Hidden("bad")  # to the first player's loss by l1, unless there are moves not listed for the mover
    result = Hidden.search(mcts_options(solver="prune")).run(lost, iterations=200)
    assert result.proven  # the mover has a win in hand: more moves cannot take it away
    only = Hidden("good")  # both moves listed lose for the mover
    assert not Hidden.search(mcts_options(solver="prune")).run(only, iterations=200).proven
    assert _Gamble.search(mcts_options(solver="prune")).run(_Gamble("good"), iterations=200).proven


def test_a_python_game_is_searched_by_one_thread() -> None:
    with pytest.raises(JouteError, match="searched by one thread"):
        _Gamble.search(mcts_options(threads=2))
    with pytest.raises(JouteError, match="searched by one thread"):
        _Gamble.search(alphabeta_options(threads=2))


def test_the_root_value_is_the_mean_of_its_moves_also_when_the_tree_is_kept() -> None:
    state = new("connect4")
    search = type(state).search(mcts_options(reuse=True, seed=3))
    for move in "44":
        result = search.run(state, iterations=2000)
        visits = sum(found.visits for found in result.moves)
        mean = sum(found.value * found.visits for found in result.moves) / visits
        assert result.value == pytest.approx(mean)
        state = state.play(move)
