"""Alpha-beta written in Python: heuristics that ask cell by cell, by whole-board accessors, and on OpenSpiel.

All contenders run the same loop to a fixed depth from the same positions. A node is a position entered by a move or
by an outcome of a random event.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pyspiel

import joute
from benchmarks.measure import rates, show
from benchmarks.python_heuristics import BY_CELL, openspiel_connect4, openspiel_quoridor
from joute.games.guide import find_guide

Heuristic = Callable[[Any, int], float]

# The depth of each game takes a search some tenths of a second.
DEPTHS = {"avalam": 2, "connect4": 5, "divercite": 2, "quoridor": 2, "vampires": 2}
POSITIONS, PLIES = 10, 8
WIN = 1e6

OPENSPIEL = {"connect4": ("connect_four", openspiel_connect4), "quoridor": ("quoridor", openspiel_quoridor)}


def run(repeats: int) -> None:
    for game, depth in DEPTHS.items():
        states = _positions(game)
        heuristic = find_guide(type(states[0])).heuristic
        for state in states:
            assert heuristic(state, 0) == BY_CELL[game](state, 0), f"the heuristics of {game} differ"
        contenders = {
            "whole-board accessors": _searching(_Joute, states, depth, heuristic),
            "a call for each cell": _searching(_Joute, states, depth, BY_CELL[game]),
            "the loop alone": _searching(_Joute, states, depth, _nothing),
        }
        if game in OPENSPIEL:
            name, theirs = OPENSPIEL[game]
            boards = _openspiel_positions(name)
            contenders |= {
                "OpenSpiel": _searching(_OpenSpiel, boards, depth, theirs),
                "OpenSpiel, the loop alone": _searching(_OpenSpiel, boards, depth, _nothing),
            }
        title = f"Alpha-beta in Python, depth {depth}, {states[0].title}"
        show(title, "nodes", rates(repeats, contenders, clock=time.process_time), with_ratio=True)


def _nothing(state: Any, player: int) -> float:
    return 0.0


class _Joute:
    """The loop's interface to positions of Joute."""

    @staticmethod
    def children(state: Any) -> Iterable[Any]:
        return map(state.play, state.legal_moves)

    @staticmethod
    def outcome(state: Any, player: int) -> float | None:
        return None if state.result is None else WIN * state.result.outcome_for(player)

    @staticmethod
    def mover(state: Any) -> int:
        mover: int = state.to_move
        return mover

    @staticmethod
    def events(state: Any) -> list[tuple[float, Any]]:
        if not state.is_chance:
            return []
        return [(chance, state.resolve(i)) for i, chance in enumerate(state.outcomes) if chance > 0]


class _OpenSpiel:
    """The loop's interface to positions of OpenSpiel."""

    @staticmethod
    def children(state: Any) -> Iterable[Any]:
        return map(state.child, state.legal_actions())

    @staticmethod
    def outcome(state: Any, player: int) -> float | None:
        return WIN * state.player_return(player) if state.is_terminal() else None

    @staticmethod
    def mover(state: Any) -> int:
        mover: int = state.current_player()
        return mover

    @staticmethod
    def events(state: Any) -> list[tuple[float, Any]]:
        return []


class _Search:
    def __init__(self, game: Any, heuristic: Heuristic, player: int) -> None:
        self.children, self.outcome, self.mover, self.events = game.children, game.outcome, game.mover, game.events
        self.heuristic, self.player, self.nodes = heuristic, player, -1  # the root is not entered

    def value(self, state: Any, depth: int, alpha: float, beta: float) -> float:
        self.nodes += 1
        outcome = self.outcome(state, self.player)
        if outcome is not None:
            return float(outcome)
        if events := self.events(state):
            values = (chance * self.value(after, depth, -math.inf, math.inf) for chance, after in events)
            return sum(values, start=0.0)
        if depth == 0:
            return self.heuristic(state, self.player)
        maximizes = self.mover(state) == self.player
        best = -math.inf if maximizes else math.inf
        for child in self.children(state):
            value = self.value(child, depth - 1, alpha, beta)
            if maximizes:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best


def _searching(game: Any, states: list[Any], depth: int, heuristic: Heuristic) -> Callable[[], int]:
    def search() -> int:
        nodes = 0
        for state in states:
            searching = _Search(game, heuristic, game.mover(state))
            searching.value(state, depth, -math.inf, math.inf)
            nodes += searching.nodes
        return nodes

    return search


def _positions(game: str) -> list[Any]:
    """Return positions after some random moves."""
    found = []
    for seed in range(POSITIONS):
        rng, state = joute.Random(seed), joute.new(game)
        for _ in range(PLIES):
            state = state.play(state.random_move(rng), rng)
        found.append(state)
    return found


def _openspiel_positions(name: str) -> list[Any]:
    found = []
    for seed in range(POSITIONS):
        rng, state = random.Random(seed), pyspiel.load_game(name).new_initial_state()
        for _ in range(PLIES):
            state.apply_action(rng.choice(state.legal_actions()))
        found.append(state)
    return found
