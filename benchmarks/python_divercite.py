"""Divercité and the paper's search in plain Python: dictionaries for board and hands, a new state for every move.

It has the structure of the course's framework without its layers (players, actions, boards as objects of their own), so
it is faster than the paper's program was: a move takes 4 to 13 µs, from an empty board to a full one, where the
framework takes about 50.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Cell = tuple[int, int]
#: A piece such as "RC" or "GR", and where it goes: row and column from 0.
Move = tuple[str, Cell]

COLOURS = "RGBY"
PIECES = tuple(colour + kind for colour in COLOURS for kind in "CR")
HAND = {piece: 2 if piece[1] == "C" else 3 for piece in PIECES}
PLIES = 40
CENTRE = (4, 4)
CELLS = [(i, j) for i in range(9) for j in range(9) if abs(i - 4) + abs(j - 4) <= 4]
CELLS_OF = {"C": [cell for cell in CELLS if sum(cell) % 2], "R": [cell for cell in CELLS if sum(cell) % 2 == 0]}
OTHER = {"W": "B", "B": "W"}


class State:
    """A position: pieces as "RCW", colour, kind and who placed it; hands; scores; how many plies were played."""

    def __init__(
        self, env: dict[Cell, str], hands: dict[str, dict[str, int]], scores: dict[str, int], step: int
    ) -> None:
        self.env, self.hands, self.scores, self.step = env, hands, scores, step

    @classmethod
    def new(cls) -> State:
        return cls({}, {"W": dict(HAND), "B": dict(HAND)}, {"W": 0, "B": 0}, 0)

    @property
    def mover(self) -> str:
        return "WB"[self.step % 2]

    def is_done(self) -> bool:
        return self.step == PLIES

    def moves(self) -> list[Move]:
        """In the order of the course's framework."""
        hand = self.hands[self.mover]
        return [(piece, cell) for piece in PIECES if hand[piece] for cell in CELLS_OF[piece[1]] if cell not in self.env]

    def play(self, move: Move) -> State:
        """The position after a legal move, a new one."""
        piece, cell = move
        mover = self.mover
        env, scores = self.env.copy(), self.scores.copy()
        changed = [cell] if piece[1] == "C" else [city for city in self.neighbours(cell) if city in env]
        for city in changed:
            if city in env:
                scores[env[city][2]] -= city_points(env, city)
        env[cell] = piece + mover
        for city in changed:
            scores[env[city][2]] += city_points(env, city)
        hands = {player: hand.copy() for player, hand in self.hands.items()}
        hands[mover][piece] -= 1
        after = State(env, hands, scores, self.step + 1)
        if after.is_done():
            after.break_tie()
        return after

    @staticmethod
    def neighbours(cell: Cell) -> Iterator[Cell]:
        i, j = cell
        for other in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if abs(other[0] - 4) + abs(other[1] - 4) <= 4:
                yield other

    def break_tie(self) -> None:
        """As the course's program does it, which adds points; its error at two of a colour included."""
        if self.scores["W"] != self.scores["B"]:
            return
        kinds: dict[str, Counter[int]] = {"W": Counter(), "B": Counter()}
        for cell, piece in self.env.items():
            if piece[1] == "C":
                around = colours_around(self.env, cell)
                kinds[piece[2]][5 if len(around) == 4 else around[piece[0]]] += 1
        for kind in (5, 4, 3, 2):
            ahead = kinds["W"][kind] - kinds["B"][kind]
            if ahead:
                self.scores["W" if ahead > 0 else "B"] += 1
                if kind > 2:
                    return
        self.scores["W"] += 1

    def difference(self, player: str) -> int:
        return self.scores[player] - self.scores[OTHER[player]]


def colours_around(env: dict[Cell, str], city: Cell) -> Counter[str]:
    return Counter(env[cell][0] for cell in State.neighbours(city) if cell in env)


def city_points(env: dict[Cell, str], city: Cell) -> int:
    around = colours_around(env, city)
    return 5 if len(around) == 4 else around[env[city][0]]


def minimax(state: State, depth: int) -> tuple[float, int]:
    """Alpha-beta as in V0, for the player to move: the value by points, and how many positions were entered."""
    search = Search(lambda state, player: state.difference(player), state.mover)
    return search.value(state, depth)[0], search.nodes


