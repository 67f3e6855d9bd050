"""The search of self-play for given positions: against slow versions of it, known values, symmetries, proofs."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from dice_values import FACES, TARGET, dice_values
from network_batches import NETWORK_GAMES, SEARCHES, Searches, random_positions, shown
from network_evaluators import Answers, Equivariant, Legal, Lookup, Noise, Planes, judge_of, knows_nothing
from network_search_oracle import Edge, Node, improved_policy, searched_by_gumbel, searched_by_puct
from typed import network_state, new_for_network

from joute import JouteError, State, new

# --- Known values ---


@functools.cache
def outcome_for_first(state: State) -> int:
    """Under best play, whoever is to move next."""
    if state.result is not None:
        return state.result.outcome
    outcomes = [outcome_for_first(state.play(move)) for move in state.legal_moves]
    return max(outcomes) if state.to_move == 0 else min(outcomes)


def outcome_for(player: int, state: State) -> int:
    return outcome_for_first(state) if player == 0 else -outcome_for_first(state)


def all_positions(start: State) -> list[State]:
    """In which a player is to move."""
    seen = {start}
    queue = [start]
    for state in queue:
        for move in state.legal_moves:
            after = state.play(move)
            if after not in seen and not after.is_terminal:
                seen.add(after)
                queue.append(after)
    return queue


def truth_about(states: Sequence[State]) -> Lookup:
    return Lookup({bytes(network_state(state).encode()): outcome_for(state.to_move, state) for state in states})


def is_best(state: State, move: Any) -> bool:
    return outcome_for(state.to_move, state.play(move)) == outcome_for(state.to_move, state)


def test_gumbel_chooses_a_best_move_if_all_moves_are_evaluated_exactly() -> None:
    states = all_positions(new("noughts"))
    assert len(states) == 4520
    truth = truth_about(states)
    for moves in range(1, 10):
        some = [state for state in states if len(state.legal_moves) == moves]
        for state, result in zip(some, Searches(some, truth, simulations=moves).results, strict=True):
            assert is_best(state, result.moves[0].move), state.position


@pytest.mark.parametrize("search", SEARCHES)
def test_a_network_that_knows_the_truth_is_never_led_astray_by_a_long_search(search: str) -> None:
    states = all_positions(new("noughts"))[::5]
    found = Searches(states, truth_about(all_positions(new("noughts"))), search=search, simulations=800)
    for state, result in zip(states, found.results, strict=True):
        assert is_best(state, result.moves[0].move), state.position


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["noughts", "connect4"])
def test_a_win_in_one_is_found_whatever_the_network_says(name: str, search: str) -> None:
    states = [state for state in random_positions(name, 600, seed=1) if state.winning_moves]
    assert len(states) > 100
    evaluator = Noise(states[0], uniform_priors=True)
    for state, result in zip(states, Searches(states, evaluator, search=search, simulations=120).results, strict=True):
        assert (result.proven, result.value, result.moves[0].lower) == (True, 1.0, 1), state.position


@pytest.mark.parametrize("search", SEARCHES)
def test_no_move_is_chosen_that_is_worth_less_than_a_proven_one(search: str) -> None:
    """A proven draw is better than a move that may win but seems to lose."""
    states = [state for state in all_positions(new("noughts")) if len(state.legal_moves) > 3]
    certain_draws = 0
    for result in Searches(states, Noise(states[0]), search=search, simulations=60).results:
        certain = max(move.lower for move in result.moves)
        certain_draws += certain == 0 and not result.proven
        assert result.moves[0].value >= (certain + 1) / 2
        assert result.value >= (certain + 1) / 2
    assert certain_draws > 10


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_finds_the_value_of_games_in_which_a_player_moves_twice(search: str) -> None:
    states = random_positions("boxes", 40, seed=2, plies=range(6, 11))
    assert any(state.play(move).to_move == state.to_move for state in states for move in state.legal_moves)
    proven = Searches(states, knows_nothing, search=search, simulations=10_000).results
    truth = truth_about([below for state in states for below in all_positions(state)])
    judged = Searches(states, truth, search=search, simulations=300).results
    for state, by_proof, by_mean in zip(states, proven, judged, strict=True):
        worth = (outcome_for(state.to_move, state) + 1) / 2
        assert (by_proof.proven, by_proof.value) == (True, worth), state.position
        assert by_mean.moves[0].value == pytest.approx(worth, abs=0.2), state.position
        assert is_best(state, by_proof.moves[0].move)
        assert is_best(state, by_mean.moves[0].move)


# Gumbel search would leave a move for good that looks bad at first, as a roll does that begins with its likeliest face,
# if that face alone were evaluated. Its values are means over moves that the network likes, so it needs one that knows.
@pytest.mark.parametrize(("search", "is_known"), [("puct", False), ("puct", True), ("gumbel", True)], ids=str)
def test_a_search_finds_the_expectation_where_dice_are_rolled(search: str, is_known: bool) -> None:
    worth = {bytes([*cell, TARGET]): 2 * max(values.values()) - 1 for cell, values in dice_values().items()}
    evaluator = Lookup(worth) if is_known else knows_nothing
    cells = [(own, other) for own in range(2, TARGET) for other in range(2, TARGET)]
    states = [new("dice", f"{own}-{other}-first-0") for own, other in cells]
    states += [new("dice", f"{other}-{own}-second-1") for own, other in cells]
    found = Searches(states, evaluator, search=search, simulations=500 if is_known else 6000)
    judged = 0
    for cell, state, result in zip(cells * 2, states, found.results, strict=True):
        truth = dice_values()[cell]
        assert result.moves[0].value == pytest.approx(max(truth.values()), abs=0.06), state.position
        if abs(truth["step"] - truth["roll"]) > 0.06:
            assert str(result.moves[0].move) == max(truth, key=truth.__getitem__)
            judged += 1
    assert judged > 20


def rolls_then_steps(planes: Planes, legal: Legal) -> Answers:
    """Who is one step ahead rolls, everybody else steps."""
    wanted = leads(planes)[:, None] == 1
    return (legal == wanted).astype(float), np.zeros(len(planes))


def leads(planes: Planes) -> np.ndarray:
    return np.asarray(planes[:, 0].astype(int) - planes[:, 1])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("simulations", [7, 30, 120])
def test_outcomes_of_chance_are_visited_as_often_as_they_are_likely(search: str, simulations: int) -> None:
    # The first player rolls with a lead of 1; from then on the lead, whoever is to move, tells what came.
    start = new("dice:target=50", "1-0-first-0")
    found = Searches([start], rolls_then_steps, search=search, simulations=simulations, considered=1)
    came = {0: 0, -1: 0, 2: 2, -3: 2, 3: 3, -4: 3}
    visits = Counter(came[lead] for leaf in found.leaves[1:] for lead in leads(leaf))
    assert visits.total() == simulations + len(FACES) - 1  # the first simulation evaluates all faces
    for face, chance in FACES.items():
        assert abs(visits[face] - chance * visits.total()) < 1


# --- Against slow versions ---


def visits_of(node: Node) -> dict[str, int]:
    return {str(edge.move): edge.visits for edge in node.edges}


def is_worth_playing(node: Node, edge: Edge) -> bool:
    certain = max(other.bounds_for(node.mover)[0] for other in node.edges)
    return edge.bounds_for(node.mover)[1] > -1 and edge.value_for(node.mover) >= certain


def compare(states: Sequence[State], found: Searches, slow: list[Node]) -> None:
    for state, result, target, node in zip(states, found.results, found.targets, slow, strict=True):
        assert {str(move.move): move.visits for move in result.moves} == visits_of(node), state.position
        assert result.proven == node.is_proven
        for move in result.moves:
            edge = next(edge for edge in node.edges if edge.move == move.move)
            assert (move.lower, move.upper) == edge.bounds_for(state.to_move)
            if move.visits:
                assert move.value == pytest.approx((edge.value_for(state.to_move) + 1) / 2, abs=1e-4)
        assert sum(target) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", ["noughts", "boxes", "dice", "connect4"])
def test_puct_visits_what_a_slow_puct_visits(name: str) -> None:
    states = random_positions(name, 12, seed=3)
    evaluator = Noise(states[0])
    rule = {"c_puct": 1.7, "fpu_reduction": 0.1}
    for simulations in (1, 10, 150):
        found = Searches(states, evaluator, search="puct", simulations=simulations, **rule)
        judge = judge_of(evaluator)
        slow = [searched_by_puct(s, judge, simulations, c=rule["c_puct"], fpu_reduction=0.1) for s in states]
        compare(states, found, slow)
        for target, node in zip(found.targets, slow, strict=True):
            if not node.is_proven:
                visits = [edge.visits * is_worth_playing(node, edge) for edge in node.edges]
                assert target == pytest.approx([count / sum(visits) for count in visits], abs=1e-5)


@pytest.mark.parametrize("name", ["noughts", "boxes", "dice", "connect4"])
@pytest.mark.parametrize("rule", [{}, {"considered": 4, "c_visit": 20.0, "c_scale": 0.3}], ids=["default", "other"])
def test_gumbel_search_visits_what_a_slow_one_visits(name: str, rule: dict[str, Any]) -> None:
    states = random_positions(name, 6, seed=4)
    evaluator = Noise(states[0])
    for simulations in (1, 5, 32, 100):
        found = Searches(states, evaluator, search="gumbel", simulations=simulations, **rule)
        slow = [searched_by_gumbel(state, judge_of(evaluator), simulations, **rule) for state in states]
        compare(states, found, slow)
        for target, node in zip(found.targets, slow, strict=True):
            if not node.is_proven:
                policy = improved_policy(node, rule.get("c_visit", 50), rule.get("c_scale", 1))
                assert target == pytest.approx(policy.tolist(), abs=1e-4)


def halved(considered: int, simulations: int) -> list[int]:
    """Visits of the candidates, best first: as many in each phase, half of them in the next."""
    visits = [0] * considered
    phases = (considered - 1).bit_length()
    left, alive = simulations, considered
    while left > 0:
        each = max(1, simulations // (phases * alive))
        for i in [*range(alive)] * each:
            visits[i] += left > 0
            left -= left > 0
        alive = max(2, alive // 2)
    return visits


@pytest.mark.parametrize("simulations", [2, 5, 8, 16, 31, 64, 200])
@pytest.mark.parametrize("considered", [2, 3, 4, 7, 16])
def test_sequential_halving_keeps_to_its_schedule(considered: int, simulations: int) -> None:
    """With values that are all the same, the order is that of the priors."""
    start = new_for_network("avalam")

    def prefers_some(planes: Planes, legal: Legal) -> Answers:
        weights = np.where(legal >= 0, 1 + legal % 97, 0)
        return weights / weights.sum(axis=1, keepdims=True), np.zeros(len(planes))

    found = Searches([start], prefers_some, simulations=simulations, considered=considered)
    by_prior = sorted(start.legal_moves, key=lambda move: -(1 + start.policy_indices(move)[0] % 97))
    visits = {move.move: move.visits for move in found.results[0].moves}
    wanted = halved(considered, simulations)
    assert sum(wanted) == simulations
    assert Counter(visits.values()) == Counter(wanted + [0] * (len(visits) - considered))
    assert sorted((visits[move] for move in by_prior[:considered]), reverse=True) == wanted


# --- Symmetries ---


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_a_position_seen_from_another_side_gets_the_same_search_from_there(name: str, search: str) -> None:
    for played in random_positions(name, 2, seed=5):
        state = new_for_network(played.spec, played.position)  # without its past, which cannot be turned
        images = [state.transformed(g) for g in range(state.symmetry_count)]
        found = Searches(images, Equivariant(state), search=search, simulations=24)
        plain = {str(move.move): (move.visits, move.value) for move in found.results[0].moves}
        policy = dict(zip(state.legal_moves, found.targets[0], strict=True))
        for g, (image, result, target) in enumerate(zip(images, found.results, found.targets, strict=True)):
            there = {str(move.move): (move.visits, move.value) for move in result.moves}
            policy_there = dict(zip(image.legal_moves, target, strict=True))
            for move in state.legal_moves:
                moved = state.transformed_move(move, g)
                assert there[str(moved)] == pytest.approx(plain[str(move)], abs=1e-4)
                assert policy_there[moved] == pytest.approx(policy[move], abs=1e-4)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", NETWORK_GAMES)
def test_random_symmetries_change_nothing_for_a_network_that_has_them_all(name: str, search: str) -> None:
    states = random_positions(name, 8, seed=6)
    evaluator = Equivariant(states[0])
    plain = Searches(states, evaluator, search=search, simulations=24)
    turned = Searches(states, evaluator, search=search, simulations=24, symmetries=True, seed=7)
    assert [shown(result) for result in turned.results] == [shown(result) for result in plain.results]
    seen_alike = all(map(np.array_equal, plain.leaves, turned.leaves))
    assert seen_alike == (states[0].symmetry_count == 1)


def test_random_symmetries_do_change_what_another_network_says() -> None:
    states = random_positions("noughts", 8, seed=6, plies=range(4))
    plain, turned = (Searches(states, Noise(states[0]), symmetries=on) for on in (False, True))
    assert [shown(result) for result in turned.results] != [shown(result) for result in plain.results]


# --- The batch ---


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["connect4", "dice"])
def test_a_position_is_searched_alike_alone_in_company_and_by_threads(name: str, search: str) -> None:
    states = random_positions(name, 20, seed=8)
    evaluator = Noise(states[0])
    together = Searches(states, evaluator, search=search)
    by_threads = Searches(states, evaluator, search=search, threads=2)
    alone = [Searches([state], evaluator, search=search).results[0] for state in states]
    assert [*map(shown, together.results)] == [*map(shown, alone)] == [*map(shown, by_threads.results)]


def test_a_batch_refuses_what_it_cannot_search() -> None:
    start = new("dice")
    with pytest.raises(JouteError, match="more positions than the batch holds"):
        Searches([start, start], knows_nothing, games=1)
    with pytest.raises(ValueError, match="rules of this position differ"):
        Searches([start, new("dice:target=9")], knows_nothing)
    for wrong in (start.play("roll"), new("dice", "7-0-second-3")):
        with pytest.raises((JouteError, ValueError)):
            Searches([wrong], knows_nothing)
    for options in ({"games": 0}, {"simulations": 0}, {"threads": 0}, {"generator": 2}):
        with pytest.raises(JouteError):
            Searches([start], knows_nothing, **options)
