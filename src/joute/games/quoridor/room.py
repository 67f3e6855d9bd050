"""The room of Quoridor: everything that the game provides."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.quoridor",
    game="state:Quoridor",
    guide="guide:GUIDE",
    effects="effects:effects",
    editor="editor:QuoridorEditor",
    agents={
        "quoridor": "agents.engine:QUORIDOR",
        "quoridor-alphabeta": "agents.paper:QUORIDOR_ALPHABETA",
        "quoridor-mcts": "agents.paper:QUORIDOR_MCTS",
        "quoridor-greedy": "agents.runners:QUORIDOR_GREEDY",
        "quoridor-runner": "agents.runners:QUORIDOR_RUNNER",
    },
    bench="bench:BENCH",
    openings="openings:OPENINGS",
    levels="levels:LEVELS",
    lesson="data/lesson.toml",
    puzzles="puzzles:PUZZLES",
    calibration="data/win_probability.txt",
    course="course:COURSE",
    commands={"qtp": "commands.qtp:add_to"},
    languages={"qtp": "qtp.language:QTP"},
    plans={"quoridor": "plans:ENGINE", "quoridor-report": "plans:PAPER"},
    book="commands.book:add_to",
    experiments="quoridor.toml",
    moved={  # since 0.1
        "agents.quoridor_cache": "cache",
        "agents.quoridor_engine": "agents.engine",
        "agents.quoridor_report": "agents.paper",
        "agents.quoridor_runners": "agents.runners",
        "arena.qtp_player": "qtp.player",
        "cli.qtp": "commands.qtp",
        "games.quoridor_line": "line",
        "games.quoridor_notation": "notation",
        "protocol.course_quoridor": "course",
        "protocol.qtp": "qtp.words",
        "protocol.qtp_engine": "qtp.engine",
    },
)
