"""Avalam: random games beside a naive C++ loop, Numba and plain Python; the searches' speed."""

from __future__ import annotations

import ctypes
import math
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import joute
from benchmarks import python_avalam
from benchmarks.measure import rates, show
from benchmarks.python_avalam import Counts
from benchmarks.searches import PLAIN_UCT
from joute._core import AlphaBetaOptions, MctsOptions, Random
from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.search import core_settings
from joute.games.avalam import Avalam

# As CMakeLists.txt has it for the core.
FLAGS = ("-std=c++20", "-O3", *(["-march=x86-64-v2"] if platform.machine() in ("x86_64", "AMD64") else []))

PLIES = (2, 8, 16, 24)  # of the positions to search
POSITIONS = 20
ALPHABETA_DEPTH = 3
SIMULATIONS = 10_000
TABLE_MB = 16

Player = Callable[[int, int], Counts]


def run(repeats: int) -> None:
    playouts(repeats)
    alphabeta(repeats)
    mcts(repeats)


def playouts(repeats: int) -> None:
    """The same games by all: random, to the end, counted."""
    ours: Player = joute_games
    players = {"joute.playouts(state, n)": (ours, 200_000)}
    if naive := naive_games():
        players["naive C++, arrays and full move lists"] = naive, 10_000
    else:
        print("\nno C++ compiler is found (CXX or c++), so the naive C++ loop is left out")
    if numba := python_avalam.compiled():
        players["the same by Numba"] = numba, 10_000
    else:
        print("\nNumba is not installed (make bench installs it), so its loop is left out")
    players["the same in plain Python"] = python_avalam.interpreted(), 100

    checked = {name: (player(games, 1), games) for name, (player, games) in players.items()}
    measured = rates(repeats, {name: _work(player, games) for name, (player, games) in players.items()})
    show("Random games of Avalam", "games", measured, goal=5 if naive else None)
    fastest = next(iter(measured.values()))
    for name, rate in list(measured.items())[1:]:
        print(f"  {fastest / rate:,.0f}× {name}")
    _check_agreement(checked)


def _work(player: Player, games: int) -> Callable[[], int]:
    return lambda: games if player(games, 1) else 0


def joute_games(games: int, seed: int) -> Counts:
    played = joute.new("avalam").playouts(games, seed=seed)
    return played.plies, played.first_wins, played.draws


def naive_games() -> Player | None:
    """The C++ program beside this file, compiled now; None without a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not compiler:
        return None
    source = Path(__file__).with_name("naive_avalam.cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "naive_avalam.so"
        subprocess.run([compiler, *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        function = ctypes.CDLL(str(library)).naive_playouts
    function.argtypes = [ctypes.c_int64, ctypes.c_uint64, ctypes.c_int64 * 3]
    function.restype = None

    def play(games: int, seed: int) -> Counts:
        counts = (ctypes.c_int64 * 3)()
        function(games, seed, counts)
        return counts[0], counts[1], counts[2]

    return play


def _check_agreement(checked: dict[str, tuple[Counts, int]]) -> None:
    """All must have played the same game: their means differ by no more than five standard errors."""
    (reference, all_games), *others = checked.values()
    means = [count / all_games for count in reference]
    deviations = (1.0, *(math.sqrt(share * (1 - share)) for share in means[1:]))  # plies vary by 0.96
    for counts, games in others:
        for count, mean, deviation in zip(counts, means, deviations, strict=True):
            assert abs(count / games - mean) < 5 * deviation * math.sqrt(1 / games + 1 / all_games), (counts, games)
    plies, wins, draws = means
    print(f"  all agree: {plies:.2f} plies a game, the first player wins {wins:.1%}, draws {draws:.1%}")


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
    options = core_settings(AlphaBetaParameters(), Avalam) | {"memory_mb": TABLE_MB}
    search = Avalam.search(AlphaBetaOptions(**options), "score")
    works = {
        name: lambda states=states: sum(search.run(state, depth=ALPHABETA_DEPTH).nodes for state in states)
        for name, states in positions().items()
    }
    title = f"Alpha-beta as the agent has it, by score, to depth {ALPHABETA_DEPTH} in {POSITIONS} positions"
    show(title, "nodes", rates(repeats, works, before=search.forget))


def mcts(repeats: int) -> None:
    search = Avalam.search(MctsOptions(**PLAIN_UCT, seed=1), "score")
    works = {
        name: lambda state=states[0]: search.run(state, iterations=SIMULATIONS).iterations
        for name, states in positions().items()
    }
    title = f"MCTS, plain UCT, {SIMULATIONS:,} simulations"
    show(title, "simulations", rates(repeats, works, before=search.forget))