class Search:
    """Alpha-beta for one player: plain as in V0 to V2, or refined by V3's table and order of moves."""

    def __init__(
        self,
        heuristic: Callable[[State, str], float],
        player: str,
        *,
        refined: bool = False,
        deadline: float = math.inf,
    ) -> None:
        self.heuristic, self.player, self.refined, self.deadline = heuristic, player, refined, deadline
        self.nodes = 0
        self.table: dict[Any, tuple[int, float]] = {}

    def value(
        self, state: State, depth: int, alpha: float = -math.inf, beta: float = math.inf
    ) -> tuple[float, Move | None]:
        if time.perf_counter() >= self.deadline:
            raise TimeoutError
        key = (tuple(sorted(state.env.items())), state.mover) if self.refined else None
        if key in self.table and self.table[key][0] >= depth:
            return self.table[key][1], None
        best, best_move = self.search(state, depth, alpha, beta)
        if key:
            self.table[key] = depth, best  # a bound, where the search was cut off: that is V3's error
        return best, best_move

    def search(self, state: State, depth: int, alpha: float, beta: float) -> tuple[float, Move | None]:
        if state.is_done():
            return state.difference(self.player), None
        if depth == 0:
            return self.heuristic(state, self.player), None
        maximizes = state.mover == self.player
        children: Iterable[tuple[Move, State]]
        if self.refined:
            made = [(move, state.play(move)) for move in state.moves()]
            self.nodes += len(made)
            if depth > 1:
                made.sort(key=lambda child: child[1].difference(self.player), reverse=maximizes)
            children = made
        else:
            children = self.played(state)
        best, best_move = -math.inf if maximizes else math.inf, None
        for move, after in children:
            found, _ = self.value(after, depth - 1, alpha, beta)
            if (found > best) if maximizes else (found < best):
                best, best_move = found, move
            if maximizes:
                alpha = max(alpha, found)
            else:
                beta = min(beta, found)
            if alpha >= beta:
                break
        return best, best_move

    def played(self, state: State) -> Iterator[tuple[Move, State]]:
        """The positions after each move, one at a time."""
        for move in state.moves():
            self.nodes += 1
            yield move, state.play(move)


def deepen(state: State, seconds: float) -> tuple[Move, int, int]:
    """V3's move within a time, the depth that was completed, and how many positions were entered."""
    search = Search(paper_heuristic, state.mover, refined=True, deadline=time.perf_counter() + seconds)
    best, completed = state.moves()[0], 0
    try:
        while completed < PLIES - state.step:
            move = search.value(state, completed + 1)[1]
            if move:
                best = move
            completed += 1
    except TimeoutError:
        pass
    return best, completed, search.nodes


def paper_heuristic(state: State, player: str) -> float:
    """V2's and V3's: half the points, half the pieces, and at first half the closeness to the centre."""
    value = 0.5 * state.difference(player)
    for cell, piece in state.env.items():
        if piece[1] == "C":
            worth = city_worth(state.env, cell)
            value += 0.5 * (worth if piece[2] == player else -worth)
        else:
            value += 0.5 * resource_worth(state, cell, player)
    if state.step < 4:
        for cell, piece in state.env.items():
            if piece[2] == player:
                value += 0.5 * max(0, 4 - abs(cell[0] - CENTRE[0]) - abs(cell[1] - CENTRE[1]))
    return value


def city_worth(env: dict[Cell, str], city: Cell) -> float:
    around, colour = colours_around(env, city), env[city][0]
    if len(around) == 4:
        return 5.0
    worth = float(around[colour])
    if any(count >= 2 for other, count in around.items() if other != colour):
        return worth - 0.5
    return worth + 0.1 * len(around) if around[colour] < 2 else worth


def resource_worth(state: State, cell: Cell, player: str) -> float:
    """What a resource does to the cities around it."""
    total, own = 0.0, state.env[cell][0]
    for city in state.neighbours(cell):
        if city not in state.env:
            continue
        colour, _, owner = list(state.env[city])
        around = colours_around(state.env, city)
        gain = 1.0 if own == colour else 0.0
        if own != colour and around[own] >= 2:
            gain -= 0.5
        elif around[colour] < 2:
            gain += 0.1
        total += gain if owner == player else -gain
    return total
