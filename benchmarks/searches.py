"""The searches on Connect Four: beside OpenSpiel's, beside plain Python, on two threads, and each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pyspiel
from open_spiel.python.algorithms import minimax

import joute
from benchmarks.measure import rates, show
from benchmarks.paper_mcts import PaperGame, SlicedGame
from benchmarks.paper_mcts import search as paper_search
from joute._core import Search
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_options
from joute.agents.mcts import MctsParameters, mcts_options
from joute.agents.nrpa import NrpaParameters, nrpa_options
from joute.games.connect4.state import Connect4

START = ""
# Positions and depths that take alpha-beta some tenths of a second; the second is a draw, the third a win.
DEPTHS = {START: 16, "43754443355466": 22, "44444156666123": 22}
# A new table has to be touched before it is of use, which takes long if it is large and the search is short.
TABLE_MB = 16
# For plain alpha-beta: ours and that in Python, in about as much time.
PLAIN_DEPTH, OPENSPIEL_DEPTH = 12, 6

# Our rewards lie in [0, 1], so c = 1 is what 2 is to OpenSpiel's in [-1, 1].
PLAIN_UCT: dict[str, Any] = {
    "c": 1.0,
    "solver": "off",
    "decisive": False,
    "reuse": False,
    "playout": "uniform",
    "tactics": "none",
}
RAVE: dict[str, Any] = {"amaf": True, "untried_first": False, "bias": 0.01, "c": 0.4}
MCTS_VARIANTS: dict[str, dict[str, Any]] = {
    "uct": {},
    "ucb1-tuned": {"bonus": "ucb1-tuned"},
    "puct, uniform priors": {"bonus": "puct"},
    "puct, priors by evaluation": {"bonus": "puct", "priors": "eval"},
    "rave": RAVE,
    "grave": {**RAVE, "ref": 50.0},
    "mast": {"playout": "mast"},
    "lgrf": {"playout": "lgrf"},
    "tactics win": {"tactics": "win"},
    "tactics block": {"tactics": "block"},
    "tactics fork": {"tactics": "fork"},
    "solver choose, decisive": {"solver": "choose", "decisive": True},
    "solver prune, decisive": {"solver": "prune", "decisive": True},
}
NRPA_SETTINGS: dict[str, dict[str, Any]] = {
    "the paper's level 1: 10 playouts": {"level": 1, "iterations": 10, "alpha": 0.5},
    "the paper's level 2: 20² playouts": {"level": 2, "iterations": 20, "alpha": 0.5},
    "Rosin's level 2: 100² playouts": {"level": 2, "iterations": 100, "alpha": 1.0},
    "the same, corrected for two players": {"level": 2, "iterations": 100, "alpha": 1.0, "corrected": True},
}

Work = Callable[[], int]


def run(repeats: int) -> None:
    mcts_beside_openspiel(repeats)
    mcts_beside_python(repeats)
    mcts_variants(repeats)
    alphabeta_speed(repeats)
    alphabeta_beside_openspiel(repeats)
    two_threads(repeats)
    nrpa_speed(repeats)


def mcts_beside_openspiel(repeats: int) -> None:
    for simulations, solve, goal in ((1000, False, 12), (20_000, False, 12), (1000, True, None)):
        searches = 20_000 // simulations
        solver = "prune" if solve else "off"
        show(
            f"MCTS from the start of Connect Four, {simulations:,} simulations a move, solver {solver}",
            "simulations",
            rates(
                repeats,
                {
                    "joute, UCT": mcts_work(simulations, 10 * searches, solver=solver),
                    "OpenSpiel's MCTSBot (C++)": openspiel_mcts_work(simulations, searches, solve=solve),
                },
            ),
            goal=goal,
            with_ratio=True,
        )


def mcts_work(simulations: int, searches: int, **settings: Any) -> Work:
    """Searches from the start, each as if it were the first."""
    start = joute.new("connect4", START)
    search = mcts_search(**settings)

    def work() -> int:
        for _ in range(searches):
            search.forget()
            result = search.run(start, iterations=simulations)
            assert result.iterations == simulations, result.iterations
        return simulations * searches

    return work


def mcts_search(**settings: Any) -> Search:
    return Connect4.search(mcts_options(MctsParameters(**PLAIN_UCT | settings), Connect4, seed=1), "threats")


def openspiel_mcts_work(simulations: int, searches: int, *, solve: bool) -> Work:
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(
        game, evaluator, uct_c=2, max_simulations=simulations, max_memory_mb=1000, solve=solve, seed=1, verbose=False
    )
    assert bot.mcts_search(state).explore_count == simulations

    def work() -> int:
        for _ in range(searches):
            bot.step(state)  # makes a tree of its own each time
        return simulations * searches

    return work


def mcts_beside_python(repeats: int, iterations: int = 300) -> None:
    def python_work(game: type[PaperGame]) -> Work:
        return lambda: paper_search(game(), iterations).visits

    measured = rates(
        repeats,
        {
            "joute, UCT": mcts_work(1000, 100),
            "Python, lines cell by cell": python_work(PaperGame),
            "Python, lines by NumPy slices": python_work(SlicedGame),
        },
    )
    ours, like_the_paper, vectorised = measured.items()
    show("MCTS beside the paper's style in Python", "simulations", dict([ours, like_the_paper]), goal=3000)
    ratio = ours[1] / vectorised[1]
    show("The same with its rules vectorised, for comparison", "simulations", dict([vectorised]))
    print(f"  ratio {ratio:.0f}×")


def mcts_variants(repeats: int) -> None:
    works = {name: mcts_work(1000, 30, **settings) for name, settings in MCTS_VARIANTS.items()}
    show("Variants of MCTS, 1000 simulations a move from the start", "simulations", rates(repeats, works))


def alphabeta_speed(repeats: int) -> None:
    searches = {name: alphabeta_search(name, memory_mb=TABLE_MB) for name in ("centre", "threats")}
    works = {
        f"{name}, {'after ' + position if position else 'from the start'}, depth {depth}": _to_depth(
            search, position, depth
        )
        for position, depth in DEPTHS.items()
        for name, search in searches.items()
    }
    title = "Alpha-beta as the agent has it, by evaluation, with an empty table each time"
    show(title, "nodes", rates(repeats, works, before=lambda: _forget(searches.values())))


def alphabeta_search(evaluation: str | None, **settings: Any) -> Search:
    """As the agent has it, but for the settings given."""
    options = alphabeta_options(AlphaBetaParameters(**settings), Connect4, lines=1)
    return Connect4.search(options, evaluation)


def _to_depth(search: Search, position: str, depth: int) -> Work:
    state = joute.new("connect4", position)
    return lambda: search.run(state, depth=depth).nodes


def _forget(searches: Iterable[Search]) -> None:
    for search in searches:
        search.forget()


def alphabeta_beside_openspiel(repeats: int) -> None:
    """Both plain: moves from left to right, nothing remembered, 0 where no game has ended."""
    switches = ("pvs", "killers", "history", "deepening")
    plain = alphabeta_search(None, table="off", **dict.fromkeys(switches, False))
    show(
        f"Plain alpha-beta, no evaluation; joute to depth {PLAIN_DEPTH}, OpenSpiel to depth {OPENSPIEL_DEPTH}",
        "nodes",
        rates(
            repeats,
            {
                "joute, every switch off": _to_depth(plain, START, PLAIN_DEPTH),
                "OpenSpiel's alpha_beta_search (Python)": openspiel_alphabeta_work(OPENSPIEL_DEPTH),
            },
        ),
        with_ratio=True,
    )


def openspiel_alphabeta_work(depth: int) -> Work:
    game = pyspiel.load_game("connect_four")

    def work() -> None:
        minimax.alpha_beta_search(game, value_function=lambda state: 0.0, maximum_depth=depth)

    # It does not count its nodes: they are counted once, and are the same every time.
    with mock.patch.object(minimax, "_alpha_beta", wraps=minimax._alpha_beta) as visit:
        work()
    nodes = visit.call_count - 1  # the root is entered by no move

    def counted() -> int:
        work()
        return nodes

    return counted


def two_threads(repeats: int, nodes: int = 10_000_000, simulations: int = 1_000_000) -> None:
    """One search on two threads; beside it two searches at once, which share nothing, as the most that is possible."""
    start = joute.new("connect4", START)
    searches = [alphabeta_search("centre", memory_mb=64, threads=threads) for threads in (2, 1, 1)]

    def to_nodes(search: Search) -> Work:
        return lambda: search.run(start, nodes=nodes).nodes

    both, *alone = map(to_nodes, searches)
    works = _on_two_threads(both, alone)
    measured = rates(repeats, works, before=lambda: _forget(searches))
    _show_threads(f"Alpha-beta on two threads, {nodes:,} nodes from the start", "nodes", measured)

    both, *alone = [mcts_work(simulations, 1, threads=threads) for threads in (2, 1, 1)]
    measured = rates(repeats, _on_two_threads(both, alone))
    _show_threads(f"MCTS on two threads, {simulations:,} simulations from the start", "simulations", measured)


def _on_two_threads(both: Work, alone: Sequence[Work]) -> dict[str, Work]:
    def at_once() -> int:
        with ThreadPoolExecutor(len(alone)) as pool:  # searches let other threads run
            return sum(done.result() for done in [pool.submit(work) for work in alone])

    return {"2 threads": both, "1 thread": alone[0], "2 searches at once": at_once}


def _show_threads(title: str, unit: str, measured: dict[str, float]) -> None:
    show(title, unit, measured, goal=1.7)
    most = measured["2 searches at once"] / measured["1 thread"]
    print(f"  this machine now gives two searches {most:.2f}× the speed of one" + " (it is busy)" * (most < 1.8))


def nrpa_speed(repeats: int) -> None:
    start = joute.new("connect4", START)
    print(f"\nNRPA from the start, weights by state, median of {repeats}")
    for name, settings in NRPA_SETTINGS.items():
        search = Connect4.search(nrpa_options(NrpaParameters(**{"corrected": False} | settings, key="state"), seed=1))
        playouts = settings["iterations"] ** settings["level"]
        moves = max(1, 20_000 // playouts)

        def work(search: Search = search, playouts: int = playouts, moves: int = moves) -> int:
            for _ in range(moves):
                assert search.run(start).iterations == playouts
            return playouts * moves

        rate = rates(repeats, {name: work})[name]
        print(f"  {name:<44} {rate / 1000:>7.0f} k playouts/s {1000 * playouts / rate:>9.3f} ms a move")
