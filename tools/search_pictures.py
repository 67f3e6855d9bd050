"""Draw how the searches work, docs/drawings/NAME.svg: ``python tools/search_pictures.py``

Each drawing is a small example, and what it shows is computed here from the example's data by the search's own rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joute.match.ratings import RatedGame, rate
from joute.match.statistics import score_of, wilson_interval
from joute.numbers import MINUS
from joute.pages.charts import Axis
from joute.pages.page_parts import colours
from joute.reproduce.plot import Curve, Picture, Point, Series, curves_panel, legend_panel, picture_style
from joute.text import html_text

FOLDER = Path(__file__).parents[1] / "docs" / "drawings"

_STYLE = """
.edge { stroke: var(--soft); stroke-width: 1.5; }
.cut { stroke-dasharray: 4 4; opacity: 0.45; }
.taken { stroke: var(--s0); stroke-width: 3; }
.node { fill: var(--panel); stroke: var(--soft); stroke-width: 1.5; }
.node.taken { stroke-width: 2.5; }
.win { fill: var(--mark); stroke: var(--win); stroke-width: 2.5; }
.loss { fill: var(--page); stroke: var(--loss); stroke-width: 2.5; }
.bar { fill: var(--s0); }
.more { fill: var(--s0); fill-opacity: 0.35; }
.old { fill: var(--draw); fill-opacity: 0.6; }
"""
_RADIUS = 17.0
_LEVEL = 66.0


def svg(label: str, width: float, height: float, body: str) -> str:
    """A picture in both themes, as a file; `label` describes it for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="f-picture" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{html_text(label)}">\n'
        f"<style>{colours()}{picture_style()}{_STYLE}</style>\n"
        f'<rect class="f-ground" width="100%" height="100%"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, kind: str = "f-middle") -> str:
    """Words; `kind` are classes of figures.css."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{html_text(words)}</text>'


# --- Trees ---


@dataclass(frozen=True)
class Node:
    """A node of a drawn tree. `kind` are CSS classes of the node and of the edge above it; a square maximizes."""

    text: str
    children: tuple[Node, ...] = ()
    kind: str = ""
    is_square: bool = False
    #: Words below the node.
    below: str = ""


def leaves(node: Node) -> int:
    """The number of leaves, which share the width of a tree."""
    return sum(map(leaves, node.children)) or 1


def tree(node: Node, left: float, top: float, step: float) -> tuple[str, float]:
    """A tree whose leaves are `step` apart, drawn from its upper left corner; and the root's horizontal place."""
    parts, places = [], []
    at = left
    for child in node.children:
        drawn, place = tree(child, at, top + _LEVEL, step)
        parts.append(drawn)
        places.append(place)
        at += leaves(child) * step
    x = sum(places) / len(places) if places else left + step / 2
    y = top + _RADIUS
    edges = [
        f'<line class="edge {child.kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{place:.1f}" y2="{y + _LEVEL:.1f}"/>'
        for child, place in zip(node.children, places, strict=True)
    ]
    side = 2 * _RADIUS - 4
    shape = (
        f'<rect class="node {node.kind}" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side}" height="{side}"/>'
        if node.is_square
        else f'<circle class="node {node.kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}"/>'
    )
    words = text(x, y + 4.5, node.text) + (
        text(x, y + _RADIUS + 16, node.below, "f-tick f-middle") if node.below else ""
    )
    return "".join([*edges, *parts, shape, words]), x


# --- Alpha-beta ---

#: The values of the leaves for the player to move at the root.
GAME = ((5, 8, 6), (3, 9, 7), (7, 4, 2))


def alphabeta(values: Sequence[Sequence[int]]) -> tuple[int, list[tuple[str, int]]]:
    """The value of a tree of two plies; for each move the bound or value found, and how many replies were searched."""
    best, found = -(10**9), []
    for replies in values:
        value, searched = 10**9, 0
        for reply in replies:
            value, searched = min(value, reply), searched + 1
            if value <= best:
                break
        found.append((f"≤ {value}" if searched < len(replies) else str(value), searched))
        best = max(best, value)
    return best, found


def alphabeta_picture() -> str:
    """A tree of two plies, with the leaves that are cut off."""
    value, found = alphabeta(GAME)
    moves = []
    for replies, (told, searched) in zip(GAME, found, strict=True):
        children = tuple(
            Node(str(reply)) if number < searched else Node("", kind="cut") for number, reply in enumerate(replies)
        )
        moves.append(Node(told, children, "taken" if told == str(value) else ""))
    drawn, _ = tree(Node(str(value), tuple(moves), is_square=True), 150, 14, 52)
    sides = "".join(
        text(14, 14 + _RADIUS + level * _LEVEL + 4.5, words, "f-tick")
        for level, words in enumerate(("our move: largest value", "reply: smallest value", "evaluation"))
    )
    label = f"Alpha-beta: the value is {value}; a move that is proven to be worse is not searched to its end"
    return svg(label, 640, 190, drawn + sides)


