"""The levels of Vampires vs Werewolves: what each may see, and how they are fitted."""

from pathlib import Path

from joute.agents.level_sets import LevelSet, Stage

LEVELS = LevelSet(
    stages=(
        Stage("vampires:depth=1,memory_mb=1", overlooks=0.2),
        Stage("vampires:depth=2,memory_mb=1", overlooks=0.2, most_loss=0.5),
        Stage("vampires:depth=2,memory_mb=1", lines=20, overlooks=0.05, most_loss=0.3),
        Stage("vampires:nodes=3000,memory_mb=2", lines=8, overlooks=0.02, most_loss=0.2),
    ),
    full="vampires:nodes=100000,memory_mb=16",
    first_temperature=1.0,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    goal=0.62,
    goal_source="luck decides many games: the engine scores 82% against random candidates, two steps of 75% at most",
)
