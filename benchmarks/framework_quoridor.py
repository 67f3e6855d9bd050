"""The Quoridor paper's agent in plain Python, on a board that costs what that of the course's framework costs.

Walls are lists that are searched from end to end, a path is found cell by cell through a list of those still to visit,
and every wall is tried out: it is put down, both players' paths are looked for, it is taken away. Listing does so at
each of the 128 places, and playing a wall does it twice more. What comes out is how much the paper's program could
search:

    python -m benchmarks.framework_quoridor --games 1
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import joute
from benchmarks.searching import nodes_of, searcher
from joute._core import Random
from joute.games.quoridor.state import Quoridor

Cell = tuple[int, int]
#: "P", "WH" or "WV", and row and column.
Action = tuple[str, int, int]

SIDE = 9
GOALS = (8, 0)
CLOCK_S, LATE_S = 300, 60
NOWHERE = (-10, -10)
REACHES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1), (2, 0), (-2, 0), (0, 2), (0, -2))


class NoPathError(Exception):
    """A pawn plugs the last gap."""


class Board:
    def __init__(self) -> None:
        self.pawns: list[Cell] = [(0, 4), (8, 4)]
        self.hands = [10, 10]
        self.horizontal: list[Cell] = []
        self.vertical: list[Cell] = []

    @classmethod
    def of(cls, state: Quoridor) -> Board:
        board = cls()
        board.pawns = [state.pawn(0), state.pawn(1)]
        board.hands = [state.walls_left(0), state.walls_left(1)]
        board.horizontal, board.vertical = list(state.horizontal_walls), list(state.vertical_walls)
        return board

    def clone(self) -> Board:
        board = Board()
        board.pawns = list(self.pawns)
        board.hands = list(self.hands)
        for wall in self.horizontal:
            board.horizontal.append(wall)
        for wall in self.vertical:
            board.vertical.append(wall)
        return board

    def is_open(self, start: Cell, end: Cell) -> bool:
        """Whether one step leads from a cell to another, whoever stands there."""
        (row, column), (to_row, to_column) = start, end
        if not (0 <= to_row < SIDE and 0 <= to_column < SIDE):
            return False
        # All four sides are looked at before the one in question is.
        right = (row, column) in self.vertical or (row - 1, column) in self.vertical
        left = (row - 1, column - 1) in self.vertical or (row, column - 1) in self.vertical
        below = (row - 1, column - 1) in self.horizontal or (row - 1, column) in self.horizontal
        above = (row, column) in self.horizontal or (row, column - 1) in self.horizontal
        barred = {(1, 0): above, (-1, 0): below, (0, 1): right, (0, -1): left}
        return not barred.get((to_row - row, to_column - column), True)

    def can_go(self, start: Cell, end: Cell, other: Cell) -> bool:
        """Whether a pawn may go from a cell to another while the other pawn stands there."""
        if end in (other, start):
            return False
        if distance(start, other) + distance(other, end) != 2:
            return self.is_open(start, end)
        if not (self.can_go(other, end, NOWHERE) and self.can_go(start, other, NOWHERE)):
            return False
        is_corner = abs(start[0] - end[0]) == 1
        straight = (2 * other[0] - start[0], 2 * other[1] - start[1])
        return not (is_corner and self.can_go(other, straight, NOWHERE))

    def steps(self, start: Cell, other: Cell) -> list[Cell]:
        around = [(start[0] + down, start[1] + right) for down, right in REACHES]
        return [cell for cell in around if self.can_go(start, cell, other)]

    def path(self, player: int) -> list[Cell]:
        start, other = self.pawns[player], self.pawns[1 - player]
        if start[0] == GOALS[player]:
            return []
        visited = [[False] * SIDE for _ in range(SIDE)]
        came_from: list[list[Cell | None]] = [[None] * SIDE for _ in range(SIDE)]
        waiting = [start]
        while waiting:
            cell = waiting.pop(0)
            visited[cell[0]][cell[1]] = True
            if cell[0] == GOALS[player]:
                path = [cell]
                while (before := came_from[path[-1][0]][path[-1][1]]) not in (None, start):
                    path.append(before)
                return path[::-1]
            for near in self.steps(cell, other):
                if not visited[near[0]][near[1]] and near not in waiting:
                    waiting.append(near)
                    came_from[near[0]][near[1]] = cell
        raise NoPathError

    def have_paths(self) -> bool:
        try:
            self.path(0)
            self.path(1)
        except NoPathError:
            return False
        return True

    def can_place(self, kind: str, anchor: Cell) -> bool:
        row, column = anchor
        if anchor in self.horizontal or anchor in self.vertical:
            return False
        if kind == "WH":
            walls, ends = self.horizontal, ((row, column + 1), (row, column - 1))
        else:
            walls, ends = self.vertical, ((row - 1, column), (row + 1, column))
        if any(end in walls for end in ends):
            return False
        walls.append(anchor)
        leaves_paths = self.have_paths()
        walls.pop()
        return leaves_paths

    def actions(self, player: int) -> list[Action]:
        found: list[Action] = [("P", *cell) for cell in self.steps(self.pawns[player], self.pawns[1 - player])]
        if not self.hands[player]:
            return found
        for anchor in [(row, column) for row in range(SIDE - 1) for column in range(SIDE - 1)]:
            found += [(kind, *anchor) for kind in ("WH", "WV") if self.can_place(kind, anchor)]
        return found

    def play(self, action: Action, player: int) -> Board:
        kind, *place = action
        cell = place[0], place[1]
        if kind == "P":
            assert self.can_go(self.pawns[player], cell, self.pawns[1 - player])
            self.pawns[player] = cell
            return self
        assert self.can_place(kind, cell)  # asked by who plays
        if self.can_place(kind, cell):  # and by who puts the wall down
            (self.horizontal if kind == "WH" else self.vertical).append(cell)
            self.hands[player] -= 1
        return self

    def is_finished(self) -> bool:
        return any(self.pawns[player][0] == GOALS[player] for player in (0, 1))

    def lead(self, player: int) -> int:
        try:
            return len(self.path(1 - player)) - len(self.path(player))
        except NoPathError:
            return abs(GOALS[1 - player] - self.pawns[1 - player][0]) - abs(GOALS[player] - self.pawns[player][0])


def distance(a: Cell, b: Cell) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def heuristic(board: Board, player: int) -> float:
    lead = board.lead(player)
    weights = (2.2, 1.5, 0.7, 0.5) if lead > 0 else (1.7, 1.5, 0.4, 0.3) if lead < 0 else (2, 1.8, 0.5, 0.5)
    try:
        own, other = -len(board.path(player)), len(board.path(1 - player))
    except NoPathError:  # where the program crashes, the rows that it means to count
        own, other = (abs(GOALS[side] - board.pawns[side][0]) for side in (player, 1 - player))
    hands = board.hands[player], -board.hands[1 - player]
    return own * weights[0] + other * weights[1] + hands[0] * weights[2] + hands[1] * weights[3]


class Search:
    """The paper's alpha-beta for one player; `nodes` counts the positions it enters."""

    def __init__(self, player: int, depth: int) -> None:
        self.player, self.depth = player, depth
        self.nodes = 0

    def useful(self, board: Board, mover: int) -> Iterator[Action]:
        """The pawn's moves, and walls near a pawn."""
        for action in board.actions(mover):
            kind, row, column = action
            if kind == "P" or any(-2 <= row - r <= 1 and -2 <= column - c <= 1 for r, c in board.pawns):
                yield action

    def value(
        self, board: Board, mover: int, alpha: float = -math.inf, beta: float = math.inf, depth: int = 0
    ) -> tuple[float, Action | None]:
        if board.is_finished():
            return board.lead(self.player), None
        if depth > self.depth:
            return heuristic(board, self.player), None
        maximizes = mover == self.player
        best, best_action = -math.inf if maximizes else math.inf, None
        for action in self.useful(board, mover):
            self.nodes += 1
            found, _ = self.value(board.clone().play(action, mover), 1 - mover, alpha, beta, depth + 1)
            if (found > best) if maximizes else (found < best):
                best, best_action = found, action
                if maximizes:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
            if (best >= beta) if maximizes else (best <= alpha):
                break
        return best, best_action


