"""The search that plays by a network: against a slow PUCT, batches, proofs, reuse, networks that misbehave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from network_batches import random_positions, shown
from network_evaluators import Evaluator, Noise, judge_of, knows_nothing
from network_search_oracle import Edge, Node, searched_by_puct
from plain_options import network_search_options
from test_batch_search import is_best, outcome_for

from joute import JouteError, State, new
from joute._core import Search, SearchResult


class Network:
    """An evaluator as the search asks it, counting what it is asked."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.batches: list[int] = []

    def __call__(self, planes: Any, legal: Any, priors: Any, values: Any) -> None:
        self.batches.append(len(values))
        assert planes.dtype == np.uint8
        assert len(planes) == len(legal) == len(priors) == len(values)
        found = self.evaluator(planes.reshape(len(values), -1), legal)
        priors[:] = found[0].astype(np.float16)  # as the slow version sees them
        values[:] = found[1].astype(np.float16)


def search_of(state: State, evaluator: Evaluator | Network, **options: Any) -> Search:
    network = evaluator if isinstance(evaluator, Network) else Network(evaluator)
    found: Search = type(state).network_search(network_search_options(**options), network)  # type: ignore[attr-defined]
    return found


def visits(result: SearchResult) -> dict[str, int]:
    return {str(move.move): move.visits for move in result.moves}


@pytest.mark.parametrize("name", ["noughts", "boxes", "dice", "connect4"])
def test_leaf_by_leaf_it_visits_what_a_slow_puct_visits(name: str) -> None:
    for state in random_positions(name, 8, seed=1):
        evaluator = Noise(state)
        for iterations in (1, 20, 150):
            options = {"batch": 1, "c_puct": 1.7, "fpu_reduction": 0.1, "reuse": False}
            result = search_of(state, evaluator, **options).run(state, iterations=iterations)
            slow = searched_by_puct(state, as_shares(judge_of(evaluator)), iterations, c=1.7, fpu_reduction=0.1)
            assert visits(result) == {str(edge.move): edge.visits for edge in slow.edges}, state.position
            assert result.proven == slow.is_proven
            best = by_move(slow, result.moves[0].move)
            if best.visits:
                assert result.value == pytest.approx((best.value_for(state.to_move) + 1) / 2, abs=1e-4)


def by_move(node: Node, move: Any) -> Edge:
    return next(edge for edge in node.edges if edge.move == move)


def as_shares(judge: Any) -> Any:
    """The search that plays trusts no network to give probabilities: it makes the priors sum to one."""

    def judged(state: State) -> tuple[list[float], float]:
        priors, value = judge(state)
        return [prior / sum(priors) for prior in priors], value

    return judged


@pytest.mark.parametrize("batch", [1, 3, 16])
def test_it_makes_as_many_simulations_as_it_is_told_in_batches(batch: int) -> None:
    state = new("connect4", "44")
    network = Network(Noise(state))
    result = search_of(state, network, batch=batch).run(state, iterations=333)
    assert result.iterations == 333 == sum(move.visits for move in result.moves)
    assert max(network.batches) == batch
    assert sum(network.batches) <= 334
    again = search_of(state, Noise(state), batch=batch).run(state, iterations=333)
    assert shown(again) == shown(result)


@pytest.mark.parametrize("batch", [1, 8])
def test_endings_are_proven_though_the_network_knows_nothing(batch: int) -> None:
    for state in random_positions("boxes", 12, seed=2, plies=range(6, 11)):
        result = search_of(state, knows_nothing, batch=batch).run(state, iterations=10_000)
        assert (result.proven, result.value) == (True, (outcome_for(state.to_move, state) + 1) / 2)
        assert is_best(state, result.moves[0].move)


@pytest.mark.parametrize("batch", [1, 8])
def test_no_move_is_played_that_is_worth_less_than_a_proven_one(batch: int) -> None:
    certain_draws = 0
    for state in random_positions("noughts", 200, seed=3, plies=range(2, 6)):
        result = search_of(state, Noise(state), batch=batch).run(state, iterations=60)
        certain = max(move.lower for move in result.moves)
        certain_draws += certain == 0 and not result.proven
        assert result.moves[0].value >= (certain + 1) / 2
    assert certain_draws > 3