# --- Monte-Carlo tree search ---


@dataclass(frozen=True)
class Visited:
    """A node of a search tree: the points of the player who moved there, and its visits."""

    points: float
    visits: int
    children: tuple[Visited, ...] = ()


#: A search tree after ten simulations.
SEARCHED = Visited(
    4.0,
    10,
    (
        Visited(4.0, 6, (Visited(1.0, 3), Visited(1.0, 2))),
        Visited(1.0, 2, (Visited(1.0, 1),)),
        Visited(1.0, 2, (Visited(1.0, 1),)),
    ),
)
EXPLORATION = 0.7


def ucb(child: Visited, parent: Visited) -> float:
    """The upper confidence bound by which a child is selected."""
    return child.points / child.visits + EXPLORATION * math.sqrt(math.log(parent.visits) / child.visits)


def selected(root: Visited) -> list[int]:
    """The path to a leaf: the child with the largest bound, again and again."""
    path = []
    while root.children:
        best = max(range(len(root.children)), key=lambda number: ucb(root.children[number], root))
        path.append(best)
        root = root.children[best]
    return path


def expanded(root: Visited, path: Sequence[int]) -> Visited:
    """The tree with a new node below a path's end."""
    if not path:
        return replace(root, children=(*root.children, Visited(0.0, 0)))
    children = list(root.children)
    children[path[0]] = expanded(children[path[0]], path[1:])
    return replace(root, children=tuple(children))


def credited(root: Visited, path: Sequence[int], points: float) -> Visited:
    """The tree after a playout: each node on the path gets a visit, and the points of the player who moved there."""
    children = list(root.children)
    if path:
        children[path[0]] = credited(children[path[0]], path[1:], 1.0 - points)
    return replace(root, points=root.points + points, visits=root.visits + 1, children=tuple(children))


def mcts_picture() -> str:
    """The four steps of a simulation, in four trees."""
    path = selected(SEARCHED)
    grown = expanded(SEARCHED, path)
    longer = [*path, 0]
    # The player who moved into the new node wins its playout; the sides alternate up to the root.
    after = credited(grown, longer, 1.0 if len(longer) % 2 == 0 else 0.0)
    steps = (
        ("1 select", SEARCHED, path, ""),
        ("2 expand", grown, longer, ""),
        ("3 play out", grown, longer, "↯ won"),
        ("4 count", after, longer, ""),
    )
    parts = []
    for number, (title, root, taken, ending) in enumerate(steps):
        left = 8 + number * 190
        drawn, _ = tree(_counted(root, taken, ending), left, 40, 44)
        parts.append(text(left + 2, 22, title, "f-title") + drawn)
    label = "A simulation of Monte-Carlo tree search: select a leaf by UCB1, expand it, play out, count the result"
    return svg(label, 760, 300, "".join(parts))


def _counted(node: Visited, path: Sequence[int] | None, ending: str) -> Node:
    """A tree of points and visits, with a path marked; None for a node beside the path."""
    children = tuple(
        _counted(child, path[1:] if path and path[0] == number else None, ending)
        for number, child in enumerate(node.children)
    )
    is_end = path is not None and not path
    words = f"{node.points:g}/{node.visits}" if node.visits else "new"
    return Node(words, children, "taken" if path is not None else "", below=ending if is_end else "")


# --- The solver ---

#: Results of finished games for the player who moved there: 1, 0, -1; None is a position that is not finished.
PROOFS = (((-1,), (None, 1)), ((1, None),), ((None,), (-1, -1)))
_WORDS = {1: "win", -1: "loss", 0: "draw", None: "?"}


@dataclass(frozen=True)
class Proven:
    """A node with its proven result for the player who moved there; None if nothing is proven."""

    result: int | None
    children: tuple[Proven, ...] = ()


def proven(values: object) -> Proven:
    """The outcomes that the results of finished games prove, from the leaves up.

    A player to move who has a winning child wins, so the player before loses; if all children are proven, the best of
    them counts.
    """
    if not isinstance(values, tuple):
        assert values is None or isinstance(values, int)
        return Proven(values)
    children = tuple(map(proven, values))
    results = [child.result for child in children]
    if 1 in results:
        return Proven(-1, children)
    known = [result for result in results if result is not None]
    return Proven(-max(known) if len(known) == len(results) else None, children)


