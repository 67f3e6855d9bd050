"""The Quoridor paper's heuristic with other weights, for experiments of quoridor.toml.

The paper (Balea & Lasnier, 2021) has three sets of weights: for a player who is level with the opponent, closer to the
goal, or farther. `eval=report` (core/games/quoridor/paper.hpp) is the heuristic as published; these differ from it
only in their weights.
"""

from __future__ import annotations

from typing import NamedTuple

from joute.games.quoridor.state import Quoridor


class Weights(NamedTuple):
    """What a step of a path and a wall in hand count."""

    own_path: float
    other_path: float
    own_walls: float
    other_walls: float

    @property
    def without_walls(self) -> Weights:
        """With nothing for walls in hand."""
        return self._replace(own_walls=0, other_walls=0)

    @property
    def without_paths(self) -> Weights:
        """With nothing for paths."""
        return self._replace(own_path=0, other_path=0)

    @property
    def exchanged(self) -> Weights:
        """With those of the two paths exchanged, so that the opponent's weighs more."""
        return self._replace(own_path=self.other_path, other_path=self.own_path)


_LEVEL, _CLOSER, _FARTHER = Weights(2.0, 1.8, 0.5, 0.5), Weights(2.2, 1.5, 0.7, 0.5), Weights(1.7, 1.5, 0.4, 0.3)


def opponent_heavier(state: Quoridor, player: int) -> float:
    """The opponent's path weighs more than the own."""
    return _heuristic(state, player, _LEVEL.exchanged, _CLOSER.exchanged, _FARTHER.exchanged)


def opponent_heavier_when_level(state: Quoridor, player: int) -> float:
    """The opponent's path weighs more than the own while nobody is closer."""
    return _heuristic(state, player, _LEVEL.exchanged, _CLOSER, _FARTHER)


def one_set(state: Quoridor, player: int) -> float:
    """The same weights whoever is closer."""
    return _heuristic(state, player, _LEVEL, _LEVEL, _LEVEL)


def one_set_opponent_heavier(state: Quoridor, player: int) -> float:
    """The same weights whoever is closer, and the opponent's path weighs more."""
    return _heuristic(state, player, _LEVEL.exchanged, _LEVEL.exchanged, _LEVEL.exchanged)


def without_walls(state: Quoridor, player: int) -> float:
    """Paths alone, with their weights by who is closer."""
    return _heuristic(state, player, _LEVEL.without_walls, _CLOSER.without_walls, _FARTHER.without_walls)


def without_paths(state: Quoridor, player: int) -> float:
    """Walls in hand alone, with their weights by who is closer."""
    return _heuristic(state, player, _LEVEL.without_paths, _CLOSER.without_paths, _FARTHER.without_paths)


def _heuristic(state: Quoridor, player: int, level: Weights, closer: Weights, farther: Weights) -> float:
    own_path, other_path = state.course_path(player), state.course_path(1 - player)
    if own_path is not None and other_path is not None:
        own, other, sign = len(own_path), len(other_path), -1
    else:  # a pawn blocks the only path: the paper counts rows, and omits the minus sign
        own, other, sign = _rows_to_go(state, player), _rows_to_go(state, 1 - player), 1
    weights = closer if other > own else farther if other < own else level
    return (
        sign * own * weights.own_path
        + other * weights.other_path
        + state.walls_left(player) * weights.own_walls
        - state.walls_left(1 - player) * weights.other_walls
    )


def _rows_to_go(state: Quoridor, player: int) -> int:
    row, _ = state.pawn(player)
    return 8 - row if player == 0 else row
