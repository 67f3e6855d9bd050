"""Quoridor beside OpenSpiel: random games, tree search, lists of moves; and the speed of perft and alpha-beta."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pyspiel

import joute
from benchmarks.games import run_perft
from benchmarks.measure import rates, show
from benchmarks.searches import PLAIN_UCT
from benchmarks.searching import nodes_of, searcher
from joute._core import Random, Search
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_options
from joute.agents.clock import Clock
from joute.agents.mcts import MctsParameters, mcts_options
from joute.games.quoridor.state import Quoridor

BAR = 20  # how much faster than OpenSpiel random games and simulations should be

# Positions for alpha-beta, and depths that take it some tenths of a second: the start, a fight for the middle with
# half of the walls placed, and two pawns that run past each other with none left.
POSITIONS = {
    "opening": ("//e1e9/10-10/0", 5),
    "middle": ("c3g3e4a4d6f6/d4b5e6h2/e4d7/5-5/24", 5),
    "race": ("c2e2a4c4g4b6d6f6b8f8/a2g2d4f4h5b5d7h7a7e8/e1e9/0-0/40", 20),
}
TABLE_MB = 16
SIMULATIONS = 1000
ENGINE_NODES = 300_000

Work = Callable[[], int]


def run(repeats: int) -> None:
    random_games(repeats)
    tree_search(repeats)
    lists_of_moves(repeats)
    run_perft(joute.new("quoridor"), 3, repeats)
    alphabeta(repeats)
    engine(repeats)


def random_games(repeats: int) -> None:
    """OpenSpiel draws a game after 324 plies, and ours after 300, so plies are compared as well."""
    start, game = joute.new("quoridor"), pyspiel.load_game("quoridor")

    def ours(games: int = 10_000) -> tuple[int, int]:
        played = start.playouts(games, seed=1)
        return games, played.plies

    def theirs(games: int = 200) -> tuple[int, int]:
        rng, plies = random.Random(1), 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                plies += 1
        return games, plies

    in_python = "OpenSpiel, move by move from Python"
    for at, unit in enumerate(("games", "plies")):
        works = {"joute.playouts(state, n)": _item(ours, at), in_python: _item(theirs, at)}
        if unit == "games":
            works["OpenSpiel's RandomRolloutEvaluator (C++)"] = openspiel_uct(2, rollouts=250)
        measured = rates(repeats, works, clock=time.process_time)
        show(f"Random games of Quoridor, {unit}", unit, measured, goal=BAR)
        for name, rate in list(measured.items())[2:]:
            print(f"  {measured['joute.playouts(state, n)'] / rate:.1f}× {name}")


def _item(counts: Callable[[], tuple[int, int]], at: int) -> Work:
    return lambda: counts()[at]


def tree_search(repeats: int) -> None:
    """One random game a simulation, which is what most of its time goes to."""
    for simulations in (SIMULATIONS, 10 * SIMULATIONS):
        works = {"joute, UCT": joute_uct(simulations), "OpenSpiel's MCTSBot (C++)": openspiel_uct(simulations)}
        title = f"MCTS from the start of Quoridor, {simulations:,} simulations a move"
        show(title, "simulations", rates(repeats, works, clock=time.process_time), goal=BAR)


def joute_uct(simulations: int) -> Work:
    start = joute.new("quoridor")
    search = Quoridor.search(mcts_options(MctsParameters(**PLAIN_UCT), Quoridor, seed=1))

    def work() -> int:
        searches = max(1, 20_000 // simulations)
        for _ in range(searches):
            search.forget()
            assert search.run(start, iterations=simulations).iterations == simulations
        return simulations * searches

    return work


def openspiel_uct(simulations: int, rollouts: int = 1) -> Work:
    """With many rollouts a simulation, it does little else."""
    game = pyspiel.load_game("quoridor")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=rollouts, seed=1)
    bot = pyspiel.MCTSBot(
        game, evaluator, uct_c=2, max_simulations=simulations, max_memory_mb=1000, solve=False, seed=1, verbose=False
    )

    def work() -> int:
        bot.step(state)
        return simulations * rollouts

    return work


def lists_of_moves(repeats: int) -> None:
    """The same positions of random games, as objects of Python; making its lists is most of our time."""
    ours, theirs, game = [], [], pyspiel.load_game("quoridor")
    for seed in range(20):
        rng, state, their_state = Random(seed), joute.new("quoridor"), game.new_initial_state()
        while state.ply < 20:
            ours.append(state)
            theirs.append(their_state.clone())
            move = state.random_move(rng)
            actions = {their_state.action_to_string(state.to_move, a): a for a in their_state.legal_actions()}
            their_state.apply_action(actions[_as_theirs(str(move))])
            state = state.play(move)
    assert all(len(a.legal_moves) == len(b.legal_actions()) for a, b in zip(ours, theirs, strict=True))

    def list_with(listing: Callable[[Any], object], states: list[Any], times: int) -> Work:
        def work() -> int:
            for _ in range(times):
                for state in states:
                    listing(state)
            return times * len(states)

        return work

    works = {
        "joute, state.legal_moves": list_with(lambda state: state.legal_moves, ours, 20),
        "OpenSpiel, state.legal_actions()": list_with(lambda state: state.legal_actions(), theirs, 5),
        "joute, counted in the core": list_with(lambda state: state.perft(1), ours, 20),
    }
    title = "All moves of the first 20 positions of random games"
    show(title, "positions", rates(repeats, works, clock=time.process_time), with_ratio=True)


def _as_theirs(move: str) -> str:
    return f"{move[0]}{10 - int(move[1])}" if len(move) == 2 else f"{move[0]}{9 - int(move[1])}{move[2]}"


def alphabeta(repeats: int) -> None:
    """As the agent has it, by the difference of steps to go, with an empty table each time.

    A race has so few positions that the table soon knows them all; it is searched without one.
    """
    searches = {name: alphabeta_search(table="off" if name == "race" else "full") for name in POSITIONS}
    works = {
        f"{name}, depth {depth}": _to_depth(searches[name], position, depth)
        for name, (position, depth) in POSITIONS.items()
    }

    def forget() -> None:
        for search in searches.values():
            search.forget()

    measured = rates(repeats, works, before=forget, clock=time.process_time)
    show("Alpha-beta on Quoridor, one thread", "nodes", measured)
    slowest = min(measured.values())
    print(f"  slowest {slowest / 1e6:.2f} M nodes/s (goal 1 M: {'reached' if slowest >= 1e6 else 'MISSED'})")


def engine(repeats: int) -> None:
    """The engine, by its network; a race it does not search at all."""

    def think(position: str) -> int:
        player = searcher(f"quoridor:book=no,nodes={ENGINE_NODES}", game="quoridor")
        player.choose(joute.new("quoridor", position), Clock())
        return nodes_of(player.info)

    works = {
        name: lambda position=position: think(position) for name, (position, _) in POSITIONS.items() if name != "race"
    }
    show("The Quoridor engine, one thread", "nodes", rates(repeats, works, clock=time.process_time))


def alphabeta_search(**settings: Any) -> Search:
    parameters = AlphaBetaParameters(**{"memory_mb": TABLE_MB} | settings)
    return Quoridor.search(alphabeta_options(parameters, Quoridor, lines=1), "steps")


def _to_depth(search: Search, position: str, depth: int) -> Work:
    state = joute.new("quoridor", position)
    return lambda: search.run(state, depth=depth).nodes
