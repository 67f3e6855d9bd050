"""A search that another thread stops, an agent that is stopped, and clocks that count."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest
from plain_options import alphabeta_options, mcts_options, nested_options, nrpa_options

from joute import Clock, agent, new
from joute._core import StopFlag
from joute.agents import SearchInfo

TIMEOUT_S = 60.0  # against hanging
GAMES = ["connect4", "tictactoe"]  # the second is written in Python
SEARCHES: list[Any] = [
    alphabeta_options(table="off"),
    alphabeta_options(deepening=False, table="off"),
    mcts_options(solver="off"),
    mcts_options(solver="off", threads=2),
    nrpa_options(level=5, iterations=1000),
    nested_options(level=2),
]
AGENTS = ["alphabeta:table=off", "mcts:solver=off", "nested", "nrpa:level=5,iterations=1000"]


def searches_of(game: str) -> list[Any]:
    """Those that go on for ever, or as good as: tic-tac-toe is too small for alpha-beta."""
    if game == "connect4":
        return SEARCHES
    return [options for options in SEARCHES[2:] if getattr(options, "threads", 1) == 1]


CASES = [(game, options) for game in GAMES for options in searches_of(game)]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_another_thread_ends_a_search_which_has_a_move_to_play(name: str, options: Any) -> None:
    state = new(name)
    search = type(state).search(options, None)
    stop = StopFlag()
    stopper = threading.Timer(0.05, stop.set)  # for a game in Python, it must get the interpreter's lock first
    stopper.start()
    result = search.run(state, stop=stop)
    stopper.join(TIMEOUT_S)
    assert stop.is_set
    assert result.moves[0].move in state.legal_moves


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_search_that_is_stopped_before_it_begins_has_a_move_to_play(name: str, options: Any) -> None:
    state = new(name)
    stop = StopFlag()
    stop.set()
    search = type(state).search(options, None)
    result = search.run(state, stop=stop)
    assert result.moves[0].move in state.legal_moves
    stop.clear()
    assert not stop.is_set
    if getattr(options, "threads", 1) == 1:  # others may get far before the first has looked at the flag
        assert result.nodes < 10_000
        assert search.run(state, stop=stop, nodes=20_000, depth=6).nodes > result.nodes


@pytest.mark.parametrize(
    ("name", "spec"), [*(("connect4", spec) for spec in AGENTS), *(("tictactoe", spec) for spec in AGENTS[1:])]
)
def test_an_agent_stops_when_told_and_tells_what_it_saw(name: str, spec: str) -> None:
    state = new(name)
    player: Any = agent(spec, game=name)
    told: list[SearchInfo] = []

    def on_info(info: SearchInfo) -> None:
        told.append(info)
        threading.Thread(target=player.stop).start()  # while it thinks, from elsewhere

    player.on_info = on_info
    assert player.choose(state, Clock(nodes=2**62)) in state.legal_moves
    assert told
    assert all(info.pv[0] in state.legal_moves for info in told)
    told.clear()
    player.on_info = None
    player.choose(state, Clock(nodes=100))
    assert not told


def test_stop_concerns_no_later_choice() -> None:
    player: Any = agent("mcts", game="connect4")
    player.stop()
    player.choose(new("connect4"), Clock(iterations=500))
    assert player.info.nodes > 500


@pytest.mark.parametrize(
    ("spec", "clock", "unit", "most"),
    [
        ("alphabeta", Clock(nodes=700), "nodes", 700),
        ("alphabeta:nodes=300", Clock(nodes=700), "nodes", 300),
        ("alphabeta", Clock(depth=3), "depth", 3),
        ("alphabeta:depth=5", Clock(depth=3), "depth", 3),
        ("alphabeta:depth=2", Clock(depth=3), "depth", 2),
        ("alphabeta:depth=2", Clock(depth=2**62), "depth", 2),
        ("alphabeta:depth=2", Clock(iterations=1), "depth", 2),
        ("nrpa", Clock(nodes=700), "nodes", 700),
        ("nested", Clock(nodes=20_000), "nodes", 20_000),
    ],
)
def test_the_smaller_of_the_limits_of_clock_and_spec_holds(spec: str, clock: Clock, unit: str, most: int) -> None:
    player: Any = agent(spec, game="connect4")
    player.choose(new("connect4"), clock)
    assert getattr(player.info, unit) == most


@pytest.mark.parametrize("spec", ["mcts", "nested:level=1", "nrpa"])
def test_iterations_of_the_clock_are_simulations(spec: str) -> None:
    def nodes(spec: str, clock: Clock) -> int:
        player: Any = agent(spec, game="connect4")
        player.choose(new("connect4"), clock)
        found: int = player.info.nodes
        return found

    few, many = nodes(spec, Clock(iterations=100)), nodes(spec, Clock(iterations=200))
    assert 100 <= few < many
    assert nodes(spec, Clock(iterations=100, depth=1)) == few  # which they do not have
    assert math.isclose(many, 2 * few, rel_tol=0.5)


def test_a_clock_makes_less_of_a_spec_never_more() -> None:
    def choose(spec: str, clock: Clock) -> SearchInfo:
        player: Any = agent(spec, game="connect4")
        player.choose(new("connect4"), clock)
        info: SearchInfo = player.info
        return info

    assert choose("mcts:iterations=50", Clock(iterations=80)) == choose("mcts:iterations=50", Clock())
    assert choose("mcts:iterations=80", Clock(iterations=50)) == choose("mcts:iterations=50", Clock())
