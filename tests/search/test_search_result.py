"""A search result makes its moves and lines on first access, even after the search is gone."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from network_batches import Searches
from network_evaluators import Noise
from odd_game import Odd
from plain_options import mcts_options

from joute import State, new
from joute._core import Search, SearchResult, StopFlag


def search(state: State, **options: Any) -> Search:
    return type(state).search(mcts_options(**options))


def shown(result: SearchResult) -> list[tuple[Any, ...]]:
    return [(str(found.move), found.value, found.visits, [str(move) for move in found.line]) for found in result.moves]


@pytest.mark.parametrize("name", ["quoridor", "connect4", "vampires"])
def test_a_result_returns_the_same_objects_every_time(name: str) -> None:
    state = new(name)
    result = search(state, memory_mb=16).run(state, iterations=30)
    assert result.moves is result.moves
    assert result.best is result.moves[0]
    for found in result.moves:
        assert found.move is found.move
        assert found.line is found.line
        assert str(found.line[0]) == str(found.move)


def test_the_best_move_alone_is_the_first_of_all_moves() -> None:
    state = new("quoridor")
    searching = search(state, memory_mb=16, seed=3)
    alone = searching.run(state, iterations=50).best
    searching.forget()
    first = searching.run(state, iterations=50).moves[0]
    assert (alone.move, alone.value, alone.visits, alone.line) == (first.move, first.value, first.visits, first.line)


@pytest.mark.parametrize("state", [new("quoridor"), new("vampires"), Odd("0")], ids=lambda state: state.game)
def test_a_result_stays_valid_after_later_searches_and_without_its_search(state: State) -> None:
    searching = search(state, memory_mb=16, seed=1)
    expected = shown(searching.run(state, iterations=40))
    searching.forget()
    result = searching.run(state, iterations=40)
    best = result.best
    searching.run(state.play(best.move) if not state.play(best.move).is_chance else state, iterations=10)
    searching.forget()
    del searching
    gc.collect()
    assert shown(result) == expected
    del result
    gc.collect()
    assert str(best.line[0]) == expected[0][0]


def test_a_watched_result_does_not_change_later() -> None:
    state = new("connect4")
    searching = search(state, memory_mb=4)
    stop = StopFlag()
    kept: list[SearchResult] = []
    at_once: list[list[tuple[Any, ...]]] = []

    def watch(result: SearchResult) -> None:
        kept.append(result)
        if len(kept) % 2:
            at_once.append(shown(result))
        if len(kept) == 4:
            stop.set()

    searching.run(state, watch=watch, stop=stop)
    assert [shown(result) for result in kept[::2]] == at_once
    for result in kept[1::2]:
        assert sum(found.visits for found in result.moves) == result.iterations


def test_results_of_a_batch_have_every_figure_of_a_result() -> None:
    state = new("connect4")
    (result,) = Searches([state], Noise(state), simulations=8).results
    assert (result.table_looks, result.table_hits) == (0, 0)
    assert result.best is result.moves[0]
    assert result.best.line == [result.best.move]
