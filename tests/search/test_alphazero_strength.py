"""What the shipped network of Connect Four is worth, where the truth is known."""

from __future__ import annotations

import itertools

import pytest

import joute
from joute._core import Connect4Solver
from joute.games.connect4.book import shipped_book
from joute.games.connect4.state import Connect4
from joute.match.mistakes import measure_mistakes

COLUMNS = "1234567"


def test_the_shipped_network_seldom_errs() -> None:
    # Of 1,000 positions it errs in 4.6% by its policy alone and in 0.5% with 600 simulations (docs/training.md); at
    # random, two moves in three would be mistakes.
    policy, search = measure_mistakes(
        "connect4",
        ["alphazero:policy_only=yes,fallback=none", "alphazero:iterations=100,solve=off,fallback=none"],
        positions=30,
        seed=3,
    )
    assert policy.total.mistakes <= 5
    assert search.total.mistakes <= 2


@pytest.mark.slow
@pytest.mark.parametrize("style", ["centre", "trap"])
def test_the_shipped_network_wins_every_won_two_ply_opening_against_perfect_play(style: str) -> None:
    solver = Connect4Solver(book=shipped_book())
    openings = [Connect4.new("".join(columns)) for columns in itertools.product(COLUMNS, repeat=2)]
    won = [opening for opening in openings if solver.outcome(opening) > 0]
    assert len(won) == 27
    agent = "alphazero:iterations=600,solve=off,fallback=none"
    games = [joute.play_game(opening, agent, f"perfect:style={style}") for opening in won]
    assert [game.start for game in games if game.result.outcome != 1] == []
