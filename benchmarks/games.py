"""Connect Four: random games and perft, against OpenSpiel driven from Python."""

from __future__ import annotations

import random
import time

import pyspiel

import joute
from benchmarks.measure import rates, show


def run(repeats: int) -> None:
    start = joute.new("connect4")
    game = pyspiel.load_game("connect_four")

    def joute_batch() -> int:
        return joute.playouts(start, 400_000, seed=1).games

    def openspiel_games(count: int = 4000) -> tuple[int, int]:
        rng, moves = random.Random(1), 0
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
        return count, moves

    def joute_loop(count: int = 8000) -> tuple[int, int]:
        rng, moves = random.Random(1), 0
        for _ in range(count):
            state = start
            while not state.is_terminal:
                state = state.play(rng.choice(state.legal_moves))
                moves += 1
        return count, moves

    show(
        "Random games of Connect Four, one batch call against OpenSpiel's Python loop",
        "games",
        rates(
            repeats,
            {
                "joute.playouts(state, n)": joute_batch,
                "OpenSpiel, move by move": lambda: openspiel_games()[0],
            },
        ),
        goal=50,
    )
    show(
        "The same move-by-move loop in Python for both",
        "moves",
        rates(
            repeats,
            {
                "joute: state.play(choice(legal_moves))": lambda: joute_loop()[1],
                "OpenSpiel: apply_action(choice(…))": lambda: openspiel_games()[1],
            },
        ),
        goal=1.5,
    )
    run_perft(start, 9, repeats)


def run_perft(start: joute.State, depth: int, repeats: int) -> None:
    """A node is a position entered by play(); bulk counting does not enter the last ones."""
    lines = [start.perft(d) for d in range(1, depth + 1)]
    nodes = {"with bulk counting": sum(lines[:-1]), "every move played": sum(lines)}
    calls = rates(
        repeats,
        {
            "with bulk counting": lambda: bool(start.perft(depth)),
            "every move played": lambda: bool(start.perft(depth, bulk=False)),
        },
        clock=time.process_time,
    )
    title = f"perft({depth}), {start.title}"
    show(f"{title}: nodes", "nodes", {name: rate * nodes[name] for name, rate in calls.items()})
    show(f"{title}: leaves", "leaves", {name: rate * lines[-1] for name, rate in calls.items()})
