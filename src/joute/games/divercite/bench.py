"""The benchmark of Divercité: its engine, the agents of the paper, and the searches of every game.

Specs set a limit and little else, so that a change of a default or of an evaluation changes a signature too.
"""

from joute.match.signature import AGENTS_OF_EVERY_GAME, Bench

BENCH = Bench(
    "divercite",
    (
        "./.../...../......./........./......./...../..././3333",
        "./.../...../...R.B./.G-.R.Bb../.....B-./.R-.../..././3333",
        "./.../g..B-./bGrRbB./.G-yR.Bb../y....B-./.R-.../..././2232",
        "./b.r/gG.B-./bGrRbB./.G-yR.Bb../yY.G-.B-g/yR-.R-g/..././2121",
        "y/bYr/gG.B-./bGrRbB./rG-yR.Bb../yY.G-.B-g/yR-.R-g/y../r/1121",
    ),
    {
        "engine": "divercite:nodes=30000",
        "solver": "divercite-solver:nodes=30000",
        "greedy-faithful": "divercite-greedy:version=faithful",
        "greedy-corrected": "divercite-greedy:version=corrected",
        "v0": "divercite-v0:depth=2",
        "v1": "divercite-v1:depth=2",
        "v2": "divercite-v2:depth=2",
        "v3-faithful": "divercite-v3:version=faithful,depth=3",
        "v3-corrected": "divercite-v3:version=corrected,depth=3",
        **AGENTS_OF_EVERY_GAME,
    },
)
