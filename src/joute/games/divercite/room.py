"""What Divercité brings along."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.divercite",
    game="state:Divercite",
    agents={
        "divercite": "agents.engine:DIVERCITE",
        "divercite-solver": "agents.solver:DIVERCITE_SOLVER",
        "divercite-greedy": "agents.greedy:DIVERCITE_GREEDY",
        "divercite-v0": "agents.paper:DIVERCITE_V0",
        "divercite-v1": "agents.paper:DIVERCITE_V1",
        "divercite-v2": "agents.paper:DIVERCITE_V2",
        "divercite-v3": "agents.paper:DIVERCITE_V3",
    },
    bench="bench:BENCH",
    endgame="agents.solver:ENDGAME",
    course="course:COURSE",
    plans={
        "divercite": "plans:ENGINE",
        "divercite-v1": "plans:V1",
        "divercite-v2": "plans:V2",
        "divercite-v3": "plans:V3",
    },
    experiments="divercite.toml",
)
