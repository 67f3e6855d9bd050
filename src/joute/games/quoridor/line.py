"""Find a line of play from the start to a position of Quoridor, for protocols that transmit only moves."""

from __future__ import annotations

from joute.errors import JouteError
from joute.games.quoridor.state import Quoridor

# Positions searched at most. Openings of a few plies take a few dozen; for late positions, the search may fail.
_MOST_POSITIONS = 20_000


def line_to(goal: Quoridor) -> list[str]:
    """Return moves from the start of the game to a position; JouteError if none are found.

    A position does not record who placed which wall, nor the order of the walls; any line is valid.

    >>> line_to(Quoridor.new("e3//e2e9/10-9/2"))
    ['e2', 'e3h']
    """
    found = _Search(goal).moves()
    if found is None:
        raise JouteError(f"found no line of play from the start to {goal.position}, and QTP transmits only moves")
    return found


class _Search:
    """Depth-first search: pawns first move to their goal cells and wait there, then the walls are placed."""

    def __init__(self, goal: Quoridor) -> None:
        self._goal = goal
        self._walls = [
            f"{chr(ord('a') + column)}{row + 1}{orientation}"
            for anchors, orientation in ((goal.horizontal_walls, "h"), (goal.vertical_walls, "v"))
            for row, column in anchors
        ]
        self._failed: set[str] = set()

    def moves(self) -> list[str] | None:
        """Return the line; None if there is none, or after too many positions."""
        start = Quoridor.new(None, self._goal.rules)
        line: list[str] = []
        branches = [iter(self._candidates(start))]
        states = [start]
        while branches:
            if states[-1].ply == self._goal.ply and states[-1].position == self._goal.position:
                return line
            if (move := next(branches[-1], None)) is None:
                self._failed.add(states.pop().position)
                branches.pop()
                line = line[:-1]
                continue
            # Clear the past: a game that begins with `goal` has none, so repetitions on the way do not count.
            state = states[-1].play(move).with_past(())
            if state.position in self._failed or len(self._failed) > _MOST_POSITIONS:
                continue
            states.append(state)
            branches.append(iter(self._candidates(state)))
            line.append(move)
        return None

    def _candidates(self, state: Quoridor) -> list[str]:
        """Return candidate moves, the most likely first; empty if the goal is out of reach."""
        goal = self._goal
        if state.ply >= goal.ply or state.is_terminal:
            return []
        mover, left = state.to_move, goal.ply - state.ply
        steps_left = [_turns(player, mover, left) - self._walls_to_place(state, player) for player in (0, 1)]
        # A pawn covers at most two cells per move, by a jump.
        if any(2 * steps < self._away(state, player) for player, steps in enumerate(steps_left)) or min(steps_left) < 0:
            return []
        placed = {*state.horizontal_walls}, {*state.vertical_walls}
        walls = [wall for wall in self._walls if _anchor(wall) not in placed["hv".index(wall[2])]]
        may_place = walls if self._walls_to_place(state, mover) else []
        steps = [str(move) for move in state.legal_moves if len(str(move)) == 2] if steps_left[mover] else []
        steps.sort(key=lambda cell: _far(_anchor(cell), goal.pawn(mover)))
        return [*steps, *(wall for wall in may_place if state.is_legal(wall))]

    def _walls_to_place(self, state: Quoridor, player: int) -> int:
        return state.walls_left(player) - self._goal.walls_left(player)

    def _away(self, state: Quoridor, player: int) -> int:
        return _far(state.pawn(player), self._goal.pawn(player))


def _turns(player: int, mover: int, plies: int) -> int:
    """Return how many of the next `plies` belong to a player."""
    return (plies + 1) // 2 if player == mover else plies // 2


def _anchor(text: str) -> tuple[int, int]:
    return int(text[1]) - 1, ord(text[0]) - ord("a")


def _far(one: tuple[int, int], other: tuple[int, int]) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
