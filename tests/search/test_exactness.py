"""Searches near the end of games claim what is true: see benchmarks/exactness.py."""

from __future__ import annotations

import itertools

import pytest
from benchmarks.exactness import GAMES, check, positions, run_all


@pytest.mark.parametrize("played", GAMES)
def test_claims_about_the_last_plies_are_true_and_hold_with_more_nodes(played: str) -> None:
    late = list(positions(played, 24))[3::4]  # up to nine plies before the end
    tallies = [check(played, position, budgets=(500, 2_000, 8_000)) for position in late]
    for spec in GAMES[played].searches:
        of_search = [tally[spec] for tally in tallies]
        assert not list(itertools.chain(*(tally.wrong + tally.falls for tally in of_search)))
        assert sum(tally.exact for tally in of_search) > 0


@pytest.mark.slow
def test_claims_about_many_positions_are_true_and_hold_with_more_nodes() -> None:
    for tally in run_all(list(GAMES), count=100, jobs=2, budgets=(1_000, 8_000, 64_000, 512_000), seed=1).values():
        assert not tally.wrong + tally.falls
