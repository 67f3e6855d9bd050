"""The Avalam paper's searches in plain Python, beside ours: what its program could afford.

It has the structure, and so the costs, of the course's framework: the board is nine lists of nine signed heights;
moves are found by trying all nine cells around every tower, each checked by one function; a board is cloned by
rebuilding its lists. The tree search is the paper's: a leaf that was simulated gets all its children at once, each
with a board of its own. The paper gives no speed, so this is the measure of what its Python could afford.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterator

import joute
from benchmarks.measure import rates, show
from benchmarks.searching import searcher
from joute.agents.time_plans import PLANS
from joute.games.avalam.state import Avalam

Action = tuple[int, int, int, int]
SIZE, MOST = 9, 5
# The plies of the turns that the paper gives most time to, and what comes before and after.
PLIES = (0, 4, 8, 14, 20, 26, 32)
CLOCK_S = 900


class PaperBoard:
    def __init__(self, heights: list[list[int]]) -> None:
        self.m = heights

    def clone(self) -> PaperBoard:
        return PaperBoard([[self.m[i][j] for j in range(SIZE)] for i in range(SIZE)])

    def towers(self) -> Iterator[tuple[int, int, int]]:
        for i in range(SIZE):
            for j in range(SIZE):
                if self.m[i][j]:
                    yield i, j, self.m[i][j]

    def is_action_valid(self, action: Action) -> bool:
        i1, j1, i2, j2 = action
        if i1 < 0 or j1 < 0 or i2 < 0 or j2 < 0 or i1 >= SIZE or j1 >= SIZE or i2 >= SIZE or j2 >= SIZE:
            return False
        if (i1 == i2 and j1 == j2) or abs(i1 - i2) > 1 or abs(j1 - j2) > 1:
            return False
        h1, h2 = abs(self.m[i1][j1]), abs(self.m[i2][j2])
        return 0 < h1 < MOST and 0 < h2 < MOST and h1 + h2 <= MOST

    def tower_actions(self, i: int, j: int) -> Iterator[Action]:
        if 0 < abs(self.m[i][j]) < MOST:
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    action = (i, j, i + down, j + right)
                    if self.is_action_valid(action):
                        yield action

    def actions(self) -> Iterator[Action]:
        for i, j, _ in self.towers():
            yield from self.tower_actions(i, j)

    def play(self, action: Action) -> PaperBoard:
        if not self.is_action_valid(action):
            raise ValueError(f"{action} is not valid")
        i1, j1, i2, j2 = action
        h1, h2 = abs(self.m[i1][j1]), abs(self.m[i2][j2])
        self.m[i2][j2] = h1 + h2 if self.m[i1][j1] > 0 else -(h1 + h2)
        self.m[i1][j1] = 0
        return self

    def score(self) -> int:
        towers = fives = 0
        for _, _, height in self.towers():
            sign = 1 if height > 0 else -1
            towers += sign
            fives += sign * (abs(height) == MOST)
        return towers or fives


class PaperNode:
    def __init__(self, board: PaperBoard, player: int, parent: PaperNode | None, action: Action | None) -> None:
        self.board, self.player, self.parent, self.action = board, player, parent, action
        self.children: list[PaperNode] = []
        self.total, self.visits = 0.0, 0

    def uct(self) -> float:
        if self.visits == 0:
            return math.inf
        parent_visits = self.parent.visits  # type: ignore[union-attr]  # only the root has none
        return self.total / self.visits + 2 * math.sqrt(math.log(parent_visits) / self.visits)

    def expand(self) -> None:
        for action in self.board.actions():
            self.children.append(PaperNode(self.board.clone().play(action), -self.player, self, action))


def simulate(board: PaperBoard) -> tuple[int, int]:
    """The score of a random game, and its plies."""
    board, plies = board.clone(), 0
    while actions := list(board.actions()):
        board.play(random.choice(actions))
        plies += 1
    return board.score(), plies


def search(board: PaperBoard, player: int, simulations: int) -> PaperNode:
    """The tree after so many simulations, as the paper's program grows it: for the root player at every level."""
    root = PaperNode(board, player, None, None)
    for _ in range(simulations):
        node = root
        while node.children:
            node = max(node.children, key=PaperNode.uct)
        if node.visits:
            node.expand()
            node = node.children[0] if node.children else node
        score = player * simulate(node.board)[0]
        above: PaperNode | None = node
        while above:
            above.visits += 1
            above.total += score
            above = above.parent
    return root


