"""The Divercité paper's V3 in plain Python, on states that cost what those of the course's framework cost.

A piece, a board and a move are objects; a state holds dictionaries by player, and a move copies them, the hands deeply,
as the framework does. A cell asks for its neighbours in a dictionary by direction, and all positions after a position
are made before one is looked at. `python_divercite.py` is the same without these layers: the fastest that the paper's
program could have been.
"""

from __future__ import annotations

import copy
import math
from typing import NamedTuple

from benchmarks.python_divercite import CELLS, OTHER, PIECES, PLIES, Cell, State

SIDE = 9
DIRECTIONS = {"top": (-1, 0), "bot": (1, 0), "left": (0, -1), "right": (0, 1)}
ON_BOARD = set(CELLS)


class Piece:
    def __init__(self, piece_type: str, owner: str) -> None:
        self.piece_type = piece_type
        self.owner = owner

    def get_type(self) -> str:
        return self.piece_type

    def get_owner(self) -> str:
        return self.owner


class Board:
    def __init__(self, env: dict[Cell, Piece]) -> None:
        self.env = env

    def get_env(self) -> dict[Cell, Piece]:
        return self.env

    def is_free(self, cell: Cell, kind: str) -> bool:
        return cell in ON_BOARD and cell not in self.env and (sum(cell) % 2 == 1) == (kind == "C")


class Action(NamedTuple):
    piece: str
    cell: Cell


class FrameworkState:
    def __init__(
        self,
        scores: dict[str, int],
        next_player: str,
        rep: Board,
        step: int,
        players_pieces_left: dict[str, dict[str, int]],
    ) -> None:
        self.scores, self.next_player, self.rep, self.step = scores, next_player, rep, step
        self.players_pieces_left = players_pieces_left

    @classmethod
    def of(cls, state: State) -> FrameworkState:
        board = Board({cell: Piece(piece, piece[2]) for cell, piece in state.env.items()})
        return cls(dict(state.scores), state.mover, board, state.step, {p: dict(h) for p, h in state.hands.items()})

    def is_done(self) -> bool:
        return self.step == PLIES

    def difference(self, player: str) -> int:
        return self.scores[player] - self.scores[OTHER[player]]

    def get_neighbours(self, i: int, j: int) -> dict[str, tuple[Piece | None, Cell]]:
        env = self.rep.get_env()
        found = {}
        for name, (down, right) in DIRECTIONS.items():
            cell = (i + down, j + right)
            if cell in ON_BOARD:
                found[name] = (env.get(cell), cell)
        return found

    def colours_around(self, cell: Cell) -> list[str]:
        return [piece.get_type()[0] for piece, _ in self.get_neighbours(*cell).values() if piece is not None]

    def check_divercite(self, cell: Cell) -> bool:
        return len(set(self.colours_around(cell))) == 4

    def city_points(self, cell: Cell) -> int:
        if self.check_divercite(cell):
            return 5
        return self.colours_around(cell).count(self.rep.get_env()[cell].get_type()[0])

    def actions(self) -> list[Action]:
        left = self.players_pieces_left[self.next_player]
        return [
            Action(piece, (i, j))
            for piece in PIECES
            if left[piece] > 0
            for i in range(SIDE)
            for j in range(SIDE)
            if self.rep.is_free((i, j), piece[1])
        ]

    def apply_action(self, action: Action) -> FrameworkState:
        piece, cell = action
        player = self.next_player
        env = copy.copy(self.rep.get_env())
        env[cell] = Piece(piece + player, player)
        left = copy.deepcopy(self.players_pieces_left)
        left[player][piece] -= 1
        after = FrameworkState(copy.copy(self.scores), OTHER[player], Board(env), self.step + 1, left)
        changed = [cell] if piece[1] == "C" else [other for _, other in self.get_neighbours(*cell).values()]
        for city in changed:
            if city in env:
                before = self.city_points(city) if city in self.rep.get_env() else 0
                after.scores[env[city].get_owner()] += after.city_points(city) - before
        return after


class V3:
    """Alpha-beta to a depth with the paper's heuristic, its ordered moves and its table."""

    def __init__(self, player: str) -> None:
        self.player = player
        self.nodes = 0
        self.table: dict[tuple[tuple[tuple[Cell, str], ...], str], tuple[int, float]] = {}

    def value(self, state: FrameworkState, depth: int, alpha: float = -math.inf, beta: float = math.inf) -> float:
        pieces = sorted((cell, piece.get_type()) for cell, piece in state.rep.get_env().items())
        key = tuple(pieces), state.next_player
        if key in self.table and self.table[key][0] >= depth:
            return self.table[key][1]
        if state.is_done():
            return state.difference(self.player)
        if depth == 0:
            return heuristic(state, self.player)
        maximizes = state.next_player == self.player
        children = [state.apply_action(action) for action in state.actions()]
        self.nodes += len(children)
        if depth > 1:
            children.sort(key=lambda child: child.difference(self.player), reverse=maximizes)
        best = -math.inf if maximizes else math.inf
        for child in children:
            found = self.value(child, depth - 1, alpha, beta)
            if maximizes:
                best, alpha = max(best, found), max(alpha, found)
            else:
                best, beta = min(best, found), min(beta, found)
            if alpha >= beta:
                break
        self.table[key] = depth, best
        return best


def heuristic(state: FrameworkState, player: str) -> float:
    """Half the points and half what the pieces are worth; later than the opening, whose bias is left out."""
    value = 0.5 * state.difference(player)
    for cell, piece in state.rep.get_env().items():
        if piece.get_type()[1] == "C":
            worth = city_worth(state, cell, piece.get_type()[0])
            value += 0.5 * (worth if piece.get_owner() == player else -worth)
        else:
            value += 0.5 * resource_worth(state, cell, piece.get_type()[0], player)
    return value


def city_worth(state: FrameworkState, cell: Cell, colour: str) -> float:
    if state.check_divercite(cell):
        return 5.0
    around = state.colours_around(cell)
    own = around.count(colour)
    if any(around.count(other) >= 2 for other in set(around) if other != colour):
        return own - 0.5
    return own + 0.1 * len(set(around)) if own < 2 else own


def resource_worth(state: FrameworkState, cell: Cell, own: str, player: str) -> float:
    total = 0.0
    for city, place in state.get_neighbours(*cell).values():
        if city is None:
            continue
        colour, around = city.get_type()[0], state.colours_around(place)
        gain = 1.0 if own == colour else 0.0
        if own != colour and around.count(own) >= 2:
            gain -= 0.5
        elif around.count(colour) < 2:
            gain += 0.1
        total += gain if city.get_owner() == player else -gain
    return total
