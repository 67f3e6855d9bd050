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


def shown(report: SearchResult) -> list[tuple[Any, ...]]:
    return [(str(found.move), found.value, found.visits, [str(move) for move in found.line]) for found in report.moves]


@pytest.mark.parametrize("name", ["quoridor", "connect4", "vampires"])
def test_a_report_is_the_same_object_whenever_it_is_asked(name: str) -> None:
    state = new(name)
    report = search(state, memory_mb=16).run(state, iterations=30)
    assert report.moves is report.moves
    assert report.best is report.moves[0]
    for found in report.moves:
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
def test_a_report_outlives_its_search_and_what_the_search_does_next(state: State) -> None:
    searching = search(state, memory_mb=16, seed=1)
    expected = shown(searching.run(state, iterations=40))
    searching.forget()
    report = searching.run(state, iterations=40)
    best = report.best
    searching.run(state.play(best.move) if not state.play(best.move).is_chance else state, iterations=10)
    searching.forget()
    del searching
    gc.collect()
    assert shown(report) == expected
    del report
    gc.collect()
    assert str(best.line[0]) == expected[0][0]


def test_a_report_that_was_watched_stays_what_it_was() -> None:
    state = new("connect4")
    searching = search(state, memory_mb=4)
    stop = StopFlag()
    kept: list[SearchResult] = []
    at_once: list[list[tuple[Any, ...]]] = []

    def watch(report: SearchResult) -> None:
        kept.append(report)
        if len(kept) % 2:
            at_once.append(shown(report))
        if len(kept) == 4:
            stop.set()

    searching.run(state, watch=watch, stop=stop)
    assert [shown(report) for report in kept[::2]] == at_once
    for report in kept[1::2]:
        assert sum(found.visits for found in report.moves) == report.iterations


def test_reports_of_a_batch_have_every_figure_of_a_report() -> None:
    state = new("connect4")
    (report,) = Searches([state], Noise(state), simulations=8).reports
    assert (report.table_looks, report.table_hits) == (0, 0)
    assert report.best is report.moves[0]
    assert report.best.line == [report.best.move]
