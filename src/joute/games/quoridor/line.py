"""How a position of Quoridor can have come about: a line of play, for programs that can be told moves alone."""

from __future__ import annotations

from joute.errors import JouteError
from joute.games.quoridor.state import Quoridor

# Positions that are looked at. Openings of some plies take a few dozen; to late ones a line may not be found.
_MOST_POSITIONS = 20_000


def line_to(goal: Quoridor) -> list[str]:
    """Moves from the start of the game to a position; JouteError if none are found.

    Whose walls are whose is not to be seen, nor in which order they came; any line will do.

    >>> line_to(Quoridor.new("e3//e2e9/10-9/2"))
    ['e2', 'e3h']
    """
    found = _Search(goal).moves()
    if found is None:
        raise JouteError(f"no line of play is found from the start to {goal.position}, and QTP tells moves alone")
    return found


class _Search:
    """Depth first: pawns go to their places and wait there, then the walls are placed."""

    def __init__(self, goal: Quoridor) -> None:
        self._goal = goal
        self._walls = [
            f"{chr(ord('a') + column)}{row + 1}{orientation}"
            for anchors, orientation in ((goal.horizontal_walls, "h"), (goal.vertical_walls, "v"))
            for row, column in anchors
        ]
        self._failed: set[str] = set()

    def moves(self) -> list[str] | None:
        """The line; None if there is none, or it takes too long."""
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
            # A game that begins with the position has no past, so repetition on the way to it does not count.
            state = states[-1].play(move).with_past(())
            if state.position in self._failed or len(self._failed) > _MOST_POSITIONS:
                continue
            states.append(state)
            branches.append(iter(self._candidates(state)))
            line.append(move)
        return None

    def _candidates(self, state: Quoridor) -> list[str]:
        """What may lead on, the likeliest first; nothing from where the goal is out of reach."""
        goal = self._goal
        if state.ply >= goal.ply or state.is_terminal:
            return []
        mover, left = state.to_move, goal.ply - state.ply
        steps_left = [_turns(player, mover, left) - self._walls_to_place(state, player) for player in (0, 1)]
        # One step more than the distance would need is the most that a jump can save, for each that is made.
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
    """How many of the next plies are a player's."""
    return (plies + 1) // 2 if player == mover else plies // 2


def _anchor(text: str) -> tuple[int, int]:
    return int(text[1]) - 1, ord(text[0]) - ord("a")


def _far(one: tuple[int, int], other: tuple[int, int]) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