def test_what_was_searched_below_the_moves_played_is_used_again() -> None:
    state = new("connect4", "44")
    kept, fresh = (search_of(state, Noise(state), reuse=reuse) for reuse in (True, False))
    before = [search.run(state, iterations=400) for search in (kept, fresh)]
    assert shown(before[0]) == shown(before[1])
    move, reply, *_ = before[0].moves[0].line
    later = state.play(move).play(reply)
    results = [search.run(later, iterations=50) for search in (kept, fresh)]
    assert [result.iterations for result in results] == [50, 50]
    total_kept, total_fresh = (sum(move.visits for move in result.moves) for result in results)
    assert total_kept > total_fresh == 50
    kept.forget()
    assert shown(kept.run(later, iterations=50)) == shown(results[1])


def test_a_network_that_answers_nonsense_is_survived() -> None:
    state = new("connect4")
    for priors, values in ((np.nan, np.nan), (-1.0, 7.0), (np.inf, -np.inf), (0.0, 0.0)):

        def nonsense(planes: Any, legal: Any, p: Any, v: Any, priors: Any = priors, values: Any = values) -> None:
            p[:], v[:] = priors, values

        kind: Any = type(state)
        result = kind.network_search(network_search_options(batch=4), nonsense).run(state, iterations=50)
        assert result.iterations == 50
        assert all(0 <= move.value <= 1 for move in result.moves)


def test_what_a_network_raises_comes_through_and_the_search_goes_on_later() -> None:
    state = new("connect4")
    fails = [True]

    def sometimes(planes: Any, legal: Any, priors: Any, values: Any) -> None:
        if fails[0] and len(values) > 1:
            raise RuntimeError("no more network")
        Network(Noise(state))(planes, legal, priors, values)

    kind: Any = type(state)
    search = kind.network_search(network_search_options(batch=4), sometimes)
    with pytest.raises(RuntimeError, match="no more network"):
        search.run(state, iterations=100)
    fails[0] = False
    expected = search_of(state, Noise(state), batch=4).run(state, iterations=100)
    assert shown(search.run(state, iterations=100)) == shown(expected)


def test_memory_is_limited() -> None:
    state = new("avalam")
    result = search_of(state, Noise(state), batch=8, memory_mb=1).run(state, iterations=10_000)
    assert result.memory_full
    assert 10 < result.iterations < 10_000


@pytest.mark.parametrize("options", [{"batch": 0}, {"generator": 1}, {"generator": -1}])
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(JouteError):
        search_of(new("connect4"), knows_nothing, **options)


@pytest.mark.parametrize("name", ["noughts", "avalam", "quoridor"])
def test_remembered_answers_change_nothing_and_spare_evaluations(name: str) -> None:
    plain, remembering = Network(Noise(new(name))), Network(Noise(new(name)))
    searches = [
        search_of(new(name), network, batch=4, reuse=False, remembered_mb=mb)
        for network, mb in ((plain, 0), (remembering, 1))
    ]
    state = new(name)
    for _ in range(4):
        one, other = (search.run(state, iterations=300) for search in searches)
        assert shown(one) == shown(other)
        state = state.play(one.moves[0].move)
    assert sum(remembering.batches) < sum(plain.batches)
    assert 0 not in remembering.batches


def test_a_memory_that_is_full_begins_anew() -> None:
    state = new("avalam")
    results = [
        shown(search_of(state, Noise(state), batch=8, remembered_mb=mb).run(state, iterations=3000)) for mb in (0, 1)
    ]
    assert results[0] == results[1]


def test_a_search_ends_once_its_move_is_decided() -> None:
    state = new("connect4", "44444")
    search = search_of(state, Noise(state), batch=1, reuse=False)
    whole, early = search.run(state, iterations=4000), search.run(state, iterations=4000, decided=True)
    assert early.iterations < whole.iterations == 4000
    assert early.moves[0].move == whole.moves[0].move
    first, second = sorted((move.visits for move in early.moves), reverse=True)[:2]
    assert first - second > 4000 - early.iterations  # the rest could not have changed it


def test_a_search_in_doubt_takes_longer_than_one_that_is_not() -> None:
    state = new("avalam")
    search = search_of(state, knows_nothing, batch=1, reuse=False)  # no move is better than another
    assert search.run(state, seconds=0.0, seconds_in_doubt=0.02).iterations > 0
    assert search.run(state, seconds=0.0).iterations == 0
