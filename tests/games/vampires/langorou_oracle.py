"""Langorou's search as a beginner would write it, from the paper alone: what the core is compared with.

The board is a dictionary, every position is made anew, and nothing is remembered. `minimax` prunes as the paper's
program does, `expectimax` not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import floor, inf

from vampires_oracle import PROFILES, Board, Cell, Order, Profile, SlowVampires, is_certain, is_hopeless, random_battle

from joute.games.vampires.agents.langorou import LangorouParameters

MOST_TURNS = 1024
MOST_HOUSES = 4
MOST_CAPTURES = 4
#: Row by row.
STEPS = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]


def distance(a: Cell, b: Cell) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def by_rows(cell: Cell) -> Cell:
    return cell[1], cell[0]


@dataclass(frozen=True)
class Node:
    """A position of the search, with what its line of play has scored."""

    board: Board
    mover: str
    plies: int = 0
    cumulative: float = 0.0

    def groups(self, species: str) -> list[tuple[Cell, int]]:
        return sorted(
            ((cell, n) for cell, (kind, n) in self.board.items() if kind == species), key=lambda g: by_rows(g[0])
        )

    def units(self, species: str) -> int:
        return sum(n for _, n in self.groups(species))


class SlowLangorou:
    """The search of one position by one set of parameters."""

    def __init__(self, root: SlowVampires, parameters: LangorouParameters) -> None:
        self.root, self.parameters = root, parameters
        self.is_exact = parameters.switch("chance") == "exact"
        #: Whose battles it foresees.
        self.profile: Profile = root.profile if self.is_exact else PROFILES["official"]
        self.own, self.enemy = root.mover, "wv"["vw".index(root.mover)]
        self.outcomes = cache(self.outcomes)  # type: ignore[method-assign]

    def opponent(self, species: str) -> str:
        return self.enemy if species == self.own else self.own

    # --- What positions are worth ---

    def counted(self, units: int) -> int:
        return units % 256 if self.parameters.switch("wrap") == "yes" else units

    def lead(self, node: Node) -> int:
        return self.counted(node.units(self.own)) - self.counted(node.units(self.enemy))

    def chance(self, attackers: int, defenders: int, species: str) -> float:
        if is_certain(attackers, defenders, species, self.profile):
            return 1.0
        if is_hopeless(attackers, defenders, species, self.profile):
            return 0.0
        return self.win_probability(attackers, defenders)

    def win_probability(self, attackers: int, defenders: int) -> float:
        if attackers == defenders or (attackers > defenders and self.profile.larger_attacks_are_even):
            return 0.5
        return attackers / (2 * defenders) if attackers < defenders else attackers / defenders - 0.5

    def heuristic(self, node: Node) -> float:
        p = self.parameters
        own, enemy, houses = (node.groups(species) for species in (self.own, self.enemy, "h"))
        battles = neutral_battles = 0.0
        for (cell, n), (other, m) in product(own, enemy):
            gain = self.chance(n, m, "w") * (n + m) - m
            loss = self.chance(m, n, "w") * (n + m) - n
            battles += (gain - loss) / distance(cell, other)
        for groups, sign in ((own, 1), (enemy, -1)):
            for cell, n in groups:
                gains = [self.house_gain(n, humans) / distance(cell, house) for house, humans in houses]
                neutral_battles += sign * sum(gains)
        if p.switch("pairs_twice") == "yes":
            battles *= 2
        total = p.counts * self.lead(node) + p.battles * battles + p.neutral_battles * neutral_battles
        return total + p.groups * (len(own) - len(enemy))

    def house_gain(self, n: int, humans: int) -> float:
        return max(0, self.chance(n, humans, "h") * (n + humans) - n)

    def value(self, node: Node) -> float:
        """Of a game that goes on."""
        p = self.parameters
        total = self.heuristic(node) + p.cum_score * node.cumulative
        if p.switch("scale") == "raw":
            return total
        share = 0.99 * total / (abs(total) + p.softness)
        return share * p.lose_over_win_ratio if total < 0 else share

    def end(self, node: Node) -> float | None:
        """Of one that is over."""
        p = self.parameters
        own, enemy = node.units(self.own), node.units(self.enemy)
        is_aware = p.switch("ply_limit") == "aware"
        if own and enemy and not (is_aware and self.root.ply + node.plies >= self.root.limit):
            return None
        outcome = (own > enemy) - (own < enemy)
        if not own and not enemy:
            winner = self.root.profile.both_extinct_wins_for if is_aware else self.enemy
            outcome = 0 if winner is None else 1 if winner == self.own else -1
        if outcome == 0:
            return 0.0
        if p.switch("scale") == "bounded":
            return (1 if outcome > 0 else -p.lose_over_win_ratio) * (1 - 1e-5 * node.plies)
        if outcome > 0:
            return p.win_score - p.cum_score * node.cumulative
        return -p.win_score * p.lose_over_win_ratio + p.cum_score * node.cumulative

    def horizon(self, node: Node, captures: int = MOST_CAPTURES) -> float:
        end = self.end(node)
        if end is not None:
            return end
        value = self.value(node)
        orders = self.captures(node)
        if self.parameters.switch("quiescence") == "none" or captures == 0 or not orders:
            return value
        taken = self.mean(node, orders, lambda reached: self.horizon(reached, captures - 1))
        return max(value, taken) if node.mover == self.own else min(value, taken)

    def captures(self, node: Node) -> list[Order]:
        """What every group can take for certain, the largest group first, each the most."""
        orders: list[Order] = []
        for (x, y), n in sorted(node.groups(node.mover), key=lambda group: -group[1]):
            taken = {(to_x, to_y) for _, _, _, to_x, to_y in orders}
            prey = [
                (node.board[cell][1], -i, cell)
                for i, (dx, dy) in enumerate(STEPS)
                if (cell := (x + dx, y + dy)) in node.board
                and cell not in taken
                and node.board[cell][0] != node.mover
                and is_certain(n, node.board[cell][1], node.board[cell][0], self.profile)
            ]
            if prey:
                orders.append((x, y, n, *max(prey)[2]))
        return orders

    # --- What may happen ---

    def turns(self, node: Node) -> list[list[Order]]:
        groups = node.groups(node.mover)
        houses = node.groups("h")
        smallest = min((humans for _, humans in houses), default=0)
        may_split = bool(smallest) and len(groups) < self.parameters.max_groups
        ways = {cell: self.ways(cell, n, houses, may_split and n >= 2 * smallest) for cell, n in groups}
        moving: list[Cell] = []
        combinations = 1
        for cell, _ in sorted(groups, key=lambda group: -group[1]):
            combinations *= len(ways[cell])
            if combinations > MOST_TURNS:
                break
            moving.append(cell)
        found = []
        for combination in product(*(ways[cell] for cell in sorted(moving, key=by_rows))):
            orders = [order for way in combination for order in way]
            sources = {(x, y) for x, y, _, _, _ in orders}
            arriving: dict[Cell, int] = {}
            for _, _, n, to_x, to_y in orders:
                arriving[to_x, to_y] = arriving.get((to_x, to_y), 0) + n
            if orders and not sources & arriving.keys() and max(arriving.values()) <= 255:
                found.append(orders)
        return found

    def ways(self, cell: Cell, n: int, houses: list[tuple[Cell, int]], splits: bool) -> list[list[Order]]:
        x, y = cell
        inside = [(dx, dy) for dx, dy in STEPS if 0 <= x + dx < self.root.columns and 0 <= y + dy < self.root.rows]
        ways: list[list[Order]] = [[]]
        for moved in (n, n // 2) if splits else (n,):
            ways += [[(x, y, moved, x + dx, y + dy)] for dx, dy in inside]
        if not splits or self.parameters.switch("splits") == "half":
            return ways
        fitting = sorted((house for house in houses if house[1] < n), key=lambda h: -h[1] / distance(cell, h[0]))
        steps = [((h[0] > x) - (h[0] < x), (h[1] > y) - (h[1] < y), humans) for h, humans in fitting[:MOST_HOUSES]]
        for dx, dy, humans in steps:
            part = (x, y, humans, x + dx, y + dy)
            sized = [[part]]
            for to_x, to_y, others in steps:
                if (to_x, to_y) != (dx, dy) and others <= n - humans:
                    rest = (x, y, n - humans, x + to_x, y + to_y)
                    sized.append(sorted([part, rest], key=lambda order: (order[4], order[3])))
            ways += [way for way in sized if way not in ways]
        return ways

    def arrivals(self, orders: list[Order]) -> list[tuple[Cell, int]]:
        """Who arrive together, in the order in which they fight."""
        together: list[tuple[Cell, int]] = []
        for _, _, n, to_x, to_y in orders:
            cell = (to_x, to_y)
            cells = [known for known, _ in together]
            if self.parameters.switch("merge") == "target" and cell in cells:
                at = cells.index(cell)
            elif cells and cells[-1] == cell:
                at = len(cells) - 1
            else:
                together.append((cell, n))
                continue
            together[at] = (cell, together[at][1] + n)
        return together

    def outcomes(self, attackers: int, defenders: int, species: str) -> list[tuple[float, int]]:
        """What is left of a battle, from the attackers' worst on: so many attackers, or minus so many defenders."""
        p = self.parameters
        if is_certain(attackers, defenders, species, self.profile):
            return [(1.0, attackers + defenders if species == "h" else attackers)]
        if is_hopeless(attackers, defenders, species, self.profile):
            return [(1.0, -defenders)]
        if not self.is_exact:
            chance = self.win_probability(attackers, defenders)
            won = floor(chance * attackers + (chance * defenders if species == "h" else 0))
            lost = floor((1 - chance) * defenders)
            if chance >= p.win_threshold:
                return [(1.0, won)]
            return [(1.0, -lost)] if chance < 1 - p.win_threshold else [(1 - chance, -lost), (chance, won)]
        survivors = random_battle(attackers, defenders, species, self.profile)
        lost_ones = [(float(survivors.defenders[n]), -n) for n in range(defenders, 0, -1)]
        nobody = float(survivors.defenders[0] + survivors.attackers[0])
        won_ones = [(nobody, 0)] + [(float(chance), n) for n, chance in enumerate(survivors.attackers) if n]
        if len(lost_ones) + len(won_ones) <= p.bins:
            return lost_ones + won_ones
        lost_bins = min(max(1, floor(sum(chance for chance, _ in lost_ones) * p.bins + 0.5)), p.bins - 1)
        return quantiles(lost_ones, lost_bins) + quantiles(won_ones, p.bins - lost_bins)

    def mean(self, node: Node, orders: list[Order], value: Callable[[Node], float]) -> float:
        """The value of a turn: the mean over its battles, one after the other, of what the position is worth then."""
        cumulative = node.cumulative + (1 - self.parameters.cum_alpha * node.plies) * self.lead(node)
        departed = dict(node.board)
        for x, y, n, _, _ in orders:
            departed[x, y] = (node.mover, departed[x, y][1] - n)

        def settled(board: Board, arrivals: list[tuple[Cell, int]]) -> float:
            if not arrivals:
                return value(Node(board, self.opponent(node.mover), node.plies + 1, cumulative))
            (cell, n), *rest = arrivals
            return sum(p * settled(reached, rest) for p, reached in self.arrive(board, node.mover, cell, n))

        return settled({cell: group for cell, group in departed.items() if group[1]}, self.arrivals(orders))

    def arrive(self, board: Board, mover: str, cell: Cell, n: int) -> Iterator[tuple[float, Board]]:
        species, there = board.get(cell, (mover, 0))
        possible = [(1.0, there + n)] if species == mover else self.outcomes(n, there, species)
        wraps = self.parameters.switch("wrap") == "yes" or self.root.profile.wraps
        for chance, left in possible:
            reached = {other: group for other, group in board.items() if other != cell}
            count = abs(left) % 256 if wraps else min(abs(left), 255)
            if count:
                reached[cell] = (mover if left > 0 else species, count)
            yield chance, reached

    # --- The search ---

    def start(self) -> Node:
        return Node(self.root.board, self.own)

    def minimax(self, node: Node, depth: int, alpha: float = -inf, beta: float = inf) -> float:
        """As the paper prunes: outcomes in the window of their turn, bounds averaged like values."""
        end = self.end(node)
        if end is not None:
            return end
        if depth == 0:
            return self.horizon(node)
        is_own = node.mover == self.own
        best = -inf if is_own else inf
        for orders in self.turns(node):
            value = self.mean(node, orders, partial(self.minimax, depth=depth - 1, alpha=alpha, beta=beta))
            best = max(best, value) if is_own else min(best, value)
            if best >= beta if is_own else best <= alpha:
                return best
            alpha, beta = (max(alpha, best), beta) if is_own else (alpha, min(beta, best))
        return best

    def expectimax(self, node: Node, depth: int) -> float:
        end = self.end(node)
        if end is not None:
            return end
        if depth == 0:
            return self.horizon(node)
        values = [self.expectation(node, orders, depth - 1) for orders in self.turns(node)]
        return max(values) if node.mover == self.own else min(values)

    def expectation(self, node: Node, orders: list[Order], depth: int) -> float:
        """The value of a turn."""
        return self.mean(node, orders, partial(self.expectimax, depth=depth))


def quantiles(outcomes: list[tuple[float, int]], parts: int) -> list[tuple[float, int]]:
    """Outcomes in their order in as many parts of about the same weight, each as its rounded mean."""
    total = sum(chance for chance, _ in outcomes)
    groups: list[list[tuple[float, int]]] = [[]]
    before, part = 0.0, 1
    for chance, left in outcomes:
        groups[-1].append((chance, left))
        before += chance
        if before >= total * part / parts and part < parts:
            groups.append([])
            while part < parts and before >= total * part / parts:
                part += 1
    found = []
    for group in filter(None, groups):
        weight = sum(chance for chance, _ in group)
        mean = sum(chance * left for chance, left in group) / weight
        found.append((weight, int(mean + 0.5) if mean >= 0 else -int(-mean + 0.5)))
    return found
