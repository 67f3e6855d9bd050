"""The room of Avalam: everything that the game provides."""

from joute.plugins import Room

ROOM = Room(
    package="joute.games.avalam",
    game="state:Avalam",
    guide="guide:GUIDE",
    effects="effects:effects",
    editor="editor:AvalamEditor",
    agents={
        "avalam": "agents.engine:AVALAM",
        "avalam-uct": "agents.engine:AVALAM_UCT",
        "avalam-solver": "agents.solver:AVALAM_SOLVER",
        "avalam-greedy": "agents.greedy:AVALAM_GREEDY",
        "avalam-mcts": "agents.paper:AVALAM_MCTS",
        "avalam-mcts-6s": "agents.paper:AVALAM_MCTS_6S",
        "avalam-rave": "agents.paper:AVALAM_RAVE",
        "avalam-minimax-score": "agents.paper:AVALAM_MINIMAX_SCORE",
        "avalam-minimax-guaranteed": "agents.paper:AVALAM_MINIMAX_GUARANTEED",
        "avalam-minimax-h1": "agents.paper:AVALAM_MINIMAX_H1",
        "avalam-minimax-h2": "agents.paper:AVALAM_MINIMAX_H2",
    },
    bench="bench:BENCH",
    openings="openings:OPENINGS",
    levels="levels:LEVELS",
    lesson="data/lesson.toml",
    puzzles="puzzles:PUZZLES",
    calibration="data/win_probability.txt",
    endgame="agents.solver:ENDGAME",
    course="course:COURSE",
    plans={
        "avalam": "plans:ENGINE",
        "avalam-report": "plans:PAPER",
        "avalam-program": "plans:PROGRAM",
        "avalam-corrected": "plans:CORRECTED",
        "avalam-6s": "plans:SIX_SECONDS",
        "avalam-minimax": "plans:MINIMAX",
    },
    experiments="avalam.toml",
    moved={  # since 0.1
        "agents.avalam_engine": "agents.engine",
        "agents.avalam_greedy": "agents.greedy",
        "agents.avalam_report": "agents.paper",
        "agents.avalam_solver": "agents.solver",
        "protocol.course_avalam": "course",
    },
)
