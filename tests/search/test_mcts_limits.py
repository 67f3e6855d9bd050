"""Monte-Carlo tree search: limits of memory, time, stack and threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from textwrap import dedent
from typing import Any

import plain_options
import pytest
from corridor import Corridor
from plain_options import alphabeta_options, mcts_options, nested_options, nrpa_options

from joute import State, new
from joute._core import (
    Search,
    SearchResult,
)
from joute.games import NativeState, find_game


def search(state: State, evaluation: Any = None, **options: Any) -> Search:
    return type(state).search(mcts_options(**options), evaluation)


# --- Memory ---


def in_a_process_of_its_own(code: str) -> str:
    support = os.path.dirname(plain_options.__file__)
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": support},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


MEMORY = """
    import joute
    from plain_options import mcts_options

    def peak_mb():
        status = open("/proc/self/status").read()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    state = joute.new("connect4", "172757")
    type(state).search(mcts_options(memory_mb=1), "threats").run(state, iterations=100)
    before = peak_mb()
    search = type(state).search(mcts_options(memory_mb={memory_mb}, **{options}), "threats")
    result = search.run(state, iterations={iterations})
    chosen, full = result.moves[0].move, result.memory_full
    while {options}.get("reuse") and not state.is_terminal:
        state = state.play(search.run(state, iterations={iterations} // 20).moves[0].move)
    print(peak_mb() - before, full, chosen)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"amaf": True},
        {"amaf": True, "ref": 50.0},
        {"playout": "mast"},
        {"playout": "lgrf"},
        {"bonus": "puct", "implicit": 0.2},
        {"threads": 2},
        {"threads": 2, "amaf": True},
        {"threads": 16, "amaf": True},
        {"reuse": True},
        {"reuse": True, "amaf": True},
    ],
    ids=lambda options: ",".join(f"{key}={value}" for key, value in options.items()) or "plain",
)
def test_a_full_tree_keeps_to_its_memory_and_still_finds_the_move(options: dict[str, Any]) -> None:
    def grown(memory_mb: int) -> tuple[float, str, str]:
        iterations = memory_mb * (5_000 if "amaf" in options else 16_000)
        words = in_a_process_of_its_own(MEMORY.format(memory_mb=memory_mb, options=options, iterations=iterations))
        mb, full, chosen = words.split()
        return float(mb), full, chosen

    constant, full, chosen = grown(1)  # what does not depend on the size of the tree
    assert (full, chosen) == ("True", "7")
    assert constant < 24
    peak, full, chosen = grown(16)
    assert (full, chosen) == ("True", "7")
    assert peak < 1.05 * 16 + constant
    assert peak > 10  # it was used


@pytest.mark.parametrize("options", [{}, {"amaf": True}, {"playout": "mast"}, {"threads": 4}])
def test_a_tree_of_a_megabyte_is_a_tree(options: dict[str, Any], game: str) -> None:
    if not issubclass(find_game(game), NativeState):
        options = options | {"threads": 1}
    state = new(game)
    result = search(state, memory_mb=1, **options).run(state, iterations=2000)
    assert len(result.moves) == len(state.legal_moves)
    assert sum(found.visits for found in result.moves) == 2000


def run_on_a_small_stack(work: Callable[[], Any]) -> Any:
    results: list[Any] = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return results[0]


def test_a_deep_tree_needs_no_stack() -> None:
    # Every simulation goes one ply deeper than the last. Recursion would need more than 256 KiB.
    state = Corridor()
    options = {"playout_plies": 0, "solver": "choose"}
    result = run_on_a_small_stack(lambda: search(state, **options).run(state, iterations=2000))
    assert result.depth == Corridor.length
    assert (result.proven, result.value, result.iterations) == (True, 1.0, Corridor.length)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"amaf": True}, {"playout": "lgrf"}])
def test_ten_million_simulations_in_one_run(options: dict[str, Any]) -> None:
    state = new("connect4", "172757")
    searching = search(state, memory_mb=8, **options)
    result = run_on_a_small_stack(lambda: searching.run(state, iterations=10_000_000))
    assert (result.iterations, result.memory_full, str(result.moves[0].move)) == (10_000_000, True, "7")
    assert sum(found.visits for found in result.moves) == 10_000_000


# --- Limits ---


@pytest.mark.parametrize("decisive", [False, True])
def test_limits_are_kept(decisive: bool, game: str) -> None:
    state = new(game)
    searching = search(state, decisive=decisive)
    assert searching.run(state, iterations=123).iterations == 123
    seconds = searching.run(state, seconds=0.02)
    assert seconds.iterations > 0
    # At most one simulation more: a game, and a look at every move of the position that joins the tree.
    longest = {"dice": 400, "othello": 100, "quoridor": 300, "vampires": 1000}.get(game, 42)
    for nodes in (1, 100, 5000):
        result = searching.run(state, nodes=nodes)
        assert nodes <= result.nodes < nodes + longest + 2 * len(state.legal_moves)


