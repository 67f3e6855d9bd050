"""The room of Divercité: everything that the game provides."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.divercite",
    game="state:Divercite",
    guide="guide:GUIDE",
    effects="effects:effects",
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
    openings="openings:OPENINGS",
    levels="levels:LEVELS",
    calibration="data/win_probability.txt",
    endgame="agents.solver:ENDGAME",
    course="course:COURSE",
    plans={
        "divercite": "plans:ENGINE",
        "divercite-v1": "plans:V1",
        "divercite-v2": "plans:V2",
        "divercite-v3": "plans:V3",
        "divercite-v2-text": "plans:V2_TEXT",
        "divercite-v3-text": "plans:V3_TEXT",
    },
    experiments="divercite.toml",
    moved={  # since 0.1
        "agents.divercite_engine": "agents.engine",
        "agents.divercite_greedy": "agents.greedy",
        "agents.divercite_report": "agents.paper",
        "agents.divercite_solver": "agents.solver",
        "protocol.course_divercite": "course",
        "protocol.seahorse_agent": "seahorse.agent",
        "protocol.seahorse_course": "seahorse.stand_in",
        "protocol.seahorse_course.divercite": "seahorse.stand_in.divercite",
        "protocol.seahorse_course.framework": "seahorse.stand_in.framework",
        "protocol.seahorse_course.modules": "seahorse.stand_in.modules",
        "protocol.seahorse_player": "seahorse.player",
        "protocol.seahorse_recording": "seahorse.recording",
        "protocol.seahorse_state": "seahorse.state",
    },
)