class AlphaBeta:
    """Alpha-beta as the paper's: no order of moves, no table; searched on where ten or fewer moves are left."""

    def __init__(self, heuristic: Callable[[PaperBoard, int], float], player: int) -> None:
        self.heuristic, self.player, self.nodes = heuristic, player, 0

    def value(self, board: PaperBoard, mover: int, depth: int, alpha: float, beta: float) -> float:
        actions = list(board.actions())
        if not actions:
            return self.player * board.score()
        if depth <= 0 and len(actions) > 10:
            return self.heuristic(board, self.player)
        sign = 1 if mover == self.player else -1
        best = -math.inf
        for action in actions:
            self.nodes += 1
            found = sign * self.value(board.clone().play(action), -mover, depth - 1, alpha, beta)
            best = max(best, found)
            if sign > 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, -best)
            if alpha >= beta:
                break
        return sign * best


def real_score(board: PaperBoard, player: int) -> float:
    return player * board.score()


def heuristic_one(board: PaperBoard, player: int) -> float:
    """The paper's #1, tower by tower."""
    total = 0.0
    for i, j, height in board.towers():
        if height * player < 0:
            continue
        outward = list(board.tower_actions(i, j))
        if abs(height) == MOST:
            total += 1.2
        elif abs(height) < 3 and not outward:
            total += 1.7
        else:
            theirs = sum(board.m[i2][j2] * player < 0 for _, _, i2, j2 in outward)
            total += 1.4 if theirs > 2 * len(outward) - theirs else 0.8
    return total


def position(ply: int) -> tuple[Avalam, PaperBoard, int]:
    """A position of random play, for both."""
    rng = random.Random(1)
    state = Avalam.new()
    while state.ply < ply:
        state = state.play(rng.choice(state.legal_moves))
    board = PaperBoard([[state.tower_at(i, j) for j in range(SIZE)] for i in range(SIZE)])
    assert len(list(board.actions())) == len(state.legal_moves)
    return state, board, 1 if state.to_move == 0 else -1


def run(repeats: int) -> None:
    playouts(repeats)
    tree_searches(repeats)
    alphabetas(repeats)


def playouts(repeats: int, games: int = 10) -> None:
    start, board, _ = position(0)
    works = {
        "joute": lambda: joute.playouts(start, 200_000, seed=1).games,
        "Python as in the course": lambda: sum(simulate(board)[1] > 0 for _ in range(games)),
    }
    show("Random games of Avalam from the start", "games", rates(repeats, works), with_ratio=True)


def tree_searches(repeats: int, simulations: int = 400) -> None:
    """More simulations than there are first moves, so that growing the tree has its part."""
    plan = PLANS["avalam-program"][0]
    python: dict[int, float] = {}
    for ply in PLIES:
        _, board, player = position(ply)
        works = {"": lambda board=board, player=player: search(board, player, simulations).visits}
        python[ply] = rates(repeats, works)[""]
    print("\nThe paper's tree search in Python, and what a turn of its plan affords")
    for ply, rate in python.items():
        seconds = plan.budget(joute.Clock(remaining_s=CLOCK_S, nominal_s=CLOCK_S), ply).seconds
        print(f"  ply {ply:>2} {rate:>9.0f} simulations/s × {seconds:>4.0f} s = {rate * seconds:>8,.0f}")
    state, board, player = position(8)
    ours = searcher("avalam-mcts:iterations=20000", game="avalam", seed=1)

    def simulated() -> int:
        iterations = ours.analyze(state).iterations
        assert iterations is not None
        return iterations

    show(
        "The paper's tree search at ply 8",
        "simulations",
        rates(
            repeats,
            {
                "joute, avalam-mcts": simulated,
                "Python as in the course": lambda: search(board, player, simulations).visits,
            },
        ),
        with_ratio=True,
    )


def alphabetas(repeats: int) -> None:
    """At the depths of the paper's schedule."""

    def nodes(heuristic: Callable[[PaperBoard, int], float], ply: int, depth: int) -> int:
        _, board, player = position(ply)
        looking = AlphaBeta(heuristic, player)
        looking.value(board, player, depth, -math.inf, math.inf)
        return looking.nodes

    print("\nThe paper's alpha-beta in Python")
    for ply, depth in ((4, 1), (14, 2), (24, 3), (32, 4)):
        for name, heuristic in {"score": real_score, "h1": heuristic_one}.items():
            work = functools.partial(nodes, heuristic, ply, depth)
            rate = rates(repeats, {name: work})[name]
            print(f"  ply {ply:>2}, depth {depth}, {name:<6} {rate:>9.0f} nodes/s ({work():,} nodes)")
