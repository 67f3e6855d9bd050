"""The levels of Divercité: what each may see, and how they are fitted."""

from pathlib import Path

from joute.agents.level_sets import LevelSet, Stage

LEVELS = LevelSet(
    stages=(
        Stage("divercite:depth=1,solve_share=0,memory_mb=1", overlooks=0.2),
        Stage("divercite:depth=2,solve_share=0,memory_mb=1", overlooks=0.2, most_loss=0.5),
        Stage("divercite:depth=2,solve_share=0,memory_mb=1", lines=16, overlooks=0.05, most_loss=0.3),
        Stage("divercite:depth=3,solve_share=0,memory_mb=2", lines=8, overlooks=0.03, most_loss=0.25),
        Stage("divercite:nodes=20000,memory_mb=4", lines=6, overlooks=0.02, most_loss=0.2),
        Stage("divercite:nodes=60000,memory_mb=8", lines=4, overlooks=0.01, most_loss=0.15),
        Stage("divercite:nodes=150000,memory_mb=16", lines=4, most_loss=0.1),
    ),
    full="divercite:nodes=500000,memory_mb=32",
    first_temperature=1.7,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
    goal=0.78,
    goal_source="from nearly random moves to the engine are about 2,200 Elo: 11 levels with steps of 220",
)