def text_of(action: Action) -> str:
    kind, row, column = action
    return f"{'abcdefghi'[column]}{row + 1}" + {"P": "", "WH": "h", "WV": "v"}[kind]


def choose(board: Board, player: int, step: int, left_s: float) -> tuple[str, int, int]:
    """The paper's move, how many positions it entered, and to how many plies."""
    depth = 1 if step > 10 and left_s > LATE_S else 0
    path = board.path(player)
    if step < 5 or len(path) == 1:
        return text_of(("P", *path[0])), 0, 0
    search = Search(player, depth)
    _, action = search.value(board, player)
    assert action is not None
    return text_of(action), search.nodes, depth + 1


@dataclass(frozen=True)
class TimedMove:
    state: Quoridor
    plies: int  # searched
    nodes: int
    took_s: float


def play_game(clock_s: float, seed: int) -> list[TimedMove]:
    """A game of the paper's agent against itself after four random plies.

    Our agent is asked each move too, on the same clock, and must choose the same after as many positions.
    """
    rng, state = Random(seed), Quoridor.new(rules="rules=course")
    for _ in range(4):
        state = state.play(state.random_move(rng))
    ours = searcher("quoridor-alphabeta", game="quoridor")
    left_s = [clock_s, clock_s]
    moves: list[TimedMove] = []
    while not state.is_terminal and state.ply < 120:
        mover = state.to_move
        clock = joute.Clock(remaining_s=left_s[mover], nominal_s=CLOCK_S)
        began = time.process_time()
        move, nodes, plies = choose(Board.of(state), mover, state.ply + 1, left_s[mover])
        took = time.process_time() - began
        assert str(ours.choose(state, clock)) == move, (state.position, move)
        assert (ours.info.nodes if ours.info else 0) == nodes, state.position
        left_s[mover] -= took
        moves.append(TimedMove(state, plies, nodes, took))
        state = state.play(move)
        print(f"    ply {state.ply:3} {move:3} {plies} plies {nodes:5,} nodes {took:5.2f} s, {left_s[mover]:3.0f} s")
    return moves


