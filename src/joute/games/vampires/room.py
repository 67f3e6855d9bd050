"""The room of Vampires vs Werewolves: everything that the game provides."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.vampires",
    game="state:Vampires",
    guide="guide:GUIDE",
    agents={
        "vampires": "agents.engine:VAMPIRES",
        "vampires-greedy": "agents.greedy:VAMPIRES_GREEDY",
        "langorou": "agents.langorou:LANGOROU",
        "langorou-random": "agents.langorou_random:LANGOROU_RANDOM",
    },
    bench="bench:BENCH",
    openings="openings:OPENINGS",
    levels="levels:LEVELS",
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
    moved={  # since 0.1
        "agents.langorou": "agents.langorou",
        "agents.vampires_engine": "agents.engine",
        "agents.vampires_greedy": "agents.greedy",
        "arena.tcp_player": "tcp.player",
        "arena.vampires_server": "tcp.server",
        "cli.connect": "commands.connect",
        "cli.host": "commands.host",
        "cli.host_live": "commands.host_live",
        "cli.map_": "commands.map",
        "cli.odds": "commands.odds",
        "games.vampires_generators": "generators",
        "games.vampires_maps": "maps",
        "protocol.vampires_board": "tcp.board",
        "protocol.vampires_client": "tcp.client",
        "protocol.vampires_frames": "tcp.frames",
        "protocol.vampires_host_settings": "tcp.host_settings",
        "protocol.vampires_referee": "tcp.referee",
        "protocol.vampires_timing": "tcp.timing",
        "protocol.vampires_wire": "tcp.wire",
    },
)
