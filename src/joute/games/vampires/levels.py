"""The levels of Vampires vs Werewolves: what each may see, and how they are fitted."""

from pathlib import Path

from joute._core import Random
from joute.agents.level_sets import LevelSet, Stage
from joute.games.vampires.generators import OfficialMaps, draw_convertible
from joute.games.vampires.state import Vampires


def _start(rng: Random) -> Vampires:
    """A map like the default one: 10x10, six pairs of homes, and a house that can be converted at the start."""
    return Vampires.new(draw_convertible(OfficialMaps(), rng).text)


LEVELS = LevelSet(
    stages=(
        Stage("vampires:depth=1,memory_mb=1", overlooks=0.2),
        Stage("vampires:depth=2,memory_mb=1", overlooks=0.2, most_loss=0.5),
        Stage("vampires:depth=2,memory_mb=1", lines=20, overlooks=0.05, most_loss=0.3),
        Stage("vampires:nodes=3000,memory_mb=2", lines=8, overlooks=0.02, most_loss=0.2),
    ),
    full="vampires:nodes=100000,memory_mb=16",
    first_temperature=5.0,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    start=_start,
    start_source="on balanced maps the best play of both is often an even battle, so random candidates score 18%",
    goal=0.7,
    goal_source="luck decides some games: full strength is some 700 Elo above nearly random turns, four steps of 170",
)
