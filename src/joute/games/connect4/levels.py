"""The levels of Connect Four: what each may see, and how they are fitted."""

from pathlib import Path

from joute.agents.level_sets import LevelSet, Stage

LEVELS = LevelSet(
    stages=(
        Stage("alphabeta:depth=1,memory_mb=1", overlooks=0.2),
        Stage("alphabeta:depth=2,memory_mb=1", overlooks=0.2, most_loss=0.5),
        Stage("alphabeta:depth=3,memory_mb=1", overlooks=0.1, most_loss=0.4),
        Stage("alphabeta:depth=4,memory_mb=1", overlooks=0.05, most_loss=0.3),
        Stage("alphabeta:depth=6,memory_mb=1", overlooks=0.02, most_loss=0.3),
        Stage("alphabeta:depth=8,memory_mb=2", overlooks=0.01, most_loss=0.25),
        Stage("alphabeta:depth=10,memory_mb=4", overlooks=0.005, most_loss=0.2),
        Stage("alphabeta:nodes=600000,memory_mb=16", most_loss=0.15),
    ),
    full="perfect",
    first_temperature=5.5,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    goal=0.72,
    goal_source="from level 1 to the perfect solver are about 1,450 Elo: 8 or 9 levels with steps of 160",
)