def solver_picture() -> str:
    """A tree in which proofs move up."""
    kinds = {1: "win", -1: "loss"}

    def drawn(node: Proven) -> Node:
        kind = kinds.get(node.result, "") if node.result is not None else ""
        return Node(_WORDS[node.result], tuple(map(drawn, node.children)), kind)

    root = proven(PROOFS)
    body, _ = tree(drawn(root), 12, 12, 62)
    return svg("Proofs move up: a move is proven to win when every reply is proven to lose", 520, 250, body)


# --- NRPA ---

#: The codes of the legal moves at each ply of the best sequence, and the move that it played.
PLIES = (("a", "b", "c"), ("d", "e", "f", "g"), ("h", "i"))
BEST = ("b", "g", "h")


def shares(weights: dict[str, float], moves: Sequence[str]) -> list[float]:
    """The probability with which a playout chooses each move: a softmax of the weights."""
    powers = [math.exp(weights.get(move, 0.0)) for move in moves]
    return [power / sum(powers) for power in powers]


def adapted(weights: dict[str, float], alpha: float = 1.0) -> dict[str, float]:
    """The policy after one adaptation to the best sequence: alpha towards its moves, away from the others."""
    changed = dict(weights)
    for moves, best in zip(PLIES, BEST, strict=True):
        for move, share in zip(moves, shares(weights, moves), strict=True):
            changed[move] = changed.get(move, 0.0) + alpha * ((move == best) - share)
    return changed


def nrpa_picture() -> str:
    """The probabilities of moves before and after the policy adapts once and three times."""
    policies: list[dict[str, float]] = [{}]
    for _ in range(3):
        policies.append(adapted(policies[-1]))
    parts = []
    for row, (title, policy) in enumerate(
        (("at first", policies[0]), ("after 1", policies[1]), ("after 3", policies[3]))
    ):
        base, x = 84 + row * 82, 96.0
        parts.append(text(14, base - 4, title, "f-tick"))
        for moves, best in zip(PLIES, BEST, strict=True):
            for move, share in zip(moves, shares(policy, moves), strict=True):
                height = 56 * share
                kind = "bar" if move == best else "old"
                parts.append(
                    f'<rect class="{kind}" x="{x:.1f}" y="{base - height:.1f}" width="26" height="{height:.1f}"/>'
                )
                parts.append(text(x + 13, base - height - 5, f"{share:.0%}", "f-tick f-middle"))
                if row == 2:
                    parts.append(text(x + 13, base + 16, move))
                x += 40
            x += 34
    for ply, place in enumerate((146, 316, 460)):
        parts.append(text(place, 20, f"ply {ply + 1}", "f-tick f-middle"))
    label = "NRPA: the moves of the best sequence become more probable each time the policy adapts to it"
    return svg(label, 560, 276, "".join(parts))


# --- PUCT ---


@dataclass(frozen=True)
class Edge:
    """A move at the root of a search by a network: the network's prior, the mean value in [-1, 1], the visits."""

    move: str
    prior: float
    value: float
    visits: int


EDGES = (Edge("c", 0.50, 0.10, 24), Edge("d", 0.25, 0.18, 12), Edge("b", 0.15, -0.05, 3), Edge("a", 0.10, 0.30, 1))
PUCT_C = 1.25


def bonus(edge: Edge, edges: Sequence[Edge]) -> float:
    """The exploration bonus of PUCT."""
    return PUCT_C * edge.prior * math.sqrt(sum(each.visits for each in edges)) / (1 + edge.visits)


def puct_picture() -> str:
    """Value and bonus of each move; the largest sum is searched next."""
    total = {edge: edge.value + bonus(edge, EDGES) for edge in EDGES}
    chosen = max(EDGES, key=total.__getitem__)
    zero, scale = 240.0, 300.0
    headings = {24: "move", 74: "prior", 124: "visits"}
    parts = [text(x, 22, words, "f-tick f-middle") for x, words in headings.items()]
    parts.append(text(zero, 22, "value, and bonus", "f-tick"))
    for row, edge in enumerate(EDGES):
        y = 52 + row * 34
        start, end = sorted((zero, zero + scale * edge.value))
        added = scale * bonus(edge, EDGES)
        parts += [
            text(24, y, edge.move),
            text(74, y, f"{edge.prior:.0%}"),
            text(124, y, str(edge.visits)),
            f'<rect class="bar" x="{start:.1f}" y="{y - 14}" width="{end - start:.1f}" height="18"/>',
            f'<rect class="more" x="{zero + scale * edge.value:.1f}" y="{y - 14}" width="{added:.1f}" height="18"/>',
            text(zero + scale * total[edge] + 8, y, f"{total[edge]:.2f}" + (" ← next" if edge is chosen else ""), ""),
        ]
    parts.append(f'<line class="edge" x1="{zero}" x2="{zero}" y1="32" y2="{46 + 34 * len(EDGES) - 26}"/>')
    label = f"PUCT: value plus bonus; the move {chosen.move} has the largest sum and is searched next"
    return svg(label, 640, 176, "".join(parts))


