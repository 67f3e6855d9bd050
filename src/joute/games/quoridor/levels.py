"""The levels of Quoridor: what each may see, and how they are fitted."""

from pathlib import Path

from joute._core import QuoridorMove
from joute.agents.level_sets import LevelSet, Stage
from joute.games import Move
from joute.games.quoridor.state import Quoridor


def _kind(move: Move) -> str:
    """A step or a wall. There are up to 128 walls and three to five steps: weights by value alone would make low levels
    place walls until none is left.
    """
    return "wall" if str(move)[-1] in "hv" else "step"


def _progress(state: Quoridor, move: QuoridorMove) -> float:
    """The steps to go after a move. The evaluation of a decided race without walls is the same for all steps."""
    return -float(state.play(move).distance(state.to_move))


# The levels were fitted before the engine had these, and keep to that search, so that their strength stays as measured.
_PLAIN = "reduce_root=no,late_moves=0,null_depth=0,hints=0,wide_depth=0"

LEVELS = LevelSet(
    stages=(
        Stage(f"quoridor:depth=1,memory_mb=1,{_PLAIN}", overlooks=0.2),
        Stage(f"quoridor:depth=2,memory_mb=1,{_PLAIN}", overlooks=0.2, most_loss=0.5),
        Stage(f"quoridor:depth=2,memory_mb=1,{_PLAIN}", lines=30, overlooks=0.05, most_loss=0.3),
        Stage(f"quoridor:depth=3,memory_mb=2,{_PLAIN}", lines=8, overlooks=0.03, most_loss=0.25),
        Stage(f"quoridor:nodes=10000,memory_mb=4,{_PLAIN}", lines=6, overlooks=0.02, most_loss=0.2),
        Stage(f"quoridor:nodes=30000,memory_mb=8,{_PLAIN}", lines=4, overlooks=0.01, most_loss=0.15),
        Stage(f"quoridor:nodes=80000,memory_mb=16,{_PLAIN}", lines=3, most_loss=0.1),
    ),
    full=f"quoridor:nodes=200000,memory_mb=16,{_PLAIN}",
    first_temperature=1.0,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    kind=_kind,
    progress=_progress,
)
