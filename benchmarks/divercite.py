"""Divercité: alpha-beta beside the paper's in Python; random games beside a naive C++ loop and plain Python."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any

import joute
from benchmarks import python_divercite
from benchmarks.framework_divercite import V3, Action, FrameworkState, heuristic
from benchmarks.measure import rates, show
from benchmarks.random_games import Counts, compare_games, joute_games, naive_games
from benchmarks.searching import nodes_of, searcher
from joute._core import Random, Search
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_options
from joute.games.divercite.state import Divercite

PLIES = (12, 16, 20, 24)  # of the positions to search, one each
DEPTH, PYTHON_DEPTH = 5, 3  # of ours and of those in Python, which take some seconds
TABLE_MB = 16

# Alpha-beta and nothing else.
PLAIN = {"deepening": False, "pvs": False, "killers": False, "history": False, "table": "off"}


def run(repeats: int) -> None:
    alphabeta(repeats)
    playouts(repeats)


def positions() -> list[tuple[joute.State, python_divercite.State]]:
    """The same random positions as ours and as dictionaries."""
    found = []
    for plies in PLIES:
        rng, state, theirs = Random(plies), joute.new("divercite"), python_divercite.State.new()
        for _ in range(plies):
            move = state.random_move(rng)
            theirs = theirs.play(_as_theirs(str(move)))
            state = state.play(move)
        found.append((state, theirs))
    return found


def _as_theirs(move: str) -> python_divercite.Move:
    kind = "C" if move[0].isupper() else "R"
    return move[0].upper() + kind, (int(move[2]) - 1, ord(move[1]) - ord("a"))


def search(evaluation: str, **settings: Any) -> Search:
    parameters = AlphaBetaParameters(**{"memory_mb": TABLE_MB} | settings)
    return Divercite.search(alphabeta_options(parameters, Divercite, lines=1), evaluation)


def alphabeta(repeats: int) -> None:
    """Nodes are positions entered by a move, for all."""
    both = positions()
    plain, full, alike = search("score", **PLAIN), search("score"), search("report", **PLAIN)
    v3_here = searcher(f"divercite-v3:depth={DEPTH}", game="divercite")
    check_agreement(both, plain, full)

    def ours(search: Search) -> Callable[[], int]:
        return lambda: sum(search.run(state, depth=DEPTH).nodes for state, _ in both)

    def v3_on_the_core() -> int:
        return sum(nodes_of(v3_here.analyze(state)) for state, _ in both)

    def dictionaries() -> int:
        return sum(python_divercite.minimax(state, PYTHON_DEPTH)[1] for _, state in both)

    def framework() -> int:
        nodes = 0
        for _, state in both:
            v3 = V3(state.mover)
            v3.value(FrameworkState.of(state), PYTHON_DEPTH)
            nodes += v3.nodes
        return nodes

    searches = {
        "joute, alpha-beta alone, V3's heuristic": ours(alike),
        "Python, the paper's V3 on framework states": framework,
        "joute, V3 with its table and its order": v3_on_the_core,
        "joute, alpha-beta alone, by points": ours(plain),
        "joute, alpha-beta as the agent has it": ours(full),
        "Python, alpha-beta by points, bare dictionaries": dictionaries,
    }
    measured = rates(repeats, searches, before=full.forget, clock=time.process_time)
    title = f"Alpha-beta, one random position each of plies {', '.join(map(str, PLIES))}"
    show(title, "nodes", measured, goal=1500)
    _, v3, v3_core, alone, agent, bare = measured.values()
    print(f"  V3 on the core: {v3_core / v3:,.0f}× the paper's V3")
    print(f"  by points: {alone / v3:,.0f}× the paper's V3, {alone / bare:,.0f}× bare dictionaries")
    print(f"  as the agent has it: {agent / v3:,.0f}× the paper's V3, {agent / bare:,.0f}× bare dictionaries")


def check_agreement(both: list[tuple[joute.State, python_divercite.State]], *searches: Search) -> None:
    """All search the same game: the same values, and states and heuristics that agree after every move."""
    for state, theirs in both:
        value, _ = python_divercite.minimax(theirs, PYTHON_DEPTH)
        assert all(search.run(state, depth=PYTHON_DEPTH).value == value for search in searches)
        shaped = FrameworkState.of(theirs)
        for move in theirs.moves():
            after, shaped_after = theirs.play(move), shaped.apply_action(Action(*move))
            assert (shaped_after.scores, shaped_after.players_pieces_left) == (after.scores, after.hands)
            values = heuristic(shaped_after, "W"), python_divercite.paper_heuristic(after, "W")
            assert math.isclose(*values, abs_tol=1e-9), values


def playouts(repeats: int) -> None:
    """The same games by all: random, to the end, counted without a tie-break."""
    players = {"joute.playouts(state, n)": (joute_games("divercite:rules=official"), 100_000)}
    if naive := naive_games("naive_divercite.cpp"):
        players["naive C++, arrays and full move lists"] = naive, 10_000
    players["the same in Python, dictionaries"] = python_games, 100
    compare_games("Random games of Divercité", repeats, players)


def python_games(games: int, seed: int) -> Counts:
    rng = random.Random(seed)
    first_wins = draws = 0
    for _ in range(games):
        state = python_divercite.State.new()
        while not state.is_done():
            state = state.play(rng.choice(state.moves()))
        # Its scores include the tie-break.
        cities = [(city, piece) for city, piece in state.env.items() if piece[1] == "C"]
        points = [python_divercite.city_points(state.env, city) for city, _ in cities]
        margin = sum(p if piece[2] == "W" else -p for p, (_, piece) in zip(points, cities, strict=True))
        first_wins += margin > 0
        draws += margin == 0
    return python_divercite.PLIES * games, first_wins, draws