# --- Gumbel AlphaZero ---

#: The score of each candidate: noise and prior, drawn once, and the value that the search finds.
CANDIDATES = {"a": 0.42, "b": 0.55, "c": 0.30, "d": 0.61, "e": 0.48, "f": 0.20, "g": 0.35, "h": 0.50}
SIMULATIONS = 48


def halving(values: dict[str, float], simulations: int) -> list[dict[str, int]]:
    """Sequential halving: the visits of each candidate after each round; the better half goes on to the next."""
    rounds = math.ceil(math.log2(len(values)))
    left, visits, told = list(values), dict.fromkeys(values, 0), []
    for _ in range(rounds):
        for move in left:
            visits[move] += max(1, simulations // (rounds * len(left)))
        told.append({move: visits[move] for move in left})
        left = sorted(left, key=lambda move: -values[move])[: len(left) // 2]
    return told


def gumbel_picture() -> str:
    """The visits of the candidates in each round."""
    rounds = halving(CANDIDATES, SIMULATIONS)
    most = max(max(each.values()) for each in rounds)
    parts = []
    for row, visits in enumerate(rounds):
        base = 74 + row * 74
        parts.append(text(14, base - 4, f"round {row + 1}", "f-tick"))
        for column, move in enumerate(CANDIDATES):
            x = 90 + column * 50
            if move in visits:
                height = 44 * visits[move] / most
                parts.append(f'<rect class="bar" x="{x}" y="{base - height:.1f}" width="30" height="{height:.1f}"/>')
                parts.append(text(x + 15, base - height - 5, str(visits[move]), "f-tick f-middle"))
            if row == len(rounds) - 1:
                parts.append(text(x + 15, base + 18, move))
                parts.append(text(x + 15, base + 36, f"{CANDIDATES[move]:.2f}", "f-tick f-middle"))
    parts.append(text(14, 74 + 2 * 74 + 36, "score", "f-tick"))
    label = "Sequential halving: all candidates get some visits, then the better half, then the better half of those"
    return svg(label, 500, 276, "".join(parts))


# --- Ratings ---

#: Wins, draws and losses of the pairings in the example of docs/ratings.md.
AGENTS = ("mcts", "greedy", "random")
PLAYED = {(0, 1): (13, 4, 3), (1, 2): (10, 5, 5), (0, 2): (18, 2, 0)}


def games() -> Iterator[RatedGame]:
    """The games of the example, with colours in turn."""
    for (a, b), (wins, draws, losses) in PLAYED.items():
        for number, points in enumerate([1.0] * wins + [0.5] * draws + [0.0] * losses):
            yield RatedGame(a, b, points) if number % 2 == 0 else RatedGame(b, a, 1 - points)


def ratings_picture() -> str:
    """The model's curve, and the score of each pairing at the difference of the fitted ratings."""
    elo = [rating.elo for rating in rate(len(AGENTS), list(games())).ratings]
    curve = Curve(Series("expected score", 7), tuple(Point(x, 100 * score_of(x)) for x in range(-100, 501, 10)))
    curves = [curve]
    for place, ((a, b), (wins, draws, losses)) in enumerate(PLAYED.items()):
        count = wins + draws + losses
        score = (wins + draws / 2) / count
        low, high = (100 * bound for bound in wilson_interval(score, count))
        point = Point(elo[a] - elo[b], 100 * score, low, high)
        curves.append(Curve(Series(f"{AGENTS[a]} – {AGENTS[b]}", place), (point,)))
    across = Axis(-100, 500, (-100, 0, 100, 200, 300, 400, 500), lambda value: f"{value:g}".replace("-", MINUS))
    up = Axis(0, 100, (0, 25, 50, 75, 100), lambda value: f"{value:g}%")
    panels = (
        legend_panel([each.series for each in curves], is_line=True),
        curves_panel(curves, across, up, ("difference of the fitted ratings, Elo", "score"), strong=50),
    )
    label = "The curve of expected scores, and the scores of three pairings at the differences of their fitted ratings"
    return Picture(label, panels).standalone()


#: The drawings by the names of their files.
PICTURES: dict[str, Callable[[], str]] = {
    "alphabeta": alphabeta_picture,
    "mcts": mcts_picture,
    "solver": solver_picture,
    "nrpa": nrpa_picture,
    "puct": puct_picture,
    "gumbel": gumbel_picture,
    "ratings": ratings_picture,
}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(picture(), encoding="utf-8")