def test_a_search_that_may_do_nothing_tries_one_move() -> None:
    state = new("connect4")
    for limits in ({"iterations": 0}, {"nodes": 0}, {"seconds": 0.0}):
        for threads in (1, 2):
            result = search(state, threads=threads).run(state, **limits)
            assert len(result.moves) == 7
            assert result.iterations >= 1


def test_threads_share_the_iterations() -> None:
    state = new("connect4")
    for iterations in (1, 7, 1000):
        result = search(state, threads=3).run(state, iterations=iterations)
        assert sum(found.visits for found in result.moves) == result.iterations == iterations


class StopSearchError(Exception):
    pass


def test_one_search_runs_in_one_thread_at_a_time() -> None:
    state = new("connect4")
    searching = search(state, memory_mb=4)
    runs, enough = threading.Event(), threading.Event()
    stopped: list[bool] = []

    def watch(result: SearchResult) -> None:
        runs.set()
        if enough.is_set():
            raise StopSearchError

    def work() -> None:
        try:
            searching.run(state, watch=watch)
        except StopSearchError:
            stopped.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert runs.wait(60)
    try:
        with pytest.raises(RuntimeError, match="this search is already running; one search is for one thread"):
            searching.run(state, iterations=1)
        with pytest.raises(RuntimeError, match="this search is running; let it finish first"):
            searching.forget()
    finally:
        enough.set()
        thread.join(60)
    assert stopped == [True]
    assert searching.run(state, iterations=10).iterations == 10


def test_what_watches_a_search_is_told_more_and_more() -> None:
    state = new("connect4")
    seen: list[int] = []

    def watch(result: SearchResult) -> None:
        assert result.moves
        seen.append(result.iterations)
        if len(seen) == 3:
            raise StopSearchError

    for threads in (1, 2):
        seen.clear()
        with pytest.raises(StopSearchError):
            search(state, memory_mb=4, threads=threads).run(state, watch=watch)
        assert all(a < b for a, b in pairwise(seen))


def test_ctrl_c_ends_every_search() -> None:
    output = in_a_process_of_its_own("""
        import joute, signal, threading
        from plain_options import alphabeta_options, mcts_options, nested_options, nrpa_options

        def python(state, player):
            return 0.0

        for game, options, evaluation in [
            ("connect4", mcts_options(memory_mb=8), None),
            ("connect4", mcts_options(memory_mb=8, threads=2), None),
            ("connect4", mcts_options(memory_mb=8, mix=0.5), python),
            ("connect4", alphabeta_options(memory_mb=1), None),
            ("connect4", alphabeta_options(memory_mb=1, threads=2), "centre"),
            ("connect4", nrpa_options(level=8, iterations=1000), None),
            ("connect4", nested_options(level=4), None),
            ("tictactoe", mcts_options(memory_mb=8), None),
            ("tictactoe", nested_options(level=4), None),
        ]:
            state = joute.new(game)
            search = type(state).search(options, evaluation)
            timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
            try:
                timer.start()
                search.run(state)
            except KeyboardInterrupt:
                print("stopped")
            timer.join()
            assert search.run(state, seconds=0.01).moves
    """)
    assert output.split() == ["stopped"] * 9


@pytest.mark.parametrize(
    "options", [alphabeta_options(), mcts_options(), nrpa_options(level=1, iterations=5), nested_options(level=1)]
)
def test_a_position_that_cannot_be_searched_is_refused(options: Any) -> None:
    connect4 = new("connect4")
    searching = type(connect4).search(options)
    for wrong, named in ((new("boxes"), "Boxes"), (new("tictactoe"), "TicTacToe"), ("44", "str"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"^this search is for connect4, not for {named}$"):
            searching.run(wrong, iterations=10)
    with pytest.raises(ValueError, match="no player is to move in this position"):
        searching.run(new("connect4", "1122334"), iterations=10)
    dice = new("dice")
    with pytest.raises(ValueError, match="no player is to move in this position"):
        type(dice).search(options).run(dice.play("roll"), iterations=10)
    with pytest.raises(TypeError, match="is not a position"):
        type(new("tictactoe")).search(options).run(3, iterations=10)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_exception_in_an_evaluation_comes_through_and_the_search_goes_on(threads: int) -> None:
    faults: list[Exception] = []

    def evaluation(state: State, player: int) -> float:
        if faults and state.ply > 2:
            raise faults[0]
        return 0.0

    state = new("connect4")
    searching = search(state, evaluation, mix=0.5, threads=threads)
    for fault in (ZeroDivisionError("first"), KeyError("second")):
        faults[:] = [fault]
        with pytest.raises(type(fault)):
            searching.run(state, iterations=5000)
        faults.clear()
        assert searching.run(state, iterations=100).iterations == 100
    with pytest.raises(TypeError, match="must return a finite number, not high"):
        search(state, lambda state, player: "high", implicit=0.5).run(state, iterations=10)
