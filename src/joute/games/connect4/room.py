"""The room of Connect Four: everything that the game provides."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.connect4",
    game="state:Connect4",
    guide="guide:GUIDE",
    effects="effects:effects",
    editor="editor:Connect4Editor",
    agents={
        "perfect": "agents.perfect:PERFECT",
        "connect4-uct": "agents.uct:CONNECT4_UCT",
        "connect4-mcts": "agents.paper:CONNECT4_MCTS",
        "connect4-ucb1-tuned": "agents.paper:CONNECT4_UCB1_TUNED",
        "connect4-rave": "agents.paper:CONNECT4_RAVE",
        "connect4-nrpa": "agents.paper:CONNECT4_NRPA",
    },
    bench="bench:BENCH",
    openings="openings:OPENINGS",
    levels="levels:LEVELS",
    lesson="data/lesson.toml",
    puzzles="puzzles:PUZZLES",
    endgame="agents.endgame:ENDGAME",
    book="commands.book:add_to",
    network="data/connect4.onnx",
    experiments="connect4.toml",
    moved={  # since 0.1
        "agents.connect4_endgame": "agents.endgame",
        "agents.connect4_report": "agents.paper",
        "agents.connect4_uct": "agents.uct",
        "agents.perfect": "agents.perfect",
        "games.connect4_book": "book",
    },
)