def run(games: int, seed: int) -> None:
    print(f"\nThe Quoridor paper's agent in Python, {CLOCK_S} s a side, processor time")
    every = [move for number in range(games) for move in play_game(CLOCK_S, seed + number)]
    rate = 0.0
    for plies in (1, 2):
        searched = [move for move in every if move.plies == plies]
        rate = sum(move.nodes for move in searched) / sum(move.took_s for move in searched)
        print(
            f"  {plies} {'ply' if plies == 1 else 'plies'}: {len(searched)} moves, {rate:,.0f} nodes/s, "
            f"median {statistics.median(move.nodes for move in searched):,.0f} nodes and "
            f"{statistics.median(move.took_s for move in searched):.2f} s a move, "
            f"at most {max(move.took_s for move in searched):.1f} s"
        )
    # The same search, counted by our core.
    for what, settings in {"2 plies without the filter": "depth=1,filter=none", "3 plies": "depth=2"}.items():
        counter = searcher(f"quoridor-alphabeta:{settings},finish=no", game="quoridor")
        nodes = []
        for move in searched:
            counter.choose(move.state, joute.Clock())
            nodes.append(nodes_of(counter.info))
        median = statistics.median(nodes)
        print(f"  {what}: median {median:,.0f} nodes a move, which would take {median / rate:,.0f} s")
    board = Board.of(Quoridor.new(rules="rules=course"))
    began = time.process_time()
    board.actions(0)
    print(f"  listing the moves at the start: {time.process_time() - began:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    run(arguments.games, arguments.seed)
