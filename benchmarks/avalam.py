"""Avalam: random games beside a naive C++ loop, Numba and plain Python; the searches' speed."""

from __future__ import annotations

import joute
from benchmarks import python_avalam
from benchmarks.measure import rates, show
from benchmarks.random_games import compare_games, joute_games, naive_games
from benchmarks.searches import PLAIN_UCT
from joute._core import Random
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_options
from joute.agents.mcts import MctsParameters, mcts_options
from joute.games.avalam.state import Avalam

PLIES = (2, 8, 16, 24)  # of the positions to search
POSITIONS = 20
ALPHABETA_DEPTH = 3
SIMULATIONS = 10_000
TABLE_MB = 16


def run(repeats: int) -> None:
    playouts(repeats)
    alphabeta(repeats)
    mcts(repeats)


def playouts(repeats: int) -> None:
    """The same games by all: random, to the end, counted."""
    players = {"joute.playouts(state, n)": (joute_games("avalam"), 200_000)}
    if naive := naive_games("naive_avalam.cpp"):
        players["naive C++, arrays and full move lists"] = naive, 10_000
    if numba := python_avalam.compiled():
        players["the same by Numba"] = numba, 10_000
    else:
        print("\nNumba is not installed (make bench installs it), so its loop is left out")
    players["the same in plain Python"] = python_avalam.interpreted(), 100
    compare_games("Random games of Avalam", repeats, players, goal=5 if naive else None)


def positions() -> dict[str, list[joute.State]]:
    """Some random positions of each ply."""
    found: dict[str, list[joute.State]] = {}
    for plies in PLIES:
        rng = Random(plies)
        for _ in range(POSITIONS):
            state = joute.new("avalam")
            for _ in range(plies):
                state = state.play(state.random_move(rng))
            found.setdefault(f"after {plies} random plies", []).append(state)
    return found


def alphabeta(repeats: int) -> None:
    options = alphabeta_options(AlphaBetaParameters(memory_mb=TABLE_MB), Avalam, lines=1)
    search = Avalam.search(options, "score")
    works = {
        name: lambda states=states: sum(search.run(state, depth=ALPHABETA_DEPTH).nodes for state in states)
        for name, states in positions().items()
    }
    title = f"Alpha-beta as the agent has it, by score, to depth {ALPHABETA_DEPTH} in {POSITIONS} positions"
    show(title, "nodes", rates(repeats, works, before=search.forget))


def mcts(repeats: int) -> None:
    search = Avalam.search(mcts_options(MctsParameters(**PLAIN_UCT), Avalam, seed=1), "score")
    works = {
        name: lambda state=states[0]: search.run(state, iterations=SIMULATIONS).iterations
        for name, states in positions().items()
    }
    title = f"MCTS, plain UCT, {SIMULATIONS:,} simulations"
    show(title, "simulations", rates(repeats, works, before=search.forget))
