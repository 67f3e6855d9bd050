"""The levels of Quoridor: what each may see, and how they are fitted."""

from pathlib import Path

from joute.agents.level_sets import LevelSet, Stage

LEVELS = LevelSet(
    stages=(
        Stage("quoridor:depth=1,memory_mb=1", overlooks=0.2),
        Stage("quoridor:depth=2,memory_mb=1", overlooks=0.2, most_loss=0.5),
        Stage("quoridor:depth=2,memory_mb=1", lines=30, overlooks=0.05, most_loss=0.3),
        Stage("quoridor:depth=3,memory_mb=2", lines=8, overlooks=0.03, most_loss=0.25),
        Stage("quoridor:nodes=10000,memory_mb=4", lines=6, overlooks=0.02, most_loss=0.2),
        Stage("quoridor:nodes=30000,memory_mb=8", lines=4, overlooks=0.01, most_loss=0.15),
    ),
    full="quoridor:nodes=100000,memory_mb=16",
    first_temperature=1.0,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    goal=0.72,
    goal_source="from nearly random moves to the engine are about 1,100 Elo: 8 levels with steps of 160",
)
