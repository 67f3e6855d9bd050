"""What Vampires vs Werewolves brings along."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.vampires",
    game="state:Vampires",
    agents={
        "vampires": "agents.engine:VAMPIRES",
        "vampires-greedy": "agents.greedy:VAMPIRES_GREEDY",
        "langorou": "agents.langorou:LANGOROU",
    },
    bench="bench:BENCH",
    commands={
        "connect": "commands.connect:add_to",
        "host": "commands.host:add_to",
        "map": "commands.map:add_to",
        "odds": "commands.odds:add_to",
    },
    languages={"tcp": "tcp.language:TCP"},
    plans={"langorou": "plans:LANGOROU"},
    course="course:COURSE",
    experiments="vampires.toml",
)
