"""The levels of Avalam: what each may see, and how they are fitted."""

from pathlib import Path

from joute.agents.level_sets import LevelSet, Stage

LEVELS = LevelSet(
    stages=(
        Stage("avalam:depth=1,solve_share=0,memory_mb=1", overlooks=0.2),
        Stage("avalam:depth=2,solve_share=0,memory_mb=1", lines=60, overlooks=0.2, most_loss=0.5),
        Stage("avalam:depth=2,solve_share=0,memory_mb=1", lines=16, overlooks=0.05, most_loss=0.3),
        Stage("avalam:depth=3,solve_share=0,memory_mb=2", lines=8, overlooks=0.03, most_loss=0.25),
        Stage("avalam:nodes=20000,memory_mb=4", lines=6, overlooks=0.02, most_loss=0.2),
        Stage("avalam:nodes=60000,memory_mb=8", lines=4, overlooks=0.01, most_loss=0.15),
        Stage("avalam:nodes=200000,memory_mb=16", lines=4, most_loss=0.1),
    ),
    full="avalam:nodes=600000,memory_mb=32",
    first_temperature=2.0,
    source="plies and nodes that a person might see; level 1 plays nearly at random among the moves that it notices",
    file=Path(__file__).with_name("data") / "levels.toml",
)
