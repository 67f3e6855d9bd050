"""Additions of self-play and the window for the learner: surprise, ends of games, solved outcomes, staggered games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from network_batches import Searches, pool_of, window_of
from network_evaluators import knows_nothing
from typed import network_game, new_for_network

from joute import agent, new
from joute.errors import JouteError


def as_any(game: Any) -> Any:
    """The game without the type that the other tests of windows rely on."""
    return game


def sampled(window: Any, name: str, width: int, batch: int, seed: int = 1) -> dict[str, Any]:
    state: Any = new_for_network(name)
    kind: Any = type(state)
    _, rows, columns = state.frame()[0]
    arrays: dict[str, Any] = {
        "planes": np.zeros((batch, len(state.encode())), np.uint8),
        "legal": np.zeros((batch, width), np.int16),
        "policy": np.zeros((batch, width), np.float32),
        "wdl": np.zeros((batch, 3), np.float32),
        "margin": np.zeros(batch, np.float32),
        "ending": np.zeros((batch, kind.ending_planes * rows * columns), np.int8),
    }
    window.sample(batch, seed, *arrays.values())
    return arrays


def ending_of(name: str, end: Any, mover: int) -> list[int]:
    """The planes that describe the end of a game, by the properties of its Python class."""
    if name == "avalam":
        sign = 1 if mover == 0 else -1
        return [sign * int(np.sign(tower)) for row in end.towers for tower in row]
    if name == "divercite":
        cells = [[0] * 5 for _ in range(5)]
        for city in end.cities:
            u, v = (city.row + city.column - 5) // 2, (city.column - city.row + 3) // 2
            cells[u][v] = city.points if city.owner == mover else -city.points
        return [points for row in cells for points in row]
    planes = []
    for player in (mover, 1 - mover):
        steps = [[distance_from(end, player, row, column) for column in range(9)] for row in range(9)]
        planes += [step for row in (steps if mover == 0 else steps[::-1]) for step in row]
    return planes


def distance_from(end: Any, player: int, row: int, column: int) -> int:
    """The steps of a pawn from a cell to a goal, found by putting the pawn there; 0 without a path."""
    horizontal, vertical, _, hands, ply = end.position.split("/")
    if row == (8 if player == 0 else 0):
        return 0
    own, other = f"{'abcdefghi'[column]}{row + 1}", "i9" if player == 0 else "a1"  # where the game goes on
    pawns = own + other if player == 0 else other + own
    try:
        return int(new("quoridor", "/".join((horizontal, vertical, pawns, hands, ply))).distance(player))  # type: ignore[attr-defined]
    except JouteError:
        return 0


@pytest.mark.parametrize("name", ["avalam", "divercite", "quoridor"])
def test_samples_describe_how_the_game_of_their_position_ended(name: str) -> None:
    pool = pool_of(name, games=2, simulations=2)
    records = pool.play(1)
    (game, *_) = pool.read(records)
    first = records[: 4 + int.from_bytes(records[:4], "little")]
    window = as_any(network_game(name)).replay_window(1000, endings=True)
    window.add(first)
    wanted = {tuple(ending_of(name, game.end.transformed(g), mover)) for mover in (0, 1) for g in range(2)}
    if name == "divercite":  # the board has eight symmetries, and colours do not matter
        wanted = {tuple(ending_of(name, game.end.transformed(g), mover)) for mover in (0, 1) for g in range(8)}
    seen = {tuple(row) for row in sampled(window, name, pool.pool.width, 300)["ending"].tolist()}
    assert seen == wanted
    with pytest.raises(ValueError, match="keeps no ends"):
        sampled(window_of(name, first), name, pool.pool.width, 1)


def test_games_without_such_planes_say_so() -> None:
    game = as_any(network_game("connect4"))
    assert game.ending_planes == 0
    with pytest.raises(JouteError, match="does not describe"):
        game.replay_window(1000, endings=True)


def test_positions_whose_search_surprised_the_network_are_drawn_more_often() -> None:
    pool = pool_of("noughts", games=8, simulations=40)
    records = pool.play(400)
    game = as_any(network_game("noughts"))
    plain, weighed = (game.replay_window(10_000, surprise_share=share) for share in (0.0, 0.8))
    assert plain.add(records) == weighed.add(records) == len(plain)
    assert len(weighed) == pytest.approx(len(plain), rel=0.05)
    assert len(weighed) != len(plain)

    def mean_surprise(window: Any) -> float:
        """The divergence of the targets from the even policy, which the network's is near to."""
        arrays: dict[str, Any] = {
            "planes": np.zeros((4000, len(new_for_network("noughts").encode())), np.uint8),
            "legal": np.zeros((4000, 9), np.int16), "policy": np.zeros((4000, 9), np.float32),
            "wdl": np.zeros((4000, 3), np.float32), "margin": np.zeros(4000, np.float32),
        }  # fmt: skip
        window.sample(4000, 1, *arrays.values())
        policy, moves = arrays["policy"], (arrays["legal"] >= 0).sum(1, keepdims=True)
        return float((policy * np.log(np.maximum(policy * moves, 1e-9))).sum(1).mean())

    assert mean_surprise(weighed) > 1.1 * mean_surprise(plain)


@pytest.mark.parametrize(("name", "late"), [("avalam", 30), ("divercite", 34)])
def test_late_outcomes_are_those_of_the_exact_solver(name: str, late: int) -> None:
    pool = pool_of(name, games=2, simulations=2, exact_from=late)
    solver: Any = agent(f"{name}-solver:memory_mb=16", game=name)
    known = 0
    for game in pool.read(pool.play(2)):
        for ply in game.plies:
            assert ply.state.ply >= late or ply.exact is None
            if ply.exact is None:
                continue
            known += 1
            value = solver.analyze(ply.state, lines=1).value
            assert ply.exact == int(np.sign(value)) * (1 if ply.state.to_move == 0 else -1)
    assert known >= 6


def test_the_first_games_of_the_slots_begin_with_moves_of_the_policy_and_later_ones_do_not() -> None:
    pool = pool_of("connect4", games=64, simulations=4, stagger=20)
    led: list[int] = []
    for game in pool.read(pool.play(300)):
        targets = [ply.target is not None for ply in game.plies]
        assert targets == sorted(targets)  # no target until the search begins
        led.append(targets.count(False))
    assert sum(map(bool, led)) <= 64
    assert len({plies for plies in led if plies}) > 8  # some games end before the search begins
    assert not any(led[-100:])


def test_a_repetition_is_disliked_by_the_search_while_there_is_a_penalty() -> None:
    state = new("quoridor")
    for move in ("e2", "e8", "e1"):
        state = state.play(move)

    def values(penalty: float) -> Counter[str]:
        (result,) = Searches(
            [state], knows_nothing, simulations=140, considered=140, repetition_penalty=penalty
        ).results
        return Counter({str(found.move): found.value for found in result.moves if found.visits})

    assert values(0.0)["e9"] == 0.5
    assert values(0.3)["e9"] == pytest.approx(0.35)
    assert {value for move, value in values(0.3).items() if move != "e9"} == {0.5}
