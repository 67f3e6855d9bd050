"""What a move of Quoridor does to the two ways: the lengths of the shortest paths to the goals, without the pawns."""

from __future__ import annotations

from joute import _core
from joute.games.effects import Effect
from joute.games.quoridor.state import Quoridor

# A way is worth keeping short from this number of steps on: most walls add one.
_LEAST_STEPS = 2


def effects(state: Quoridor, move: _core.QuoridorMove) -> list[Effect]:
    """Return the effects of a move."""
    player = state.to_move
    after = state.play(move)
    if after.result is not None and after.result.winner == player:
        return [Effect("reaches {my} goal", "reaching {my} goal", kind="goal", is_threat=True)]
    mine = after.distance(player) - state.distance(player)
    theirs = after.distance(1 - player) - state.distance(1 - player)
    found = []
    if not move.is_wall and _is_jump(state.pawn(player), move.cell):
        found.append(Effect("jumps over {their} pawn", "jumping over {their} pawn", kind="jump"))
    if mine < 0:
        words = f"{{my}} way by {-mine}"
        found.append(Effect(f"shortens {words}", f"shortening {words}", kind="my way", size=-mine))
    if theirs > 0:
        own = f" and {{my}} way by {mine}" if mine > 0 else ""
        words = f"{{their}} way by {theirs}{own}"
        is_threat = theirs >= _LEAST_STEPS and mine <= 0
        kind = "their way" if mine <= 0 else "both ways"
        found.append(Effect(f"lengthens {words}", f"lengthening {words}", kind, theirs, is_threat=is_threat))
    return found


def _is_jump(start: tuple[int, int], goal: tuple[int, int]) -> bool:
    return abs(start[0] - goal[0]) + abs(start[1] - goal[1]) > 1
