"""A Monte-Carlo tree search in plain Python, as a course paper would: the slow end of the scale.

It has the structure, and so the costs, of the listings of the Connect Four paper (§3.1 to 3.3): a NumPy
board, a game that is copied deeply for every node and every simulation, moves that are checked again and
again. The paper does not list how it looks for four in a row; `PaperGame` looks at every line cell by
cell, the way its other loops go, and `SlicedGame` at all lines of a direction at once, which is the most
that NumPy offers.
"""

from __future__ import annotations

import math
import random
from copy import deepcopy

import numpy as np

ROWS, COLUMNS = 6, 7
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class PaperGame:
    def __init__(self) -> None:
        self.board = np.zeros((ROWS, COLUMNS), dtype=int)
        self.mover = 1
        self.is_over = False
        self.winner: int | None = None

    def legal_columns(self) -> list[int]:
        return [column for column in range(COLUMNS) if self.board[0][column] == 0]

    def play(self, column: int) -> bool:
        if column not in self.legal_columns():
            return False
        for row in range(ROWS - 1, -1, -1):
            if self.board[row][column] == 0:
                self.board[row][column] = self.mover
                break
        if self.has_four(self.mover):
            self.is_over = True
            self.winner = self.mover
        elif not self.legal_columns():
            self.is_over = True
        self.mover = 3 - self.mover
        return True

    def has_four(self, player: int) -> bool:
        for down, right in DIRECTIONS:
            for row in range(ROWS - 3 * down):
                for column in range(max(0, -3 * right), COLUMNS - max(0, 3 * right)):
                    if all(self.board[row + i * down][column + i * right] == player for i in range(4)):
                        return True
        return False


class SlicedGame(PaperGame):
    def has_four(self, player: int) -> bool:
        own = self.board == player
        across = own[:, :-1] & own[:, 1:]
        down = own[:-1] & own[1:]
        falling = own[:-1, :-1] & own[1:, 1:]
        rising = own[1:, :-1] & own[:-1, 1:]
        return bool(
            (across[:, :-2] & across[:, 2:]).any()
            or (down[:-2] & down[2:]).any()
            or (falling[:-2, :-2] & falling[2:, 2:]).any()
            or (rising[2:, :-2] & rising[:-2, 2:]).any()
        )


class PaperNode:
    def __init__(self, game: PaperGame, parent: PaperNode | None = None, column: int | None = None) -> None:
        self.game = deepcopy(game)
        self.parent = parent
        self.column = column
        self.children: list[PaperNode] = []
        self.untried = game.legal_columns()
        self.wins = 0.0
        self.squares = 0.0
        self.visits = 0

    def best_child(self) -> PaperNode:
        def score(child: PaperNode) -> float:
            if child.visits == 0:
                return math.inf
            return child.wins / child.visits + 1.41 * math.sqrt(2 * math.log(self.visits) / child.visits)

        return max(self.children, key=score)

    def grow(self, column: int, game: PaperGame) -> PaperNode:
        self.untried.remove(column)
        self.children.append(PaperNode(game, self, column))
        return self.children[-1]

    def update(self, reward: float) -> None:
        self.visits += 1
        self.wins += reward
        self.squares += reward * reward


def search(start: PaperGame, iterations: int) -> PaperNode:
    """The tree after so many simulations; its root's visits count them."""
    root = PaperNode(start)
    for _ in range(iterations):
        node = root
        game = deepcopy(start)
        while not node.untried and node.children:
            node = node.best_child()
            game.play(node.column)  # type: ignore[arg-type]  # only the root has none
        if node.untried:
            column = random.choice(node.untried)
            game.play(column)
            node = node.grow(column, game)
        while not game.is_over and game.legal_columns():
            game.play(random.choice(game.legal_columns()))
        above: PaperNode | None = node
        while above:
            # As listed, with the root player's view at every node; the right view would cost the same.
            above.update(0.5 if game.winner is None else float(game.winner == start.mover))
            above = above.parent
    return root
