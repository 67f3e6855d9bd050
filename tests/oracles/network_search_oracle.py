"""The searches that a network guides as the papers write them, one position at a time: what the core is compared with.

PUCT is that of Silver et al. 2018 with the first-play urgency of KataGo (Wu 2019), Gumbel search that of Danihelka et
al. 2022 without the noise; both with the proofs of MCTS-Solver (Winands et al. 2008; with draws, Cazenave & Saffidine
2010). Values are for the player to move, in [0, 1] where a formula wants that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from joute import State

# What a network says of one position: probabilities of its moves, and its value for the player to move.
Judge = Callable[[State], tuple[list[float], float]]
SMALLEST_HALF = 2.0**-24


class Edge:
    def __init__(self, move: Any, prior: float) -> None:
        self.move = move
        self.prior = prior
        self.logit = math.log(max(prior, SMALLEST_HALF))
        self.visits = 0
        self.total = 0.0  # for the first player, like the bounds
        self.bounds = (-1, 1)
        self.child: Node | None = None

    def bounds_for(self, player: int) -> tuple[int, int]:
        return self.bounds if player == 0 else (-self.bounds[1], -self.bounds[0])

    def value_for(self, player: int) -> float:
        mean = self.total / self.visits if self.visits else 0.0
        low, high = self.bounds_for(player)
        return min(max(mean if player == 0 else -mean, low), high)


class Node:
    def __init__(self, state: State, judge: Judge) -> None:
        self.state = state
        self.mover = state.to_move
        self.edges: list[Edge] = []
        self.bounds = (-1, 1)
        if state.result is not None:
            self.value_for_first = float(state.result.outcome)
            self.bounds = (state.result.outcome, state.result.outcome)
        elif state.is_chance:
            self.edges = [Edge(outcome, chance) for outcome, chance in enumerate(state.outcomes)]
        else:
            priors, value = judge(state)
            self.edges = [Edge(move, prior) for move, prior in zip(state.legal_moves, priors, strict=True)]
            self.value_for_first = value if self.mover == 0 else -value

    @property
    def value(self) -> float:
        return self.value_for_first if self.mover == 0 else -self.value_for_first

    @property
    def visits(self) -> int:
        return sum(edge.visits for edge in self.edges)

    @property
    def is_proven(self) -> bool:
        return self.bounds[0] == self.bounds[1]

    @property
    def open_edges(self) -> list[Edge]:
        """Those that may be better than what is certain."""
        certain = self.bounds[0] if self.mover == 0 else -self.bounds[1]
        return [edge for edge in self.edges if edge.bounds_for(self.mover)[1] > certain]

    def prove(self) -> None:
        lows, highs = zip(*(edge.bounds for edge in self.edges), strict=True)
        if self.state.is_chance:
            self.bounds = (min(lows), max(highs))
        elif self.mover == 0:
            self.bounds = (max(lows), max(highs))
        else:
            self.bounds = (min(lows), min(highs))


def next_outcome(node: Node) -> Edge:
    """Each in turn as often as it is likely, as in mctx."""
    return max(node.edges, key=lambda edge: edge.prior / (edge.visits + 1))


def simulate(node: Node, judge: Judge, select: Callable[[Node], Edge]) -> float:
    """One simulation below a node that is neither over nor proven: its worth to the first player.

    What a random event is worth is the expectation over its outcomes, all of which the first simulation tries.
    """
    if not node.state.is_chance:
        return try_edge(node, select(node), judge, select)
    untried = [edge for edge in node.edges if not edge.visits]
    for edge in untried or [next_outcome(node)]:
        try_edge(node, edge, judge, select)
    return sum(edge.prior * edge.value_for(0) for edge in node.edges)


def try_edge(node: Node, edge: Edge, judge: Judge, select: Callable[[Node], Edge]) -> float:
    is_leaf = edge.child is None
    if edge.child is None:
        after = node.state.resolve(edge.move) if node.state.is_chance else node.state.play(edge.move)
        edge.child = Node(after, judge)
        is_leaf = not after.is_chance
    child = edge.child
    if child.is_proven:
        worth = float(child.bounds[0])
    elif is_leaf:
        worth = child.value_for_first
    else:
        worth = simulate(child, judge, select)
    edge.visits += 1
    edge.total += worth
    edge.bounds = child.bounds
    node.prove()
    return worth


def puct(node: Node, c: float = 1.25, base: float = 19652, fpu_reduction: float = 0.25) -> Edge:
    bonus = (math.log((1 + node.visits + base) / base) + c) * math.sqrt(max(1, node.visits))
    tried = sum(edge.prior for edge in node.edges if edge.visits)

    def score(edge: Edge) -> float:
        mean = edge.value_for(node.mover) if edge.visits else node.value
        urgency = (mean + 1) / 2 - (0 if edge.visits else fpu_reduction * math.sqrt(tried))
        return urgency + bonus * edge.prior / (1 + edge.visits)

    return max(node.open_edges, key=score)


def completed_scores(node: Node, c_visit: float, c_scale: float) -> np.ndarray:
    """logit + sigma(completed q): equations 8, 10, 11 and 33 of the paper, and what is proven is known."""
    visits = np.array([edge.visits for edge in node.edges])
    priors = np.array([edge.prior for edge in node.edges])
    q = (np.array([edge.value_for(node.mover) for edge in node.edges]) + 1) / 2
    seen = visits > 0
    mixed = (node.value + 1) / 2
    if priors[seen].sum() > 0:
        mixed += visits.sum() * (priors[seen] * q[seen]).sum() / priors[seen].sum()
        mixed /= 1 + visits.sum()
    proven = np.array([edge.bounds[0] == edge.bounds[1] for edge in node.edges])
    completed = np.where(seen | proven, q, mixed)
    logits = np.array([edge.logit for edge in node.edges])
    return np.asarray(logits + (c_visit + visits.max()) * c_scale * completed)


def improved_policy(node: Node, c_visit: float = 50, c_scale: float = 1) -> np.ndarray:
    scores = completed_scores(node, c_visit, c_scale)
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def gumbel_below(node: Node, c_visit: float, c_scale: float) -> Edge:
    policy = improved_policy(node, c_visit, c_scale)
    wanted = {id(edge): share for edge, share in zip(node.edges, policy, strict=True)}
    return max(node.open_edges, key=lambda edge: wanted[id(edge)] - edge.visits / (1 + node.visits))


def searched_by_puct(state: State, judge: Judge, simulations: int, **rule: float) -> Node:
    root = Node(state, judge)
    for _ in range(simulations):
        if root.is_proven:
            break
        simulate(root, judge, lambda node: puct(node, **rule))
    return root


def searched_by_gumbel(
    state: State, judge: Judge, simulations: int, considered: int = 16, c_visit: float = 50, c_scale: float = 1
) -> Node:
    """Sequential halving at the root, as in mctx: each phase goes on with the better half of the last one's moves.

    Whatever is searched next is the best of those that wait, by what is known at that time.
    """
    root = Node(state, judge)
    moves = sorted(range(len(root.edges)), key=lambda i: -root.edges[i].logit)[:considered]
    phases = max(1, math.ceil(math.log2(len(moves))))
    alive, left = len(moves), simulations
    while True:
        for _ in range(max(1, simulations // (phases * alive))):
            waiting, moves = moves, []
            while len(moves) < alive:
                if left == 0 or root.is_proven:
                    return root
                scores = completed_scores(root, c_visit, c_scale)
                best = max(waiting, key=scores.__getitem__)
                waiting.remove(best)
                moves.append(best)

                def select(node: Node, chosen: Edge = root.edges[best]) -> Edge:
                    return chosen if node is root else gumbel_below(node, c_visit, c_scale)

                simulate(root, judge, select)
                left -= 1
        alive = min(len(moves), max(2, alive // 2))
